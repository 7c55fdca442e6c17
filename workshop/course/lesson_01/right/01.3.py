# One loop for both: the turn after the last is the one without tools.
async def answer_within(run, question, tools, max_turns):
    request = {"model": models.worker, "tools": [part.definition for part in tools]}
    conversation = Conversation([{"role": "user", "content": question}])
    for turn in range(max_turns + 1):
        last = turn == max_turns
        if last:
            conversation.append(
                {"role": "user", "content": "Stop searching. Answer from what you have."}
            )
        choice = {"type": "none" if last else "auto"}
        reply = await run.ask(**request, tool_choice=choice, messages=conversation)
        if not reply.tool_calls:
            reason = f"{max_turns} turns were not enough" if last else ""
            return Result(status="exhausted" if last else "ok", output=reply.text, reason=reason)
        conversation.append(reply.as_message())
        results, _ = await run_calls(tools, reply.tool_calls, run)
        conversation.append(results)
