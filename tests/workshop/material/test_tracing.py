"""Facts about lesson 21's material: what is stored of the export is still true; no id or model is shown."""

from __future__ import annotations

import json
import subprocess
import sys

from kernel import Run
from kernel.telemetry import INSTALL, Spans
from workshop.material import tracing


async def test_what_is_stored_of_the_export_is_what_comes_of_it_today():
    stored = json.loads(tracing.STORED.read_text(encoding="utf-8"))
    stored.pop("date")
    assert stored == await tracing.exported(), (
        "run `python -c \"from workshop.material import tracing; tracing.record('<date>')\"`"
    )


def test_without_the_extra_the_lesson_says_how_to_install_it_and_shows_what_is_stored():
    code = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from kernel import telemetry\n"
        "from workshop.material import tracing\n"
        "try:\n"
        "    with tracing.Receiver() as receiver, telemetry.sending_to(receiver.url): pass\n"
        "except ModuleNotFoundError as problem:\n"
        "    tracing.stored(problem)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert INSTALL in done.stdout and "Nothing was sent. Recorded on 20" in done.stdout, done.stderr


async def test_a_span_in_words_names_no_model_and_no_id(capsys):
    run = Run(tracing.busy_at_first())
    await run.dispatch(tracing.specialists()[1], tracing.TASK)
    for span in Spans().read(run).spans:
        tracing.show(span)
    shown = capsys.readouterr().out
    assert "chat worker model" in shown and "claude-" not in shown and "msg_" not in shown


def test_tiers_without_a_price_are_not_drawn(capsys):
    tracing.draw_tiers({"a": None})
    assert "not known" in capsys.readouterr().out
