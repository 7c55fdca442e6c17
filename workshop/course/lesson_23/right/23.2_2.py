async def ask_each(run, judge, sentence, facts, questions):
    parts = {"facts": facts, "draft": sentence}
    jobs = [(judge, Handoff(intent=question, artifacts=parts)) for question in questions]
    results = await run.fan_out(jobs)
    answers = [result.output if result.ok else "" for result in results]
    output = {
        "passed": all(answer == "yes" for answer in answers),
        "no": [question for question, answer in zip(questions, answers) if answer == "no"],
        "unanswered": [
            question
            for question, answer in zip(questions, answers)
            if answer != "yes" and answer != "no"
        ],
    }
    if len(output["unanswered"]) == len(questions):
        return Result(status="failed", output=output, reason="nothing was answered")
    return Result(status="ok", output=output)
