def assembled(workers, planner, combine, gates):
    registry = Registry()
    guards = [
        Retry(CircuitBreaker(Deadline(each, 60.0)), 1, jitter=lambda: 0.5) for each in workers
    ]
    [registry.register(guard, kind="tool") for guard in guards]
    team = PlannedSupervisor(registry, planner, combine, 2, 1, dict(gates))
    return team
