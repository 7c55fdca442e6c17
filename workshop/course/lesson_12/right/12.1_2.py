def states(calls, failures, cooldown_s):
    state, count, opened, log = "closed", 0, 0, []
    for when, good in calls:
        if state == "open" and when >= opened + cooldown_s:
            state = "half-open"
        log += [state]
        match state, good:
            case "open", _:
                pass
            case _, True:
                state, count = "closed", 0
            case "half-open", False:
                state, opened = "open", when
            case "closed", False:
                count += 1
                if count == failures:
                    state, opened = "open", when
    return log
