async def answer_within(run, question, tools, max_turns):
    request = {"model": models.worker, "tools": [part.definition for part in tools]}
    conversation = Conversation([{"role": "user", "content": question}])
    turns = 0
    while True:
        reply = await run.ask(**request, messages=conversation)
        if not reply.tool_calls:
            return Result(status="ok", output=reply.text, reason="done")
        conversation.append(reply.as_message())
        message, _ = await run_calls(tools, reply.tool_calls, run)
        turns += 1
        if turns == max_turns:
            message["content"].append(
                {"type": "text", "text": "That was the last search: what do you know?"}
            )
        conversation.append(message)
        if turns == max_turns:
            last = await run.ask(messages=conversation, tool_choice={"type": "none"}, **request)
            return Result(status="exhausted", output=last.text, reason="out of turns")
