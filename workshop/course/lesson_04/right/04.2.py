# Instead of the kernel's fan-out: a branch that handles its own failure, and gather, which keeps the order.
async def findings(run, researcher, topics):
    async def text_on(topic):
        try:
            result = await run.dispatch(researcher, Handoff(intent=f"Research {topic}"))
        except Exception as bug:
            return f"nothing, because of {bug!r}"
        return result.as_text() if result.ok else f"nothing, because {result.reason}"

    return dict(zip(topics, await asyncio.gather(*map(text_on, topics)), strict=True))
