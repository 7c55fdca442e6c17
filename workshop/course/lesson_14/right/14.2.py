# A marked part for the notes, so that a reader can tell them from the task.
async def fold_to_question(run, conversation, folder, most_words):
    reply_text = [message["content"] for message in conversation]
    if len(" ".join(reply_text).split()) > most_words:
        texts = {f"message {number}": text for number, text in enumerate(reply_text[1:-1], 2)}
        notes = await run.dispatch(
            folder, Handoff(intent="Condense these messages", artifacts=texts)
        )
        if notes.ok:
            text = f"{reply_text[0]}\n\n<notes>\n{notes.as_text()}\n</notes>\n\n{reply_text[-1]}"
            return Conversation([{"role": "user", "content": text}])
    return conversation
