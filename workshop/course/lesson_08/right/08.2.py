def who_can(registry, capability):
    for executable in registry.find(capability):
        return executable.name
    everybody = " and ".join(each.name for each in registry.list())
    return "Sorry, nobody can " + capability + ". Ask one of " + (everybody or "no one")
