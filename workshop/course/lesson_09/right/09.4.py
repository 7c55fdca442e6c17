def planner():
    prompt = """\
You are the planner of an on-call desk. You plan, and do none of the work.
Break the task into steps for the workers listed. At most 3 steps, and never run two steps at once."""
    return Agent(
        name="planner",
        description="Plans.",
        system=prompt,
        model=models.planner,
        output=WrittenPlan,
    )
