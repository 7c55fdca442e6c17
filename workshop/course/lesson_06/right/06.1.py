# The loop as an executable of its own: one dispatch, one budget over everything below it.
from dataclasses import dataclass
from typing import Any


@dataclass
class Revising:
    desk: Any
    draft: str
    name: str = "revising"
    description: str = "Has a draft revised until it passes."

    async def execute(self, handoff, run):
        while True:
            work = {**handoff.artifacts, "draft": self.draft}
            reviewed = await run.dispatch(
                self.desk.reviewer, Handoff(intent=handoff.intent, artifacts=work)
            )
            if not reviewed.ok or reviewed.output.verdict == "PASS":
                return Result(status=reviewed.status, output=self.draft, reason=reviewed.reason)
            work["feedback"] = "\n".join(reviewed.output.issues)
            written = await run.dispatch(
                self.desk.writer, Handoff(intent=handoff.intent, artifacts=work)
            )
            if not written.ok:
                return Result(status=written.status, output=self.draft, reason=written.reason)
            self.draft = written.as_text()


async def revise_within(run, desk, task, facts, draft, calls):
    handoff = Handoff(intent=task, artifacts={"facts": facts})
    return await run.dispatch(Revising(desk, draft), handoff, budget=Budget(calls=calls))
