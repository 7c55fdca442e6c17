def find_ring(handoffs):
    from graphlib import CycleError, TopologicalSorter

    sorter = TopologicalSorter()
    for h in handoffs:
        sorter.add(h["to_agent"], h["from_agent"])
    try:
        sorter.prepare()
    except CycleError as ring:
        return ring.args[1]
    return []
