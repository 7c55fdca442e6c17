# What was used is noted, and the note is taken back when the tool failed.
def guarded(tool, role, plan):
    class Gate:
        def __init__(self):
            self.name, self.definition = tool.name, tool.definition
            self.used = set()

        async def call(self, arguments, run):
            place = self.place_for(arguments, run)
            self.used.add(place)
            done = False
            try:
                answer = await tool.call(arguments, run)
                done = True
                return answer
            finally:
                if not done:
                    self.used.discard(place)

        def place_for(self, arguments, run):
            if run.name != role:
                raise ToolError(f"you are {run.name} and have no right to this")
            for place, planned in enumerate(plan):
                same = [arguments.get(name) == planned[name] for name in planned]
                if place not in self.used and all(same):
                    return place
            raise ToolError("this is not in the plan")

    return Gate()
