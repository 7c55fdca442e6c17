def handed_over(event):
    handoff = getattr(event, "handoff", None)
    if handoff is None or len(handoff.artifacts) == 0:
        return {}
    names = list(handoff.artifacts)
    names.sort()
    return {
        "desk.words": len(" ".join(handoff.artifacts.values()).split()),
        "desk.parts": names,
    }
