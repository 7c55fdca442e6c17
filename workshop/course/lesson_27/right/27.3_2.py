async def ship(team, task, client, file):
    with journal.Journal(file) as kept:
        run = Run(kept.around(client), budget=Budget(calls=60))
        await run.dispatch(team, Handoff(intent=task))
        return run
