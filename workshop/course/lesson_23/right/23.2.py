async def ask_each(run, judge, sentence, facts, questions):
    given = {}
    for question in questions:
        task = Handoff(intent=question, artifacts={"draft": sentence, "facts": facts})
        result = await run.dispatch(judge, task)
        if result.status == "ok" and result.output in ("yes", "no"):
            given[question] = result.output
    missing = [question for question in questions if question not in given]
    noes = [question for question, answer in given.items() if answer == "no"]
    return Result(
        status="ok" if given else "failed",
        output={
            "passed": len(missing) + len(noes) == 0,
            "no": noes,
            "unanswered": missing,
        },
    )
