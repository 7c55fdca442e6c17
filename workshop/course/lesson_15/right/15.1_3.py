async def recall(run, memory, researcher, topic, since):
    note = None
    for hit in await memory.search(topic):
        note = memory.read(hit.document.id)
        break
    match note:
        case None:
            keep, name = memory.write, topic
        case fresh if max(fresh.date, since) == fresh.date:
            return Result(status="ok", output=fresh.text)
        case old:
            keep, name = memory.correct, old.name
    found = await run.dispatch(researcher, Handoff(intent=f"What is new about {topic}?"))
    if found.ok:
        keep(name, found.as_text(), found.by or "research")
    return found
