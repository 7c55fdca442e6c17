"""Answers to the exercises, for the author's gate: ours, the stub, and the wrong ones people give.

A wrong answer is our solution with some text replaced; where the old text is empty, the new one is the body.
"""

from __future__ import annotations

import linecache
from pathlib import Path

import nbformat

from workshop.exercises import exercises_of

ROOT = Path(__file__).resolve().parent.parent.parent
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


def master(lesson):
    """The notebook with our solutions."""
    (path,) = (ROOT / "solutions").glob(f"{lesson}_*.ipynb")
    return nbformat.read(path, as_version=4)


def answer_cell(notebook, id):
    wanted = {"id": id, "role": "answer"}.items()
    found = [it for it in notebook.cells if wanted <= it.metadata.get("workshop", {}).items()]
    assert len(found) == 1, f"{id} has {len(found)} answer cells"
    return found[0].source


def ours(id):
    return answer_cell(master(id[:2]), id)


def stub(id):
    return answer_cell(exercises_of(master(id[:2])), id)


def spoiled(id, changes):
    """Our solution with its text changed; fails when what is to be changed is not there."""
    source = ours(id)
    for old, new in changes:
        if old:
            assert old in source, f"our solution of {id} has no {old!r} any more"
            source = source.replace(old, new)
        else:
            source = source[: source.index("    # solution")] + new
    return source.replace("    # solution\n", "").replace("\n    # end solution", "")


def made(id, name, source):
    """What an answer's source defines, in the notebook's own names."""
    names = {}
    for cell in master(id[:2]).cells:
        if cell.metadata.get("workshop", {}).get("role") == "given" and cell.cell_type == "code":
            _run(cell.source, f"<given {id}>", names)
    _run(source, f"<answer {id} {abs(hash(source))}>", names)
    return names[name]


def _run(source, filename, names):
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    exec(compile(source, filename, "exec"), names)
