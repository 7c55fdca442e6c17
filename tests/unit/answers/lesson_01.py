"""Wrong answers to the exercises of lesson 01, by the name of the misconception that each shows."""

KEEP = 'messages.append({"role": "assistant", "content": reply["content"]})'
ANSWER_ALL = 'messages.append({"role": "user", "content": results})'
RETURN = 'return "".join(block["text"] for block in reply["content"] if block["type"] == "text")'
RAISE = "raise ToolError(f\"there is no source {source_id!r}; there are: {', '.join(shelf)}\")"
LAST = 'reply = await run.ask(**request, tool_choice={"type": "none"}, messages=conversation)'
SAID = '{"role": "user", "content": "Call no more tools. Answer now, from what you have."}'
CLOSE = f"conversation.append({SAID})"
EXHAUSTED = 'return Result(status="exhausted", output=reply.text, reason=f"stopped after {max_turns} turns")'

WRONG = {
    "01.1": {
        "no assistant message": [(KEEP, "pass")],
        "part of the reply": [
            (KEEP, KEEP.replace('reply["content"]', '[it for it in reply["content"] if "input" in it]'))],
        "reply as message": [(KEEP, "messages.append(reply)")],
        "input not unpacked": [('(**block["input"])', '(block["input"])')],
        "history lost": [(KEEP, KEEP.replace("messages.append(", "messages = [").replace("})", "}]"))],
        "wrong role": [(ANSWER_ALL, ANSWER_ALL.replace('"user"', '"tool"'))],
        "results not as blocks": [(ANSWER_ALL, ANSWER_ALL.replace("results})", "str(results)})"))],
        "only some calls": [(ANSWER_ALL, ANSWER_ALL.replace("results})", "results[:1]})"))],
        "wrong ids": [('block["id"]', "[it for it in reply['content'] if 'input' in it][0]['id']")],
        "a message for each result": [
            (ANSWER_ALL, 'messages += [{"role": "user", "content": [it]} for it in results]')],
        "function not run": [('"content": output', '"content": str(block["input"])')],
        "never asks": [("", "    return 'On tracing there are 12 documents.'\n")],
        "never stops": [("if not results:", "if results is None:")],
        "one round": [(ANSWER_ALL, f"{ANSWER_ALL}; reply = ask(client, messages, tools); {RETURN}")],
        "first block": [(RETURN, 'return reply["content"][0]["text"]')],
        "not the text": [(RETURN, "return reply")],
    },
    "01.2": {
        "no decorator": [("@tool\n", "\n")],
        "called inside": [("return read\n", "return read(next(iter(shelf)))\n")],
        "another parameter": [("source_id: str)", "source_id: str, shelf: dict = shelf)")],
        "not returned": [("return shelf[source_id]", "print(shelf[source_id])")],
        "another error": [(RAISE, "raise KeyError(source_id)")],
        "error returned": [(RAISE, RAISE.replace("raise", "return"))],
        "error as text": [(RAISE, RAISE.replace("raise ToolError", "return str"))],
        "silence": [(RAISE, "return ''")],
        "does not say what was given": [("{source_id!r}", "like that")],
        "does not say what there is": [("; there are: {', '.join(shelf)}", "")],
        "hard-coded": [("    @tool", "    shelf = {'rfc-9110': 'HTTP semantics.'}\n\n    @tool")],
    },
    "01.3": {
        "raises": [(CLOSE, "raise RuntimeError('max_turns reached')")],
        "reply not kept": [("conversation.append(reply.as_message())", "pass")],
        "two values": [("results, _ = await", "results = await")],
        "does not ask": [(CLOSE, "pass")],
        "no last answer": [(LAST, "pass")],
        "may still call tools": [('tool_choice={"type": "none"}, ', "")],
        "one turn too many": [("range(max_turns)", "range(max_turns + 1)")],
        "one turn too few": [("range(max_turns)", "range(max_turns - 1)")],
        "no turn with tools": [("request = {", "request = {'tool_choice': {'type': 'none'}, "), (LAST, LAST.replace("tool_choice={\"type\": \"none\"}, ", ""))],
        "whole reply": [("output=reply.text", "output=reply")],
        "tools taken out": [(LAST, LAST.replace("**request", "model=request['model']"))],
        "work thrown away": [(CLOSE, f"conversation = Conversation([{SAID}])")],
        "pretends to be done": [(EXHAUSTED, EXHAUSTED.replace("exhausted", "ok"))],
        "limit without need": [('status="ok"', 'status="exhausted"')],
        "no reason": [(', reason=f"stopped after {max_turns} turns"', "")],
        "no result": [(EXHAUSTED, "return reply.text")],
        "never asks": [("", "    return Result(status='exhausted', output='So far: 12 documents.')\n")],
    },
}

CRASHES = {
    "01.1": [("results = []", "results = None + []")],
    "01.2": [("    @tool", "    shelf.append('x')\n\n    @tool")],
    "01.3": [("for _ in range(max_turns):", "for _ in max_turns:")],
}
ENDLESS = {
    "01.1": [("reply = ask(client, messages, tools)", "continue")],
    "01.2": [("    @tool", "    while True:\n        pass\n\n    @tool")],
    "01.3": [("    for _", "    import asyncio\n    await asyncio.sleep(1e6)\n    for _")],
}
CHEATS = {  # the docstring's own example, written down
    "01.1": WRONG["01.1"]["never asks"],
    "01.2": WRONG["01.2"]["hard-coded"],
    "01.3": WRONG["01.3"]["never asks"],
}
