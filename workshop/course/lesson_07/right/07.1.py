# From the table by agent instead of the totals.
def compare(team, alone):
    def total(trace, *names):
        return sum(used[name] for used in trace.by_agent().values() for name in names)

    both = ("input_tokens", "output_tokens")
    try:
        usd = total(team, "usd") - total(alone, "usd")
    except TypeError:
        usd = None
    calls = total(team, "calls") - total(alone, "calls")
    return {"calls": calls, "tokens": total(team, *both) / total(alone, *both), "usd": usd}
