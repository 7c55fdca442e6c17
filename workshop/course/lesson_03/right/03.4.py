from pydantic import ConfigDict


class Issue(BaseModel):
    model_config = ConfigDict(extra="forbid")
    problem: str
    severity: Literal["minor", "major"]


class Review(BaseModel):
    model_config = ConfigDict(extra="forbid")
    verdict: Literal["PASS", "REVISE"]
    issues: list[Issue]

    @model_validator(mode="after")
    def no_major_issue_passes(self):
        for issue in self.issues:
            if issue.severity == "major" and self.verdict == "PASS":
                raise ValueError(f"PASS, and yet a major issue: {issue.problem}")
        return self


async def reviewed(run, reviewer, handoff):
    return await run.dispatch(dataclasses.replace(reviewer, output=Review), handoff)
