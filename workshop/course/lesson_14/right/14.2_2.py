async def fold_to_question(run, conversation, folder, most_words):
    count = 0
    for message in conversation:
        count += len(message["content"].split())
    if not count > most_words:
        return Conversation(list(conversation))
    middle = "\n".join(f"{message['role']}: {message['content']}" for message in conversation[1:-1])
    result = await run.dispatch(folder, Handoff(intent="Notes, please", context=middle))
    if result.status != "ok":
        return conversation
    new = Conversation()
    new.append(
        {
            "role": "user",
            "content": f"{conversation[0]['content']}\n{result.output}\n{conversation[-1]['content']}",
        }
    )
    return new
