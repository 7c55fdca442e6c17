def answer(client, question, tools, functions):
    messages = [dict(role="user", content=question)]
    for _ in range(50):
        reply = ask(client, messages, tools)
        messages.append({"role": reply["role"], "content": list(reply["content"])})
        uses = {part["id"]: part for part in reply["content"] if part["type"] == "tool_use"}
        if reply["stop_reason"] != "tool_use":
            break
        messages.append(
            {
                "role": "user",
                "content": [
                    {
                        "content": functions[part["name"]](part["input"]["topic"]),
                        "type": "tool_result",
                        "tool_use_id": id,
                    }
                    for id, part in uses.items()
                ],
            }
        )
    return reply["content"][-1]["text"]
