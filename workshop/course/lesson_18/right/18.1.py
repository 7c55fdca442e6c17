async def lead(members, handoff, run):
    from kernel.plumbing.aggregate import together

    jobs = {
        topic: (member, Handoff(intent="Research " + topic)) for topic, member in members.items()
    }
    found = await together(jobs, run)
    evidence = {name: text for result in found.values() for name, text in result.artifacts.items()}
    lines = [topic + ": " + result.as_text() for topic, result in found.items() if result.output]
    wrong = [
        topic + " gave nothing, since " + result.reason
        for topic, result in found.items()
        if not result.ok
    ]
    if wrong:
        return Result(
            status="failed", output="\n".join(lines), artifacts=evidence, reason=", ".join(wrong)
        )
    return Result(status="ok", output="\n".join(lines), artifacts=evidence)
