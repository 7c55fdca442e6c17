def switchboard(members):
    from types import SimpleNamespace

    def score(member, wish):
        text = member.name + " " + member.description
        return sum(word in words(text) for word in words(wish))

    def find(wish):
        able = [member for member in members if score(member, wish) > 0]
        able.sort(key=lambda member: score(member, wish), reverse=True)
        return [member.name for member in able]

    async def execute(handoff, run):
        found = find(handoff.intent)
        if found:
            best = next(member for member in members if member.name == found[0])
            result = await run.dispatch(best, handoff)
            return result
        everybody = [member.name for member in members]
        return Result(status="failed", reason=f"no member for {handoff.intent!r} in {everybody}")

    about = " / ".join(member.name for member in members)
    return SimpleNamespace(name="switchboard", description=about, find=find, execute=execute)
