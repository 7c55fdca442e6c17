def as_executable(function, name, description):
    async def execute(handoff, run):
        try:
            return Result(status="ok", output=function(handoff.intent, handoff.artifacts))
        except ToolError as error:
            return Result(status="failed", reason=f"{error}")

    from types import SimpleNamespace

    return SimpleNamespace(name=name, description=description, execute=execute)
