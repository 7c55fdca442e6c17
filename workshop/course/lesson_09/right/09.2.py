def batches(needs):
    from graphlib import TopologicalSorter

    sorter = TopologicalSorter(needs)
    sorter.prepare()
    made = []
    while sorter.is_active():
        made.append(list(sorter.get_ready()))
        sorter.done(*made[-1])
    return made
