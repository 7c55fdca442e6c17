def who_can(registry, capability):
    best = next(iter(registry.find(capability)), None)
    if best is not None:
        return best.name
    names = " ".join(sorted(each.name for each in registry.list()))
    return f"Nobody can {capability}. Ask one of these: {names}."
