def lead(team):
    system = """You are the supervisor of a team. Research before you write.

- When every sentence has a citation, the draft is accepted.
- Send a draft back at most once.
- When a source named in the task is not in the facts, call the researcher again.
- Have each draft reviewed."""
    return LLMSupervisor(team, models.supervisor, system)
