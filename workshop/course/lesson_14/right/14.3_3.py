class Stepper:
    name = "stepper"
    description = "Does steps with a context."

    def __init__(self, context):
        self.context = context
        self.output = None
        self.missing = []

    async def do(self, run, key, worker, intent, importance):
        match await run.dispatch(worker, self.context.handoff_to(worker.name, intent)):
            case Result(status="ok") as result:
                self.output = result.output
                self.context.active = key
                self.context.store(key, result.as_text(), importance)
            case _:
                self.missing.append(key)


async def in_steps(run, task, steps, context):
    context.store("task", task)
    stepper = Stepper(context)
    for step in steps:
        await stepper.do(run, *step)
    evicted = ", ".join([entry.key for entry in context.evicted])
    left = {"evicted": evicted}
    if not stepper.missing:
        return Result(status="ok", output=stepper.output, artifacts=left)
    reason = f"these steps failed: {stepper.missing}"
    return Result(status="exhausted", output=stepper.output, reason=reason, artifacts=left)
