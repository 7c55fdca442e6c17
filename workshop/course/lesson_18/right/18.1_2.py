import asyncio


async def lead(members, handoff, run):
    async def asked(topic, member):
        try:
            return await run.dispatch(member, Handoff(intent=f"Research {topic}"))
        except Exception as problem:
            return Result(status="failed", reason=f"it raised {problem}")

    async with asyncio.TaskGroup() as group:
        tasks = {t: group.create_task(asked(t, m)) for t, m in members.items()}
    output, status, reason, artifacts = "", "ok", "", {}
    for topic, task in tasks.items():
        result = task.result()
        artifacts.update(result.artifacts)
        if result.output is not None:
            output = (
                f"{output}\n{topic}: {result.output}" if output else f"{topic}: {result.output}"
            )
        if result.status != "ok":
            status = "failed"
            reason += f"[{topic}] {result.reason} "
    return Result(status=status, output=output, reason=reason, artifacts=artifacts)
