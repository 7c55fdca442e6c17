# The run keeps the work: `run.keep` and `run.artifacts` are there for this.
async def in_stages(run, task, stages):
    text = ""
    for name, executable in stages.items():
        result = await run.dispatch(executable, Handoff(intent=task, artifacts=dict(run.artifacts)))
        if not result.ok and not (result.status == "exhausted" and result.output):
            reason = f"{name} did not deliver: {result.reason}"
            return Result(status=result.status, output=text, reason=reason, artifacts=run.artifacts)
        text = result.as_text()
        run.keep(**{name: text})
    return Result(status="ok", output=text, artifacts=run.artifacts)
