async def revised(run, worker, gate, handoff, cap):
    best_count = float("inf")
    best_draft = best_lines = failure = None
    parts = dict(handoff.artifacts)
    for number in range(1, cap + 1):
        result = await run.dispatch(worker, handoff.model_copy(update={"artifacts": parts}))
        if result.status != "ok":
            failure = result
            break
        issues = await gate.check(result.as_text(), handoff, run)
        if not issues:
            return result
        lines = []
        for issue in issues:
            lines.append(f"{issue.where} {issue.problem} {issue.remedy}\n{''}".strip())
        parts["draft"] = result.as_text()
        parts["feedback"] = "\n".join(lines)
        if len(issues) < best_count:
            best_count, best_draft = len(issues), result.as_text()
            best_lines = "\n".join(str(issue) for issue in issues)
    if best_draft is None:
        return failure
    reason = f"{number} drafts"
    issues = {"issues": best_lines}
    return Result(status="exhausted", output=best_draft, reason=reason, artifacts=issues)
