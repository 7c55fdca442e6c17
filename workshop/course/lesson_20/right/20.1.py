# The team is asked again and again, until nobody new is reached.
def in_danger(reads, hands, kit, effects):
    reached = set(reads)
    while more := {receiver for giver, receiver in hands if giver in reached} - reached:
        reached |= more
    found = []
    for name, tools in kit.items():
        if name in reached and any(tool in effects for tool in tools):
            found.append(name)
    return found
