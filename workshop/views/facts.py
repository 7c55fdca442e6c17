"""Facts in the trace of the desk that can be counted, so that two runs can be compared."""

from __future__ import annotations

from typing import Any

from kernel import Trace
from kernel.plumbing.untrusted import citations


def facts_of(trace: Trace) -> dict[str, Any]:
    """Returns the countable facts in the trace of a run of the desk, by name: lists, and one number.

    who: who got work; writer got: the names of what the writer was first handed; order: the
    handoffs; calls: of models; documents: the ids that the last draft cites.
    """
    handoffs = trace.handoffs()[1:]
    order = [handoff["to_agent"] for handoff in handoffs]
    given = [handoff["artifacts"] for handoff in handoffs if handoff["to_agent"] == "writer"]
    drafts = [handoff["artifacts"].get("draft", "") for handoff in handoffs]
    cited = citations(drafts[-1]) if drafts else []
    return {
        "who": list(dict.fromkeys(order)),
        "writer got": list(given[0]) if given else [],
        "order": order,
        "calls": trace.totals()["calls"],
        "documents": sorted(cited),
    }
