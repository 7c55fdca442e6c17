def switchboard(members):
    registry = Registry()
    for member in members:
        registry.register(member)

    class Switch:
        name = "switchboard"

        @property
        def description(self):
            return registry.describe()

        def find(self, wish):
            names = registry.names()
            counts = [0] * len(names)
            for word in words(wish):
                for place, member in enumerate(registry.list()):
                    counts[place] += word in words(f"{member.name} {member.description}")
            order = sorted(range(len(names)), key=lambda place: (-counts[place], place))
            return [names[place] for place in order if counts[place]]

        async def execute(self, handoff, run):
            match self.find(handoff.intent):
                case [best, *_]:
                    return await run.dispatch(registry.get(best), handoff)
                case _:
                    listed = ", ".join(registry.names())
                    return Result(status="failed", reason=f"{handoff.intent}: nobody of {listed}")

    return Switch()
