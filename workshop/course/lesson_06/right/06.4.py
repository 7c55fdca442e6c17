# Strip what cannot be on a ring, again and again; what is left is walked until a name repeats.
def find_ring(handoffs):
    arrows = {(part["from_agent"], part["to_agent"]) for part in handoffs}
    while ends := {b for _, b in arrows} - {a for a, _ in arrows}:
        arrows = {(a, b) for a, b in arrows if b not in ends}
    if not arrows:
        return []
    way = [min(arrows)[0]]
    while way.count(way[-1]) < 2:
        way.append(min(b for a, b in arrows if a == way[-1]))
    return way[way.index(way[-1]) :]
