def as_executable(function, name, description):
    from dataclasses import dataclass

    @dataclass
    class Wrapped:
        name: str
        description: str

        async def execute(self, handoff, run):
            status, output, reason = "ok", "", ""
            try:
                output = function(handoff.intent, dict(handoff.artifacts))
            except ToolError as problem:
                status, reason = "failed", str(problem)
            return Result(status=status, output=output, reason=reason)

    return Wrapped(name, description)
