"""The bill of a run, for a person: a sentence, and a table with a line for each agent."""

from __future__ import annotations

from classroom.paper.svg import escape
from kernel import Run, Spent
from kernel.plumbing.trace import dollars


def bill(run: Run) -> str:
    """Returns the bill of a run: a sentence, and a table with a line for each agent."""
    figures = "padding-left: 1.5em; text-align: right"
    head = "".join(
        f'<th scope="col" style="{"text-align: left" if name == "agent" else figures}">{name}</th>'
        for name in ("agent", "calls", "tokens in", "tokens out", "cost")
    )
    rows = "".join(
        f'<tr><th scope="row" style="text-align: left">{escape(name)}</th>'
        + "".join(
            f'<td style="{figures}">{escape(figure)}</td>'
            for figure in (
                used.calls,
                f"{used.input_tokens:,}",
                f"{used.output_tokens:,}",
                dollars(used.cost),
            )
        )
        + "</tr>"
        for name, used in accounts(run).items()
    )
    return f"<p>{escape(bill_sentence(run))}</p><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def accounts(run: Run) -> dict[str, Spent]:
    """Returns the usage of each agent; then that of calls that were cut off, at the most that each
    may cost; then the total.
    """
    agents: dict[str, Spent] = {}
    unanswered = run.spent
    for event in run.events:
        if event.kind == "reply":
            agents[event.agent] = agents.get(event.agent, Spent()) + event.spent
            unanswered -= event.spent
    cut_off = {"without an answer, at most": unanswered} if unanswered.calls else {}
    return {**agents, **cut_off, "total": run.spent}


def bill_sentence(run: Run) -> str:
    """Calls, tokens, dollars and seconds of a run; offline, what it would have cost on the models
    that it names.
    """
    used, models = run.spent, run.trace().totals()["models"]
    named = (
        f" {'as if ' if run.client.mode == 'offline' else ''}on {' and '.join(models)}"
        if models
        else ""
    )
    return (
        f"{used.calls} {'call' if used.calls == 1 else 'calls'} · {used.tokens:,} tokens · {dollars(used.cost)}{named} · "
        f"{run.events[-1].at if run.events else 0:.1f} seconds"
    )
