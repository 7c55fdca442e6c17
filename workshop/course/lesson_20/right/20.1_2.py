# From each reader along the hands, as deep as it goes.
def in_danger(reads, hands, kit, effects):
    seen = []

    def follow(name):
        if name in seen:
            return
        seen.append(name)
        for giver, receiver in hands:
            if giver == name:
                follow(receiver)

    for name in reads:
        follow(name)
    return [name for name in kit if name in seen and set(kit[name]) & set(effects)]
