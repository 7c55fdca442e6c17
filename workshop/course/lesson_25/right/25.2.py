async def review_elsewhere(post, handoff):
    def failed(reason, transient=False):
        return Result(status="failed", reason=reason, transient=transient)

    try:
        status, body = await post(handoff.model_dump_json())
    except ConnectionError as problem:
        return failed(f"the reviewer is not there: {problem}", transient=True)
    match status:
        case 200:
            pass
        case 429:
            return failed("429: too many requests", transient=True)
        case _:
            return failed(f"it answered {status}", transient=status >= 500)
    try:
        result = Result.model_validate_json(body)
        if not result.ok:
            return result
        verdict = Verdict.model_validate(result.output)
    except ValidationError:
        return failed("what came back is not what was agreed on")
    return result.model_copy(update={"output": verdict})
