async def review(client, handoff):
    conversation = [dict(role="user", content=handoff.as_text())]
    ends = {"refusal": "refused", "max_tokens": "exhausted"}
    tries = 0
    while True:
        tries += 1
        reply = await client.messages.create(messages=conversation, **ASK)
        text = "".join([block.text for block in reply.content if hasattr(block, "text")])
        if reply.stop_reason in ends:
            return Result(status=ends[reply.stop_reason], output=text, reason=reply.stop_reason)
        try:
            verdict = Verdict.model_validate_json(text)
        except ValidationError:
            if tries == 2:
                return Result(status="failed", output=text, reason="no verdict")
            conversation = [
                *conversation,
                {"role": "assistant", "content": [*reply.content]},
                {
                    "role": "user",
                    "content": [{"type": "text", "text": "Answer as JSON of the schema."}],
                },
            ]
        else:
            return Result(status="ok", output=verdict)
