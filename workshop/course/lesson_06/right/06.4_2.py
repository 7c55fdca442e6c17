def find_ring(handoffs):
    names = {part["from_agent"] for part in handoffs} | {part["to_agent"] for part in handoffs}
    for start in sorted(names):
        ways = [[start]]
        while ways:
            way = ways.pop()
            for part in handoffs:
                if part["from_agent"] == way[-1]:
                    if part["to_agent"] == start:
                        return way + [start]
                    if part["to_agent"] not in way:
                        ways.append(way + [part["to_agent"]])
    return []
