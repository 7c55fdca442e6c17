# Each sign as a question of its own, in a dict; the answer is the names of those that are true.
def signs(trace, kept):
    boss = trace.handoffs()[0]["to_agent"]
    total = trace.totals()["input_tokens"]
    mine = trace.by_agent().get(boss, {"input_tokens": 0})["input_tokens"]
    back = brought(trace, boss)
    times = [len([1 for text in handed(trace, boss) if result in text]) for result in back]
    alive = has_end(trace, boss)
    asked = {
        "micromanager": 2 * mine > total,
        "absent manager": alive and mine == 0 and len(back) > 1 and sum(times) == 0,
        "context hoarder": max(times, default=0) > 2,
        "single point of failure": not alive and replies(trace) > kept,
    }
    return [name for name, is_there in asked.items() if is_there]
