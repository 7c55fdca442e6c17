async def review(client, handoff):
    async def ask(messages):
        reply = await client.messages.create(**ASK, messages=messages)
        text = "".join(block.text for block in reply.content if block.type == "text")
        match reply.stop_reason:
            case "refusal":
                return reply, Result(status="refused", output=text, reason="refused")
            case "max_tokens":
                return reply, Result(status="exhausted", output=text, reason="cut")
        try:
            return reply, Result(status="ok", output=Verdict.model_validate_json(text))
        except ValidationError as problem:
            return reply, Result(status="failed", output=text, reason=str(problem))

    start = [{"role": "user", "content": handoff.as_text()}]
    reply, result = await ask(start)
    if result.status == "failed":
        blocks = [dict(vars(block)) for block in reply.content]
        more = [
            {"role": "assistant", "content": blocks},
            {"role": "user", "content": result.reason},
        ]
        reply, result = await ask(start + more)
    return result
