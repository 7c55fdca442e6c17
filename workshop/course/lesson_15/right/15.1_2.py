async def recall(run, memory, researcher, topic, since):
    hits = await memory.search(topic)
    if hits and hits[0].document.date >= since:
        return Result(status="ok", output=hits[0].document.text)
    result = await run.dispatch(researcher, Handoff(intent=topic, context="Say what is new."))
    if result.status == "ok":
        keep = (
            (lambda text: memory.correct(hits[0].document.id, text, "r"))
            if hits
            else (lambda text: memory.write(topic, text, "r"))
        )
        keep(result.as_text())
    return result
