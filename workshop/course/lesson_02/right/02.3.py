# With a regular expression for a bullet that ends in a source.
def writers_handoff(task, audience, found):
    import re

    facts = "\n".join(re.findall(r"^- .*\[[\w.-]+\]$", found.as_text(), flags=re.MULTILINE))
    return Handoff(
        intent=f"{task}, {audience}",
        context=audience,
        artifacts={"facts": facts or found.as_text()},
    )
