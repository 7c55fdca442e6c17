# The circuit as an instant until which it is open.
def states(calls, failures, cooldown_s):
    met, bad, until = [], 0, None
    for now, answers in calls:
        met.append("closed" if until is None else "open" if now < until else "half-open")
        if met[-1] != "open":
            bad = 0 if answers else bad + 1
            until = (
                None
                if answers
                else now + cooldown_s
                if until is not None or bad >= failures
                else None
            )
    return met
