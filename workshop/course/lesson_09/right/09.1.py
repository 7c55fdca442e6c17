def faults(steps, workers):
    known = [step["id"] for step in steps]
    return [
        *((id, "duplicate id") for id in {*known} if known.count(id) > 1),
        *((step["id"], "unknown worker") for step in steps if step["worker"] not in {*workers}),
        *((step["id"], "needs itself") for step in steps if step["id"] in step["needs"]),
        *(
            (step["id"], "unknown need")
            for step in steps
            for need in step["needs"]
            if need not in known
        ),
    ]
