import asyncio
import math


async def shared(members, editor, handoff, run, calls):
    async def asked(topic, member, share):
        try:
            work = Handoff(intent=f"Research {topic}")
            return await run.dispatch(member, work, budget=Budget(calls=share))
        except Exception as problem:
            return Result(status="failed", reason=str(problem))

    left, waiting, branches = calls - 1, len(members), []
    for topic, member in members.items():
        share = math.ceil(left / waiting)
        left, waiting = left - share, waiting - 1
        branches.append(asked(topic, member, share))
    found = dict(zip(members, await asyncio.gather(*branches), strict=True))
    lines = [f"{topic}: {result.output}" for topic, result in found.items() if result.output]
    work = Handoff(intent=handoff.intent, artifacts={"facts": "\n".join(lines)})
    found["the editor"] = brief = await run.dispatch(editor, work, budget=Budget(calls=1))
    return Result(status=status_of(found), output=brief.output, reason="; ".join(missing(found)))
