import re


class Desk:
    def __init__(self, run, memory, reader):
        self.run, self.memory, self.reader = run, memory, reader

    def keep(self, title, note, source, corrects=None):
        if corrects is None:
            return self.memory.write(title, note, source)
        return self.memory.correct(corrects, note, source)

    async def find(self, handoff):
        known = {hit.document.id: hit for hit in await self.memory.search(handoff.intent)}
        if not known:
            return None, []
        answer = await self.run.dispatch(self.reader, handoff)
        brackets = re.findall(r"\[([^\]]+)\]", answer.as_text())
        return answer, [name for name in known if name in brackets]


async def keep_or_find(handoff, run, memory, reader):
    desk = Desk(run, memory, reader)
    parts = {"source": handoff.from_agent, **handoff.artifacts}
    if "note" in parts:
        try:
            note = desk.keep(handoff.intent, **parts)
        except (LookupError, ValueError) as problem:
            return Result(status="refused", reason=str(problem))
        return Result(status="ok", output=f"kept as {note.name}")
    answer, cited = await desk.find(handoff)
    if answer and answer.ok and cited:
        return Result(status="ok", output=answer.output, artifacts={"notes": ", ".join(cited)})
    output = answer.output if answer else None
    return Result(status="failed", output=output, reason="memory does not know")
