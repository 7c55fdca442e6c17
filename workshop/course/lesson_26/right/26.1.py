async def on_workers(cluster, tasks, attempts=2):
    results = {}
    left = list(enumerate(tasks))
    for attempt in range(attempts):
        futures = [(number, task, cluster.submit(task)) for number, task in left]
        left = []
        for number, task, future in futures:
            try:
                results[number] = await future
            except WorkerLost as loss:
                results[number] = Result(status="failed", reason=f"lost: {loss}")
                left.append((number, task))
            except Exception as problem:
                results[number] = Result(status="failed", reason=f"it failed: {problem}")
    return [results[number] for number in range(len(tasks))]
