def lead(team):
    rules = [
        "You lead an editorial desk.",
        "Do not publish a draft until every sentence has a source.",
        "One revision at most.",
        "Ask the researcher again for missing sources that the task names.",
    ]
    return LLMSupervisor(specialists=team, system=" ".join(rules), max_turns=20)
