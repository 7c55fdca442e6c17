async def shared(members, editor, handoff, run, calls):
    from kernel.plumbing.aggregate import ORDER

    shares = [0] * len(members)
    for number in range(calls - 1):
        shares[number % len(members)] += 1
    jobs = [
        (member, Handoff(intent="Research " + topic), Budget(calls=share))
        for (topic, member), share in zip(members.items(), shares, strict=True)
    ]
    results = await run.fan_out(jobs)
    facts, gaps = "", []
    for topic, result in zip(members, results, strict=True):
        if result.output:
            facts += f"{topic}: {result.output}\n"
        if result.status != "ok":
            gaps.append(f"{topic} gave nothing, since {result.reason}")
    brief = await run.dispatch(
        editor, Handoff(intent=handoff.intent, artifacts={"facts": facts}), budget=Budget(calls=1)
    )
    if not brief.ok:
        gaps.append(f"no brief, since {brief.reason}")
    statuses = [result.status for result in [*results, brief]]
    worst = min((s for s in statuses if s != "ok"), key=ORDER.index, default="ok")
    return Result(status=worst, output=brief.output, reason=", ".join(gaps))
