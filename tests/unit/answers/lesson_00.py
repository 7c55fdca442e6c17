"""Wrong answers to the exercises of lesson 00, by the name of the misconception that each shows."""

FIRST = 'order = ["researcher", "writer", "reviewer"]'
ORDER = 'return order + ["writer", "reviewer"] * sent_back'
CHANGED = "return [name for name in first if first[name] != second[name]]"

WRONG = {
    "00.1": {
        "not a list": [(ORDER, 'return " → ".join(order)')],
        "another name": [(FIRST, FIRST.replace('"writer"', '"Writer"'))],
        "supervisor listed": [(FIRST, FIRST.replace("[", '["supervisor", '))],
        "not researched first": [(FIRST, FIRST.replace('"researcher", ', ""))],
        "researched again": [(ORDER, ORDER.replace('["writer"', '["researcher", "writer"'))],
        "reviewer mends": [(ORDER, ORDER.replace('"writer", ', ""))],
        "revision not reviewed": [(ORDER, "return (order + ['writer', 'reviewer'] * sent_back)[:-1]")],
        "number not used": [(ORDER, "return order")],
        "one round too many": [(ORDER, ORDER.replace("sent_back", "(sent_back + 1)"))],
        "nobody": [(ORDER, 'return {2: order + ["writer", "reviewer"] * 2}.get(sent_back, [])')],
        "grows with each call": [
            (FIRST, f"who_gets_work.__dict__.setdefault('order', {FIRST.partition(' = ')[2]})"),
            (ORDER, "order = who_gets_work.order\n    order += ['writer', 'reviewer'] * sent_back\n    return order")],
    },
    "00.2": {
        "yes or no": [(CHANGED, "return first != second")],
        "not the names": [("[name for", "[first[name] for")],
        "the same ones": [("!=", "==")],
        "nothing differs": [("first[name] != second[name]", "name not in second")],
        "facts changed": [(CHANGED, f"changed = {CHANGED[7:]}\n    first.clear()\n    return changed")],
        "some left out": [("if first", "if isinstance(first[name], list) and first")],
        "stops at the first": [(CHANGED, f"{CHANGED}[0]")],
        "one direction": [("!=", "<")],
        "equal ones too": [("!=", "is not")],
        "always the same": [("", "    return ['order', 'calls', 'documents']\n")],
    },
}

CRASHES = {
    "00.1": [("order + [", "order.plus + [")],
    "00.2": [("second[name]", "second.name")],
}
ENDLESS = {
    "00.1": [("    order =", "    while True:\n        pass\n    order =")],
    "00.2": [("    return [", "    while True:\n        pass\n    return [")],
}
CHEATS = {  # the docstring's own example, written down
    "00.1": WRONG["00.1"]["number not used"],
    "00.2": WRONG["00.2"]["always the same"],
}
