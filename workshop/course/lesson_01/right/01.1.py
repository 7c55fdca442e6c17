# Instead of `while True`: the stop reason says whether to go round again.
def answer(client, question, tools, functions):
    messages = [{"role": "user", "content": question}]
    reply = ask(client, messages, tools)
    while reply["stop_reason"] == "tool_use":
        results = [
            {
                "type": "tool_result",
                "tool_use_id": block["id"],
                "content": functions[block["name"]](**block["input"]),
            }
            for block in reply["content"]
            if block["type"] == "tool_use"
        ]
        messages += [
            {"role": "assistant", "content": reply["content"]},
            {"role": "user", "content": results},
        ]
        reply = ask(client, messages, tools)
    return "".join(block["text"] for block in reply["content"] if block["type"] == "text")
