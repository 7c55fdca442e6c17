def with_editor(team):
    says = "Shortens a finished text to one sentence, and changes nothing else. Artifacts: draft."
    return LLMSupervisor(
        specialists=(
            Agent(
                name="editor",
                description=says,
                system="Shorten the draft to a single sentence.",
                model=models.supervisor,
            ),
            *team,
        )
    )
