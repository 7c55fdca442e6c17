def assembled(workers, planner, combine, gates):
    from dataclasses import dataclass

    from kernel.parts.guards import Guard

    @dataclass(eq=False)
    class TwoTries(Guard):
        def __post_init__(self):
            timed = Deadline(self.wraps, seconds=60)
            self.careful = CircuitBreaker(timed, failures=3)

        async def execute(self, handoff, run):
            first = await run.dispatch(self.careful, handoff)
            if first.ok or not first.transient:
                return first
            return await run.dispatch(self.careful, handoff, again="it may pass")

    registry = Registry()
    for worker in workers:
        registry.register(TwoTries(worker), kind="agent")
    return PlannedSupervisor(registry, planner, combine, max_repeats=1, validators=gates)
