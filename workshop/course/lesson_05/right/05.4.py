def lead(team):
    ours = """\
A draft is good enough when each sentence of it cites a source, whatever the reviewer says.
Otherwise hand it back to the writer. Never revise more than once.
If the facts lack a source that the task names, ask the researcher for it."""
    return LLMSupervisor(team, system=f"{LLMSupervisor(team).system}\n{ours}")
