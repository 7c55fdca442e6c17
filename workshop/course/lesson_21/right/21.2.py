def bills(spans):
    found = {}
    for span in spans:
        if not span.name.startswith("chat") or span.error:
            continue
        above = span.parent
        while "workshop.run" not in above.attributes:
            above = above.parent
        found.setdefault(above.attributes["workshop.run"], []).append(
            span.attributes.get("workshop.usd", float("inf"))
        )
    totals = [(run, sum(costs)) for run, costs in found.items()]
    totals.sort(key=lambda pair: pair[1], reverse=True)
    return totals
