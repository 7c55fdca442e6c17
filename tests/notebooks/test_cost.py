"""Facts about what a lesson costs on a real model: counted in a live run, priced by the table, and not out of date."""

from __future__ import annotations

from decimal import Decimal

import nbformat
import pytest

from kernel import Usage, models, spending
from kernel.plumbing.models import cost as price
from workshop.authoring import cost

from ..places import BOOKS, ROOT

EVERY = pytest.mark.parametrize("book", BOOKS)
ASK = """\
from kernel import Run, connect, models
async def ask(client):
    message = {"role": "user", "content": "Hello"}
    reply = await Run(client).ask(model=models.worker, max_tokens=300, messages=[message])
    return reply.usage
usage = await ask(connect())"""


def written(folder, *cells):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbformat.write(notebook, folder / "98_new.ipynb")
    return folder / "98_new.ipynb"


@EVERY
def test_the_tokens_that_are_stored_belong_to_the_code_of_the_lesson(book):
    path = BOOKS[book]
    name = path.relative_to(ROOT).as_posix()
    known = cost.stored(book)
    assert known and known["code"] == cost.mark_of(path), (
        f"run `python3 -m workshop build {name}`, then `build --words`"
    )


@EVERY
def test_a_lesson_stays_below_the_limit(book):
    assert cost.dollars(cost.stored(book)["tokens"]) < spending.DEFAULT_MAX_USD


def test_readme_says_of_which_models_and_which_month_the_prices_are():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"at list prices of {cost.month()}" in readme
    assert all(model in readme for model in models.ROLES.values())


@pytest.mark.exhaustive
@EVERY
def test_a_live_run_costs_what_is_stored(book):
    """To a tenth: a busy machine cancels a request sooner or later, and no cent depends on it."""
    now, then = cost.measured(BOOKS[book]), cost.stored(book)["tokens"]
    assert now.keys() == then.keys()
    assert float(cost.dollars(now)) == pytest.approx(float(cost.dollars(then)), rel=0.1), (
        f"delete {cost.file_of(book).name} of the lesson and build its notebook"
    )


def test_what_is_sent_live_is_counted_and_what_is_offline_on_purpose_is_not(tmp_path):
    path = written(tmp_path, ASK, 'await ask(connect("offline"));', "await ask(connect());")
    [(model, sums)] = cost.measured(path).items()
    assert model == "claude-haiku-5-5" and sums["calls"] == 2
    usage = Usage(input_tokens=sums["input_tokens"], output_tokens=sums["output_tokens"])
    assert cost.dollars({model: sums}) == price(model, usage) > 0


def test_a_streamed_reply_is_counted_once():
    events = (
        b'event: message_start\ndata: {"type": "message_start", "message": {"usage": '
        b'{"input_tokens": 12, "output_tokens": 1}}}\n\n',
        b'event: message_delta\ndata: {"type": "message_delta", "usage": {"output_tokens": 30}}\n\n',
    )
    assert cost.usage_in(events) == {"input_tokens": 12, "output_tokens": 30}


def test_many_short_requests_are_no_long_one():
    sums = {"input_tokens": 900_000, "output_tokens": 10_000}
    short = price("claude-haiku-5-5", Usage(input_tokens=9_000, output_tokens=100))
    assert cost.dollars({"claude-haiku-5-5": sums}) == 100 * short


def test_a_model_without_a_price_is_no_guess():
    with pytest.raises(LookupError, match="the price of nobodys-model is not known"):
        cost.dollars({"nobodys-model": {"input_tokens": 1}})


def test_another_cell_of_code_is_another_mark_and_other_words_are_not(tmp_path):
    mark = cost.mark_of(written(tmp_path, "x = 1"))
    assert cost.mark_of(written(tmp_path, "x = 1\n")) == mark
    assert cost.mark_of(written(tmp_path, "x = 2")) != mark


@pytest.mark.parametrize(
    ("usd", "cents", "words"),
    [
        ("0", "0", "0 cents"),
        ("0.002", "<1", "less than 1 cent"),
        ("0.01", "1", "about **1 cent**"),
        ("0.262", "27", "about **27 cents**"),
        ("2.7", "270", '`kernel.spending.allow("3")`'),
    ],
)
def test_dollars_are_said_in_whole_cents_and_never_less(monkeypatch, usd, cents, words):
    monkeypatch.setattr(cost, "stored", lambda number: {"tokens": {"claude-haiku-5-5": {}}})
    monkeypatch.setattr(cost, "dollars", lambda tokens: Decimal(usd))
    assert cost.cents("98") == cents and words in cost.line("98")
