def agent(ask, question, tools, functions, max_turns=8):
    messages, rounds = [{"role": "user", "content": question}], 0
    while rounds < max_turns:
        reply = ask(messages, tools=tools)
        messages = [*messages, {"role": "assistant", "content": reply["content"]}]
        if not any(block["type"] == "tool_use" for block in reply["content"]):
            return ("done", text_of(reply))
        messages = [*messages, results_of(reply, functions)]
        rounds += 1
    return "stopped at the limit", text_of(ask(messages, tool_choice={"type": "none"}, tools=tools))
