def as_executable(function, name, description):
    async def execute(self, handoff, run):
        run.note(f"{name} begins")
        try:
            text = function(handoff.intent, handoff.artifacts)
        except ToolError as problem:
            return Result(status="failed", reason=str(problem), by=name)
        else:
            return Result(status="ok", output=text, by=name)

    parts = {"name": name, "description": description, "execute": execute}
    return type("Executable", (), parts)()
