def answer(client, question, tools, functions, messages=None):
    messages = messages or [{"role": "user", "content": [{"type": "text", "text": question}]}]
    reply = ask(client, messages, tools)
    calls = [part for part in reply["content"] if part["type"] == "tool_use"]
    if not calls:
        return next(part["text"] for part in reply["content"] if part["type"] == "text")
    results = [
        {
            "type": "tool_result",
            "tool_use_id": part["id"],
            "is_error": False,
            "content": [{"type": "text", "text": functions[part["name"]](**part["input"])}],
        }
        for part in reversed(calls)
    ]
    return answer(
        client,
        question,
        tools,
        functions,
        messages
        + [
            {"role": "assistant", "content": reply["content"]},
            {"role": "user", "content": results},
        ],
    )
