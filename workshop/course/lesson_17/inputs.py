"""The author's side of lesson 17: people who decide, and what they are asked about."""

from __future__ import annotations

from random import Random
from typing import Any

SIGNS = ("", " ", "\n", "|", " | ", "/", "-", ":", "::", ": ", ",", ", ", "_", "#", ";", "\t")
"""Separators with which a learner may join texts."""
TOPICS = ("tracing", "memory", "budgets", "caching", "handoffs", "gates", "retries", "plans")


# ── 17.1 ──────────────────────────────────────────────────────────────────────────────────────────


def checkpoints(draw: Random) -> dict[str, list[Any]]:
    """A person who proceeds, who edits, who stops; and research that fails."""
    topic = draw.choice(TOPICS)
    lines = [f"- Fact {draw.randint(100, 999)} on {topic}. [{topic}-{n}]" for n in range(3)]
    found = {"status": "ok", "output": "\n".join(lines)}
    failed = {"status": "failed", "reason": f"shelf {draw.randint(100, 999)} cannot be reached"}
    others = [
        {"status": status, "output": lines[0], "reason": f"{reason} {draw.randint(100, 999)}"}
        for status, reason in (
            ("refused", "no permission for shelf"),
            ("exhausted", "no budget for shelf"),
            ("paused", "somebody stopped it at shelf"),
        )
    ]
    task = f"Write a brief on {topic}"
    return {
        "proceeds": [_person("the person proceeds", task, found, "Proceed")],
        "edits": [
            _person("the person strikes out a fact", task, found, "Proceed", lines[1]),
            _person("the person strikes out all facts", task, found, "Proceed", ""),
        ],
        "stops": [_person("the person stops", task, found, "Stop")],
        "nothing to show": [
            _person("the research fails", task, failed, "Proceed"),
            *(
                _person(f"the research ends {other['status']}", task, other, "Proceed")
                for other in others
            ),
        ],
    }


def _person(about: str, task: str, found: Any, choice: str, text: str | None = None) -> Any:
    return {"about": about, "task": task, "found": found, "choice": choice, "text": text}


# ── 17.2 ──────────────────────────────────────────────────────────────────────────────────────────


def decisions(draw: Random) -> dict[str, list[Any]]:
    """Questions that wait, are answered, and are asked once more; others that look like them."""
    topic, other = draw.sample(TOPICS, 2)
    number = draw.randint(100, 999)
    task, second_task = f"Write on {topic}", f"Write on {other}"
    question = f"Are the facts on {topic} right?"
    facts, more = f"- Fact {number}.", f"- Fact {number}.\n- Fact {number + 1}."

    def ask(task: str = task, question: str = question, about: str = facts) -> dict[str, Any]:
        return {"task": task, "question": question, "about": about}

    def says(answer: Any, question: str = question) -> dict[str, Any]:
        return {"question": question, "answer": answer}

    def case(about: str, *events: dict[str, Any]) -> dict[str, Any]:
        return {"about": about, "events": list(events)}

    many = "\n".join(f"- Fact {number + place}." for place in range(30))
    edited = f"- Only fact {number + 2}."
    publish = f"Publish {number} words?"
    joined = []
    for place, sign in enumerate(SIGNS):
        part = f"{number + place}"
        words = f"Right{number - place}?"
        joined.append(ask(task=f"{task}{sign}{part}", question=words))
        joined.append(says(edited, words))
        joined.append(ask(question=f"{part}{sign}{words}"))
    return {
        "pauses": [
            case("a question without an answer", ask()),
            case("the same question in two runs, without an answer", ask(), ask()),
        ],
        "goes on": [
            case("the question is answered, and asked twice more", ask(), says(edited), ask(), ask()),
            case("the answer is a choice with a text", ask(), says({"choice": "edit", "text": ""}), ask()),
            case("two questions wait, the second one is answered", ask(), ask(question=publish), says("yes", publish), ask(), ask(question=publish)),
        ],
        "empty": [
            case("the answer is an empty text", ask(), says(""), ask()),
            case("the answer is False", ask(), says(False), ask()),
            case("the answer is 0", ask(), says(0), ask()),
        ],
        "others": [
            case("other facts", ask(), says(edited), ask(about=more)),
            case("another task", ask(), says(edited), ask(task=second_task)),
            case("another question", ask(), says(edited), ask(question=publish)),
            case("a task that differs in a capital letter", ask(), says(edited), ask(task=task.upper())),
            case("other facts of the same length", ask(), says(edited), ask(about=facts[::-1])),
            case("task and question change places", ask(), says(edited), ask(task=question, question=task)),
            case("facts that differ in a blank", ask(), says(edited), ask(about=f"{facts} ")),
            case("a question that differs in a blank", ask(), says(edited), ask(question=f"{question} ")),
            case("many facts, of which the last one differs", ask(about=many), says(edited), ask(about=f"{many}0")),
            {**case("task and question that are equal when they are joined", *joined), "outside": {"joined": True}},
        ],
    }  # fmt: skip


# ── 17.3 ──────────────────────────────────────────────────────────────────────────────────────────


def escalations(draw: Random) -> dict[str, list[Any]]:
    """Teams that deliver, end at a cap, contradict themselves; people who decide in each way."""
    topic = draw.choice(TOPICS)
    number = draw.randint(100, 999)
    task = {
        "intent": f"Write a note on {topic}",
        "context": f"The readers run {number} hosts.",
        "artifacts": {"log": f"line {number + 4}: no answer"},
    }
    draft = f"The draft {number} on {topic}."
    issues = f"- the whole text: is too long: {number} words"
    clash = f"code says yes of host {number}; ops says no"

    def team(status: str = "ok", text: str = draft, **artifacts: str) -> dict[str, Any]:
        reason = "" if status == "ok" else f"it ended at line {number + 1}"
        found = {"status": status, "output": text, "reason": reason}
        return {**found, "artifacts": artifacts}

    def case(about: str, *runs: Any) -> dict[str, Any]:
        """runs: of each one, what the team brings, and what a person answers to its question."""
        steps = []
        for each in runs:
            found, answer = each if isinstance(each, tuple) else (each, None)
            steps.append({"team": found, **({} if answer is None else {"answer": answer})})
        return {"about": about, "task": task, "runs": steps}

    capped = team("exhausted", issues=issues)
    clashing = team(contradictions=clash)
    edited = f"An edited text of {number + 2} words."

    def decided(choice: str, **text: str) -> dict[str, str]:
        return {"choice": choice, **text}

    other = team("exhausted", f"Another draft {number + 3}.", issues=issues)
    published = decided("publish")
    return {
        "without a person": [
            case("the team delivers", team()),
            case("the team fails", team("failed")),
            case("the team's budget is exhausted, without a draft that gates have seen", team("exhausted")),
            case("the team fails, and lists a contradiction", team("failed", contradictions=clash)),
            case("the team fails, and has issues", team("failed", issues=issues)),
            case("the team delivers, and lists no contradiction", team(contradictions="")),
            case("the team delivers, and says which issues it has repaired", team(issues=issues)),
        ],
        "pauses": [
            case("no draft passes", capped),
            case("the results contradict each other", clashing),
            case("no draft passes, in two runs, and nobody has answered", capped, capped),
        ],
        "goes on": [
            case("no draft passes; the person publishes", (capped, published), capped),
            case("a contradiction; the person publishes", (clashing, published), clashing),
            case("no draft passes; the person edits", (capped, decided("edit", text=edited)), capped),
            case("a contradiction; the person edits", (clashing, decided("edit", text=edited)), clashing),
            case("the person deletes the whole text", (capped, decided("edit", text="")), capped),
            case("the text begins and ends with blanks", (capped, decided("edit", text=f"  {edited} ")), capped),
            case("the person publishes, and a text comes along", (capped, decided("publish", text=edited)), capped),
        ],
        "stops": [
            case("no draft passes; the person stops", (capped, decided("stop")), capped),
            case("a contradiction; the person stops", (clashing, decided("stop")), clashing),
            case("the person stops, and a text comes along", (capped, decided("stop", text=edited)), capped),
            case("the answer is no decision", (capped, decided("perhaps")), capped),
        ],
        "another draft": [
            case("the person publishes; the next run has another draft", (capped, published), other),
            case("the other draft is published, too", (capped, published), (other, published), other),
        ],
    }  # fmt: skip


INPUTS = {"17.1": checkpoints, "17.2": decisions, "17.3": escalations}
