async def reviewed(run, reviewer, handoff):
    class Issue(BaseModel, extra="forbid"):
        severity: Literal["major", "minor"]
        problem: str

    class Review(BaseModel, extra="forbid"):
        issues: list[Issue]
        verdict: Literal["REVISE", "PASS"]

        @model_validator(mode="after")
        def check_it(self):
            assert self.verdict == "REVISE" or all(one.severity == "minor" for one in self.issues)
            return self

    return await run.dispatch(
        Agent(
            reviewer.name,
            reviewer.description,
            reviewer.system,
            reviewer.model,
            output=Review,
            max_turns=reviewer.max_turns,
        ),
        handoff,
    )
