"""Wrong answers to the exercises of lesson 07, by the name of the misconception that each shows."""

OURS = "ours, theirs = team.totals(), alone.totals()"
CALLS = 'ours["calls"] - theirs["calls"]'
TOKENS = "tokens[0] / tokens[1]"
SUM = 'it["input_tokens"] + it["output_tokens"]'
USD = 'ours["usd"] - theirs["usd"] if known else None'
CITED = "cited = [(sentence, sources) for sentence, sources in pairs if sources]"
THERE = 'there = {number for id in sources for number in numbers(documents.get(id, ""))}'
HELD = "held += numbers(sentence) <= there"
SHARE = "return held / len(cited) if cited else 0.0"
FIRST = 'if team["mistakes"] != alone["mistakes"]:'
FEWER = 'return "team" if team["mistakes"] < alone["mistakes"] else "one agent"'
EXTRA = 'extra = team["usd"] - alone["usd"]'
LAST = 'return "team" if gain > extra else "one agent"'

WRONG = {
    "07.1": {
        "no dict": [("    return {", "    return tokens\n    return {")],
        "wrong way round": [(CALLS, 'theirs["calls"] - ours["calls"]')],
        "sign lost": [(CALLS, f"abs({CALLS})")],
        "not a difference": [(CALLS, 'ours["calls"]')],
        "upside down": [(TOKENS, "tokens[1] / tokens[0]")],
        "subtracted": [(TOKENS, "tokens[0] - tokens[1]")],
        "only the input": [(SUM, 'it["input_tokens"]')],
        "only the output": [(SUM, 'it["output_tokens"]')],
        "unknown is zero": [(USD, '(ours["usd"] or 0) - (theirs["usd"] or 0)')],
        "unknown price crashes": [(USD, 'ours["usd"] - theirs["usd"]')],
    },
    "07.2": {
        "any document": [("for id in sources for number", "for id in documents for number")],
        "all sentences": [(" if sources]", "]")],
        "one number is enough": [(HELD, "held += bool(numbers(sentence) & there)")],
        "part of a number": [
            (HELD, 'held += all(it in " ".join(there) for it in numbers(sentence))')],
        "every source": [
            (HELD, 'held += all(numbers(sentence) <= numbers(documents.get(id, "")) for id in sources)')],
        "unknown source": [('documents.get(id, "")', "documents[id]")],
        "nothing cited": [(SHARE, "return held / len(cited)")],
        "a count": [(SHARE, "return held")],
        "percent": [(SHARE, SHARE.replace("held /", "100 * held /"))],
        "rounded down": [(SHARE, SHARE.replace("held /", "held //"))],
        "no number in it": [(HELD, "held += bool(numbers(sentence)) and numbers(sentence) <= there")],
        "the other share": [(SHARE, "return 1 - held / len(cited) if cited else 0.0")],
        "no number": [(SHARE, "return cited")],
    },
    "07.3": {
        "more sources win": [(LAST, 'return "team" if gain > 0 else "one agent"')],
        "cheaper wins": [(LAST, 'return "team" if extra < 0 else "one agent"')],
        "whole bill": [(EXTRA, 'extra = team["usd"]')],
        "nothing gained": [('(team["sources"] - alone["sources"])', 'team["sources"]')],
        "a tie to the team": [("gain > extra", "gain >= extra")],
        "a cheaper team refused": [("gain > extra", "gain > max(extra, 0)")],
        "mistakes overlooked": [(FIRST, 'if team["mistakes"] > alone["mistakes"]:')],
        "mistakes of the team": [(FIRST, 'if team["mistakes"] < alone["mistakes"]:')],
        "no verdict": [(LAST, "return gain > extra")],
    },
}

CRASHES = {
    "07.1": [(OURS, f"total = team.total()\n    {OURS}")],
    "07.2": [("held = 0", "held = None + 0")],
    "07.3": [(EXTRA, 'extra = team["dollars"] - alone["usd"]')],
}
ENDLESS = {
    "07.1": [("    ours,", "    while True:\n        pass\n    ours,")],
    "07.2": [("    cited =", "    while True:\n        pass\n    cited =")],
    "07.3": [("    gain =", "    while True:\n        pass\n    gain =")],
}
CHEATS = {  # the docstring's own example, written down
    "07.1": [("", '    return {"calls": 3, "tokens": 4.2, "usd": 0.0004}\n')],
    "07.2": [("", "    return 0.5\n")],
    "07.3": [("", '    return "one agent"\n')],
}
