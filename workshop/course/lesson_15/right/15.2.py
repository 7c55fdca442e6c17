async def keep_or_find(handoff, run, memory, reader):
    if "note" in handoff.artifacts:
        return keep(handoff, memory)
    names = [hit.document.id for hit in await memory.search(handoff.intent)]
    answer = Result(status="failed", reason=f"no note on {handoff.intent}")
    if names:
        answer = await run.dispatch(reader, handoff)
    cited = [name for name in names if answer.as_text().count(f"[{name}]")]
    if answer.ok and cited:
        return answer.model_copy(update={"artifacts": {"notes": ", ".join(cited)}})
    return Result(status="failed", output=answer.output, reason=answer.reason or "it cites no note")


def keep(handoff, memory):
    source = handoff.artifacts.get("source", handoff.from_agent)
    name = handoff.artifacts.get("corrects")
    text = handoff.artifacts["note"]
    try:
        note = (
            memory.correct(name, text, source)
            if name
            else memory.write(handoff.intent, text, source)
        )
    except Exception as problem:
        return Result(status="refused", reason=f"not kept: {problem.args[0]}")
    return Result(status="ok", output="kept as " + note.name)
