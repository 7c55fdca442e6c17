def lost_handoffs(handoffs, needs):
    gaps, number = [], 0
    for part in handoffs:
        number += 1
        worker = part["to_agent"]
        if worker in needs:
            lacks = list(
                filter(
                    lambda name: (
                        name not in part["artifacts"]
                        or part["artifacts"][name].isspace()
                        or not part["artifacts"][name]
                    ),
                    needs[worker],
                )
            )
            gaps += [(number, worker, lacks)] if len(lacks) else []
    return gaps
