"""Wrong answers to the exercises of lesson 03, by the name of the misconception that each shows."""

ROUNDS = "for revision in range(desk.max_revisions + 1):"
PASSED = 'if verdict.verdict == "PASS":'
WHILE_LEFT = "if revision < desk.max_revisions:"
FEEDBACK = 'work["feedback"] = "\\n".join(verdict.issues)'
NEW_DRAFT = "draft = revised.as_text()"
AT_THE_CAP = 'return Result(status="exhausted", output=draft)'
TO_WRITER = "revised = await run.dispatch(desk.writer, Handoff(intent=task, artifacts=work))"
TO_REVIEWER = "reviewed = await run.dispatch(desk.reviewer, Handoff(intent=task, artifacts=work))"
BETTER = "if fewest is None or len(verdict.issues) < fewest:"
BEST = 'return Result(status="exhausted", output=best, reason=f"{fewest} issues are left")'

BROKEN = "if not result.ok:"
SO_FAR = "return Result(status=result.status, output=text, reason=reason, artifacts=work)"
HAND_OVER = "Handoff(intent=task, artifacts=work)"
KEEP = "work[name] = text"

WRONG = {
    "03.1": {
        "never asks": [("", "    return Result(status='ok', output='# Rate limits')\n")],
        "not reviewed first": [
            (ROUNDS, f"draft = (await run.dispatch(desk.writer, Handoff(intent=task, artifacts={{'facts': facts}}))).as_text()\n"
                     f"    {ROUNDS}")],
        "revision not reviewed": [
            (NEW_DRAFT, f"{NEW_DRAFT}\n            work['draft'] = draft\n            {TO_WRITER}\n            {NEW_DRAFT}")],
        "not revised": [(TO_WRITER, TO_REVIEWER.replace("reviewed", "revised").replace("work))", "work))"))],
        "past the door": [
            (TO_REVIEWER, "reviewed = await desk.reviewer.execute(Handoff(intent=task, artifacts=work), run)"),
            (TO_WRITER, "revised = await desk.writer.execute(Handoff(intent=task, artifacts=work), run)")],
        "last draft not reviewed": [(ROUNDS, "for revision in range(desk.max_revisions):")],
        "PASS not seen": [(PASSED, 'if reviewed.as_text().startswith("PASS"):')],
        "remarks taken for a verdict": [(PASSED, "if not verdict.issues:")],
        "no cap": [(ROUNDS, "while True:"), (WHILE_LEFT, "if True:"), (AT_THE_CAP, "")],
        "one revision too many": [(WHILE_LEFT, "if True:")],
        "too few revisions": [(PASSED, 'if "PASS" in reviewed.as_text():')],
        "old draft": [(NEW_DRAFT, "revised.as_text()")],
        "no feedback": [(FEEDBACK, "pass")],
        "part of the feedback": [(FEEDBACK, 'work["feedback"] = verdict.issues[0]')],
        "no facts": [('work = {"facts": facts, "draft": draft}', 'work = {"draft": draft}')],
        "first draft returned": [
            (ROUNDS, f"first = draft\n    {ROUNDS}"), ('return Result(status="ok", output=draft)',
                                                       'return Result(status="ok", output=first)')],
        "pretends to be done": [(AT_THE_CAP, AT_THE_CAP.replace("exhausted", "ok"))],
        "no result": [('return Result(status="ok", output=draft)', "return draft")],
    },
    "03.2": {
        "last draft": [(BEST, BEST.replace("output=best", "output=draft"))],
        "one too late": [
            (f"        {BETTER}\n            best, fewest = draft, len(verdict.issues)\n", ""),
            (NEW_DRAFT, f"{NEW_DRAFT}\n            {BETTER}\n                best, fewest = draft, len(verdict.issues)")],
        "old draft": [('work["feedback"] =', 'work["draft"] = best\n            work["feedback"] =')],
        "first draft": [(BETTER, "if fewest is None:")],
        "most issues": [(BETTER, BETTER.replace("<", ">"))],
        "last draft left out": [(BETTER, f"if revision < desk.max_revisions and ({BETTER[3:-1]}):")],
        "PASS not returned": [('return Result(status="ok", output=draft)', 'return Result(status="ok", output=best)')],
        "pretends to be done": [(BEST, BEST.replace("exhausted", "ok"))],
        "no reason": [(BEST, BEST.replace(', reason=f"{fewest} issues are left"', ""))],
        "reason without the number": [(BEST, BEST.replace('f"{fewest} issues are left"', '"the cap was hit"'))],
        "never asks": [("", "    return Result(status='exhausted', output='# Rate limits', reason='1 issues are left')\n")],
    },
    "03.3": {
        "raises": [(SO_FAR, "raise RuntimeError(reason)")],
        "work lost": [(SO_FAR, SO_FAR.replace(", artifacts=work", ""))],
        "pretends to be done": [(SO_FAR, SO_FAR.replace("result.status", '"ok"'))],
        "own status": [(SO_FAR, SO_FAR.replace("result.status", '"cancelled"'))],
        "goes on": [(BROKEN, "if result.output is None:")],
        "ends early": [(KEEP, f"{KEEP}\n        return Result(status='ok', output=text, artifacts=work)")],
        "half work kept": [
            (BROKEN, f"work[name] = result.as_text()\n        {BROKEN}")],
        "nothing handed over": [(HAND_OVER, "Handoff(intent=task)")],
        "other names": [(KEEP, "work[executable.name] = text")],
        "no output": [('Result(status="ok", output=text, ', 'Result(status="ok", ')],
        "past the door": [("await run.dispatch(executable, Handoff(intent=task, artifacts=work))",
                           "await executable.execute(Handoff(intent=task, artifacts=work), run)")],
        "only the last work": [(HAND_OVER, "Handoff(intent=task, artifacts=dict(list(work.items())[-1:]))")],
        "reason lost": [('f"{name}: {result.reason}"', 'f"{name} did not deliver"')],
        "stage not named": [('f"{name}: {result.reason}"', "result.reason")],
        "no result": [(SO_FAR, "return work")],
        "never asks": [("", "    return Result(status='exhausted', reason='draft: the budget is used up')\n")],
    },
}

CRASHES = {
    "03.1": [(ROUNDS, "for revision in desk.max_revisions:")],
    "03.2": [(BETTER, "if len(verdict.issues) < fewest:")],
    "03.3": [("work, text = {}, None", "work, text = None + {}, None")],
}
ENDLESS = {
    "03.1": [(ROUNDS, f"while True:\n        pass\n    {ROUNDS}")],
    "03.2": [(ROUNDS, f"while True:\n        pass\n    {ROUNDS}")],
    "03.3": [("work, text = {}, None", "work, text = {}, None\n    while True:\n        pass")],
}
CHEATS = {  # the docstring's own example, written down
    "03.1": WRONG["03.1"]["never asks"],
    "03.2": WRONG["03.2"]["never asks"],
    "03.3": WRONG["03.3"]["never asks"],
}
