def compare(team, alone):
    a, b = team.totals(), alone.totals()
    usd = None if None in (a["usd"], b["usd"]) else float(a["usd"] - b["usd"])
    ratio = (a["output_tokens"] + a["input_tokens"]) / (b["output_tokens"] + b["input_tokens"])
    return {
        "usd": usd,
        "calls": float(len([part for part in team.events if part.kind == "reply"]) - b["calls"]),
        "tokens": round(ratio, 2),
        "comment": "as asked",
    }
