async def on_workers(cluster, tasks, attempts=2):
    async def branch(task, left):
        try:
            return await cluster.submit(task)
        except asyncio.CancelledError:
            raise
        except WorkerLost as loss:
            if left > 1:
                return await branch(task, left - 1)
            return Result(status="failed", output="", reason=f"given up: {loss}")
        except Exception as problem:
            return Result(status="failed", output=task, reason=repr(problem))

    async with asyncio.TaskGroup() as group:
        branches = [group.create_task(branch(task, attempts)) for task in tasks]
    return tuple(one.result() for one in branches)
