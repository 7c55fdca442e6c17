"""The author's side of lesson 23: marks of judges, answers to questions, and labels beside them."""

from __future__ import annotations

from random import Random
from typing import Any

FAULTS = ("a number", "a name", "no citation", "wrong citation", "an invention")
QUESTIONS = (
    "Is the sentence supported by the facts?",
    "Has the sentence a citation?",
    "Is the sentence clear to who sees nothing else?",
    "Is the sentence free of praise?",
    "Does the sentence name its subject?",
)


def judgements(draw: Random) -> dict[str, list[Any]]:
    """Marks of a judge for good and for spoiled drafts, and how many false alarms are allowed."""
    name, other, *unseen = draw.sample(FAULTS, 5)
    first, second, third = sorted(unseen)
    low, middle, high = (
        draw.randint(20, 35),
        draw.randint(50, 60),
        draw.randint(88, 95),
    )
    good = [["", high], ["", high + 3], ["", 100]]
    seen = [[name, low], [other, middle], [other, middle + 3]]
    blind = [[third, 100], [third, 100]]
    blinder = [[fault, 100] for fault in (second, third, first)]
    part = [[name, middle], [name, 100], [other, low]]
    tempting = [["", middle], *good, [name, low], [other, high - 1]]
    many = [
        ["", middle],
        ["", middle + 10],
        ["", high + 3],
        [name, low],
        [name, low + 3],
        [other, middle + 5],
        [other, middle + 8],
        [other, high + 1],
    ]
    useless = [["", middle], *good, [name, low], [other, low + 5]]

    def case(about: str, marks: list[Any], limit: int) -> Any:
        return {"about": about, "marks": draw.sample(marks, len(marks)), "most": limit}

    more = {"about": "three faults are never noticed", "marks": [*good, *seen, *blinder], "most": 0}

    return {
        "catches": [
            case("good and spoiled drafts lie apart", [*good, *seen], 0),
            case("a spoiled draft has the mark of a good one", [*good, *seen, [other, high]], 0),
            case("only a full mark is a good draft's", [["", 100], [name, 99], [other, low]], 0),
        ],
        "false alarms": [
            case("a good draft has a low mark; no false alarm is allowed", tempting, 0),
            case("a good draft has a low mark; one false alarm is allowed", tempting, 1),
            case("one false alarm is allowed, and it buys nothing", useless, 1),
            case("two good drafts have low marks; one false alarm is allowed", many, 1),
        ],
        "blind": [
            case("one fault is never noticed", [*good, *seen, *blind], 0),
            more,
            case("one fault is noticed in one draft of two", [*good, *part], 0),
        ],
        "nothing to catch": [case("the judge notices nothing", [*good, *blind], 0)],
    }


def rubrics(draw: Random) -> dict[str, list[Any]]:
    """A judge's answers to two or three questions: yes, no, something else, or none."""
    number = draw.randint(100, 999)
    yes = {"status": "ok", "output": "yes"}
    no = {"status": "ok", "output": "no"}
    vague = {"status": "ok", "output": f"yes, but {number}"}
    gone = {"status": draw.choice(("failed", "refused")), "reason": f"fault {number}"}
    cut = {"status": "exhausted", "output": "yes", "reason": "a limit"}
    record = {"status": "ok", "output": {"answer": "yes"}}
    cut_no = {"status": "exhausted", "output": "no", "reason": "a limit"}

    def case(about: str, *answers: Any) -> dict[str, Any]:
        questions = sorted(draw.sample(QUESTIONS, len(answers)), reverse=True)
        seconds = draw.randint(2, 90)
        return {
            "about": about,
            "sentence": f"It waits {seconds} seconds [policy-{seconds}].",
            "facts": f"- The policy waits {draw.randint(2, 90)} seconds. [policy-{seconds}]",
            "questions": questions,
            "answers": dict(zip(questions, answers, strict=True)),
        }

    return {
        "asks": [
            case("two questions, two times yes", yes, yes),
            case("three questions, three times yes", yes, yes, yes),
        ],
        "faults": [
            case("the first answer is no", no, yes, yes),
            case("two of three answers are no", yes, no, no),
            case("every answer is no", no, no),
        ],
        "unanswered": [
            case("one question is not answered", yes, gone, yes),
            case("one is not answered, one is answered with no", gone, no, yes),
            case("an answer is neither yes nor no", yes, vague),
            case("a yes comes from a run that was cut", yes, cut, yes),
            case("a no comes from a run that was cut", cut_no, yes),
            case("no question is answered", gone, gone),
            case("an answer is a dict", yes, record),
        ],
    }


def labels(draw: Random) -> dict[str, list[Any]]:
    """Labels beside a judge's answers: as good as chance, better, missing, and all alike."""
    names = sorted(draw.sample(("carried", "cited", "clear", "polite", "short", "dated"), 5))

    def pairs(both_yes: int, false_yes: int, false_no: int, both_no: int, **missing: int) -> Any:
        """missing: how many labels of yes and of no have no answer."""
        found = [
            *[[True, True]] * both_yes,
            *[[False, True]] * false_yes,
            *[[True, False]] * false_no,
            *[[False, False]] * both_no,
            *[[True, None]] * missing.get("of_yes", 0),
            *[[False, None]] * missing.get("of_no", 0),
        ]
        return draw.sample(found, len(found))

    def case(about: str, least: float, *answers: Any) -> dict[str, Any]:
        return {"about": about, "least": least, "answers": dict(zip(names, answers, strict=False))}

    majority = draw.randint(16, 19)
    good = pairs(draw.randint(6, 7), 1, 1, draw.randint(6, 7))
    better = pairs(draw.randint(8, 9), 0, 1, draw.randint(8, 9))
    always = pairs(majority, 20 - majority, 0, 0)
    exact = pairs(3, 1, 1, 3)
    times = draw.randint(1, 3)
    generous = pairs(10 * times, 8 * times, 0, 6 * times)  # kappa is 0.385
    too_generous = pairs(8 * times, 10 * times, 0, 6 * times)  # kappa is 0.286
    contrary = pairs(1, draw.randint(5, 7), draw.randint(5, 7), 1)
    few = pairs(1, 1, draw.randint(6, 8), draw.randint(8, 9))
    many_no = pairs(2, 1, 1, draw.randint(14, 18))
    answered = pairs(5, 0, 0, 4, of_yes=draw.randint(7, 8))
    only_no = pairs(6, 0, 0, 5, of_no=draw.randint(5, 6))
    silent_no = pairs(6, 1, 1, 1, of_no=draw.randint(6, 7))
    return {
        "above chance": [
            case("one judge always says yes", 0.4, always, good),
            case("most labels are no", 0.6, many_no, good),
            case("a judge says no to nearly everything", 0.3, few, better),
            case("a judge says the contrary of the reader", 0.2, contrary, better),
            case("two judges say yes too often", 0.35, generous, too_generous, good),
            case("a kappa just below `least`", 0.39, generous, better),
        ],
        "order": [
            case("the second question is the better one", 0.3, good, better),
            case("three questions are good enough", 0.3, good, better, exact),
            case("three questions, and one is too bad", 0.3, better, always, good),
            case("a kappa of exactly `least`", 0.5, exact, better),
        ],
        "missing": [
            case("answers are missing where the label is yes", 0.5, answered, better),
            case("answers are missing where the label is no", 0.5, silent_no, better),
            case("they are missing only where the label is no", 0.5, only_no, contrary),
        ],
        "one answer only": [
            case("both always say yes", 0.4, pairs(majority, 0, 0, 0), good),
            case("both always say no", 0.4, better, pairs(0, 0, 0, majority)),
            case("no question is better than chance", 0.1, always, pairs(majority, 0, 0, 0)),
            case("chance is enough", 0.0, always, pairs(0, 0, 0, majority), contrary),
        ],
    }


INPUTS = {"23.1": judgements, "23.2": rubrics, "23.3": labels}
