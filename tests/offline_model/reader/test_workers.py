"""What a tool is for, where a supervisor has only its description to go by."""

from offline_model.reader.workers import kind_of

MEANT = {
    "Writes the brief.": "write",
    "Finds sources on a topic.": "research",
    "Reviews a draft.": "review",
    "A writer. It works from what the researcher found.": "write",
    "Expert for research.": "research",
    "Sings.": "other",
}
WORK = {"type": "object", "properties": {"task": {"type": "string"}}}


def test_a_tool_whose_name_says_nothing_is_what_its_description_says_first():
    for text, kind in MEANT.items():
        tool = {"name": "ask_ada", "description": text, "input_schema": WORK}
        assert kind_of(tool) == kind, text
