class Board:
    def __init__(self, members):
        self.name = "switchboard"
        self.members = {member.name: member for member in members}
        self.description = f"A registry of {', '.join(self.members) or 'nobody'}."

    def find(self, wish):
        ranked = []
        for place, member in enumerate(self.members.values()):
            shared = words(wish) & (words(member.name) | words(member.description))
            if shared:
                ranked.append((-len(shared), place, member.name))
        return [name for _, _, name in sorted(ranked)]

    async def execute(self, handoff, run):
        for name in self.find(handoff.intent):
            return await run.dispatch(self.members[name], handoff)
        known = "; ".join(self.members) or "no one"
        reason = f"Nobody here can do this: {handoff.intent}. Members: {known}"
        return Result(status="failed", reason=reason)


def switchboard(members):
    return Board(members)
