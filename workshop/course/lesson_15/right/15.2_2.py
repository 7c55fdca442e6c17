async def keep_or_find(handoff, run, memory, reader):
    match dict(handoff.artifacts):
        case {"note": text, **rest}:
            source = rest.get("source", handoff.from_agent)
            try:
                if "corrects" in rest:
                    name = memory.correct(rest["corrects"], text, source=source).name
                else:
                    name = memory.write(title=handoff.intent, text=text, source=source).name
            except (KeyError, ValueError) as refusal:
                return Result(
                    status="refused", reason=repr(refusal.args[0])[1:-1].replace("\\'", "'")
                )
            return Result(status="ok", output=f"kept as {name}", artifacts={})
    hits = await memory.search(handoff.intent, limit=5)
    if len(hits) == 0:
        return Result(status="failed", reason="nothing is known")
    question = Handoff(intent=handoff.intent, artifacts=handoff.artifacts)
    answer = await run.dispatch(reader, question)
    text = answer.as_text()
    cited = []
    for hit in hits:
        if f"[{hit.document.id}]" in text:
            cited.append(hit.document.id)
    if answer.status != "ok" or cited == []:
        return Result(status="failed", output=text, reason=f"unanswered: {answer.reason}")
    return Result(status="ok", output=text, artifacts={"notes": ", ".join(cited)})
