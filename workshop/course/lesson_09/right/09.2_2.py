def batches(needs):
    def depth(id, above=()):
        if id in above:
            raise ValueError("cycle at " + id)
        return 1 + max((depth(need, (*above, id)) for need in needs[id]), default=-1)

    depths = {id: depth(id) for id in needs}
    return [
        [id for id in needs if depths[id] == level] for level in range(max(depths.values()) + 1)
    ]
