"""The author's side of lesson 10: drafts, gates and issues, and what people get wrong about them."""

from __future__ import annotations

from random import Random
from typing import Any

THINGS = ("orders", "tickets", "parcels", "mugs", "letters", "returns")


def drafts(draw: Random) -> dict[str, list[Any]]:
    """Drafts with a sentence without a source, with an unknown one, with several faults, with none."""
    known = [f"log-{draw.randint(10, 99)}", f"row-{draw.randint(10, 99)}"]
    ghost = f"mail-{draw.randint(10, 99)}"

    def sentence(source: str = "") -> str:
        words = f"{draw.randint(100, 999)} {draw.choice(THINGS)} are odd"
        return f"{words} [{source}]." if source else f"{words}."

    def case(about: str, *sources: str, note: str = "", again: bool = False) -> dict[str, Any]:
        """note: a bracket inside of each sentence; again: the first sentence comes once more."""
        sources = (*sources, *sources[:1]) if again else sources
        lines = [sentence(source) for source in sources]
        lines = [*lines[:-1], lines[0]] if again else lines
        lines = [line.replace("are odd", f"[{note}] are odd") if note else line for line in lines]
        return {"about": about, "draft": "\n".join(lines), "sources": known}

    return {
        "no source": [
            case("the second sentence has no source", known[0], "", known[1]),
            case("nothing is wrong", known[1], known[0]),
        ],
        "unknown source": [
            case("the last source is unknown", known[0], ghost),
            case("the first source is unknown", ghost, known[1], known[0]),
            case("a bracket inside, and an unknown source at the end", ghost, note=known[0]),
            case("a bracket inside, and a known source at the end", known[0], note="sic"),
            case("a part of a source's name is no source", known[0][:-1], known[1]),
            case("an unknown source begins like a known one", f"{known[0]}7", known[1]),
        ],
        "several": [
            case("three sentences are wrong", "", ghost, known[0], ""),
            case("the same wrong sentence twice", ghost, known[0], again=True),
        ],
    }


def checks(draw: Random) -> dict[str, list[Any]]:
    """Gates in any order; some of them object."""
    names = draw.sample(("length", "style", "facts", "tests", "critic", "lawyer"), 4)
    costs = [0.0, 0.0, draw.randint(1, 4) / 1000, draw.randint(5, 9) / 1000]
    paid = draw.randint(2, 4) / 1000
    dear = [paid, paid, paid, paid + 0.001]
    pair = [0.0, paid, paid, paid + 0.001]

    def case(about: str, *objecting: int, costs: list[float] = costs) -> dict[str, Any]:
        gates = []
        for place, (name, cost) in enumerate(zip(names, costs, strict=True)):
            issues = [f"{name}: issue {draw.randint(10, 99)}"] * (place in objecting)
            gates.append([name, cost, issues])
        shuffled = [gates[place] for place in (3, 1, 2, 0)]
        return {"about": about, "draft": f"draft {draw.randint(10, 99)}", "gates": shuffled}

    return {
        "cheap first": [case("nobody objects"), case("only the dearest objects", 3)],
        "stop": [
            case("a free gate objects", 0),
            case("the cheaper of the two dear ones objects", 2),
        ],
        "all of one cost": [
            case("both free gates object", 0, 1),
            case("a free one and a dear one", 1, 3),
            case("three cost the same, and one of them objects", 1, costs=dear),
            case("two above a free one cost the same, and the first objects", 1, costs=pair),
        ],
    }


def objections(draw: Random) -> dict[str, list[Any]]:
    """Issues; some occur twice, and some have no remedy."""

    def issue(remedy: bool = True) -> dict[str, str]:
        number = draw.randint(100, 999)
        things = draw.choice(THINGS)
        return {
            "where": f"“{number} {things} are odd”",
            "problem": f"the database says {number + draw.randint(1, 50)}",
            "remedy": f"write it as in row {draw.randint(1000, 9999)}" if remedy else "",
        }

    def case(about: str, *issues: dict[str, str]) -> dict[str, Any]:
        return {"about": about, "issues": list(issues)}

    one, two, three = issue(), issue(), issue()
    return {
        "lines": [case("one issue", one), case("three issues", one, two, three)],
        "twice": [
            case("one issue occurs twice", two, one, dict(two)),
            case("two issues are in one place", one, {**one, "problem": three["problem"]}),
            case("one problem is in two places", one, {**one, "where": three["where"]}, two),
        ],
        "no remedy": [case("the second one has no remedy", three, issue(remedy=False))],
    }


LINE = 'f"- {issue.where}: {issue.problem}; {issue.remedy}"'

INPUTS = {"10.1": drafts, "10.2": checks, "10.3": objections}

SLIPS: dict[str, dict[str, list[tuple[str, str]]]] = {
    "10.1": {
        "never asks": [
            ("", "    return [Issue(where='draft', problem='no source', remedy='add one')]\n")
        ],
        "no source let through": [("if not cited:", "if False:")],
        "unknown let through": [("elif cited[-1] not in sources:", "elif False:")],
        "only the first": [("    return issues\n", "    return issues[:1]\n")],
        "true or false": [("    return issues\n", "    return not issues\n")],
        "texts": [("    return issues\n", "    return [str(issue) for issue in issues]\n")],
        "not where": [
            (
                'where=sentence, problem="has no source"',
                'where="the draft", problem="has no source"',
            )
        ],
        "begins like a known one": [
            ("elif cited[-1] not in sources:", "elif not cited[-1].startswith(tuple(sources)):")
        ],
        "source not named": [
            ('problem = f"there is no source {cited[-1]}"', 'problem = "the source is unknown"')
        ],
        "no remedy": [('remedy = "cite where it is from"', 'remedy = ""')],
    },
    "10.2": {
        "never asks": [("", "    return []\n")],
        "in the order given": [("sorted(gates, key=lambda gate: gate.cost)", "gates")],
        "dear first": [("key=lambda gate: gate.cost", "key=lambda gate: -gate.cost")],
        "asks all": [("if issues and gate.cost > paid:", "if False:")],
        "stops at the first": [("if issues and gate.cost > paid:", "if issues:")],
        "dearer than the cheapest": [
            (
                "if issues and gate.cost > paid:",
                "if issues and gate.cost > min(each.cost for each in gates):",
            )
        ],
        "last issues only": [("issues += gate.check(draft)", "issues = gate.check(draft)")],
        "asked twice": [
            (
                "issues += gate.check(draft)",
                "gate.check(draft)\n        issues += gate.check(draft)",
            )
        ],
        "one answer": [("    return issues\n", "    return bool(issues)\n")],
    },
    "10.3": {
        "never asks": [("", "    return ''\n")],
        "vague": [(LINE, '"- not good enough; try again"')],
        "not where": [(LINE, 'f"- {issue.problem}; {issue.remedy}"')],
        "no remedies": [(LINE, 'f"- {issue.where}: {issue.problem}"')],
        "no bullets": [(LINE, LINE.replace("- ", "", 1))],
        "twice": [("if line not in lines:", "if True:")],
        "one line a problem": [
            ("if line not in lines:", "if not any(issue.problem in known for known in lines):")
        ],
        "one line": [('return "\\n".join(lines)', 'return " ".join(lines)')],
        "a list": [('return "\\n".join(lines)', "return lines")],
        "without a remedy left out": [
            ("if line not in lines:", "if line not in lines and issue.remedy:")
        ],
    },
}
"""By exercise and name, our solution changed: (old text, new text); where the old text is empty, the new one is the body."""

RIGHT = {
    "10.1": [
        """\
def unsourced(draft, sources):
    found = []
    for line in draft.split("\\n"):
        before, bracket, rest = line.rpartition("[")
        source = rest.partition("]")[0] if bracket else None
        if source is None:
            found.append(Issue(where=f"“{line}”", problem="no citation", remedy="add one in brackets"))
        elif source not in set(sources):
            found.append(Issue(where=line, problem=f"{source!r} is not known", remedy="use a known one"))
    return found
""",
    ],
    "10.2": [
        """\
def checked(draft, gates):
    found = []
    for cost in sorted({gate.cost for gate in gates}):
        if found:
            return found
        for gate in gates:
            if gate.cost == cost:
                found.extend(gate.check(draft))
    return found
""",
    ],
    "10.3": [
        """\
def feedback(issues):
    return "\\n".join(dict.fromkeys(f"- In {it.where} {it.problem}. {it.remedy or 'Change it.'}" for it in issues))
""",
    ],
}
