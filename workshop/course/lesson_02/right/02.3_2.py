def writers_handoff(task, audience, found):
    kept = []
    for line in str(found.output).split("\n"):
        if line[:2] == "- " and line[-1] == "]":
            kept += [line]
    return Handoff(
        artifacts={"facts": "\n\n".join(kept) if kept else found.output},
        intent=task + " " + audience,
        context="It is " + audience,
    )
