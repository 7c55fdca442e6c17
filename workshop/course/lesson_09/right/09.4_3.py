def planner():
    system = (
        "You are the planner of a team; you plan, and do none of the work. Each step stands alone. "
        "Do not run steps in parallel. Three steps are the most: use at most 3 steps."
    )
    return Agent("planner", "Says who does what.", system, models.planner, (), WrittenPlan)
