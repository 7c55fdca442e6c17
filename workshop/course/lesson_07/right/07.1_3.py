def compare(team, alone):
    from collections import OrderedDict

    figures, (ours, theirs) = OrderedDict(), (part.totals() for part in (team, alone))
    figures["calls"] = ours["calls"] - theirs["calls"]
    figures["tokens"] = sum(ours[f"{way}put_tokens"] for way in ("in", "out")) / sum(
        theirs[f"{way}put_tokens"] for way in ("in", "out")
    )
    figures["usd"] = (
        None if ours["usd"] is None or theirs["usd"] is None else ours["usd"] - theirs["usd"]
    )
    return figures
