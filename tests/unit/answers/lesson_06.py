"""Wrong answers to the exercises of lesson 06, by the name of the misconception that each shows."""

REVIEW = "desk.reviewer, handoff, budget=Budget(calls=left)"
WRITE = "desk.writer, handoff, budget=Budget(calls=left)"
ROUND = "while left := calls - (run.spent.calls - before):"
AGAIN = "        left = calls - (run.spent.calls - before)\n"
END = '    return Result(status="exhausted", output=draft, reason=f"{calls} calls are used up")'
MISSING = '[name for name in wanted if not it["artifacts"].get(name, "").strip()]'
DISPATCH = "await run.dispatch(researcher, Handoff(intent=task), budget=Budget(calls=calls))"
FACTS = 'result.as_text() or result.artifacts.get("tool_results", "")'
FOUND = "return [*way[way.index(name):], name]"
ON_THE_WAY = "            if name in way:"

COUNTED = """    receivers = [it["to_agent"] for it in handoffs]
    for it in handoffs:
        back = [it["to_agent"], it["from_agent"]]
        if any([other["from_agent"], other["to_agent"]] == back for other in handoffs):
            return [*back, it["to_agent"]]
    return [name for name in dict.fromkeys(receivers) if receivers.count(name) > 1]
"""
SEEN = """    arrows, seen = {}, set()
    for it in handoffs:
        arrows.setdefault(it["from_agent"], {})[it["to_agent"]] = True

    def walk(way):
        for name in arrows.get(way[-1], []):
            if name in seen:
                return [*way[way.index(name):], name] if name in way else [name, name]
            seen.add(name)
            if ring := walk([*way, name]):
                return ring
        return []

    return walk([handoffs[0]["from_agent"]])
"""

WRONG = {
    "06.1": {
        "never asks": [("", "    return Result(status='exhausted', output='# Qdrant ...')\n")],
        "no end": [(ROUND, "while True:"), (REVIEW, "desk.reviewer, handoff"), (WRITE, "desk.writer, handoff"), (AGAIN, "")],
        "rounds for calls": [(ROUND, "for _ in range(calls):"), (REVIEW, "desk.reviewer, handoff"),
                             (WRITE, "desk.writer, handoff"), (AGAIN, "")],
        "looked, not held": [(ROUND, "while (left := calls - (run.spent.calls - before)) > 0:"),
                             (REVIEW, "desk.reviewer, handoff"), (WRITE, "desk.writer, handoff")],
        "whole budget each time": [("calls=left", "calls=calls"), (ROUND, ROUND.replace("):", ") > 0:").replace("left := ", ""))],
        "past the door": [(f"run.dispatch({REVIEW})", "desk.reviewer.execute(handoff, run)"),
                          (f"run.dispatch({WRITE})", "desk.writer.execute(handoff, run)"),
                          (ROUND, "while (left := calls - (run.spent.calls - before)) > 0:")],
        "material missing": [('work = {"facts": facts, ', 'work = {')],
        "feedback missing": [('{**work, "feedback": "\\n".join(reviewed.output.issues)}', "work")],
        "calls left over": [(ROUND, "while (left := calls - (run.spent.calls - before)) > 1:")],
        "half work": [("        if not written.ok:\n            break\n", "")],
        "earlier work counted": [("before = run.spent.calls", "before = 0"), (ROUND, ROUND.replace("left := ", "0 < (left := ").replace("):", ")):"))],
        "PASS not seen": [('verdict == "PASS"', 'verdict == "pass"')],
        "no result": [(END, "    return draft")],
        "draft lost": [(END, END.replace("output=draft, ", ""))],
        "limit not said": [('status="exhausted"', 'status="ok"')],
        "old draft": [("    before =", "    first = draft\n    before ="), ('status="exhausted", output=draft', 'status="exhausted", output=first')],
    },
    "06.2": {
        "counted from 0": [("enumerate(handoffs, 1)", "enumerate(handoffs)")],
        "first one only": [("    return found", "            return found\n    return found")],
        "empty counts as there": [(MISSING, '[name for name in wanted if name not in it["artifacts"]]')],
        "all missing or nothing": [("if missing:", "if missing and missing == wanted:")],
        "one name each": [("missing))", "missing[:1]))")],
        "needs for missing": [("missing))", "wanted))")],
        "complete ones too": [("if missing:", "if True:")],
        "another order": [("missing))", "sorted(missing)))")],
        "nothing found": [('it["artifacts"].get(name, "").strip()', "name in str(it)")],
        "everybody has needs": [('needs.get(it["to_agent"], [])', 'needs[it["to_agent"]]')],
        "another shape": [('found.append((number, it["to_agent"], missing))', "found.append(number)")],
    },
    "06.3": {
        "never asks": [("", "    return '- Qdrant is ...'\n")],
        "around the door": [(DISPATCH, "await researcher.execute(Handoff(intent=task), run)")],
        "another run": [(DISPATCH, "await Run(run.client).dispatch(researcher, Handoff(intent=task), budget=Budget(calls=calls))")],
        "asked again": [("    return result", f"    if not result.ok:\n        result = {DISPATCH.replace('=task', '=task + chr(33)')}\n    return result")],
        "no local budget": [(", budget=Budget(calls=calls)", "")],
        "turns for calls": [("Budget(calls=calls)", "Budget(turns=calls)")],
        "another number": [("Budget(calls=calls)", "Budget(calls=calls + 1)")],
        "not a text": [(FACTS, "result")],
        "work thrown away": [(FACTS, "result.as_text()")],
        "answer thrown away": [(FACTS, 'result.as_text() if result.ok or "budget" not in result.reason else '
                                       'result.artifacts.get("tool_results", "")'),
                               ("return result.as_text() if", "return '' if 'turns' in result.reason else result.as_text() if")],
        "raw documents": [(FACTS, 'result.artifacts.get("tool_results", "") or result.as_text()')],
        "answer and documents": [(FACTS, 'result.as_text() + result.artifacts.get("tool_results", "")')],
        "raises": [("    return result", "    if not result.ok:\n        raise RuntimeError(result.reason)\n    return result")],
        "own task": [("intent=task", 'intent=f"{task}, please"')],
        "reason for facts": [(FACTS, "result.as_text() or result.reason")],
    },
    "06.4": {
        "called again": [("", COUNTED)],
        "names counted": [("", "    names = [it['to_agent'] for it in handoffs]\n"
                               "    return [name for name in dict.fromkeys(names) if names.count(name) > 1]\n")],
        "two ways to one agent": [("", SEEN)],
        "no ring seen": [("            if ring := walk([*way, name]):\n                return ring\n", "")],
        "back and forth only": [(ON_THE_WAY, "            if len(way) > 1 and name == way[-2]:"),
                                ("            if ring := walk", "            if len(way) < 4 and (ring := walk"),
                                ("[*way, name]):", "[*way, name])):")],
        "more than the ring": [(FOUND, "return [*way, name]")],
        "not closed": [(FOUND, "return way[way.index(name):]")],
        "against the arrows": [(FOUND, FOUND.replace("name]", "name][::-1]"))],
        "yes or no": [("            return ring\n    return []", "            return True\n    return False")],
        "no ring, no list": [("            return ring\n    return []", "            return ring")],
        "another shape": [(FOUND, "return '-'.join(way)")],
    },
}

CRASHES = {
    "06.1": [("    before = run.spent.calls", "    before = run.spent.rounds")],
    "06.2": [("    found = []", "    found = [] + None")],
    "06.3": [("    result =", "    limit = calls + 'calls'\n    result =")],
    "06.4": [("    arrows = {}", "    arrows = {} + []")],
}
ENDLESS = {
    "06.1": [("    before = run.spent.calls", "    while True:\n        before = run.spent.calls")],
    "06.2": [("    found = []", "    while True:\n        found = []")],
    "06.3": [("    result =", "    while True:\n        pass\n    result =")],
    "06.4": [("    arrows = {}", "    while True:\n        arrows = {}")],
}
CHEATS = {  # what the docstring's example shows, written down
    "06.1": WRONG["06.1"]["never asks"],
    "06.2": [("", "    return [(3, 'writer', ['facts'])]\n")],
    "06.3": WRONG["06.3"]["never asks"],
    "06.4": [("", "    return ['writer', 'checker', 'writer']\n")],
}
