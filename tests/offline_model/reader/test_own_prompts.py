"""The prompts and schemas of one's own that lessons ask for are obeyed and named as the table on the page says."""

from __future__ import annotations

from offline_model.reader.lexicon import families, table
from tests.on_each import on_each
from workshop.course.lessons import LESSONS

from .desk import FACTS, GOOD
from .test_page import FOUND, SETTINGS
from .test_skills import team
from .test_wordings import STEP
from .wire import TEXT, TEXTS, parts, send, shape, tool

KINDS = {
    "string": TEXT,
    "array": TEXTS,
    "boolean": {"type": "boolean"},
    "integer": {"type": "integer"},
    "nullable": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    "steps": {"type": "array", "items": STEP},
    "findings": FOUND,
}
RUBRIC = "- Does every sentence cite a source?\n- Is every source used?\n- Is it funny?"
AT_HAND = {"facts": FACTS, "draft": GOOD.replace("2021", "2019"), "rubric": RUBRIC}
TRANSFER = {
    "name": "transfer_to_writer",
    "description": "Writes a cited brief from facts.",
    "input_schema": {"type": "object", "properties": {}},
}
TOOLS = {"": [], "team": team(), "transfer": [TRANSFER], "search": [tool()], "settings": [SETTINGS]}
ROWS = {name: table(f"own_prompts/{name}") for name in families("own_prompts")}


@on_each("row", ROWS.values(), ids=ROWS)
def test_a_prompt_of_ones_own_is_read_as_the_table_says(row):
    given = {name: AT_HAND[name] for name in row["at_hand"]}
    fields = {name: KINDS[kind] for name, kind in row.get("fields", {}).items()}
    schema = shape(**fields) if fields else None
    tools = TOOLS[row.get("tools", "")]
    text = parts(task=row["task"], **given)
    account = send(text, row["prompt"], schema=schema, tools=tools).account
    assert set(row["obeyed"]) <= set(account.wishes)
    assert account.not_understood == tuple(row["named"])


@on_each("row", ROWS.values(), ids=ROWS)
def test_the_table_names_lessons_that_there_are(row):
    assert row["lesson"] in {lesson.title for lesson in LESSONS}
