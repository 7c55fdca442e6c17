"""Wrong answers to the exercises of lesson 05, by the name of the misconception that each shows."""

DISPATCH = "result = await run.dispatch(reviewer, handoff)"
ARTIFACTS = '{"facts": facts, "draft": draft}'
RAISE = 'raise ToolError(f"status: {result.status}; {result.reason}")'
TEXT = "        return result.as_text()"
SIGNATURE = "intent: str, facts: str, draft: str, run: Run"
TEAM = "LLMSupervisor((*team, editor))"
DESCRIPTION = "Shortens a finished text to one sentence. Artifacts: draft."
FIXED = 'for name in dict.fromkeys(mine) if name not in theirs'
CALLS = 'sum(used[name]["calls"] for name in needless)'

WRONG = {
    "05.1": {
        "no decorator": [("@tool\n", "\n")],
        "other parameters": [(SIGNATURE, "intent: str, artifacts: dict, run: Run"),
                             (ARTIFACTS, "artifacts")],
        "another name": [("handoff_to_reviewer(intent", "review(intent"),
                         ("return handoff_to_reviewer", "return review")],
        "the kernel's own": [("return handoff_to_reviewer", "return __import__('kernel').HandoffTool(reviewer)")],
        "run not asked for": [(SIGNATURE, SIGNATURE.removesuffix(", run: Run"))],
        "another run": [("await run.dispatch(", "await Run(connect()).dispatch(")],
        "asked twice": [(DISPATCH, f"{DISPATCH}\n        await run.dispatch(reviewer, Handoff(intent='Again'))")],
        "too much": [(ARTIFACTS, '{"facts": facts, "draft": draft, "task": intent}')],
        "in another form": [(TEXT, "        return str(result.output)")],
        "never hands over": [(DISPATCH, "return '{\"verdict\":\"PASS\",\"issues\":[]}'")],
        "around the door": [("run.dispatch(reviewer, handoff)", "reviewer.execute(handoff, run)")],
        "mixed up": [(ARTIFACTS, '{"facts": draft, "draft": facts}')],
        "material in the text": [(f"intent=intent, artifacts={ARTIFACTS}", "intent=intent + facts + draft")],
        "no material": [(ARTIFACTS, '{"draft": draft}')],
        "own intent": [("intent=intent", "intent='Review this.'")],
        "whole result": [("result.as_text()", "result.model_dump_json()")],
        "verdict only": [(TEXT, "        return result.output.verdict")],
        "silence": [(RAISE, "pass")],
        "error as text": [(RAISE, RAISE.replace("raise ToolError", "return str"))],
        "no reason": [(RAISE, "raise ToolError('nothing came back')")],
        "another error": [(RAISE, RAISE.replace("ToolError", "RuntimeError"))],
    },
    "05.2": {
        "never runs": [("", "    return {'Just find facts about MCP': (['writer', 'reviewer'], 2)}\n")],
        "around the door": [("await run.dispatch(supervisor, Handoff(intent=task))",
                             "await supervisor.execute(Handoff(intent=task), run)")],
        "one run for all": [("    table = {}", "    table = {}\n    run = Run(client)"),
                            ("            run = Run(client)\n", "")],
        "not every task": [("    return table", "        return table")],
        "another shape": [(f"(needless, {CALLS})", "needless")],
        "needless nowhere": [("if needless:", "if True:")],
        "wrong way round": [(FIXED, "for name in dict.fromkeys(theirs) if name not in mine")],
        "one name twice": [("dict.fromkeys(mine)", "mine + mine[-1:]")],
        "who worked, not who was needless": [(FIXED, "for name in dict.fromkeys(mine)"), ("if needless:", "if {*mine} - {*theirs}:")],
        "calls of the whole run": [(CALLS, "traces[0].totals()['calls']")],
        "calls of the free run": [("used = traces[0]", "used = traces[1]")],
        "difference of the runs": [(CALLS, "traces[0].totals()['calls'] - traces[1].totals()['calls']")],
        "no order": [("needless = [name for name in dict.fromkeys(mine) if name not in theirs]", "needless = {*mine} - {*theirs}")],
        "handoffs counted": [(CALLS, "sum(name in needless for name in mine)")],
    },
    "05.3": {
        "no supervisor": [(TEAM, "(*team, editor)")],
        "not one tuple": [("(*team, editor)", "(team, editor)")],
        "editor fails": [("models.worker", "'a-model'")],
        "already a tool": [(TEAM, "LLMSupervisor((*team, __import__('kernel').HandoffTool(editor)))")],
        "team lost": [(TEAM, "LLMSupervisor((editor,))")],
        "nobody added": [(TEAM, "LLMSupervisor(team)")],
        "another name": [('"editor"', '"shortener"')],
        "supervisor changed": [("(*team, editor))", "(*team, editor), system='Call the editor last.')")],
        "no prompt": [("You shorten the draft to one sentence, and keep its citation.", "")],
        "description says nothing": [(DESCRIPTION, "A helpful assistant.")],
        "turn not clear": [(DESCRIPTION, "Writes a brief and shortens it.")],
    },
}

CRASHES = {
    "05.1": [(DISPATCH, "result = None + handoff")],
    "05.2": [("table = {}", "table = {} + []")],
    "05.3": [("    editor = Agent(", "    team.append('x')\n    editor = Agent(")],
}
ENDLESS = {
    "05.1": [("    @tool", "    while True:\n        pass\n\n    @tool")],
    "05.2": [("    table = {}", "    while True:\n        table = {}\n")],
    "05.3": [("    editor = Agent(", "    while True:\n        pass\n    editor = Agent(")],
}
CHEATS = {  # what the docstring's example shows, written down
    "05.1": WRONG["05.1"]["never hands over"],
    "05.2": WRONG["05.2"]["never runs"],
    "05.3": [(TEAM, "LLMSupervisor(tuple(__import__('types').SimpleNamespace(name=it) for it in "
              "('researcher', 'writer', 'reviewer', 'editor')))")],
}
