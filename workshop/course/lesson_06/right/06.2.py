# A comprehension, with the gaps of one handoff in an inner function.
def lost_handoffs(handoffs, needs):
    def gaps(handoff):
        carried = {name for name, text in handoff["artifacts"].items() if text.strip()}
        return [name for name in needs.get(handoff["to_agent"], ()) if name not in carried]

    numbered = enumerate(handoffs, start=1)
    return [(number, part["to_agent"], gaps(part)) for number, part in numbered if gaps(part)]
