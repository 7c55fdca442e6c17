async def ship(team, task, client, file):
    kept = journal.Journal(file)
    try:
        run = Run(kept.around(client))
        limits = Budget(usd="0.02", calls=40)
        await run.dispatch(team, Handoff(intent=task, context=""), budget=limits)
    finally:
        kept.close()
    return run
