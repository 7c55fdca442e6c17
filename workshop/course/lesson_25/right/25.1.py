async def ask_server(client, name, arguments, longest=20_000):
    def readable(block):
        return block.text if block.type == "text" else f"[{block.type}]"

    try:
        answer = await client.call_tool(name, arguments)
    except Exception as reason:
        raise ToolError(f"the server of {name} gave no answer: {reason}") from reason
    text = "\n".join(map(readable, answer.content))
    cut = text[:longest]
    if cut != text:
        cut += f"\n[cut: {longest} of {len(text)} characters]"
    if not answer.is_error:
        return cut
    raise ToolError(cut)
