# The plan is a list of pairs: an entry, and whether it is free.
def guarded(tool, role, plan):
    free = [True] * len(plan)

    async def call(arguments, run):
        if run.name != role:
            raise ToolError(f"only {role} may call {tool.name}, and not {run.name}")
        for place, planned in enumerate(plan):
            if free[place] and planned.items() <= arguments.items():
                break
        else:
            raise ToolError(f"no such call of {tool.name} is planned, or it has been made")
        free[place] = False
        try:
            return await tool.call(arguments, run)
        except ToolError:
            free[place] = True
            raise

    class Shield:
        name = tool.name
        definition = tool.definition

    shield = Shield()
    shield.call = call
    return shield
