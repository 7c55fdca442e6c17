async def sum_up(handoff, results, run):
    class Mine(Agent):
        pass

    texts = {}
    lost = []
    for id in results:
        result = results[id]
        texts[id] = result.as_text() or f"{result.status} because {result.reason}"
        if result.status != "ok":
            lost.append(f"{id}: {result.reason}")
    if len(lost) < len(results):
        agent = Mine(
            name="synthesizer",
            description="Compares results.",
            system="You compare what colleagues found. Keep the sources. Name what contradicts.",
            model=models.supervisor,
            output=Synthesis,
        )
        asked = Handoff(intent=handoff.intent, context=handoff.context, artifacts=texts)
        answer = await run.dispatch(agent, asked)
        if answer.ok and not lost:
            return Result(status="ok", output=answer.output)
        lost = lost or [answer.reason]
        return Result(status="failed", output=answer.output, reason="\n".join(lost))
    return Result(status="failed", reason="\n".join(lost))
