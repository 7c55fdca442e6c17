async def findings(run, researcher, topics):
    texts = dict.fromkeys(topics)
    results = await asyncio.gather(
        *(run.dispatch(researcher, Handoff(intent="Research " + part)) for part in topics),
        return_exceptions=True,
    )
    for topic, part in zip(topics, results):
        if isinstance(part, Exception):
            texts[topic] = f"There is a gap here: {part}"
        else:
            texts[topic] = (
                part.as_text() if part.ok else f"{part.as_text()} [unfinished, {part.reason}]"
            )
    return texts
