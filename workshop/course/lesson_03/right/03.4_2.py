from enum import StrEnum

from pydantic import ConfigDict, field_validator


class Severity(StrEnum):
    minor = "minor"
    major = "major"


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Problem(Strict):
    problem: str
    severity: Severity


class MyReview(Strict):
    verdict: Literal["PASS", "REVISE"]
    issues: list[Problem]

    @field_validator("issues")
    @classmethod
    def fit_the_verdict(cls, issues, info):
        if info.data.get("verdict") == "PASS" and Severity.major in [
            one.severity for one in issues
        ]:
            raise ValueError("a major issue needs the verdict REVISE")
        return issues


async def reviewed(run, reviewer, handoff):
    mine = dataclasses.replace(reviewer, output=MyReview, name="reviewer")
    result = await run.dispatch(mine, handoff)
    return result
