def who_can(registry, capability):
    try:
        best, *_ = registry.find(capability)
    except ValueError:
        listed = "\n".join(f"- {name}" for name in registry.names())
        return f"nobody can {capability}\n{listed}"
    else:
        return best.name
