def answer(client, question, tools, functions):
    messages = [{"role": "user", "content": question}]
    while True:
        reply = ask(client, messages, tools)
        messages += [{"role": "assistant", "content": reply["content"]}]
        results, words = [], []
        for block in reply["content"]:
            match block:
                case {"type": "tool_use", "id": id, "name": name, "input": arguments}:
                    results.append(
                        {
                            "type": "tool_result",
                            "tool_use_id": id,
                            "content": str(functions[name](**arguments)),
                        }
                    )
                case {"type": "text", "text": text}:
                    words.append(text)
        if not results:
            return "\n".join(words)
        messages += [{"role": "user", "content": results}]
