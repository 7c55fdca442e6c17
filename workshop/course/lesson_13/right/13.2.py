def assembled(workers, planner, combine, gates):
    def guarded(worker):
        careful = CircuitBreaker(Deadline(worker, seconds=60), failures=3)
        return Retry(careful, times=1)

    registry = Registry()
    for worker in workers:
        registry.register(guarded(worker), kind="agent")
    return PlannedSupervisor(
        registry=registry,
        planner=planner,
        synthesizer=combine,
        max_repeats=1,
        validators=gates,
        max_rounds=3,
    )
