def evictions(entries, limit, pinned):
    import heapq

    heap = [(importance, -tokens, key) for key, tokens, importance in entries if key not in pinned]
    heapq.heapify(heap)
    over, gone = sum(entry[1] for entry in entries) - limit * 0.8, []
    while heap and over > 0:
        _, tokens, key = heapq.heappop(heap)
        over += tokens
        gone += [key]
    return gone
