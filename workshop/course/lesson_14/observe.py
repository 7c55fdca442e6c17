"""Observations of answers to lesson 14: entries that are evicted, folded and handed on."""

from __future__ import annotations

from typing import Any

from classroom.observing import call, held
from kernel import Conversation, Handoff, Result
from kernel.parts.context import Context
from workshop.course.desks import Specialist, order_of
from workshop.course.seen import ending, quiet_run


def evicted(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the entries that leave, in order."""
    quiet_run()
    entries = [tuple(entry) for entry in case["entries"]]
    pinned = set(case["pinned"])
    returned = call(answer, entries, case["limit"], pinned)
    count = len(returned) if isinstance(returned, list) else "not a list"
    return {
        "number of evictions": count,
        "evicted": returned,
    }


def folded(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the handoff to the folder, and the conversation afterwards."""
    before = _conversation(case["texts"])
    result = Result(**case["result"])
    folder = Specialist("folder", lambda _: result)
    most_words = case["most_words"]
    run = quiet_run()
    returned = call(answer, run, before, folder, most_words)
    given = run.trace().handoffs()
    past = folder.calls - len(given)
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, past),
        "handoffs": order_of(run),
    }
    after_the_task = case["texts"][1:]
    for handoff in given[:1]:
        parts = [handoff["intent"], handoff["context"], *handoff["artifacts"].values()]
        carried = "\n".join(parts)
        seen["facts for the folder"] = held(carried, *after_the_task)
    seen["messages of the old conversation"] = len(before)
    if not isinstance(returned, Conversation):
        return {**seen, "returned": returned}
    return {**seen, **_after(returned, case)}


def _conversation(texts: list[str]) -> Conversation:
    """The texts as messages of user and assistant in turn."""
    roles = ("user", "assistant")
    messages = []
    for place, text in enumerate(texts):
        role = roles[place % 2]
        messages.append({"role": role, "content": text})
    return Conversation(messages)


def _after(conversation: Conversation, case: dict[str, Any]) -> dict[str, Any]:
    """Returns the content of a conversation after it was folded."""
    task, *folded_away, question = case["texts"]
    notes = str(case["result"].get("output"))
    contents = [str(message.get("content")) for message in conversation]
    text = "\n".join(contents)
    return {
        "roles": tuple(message.get("role") for message in conversation),
        "the task": held(text, task),
        "the notes": held(text, notes),
        "the open question": held(text, question),
        "what was folded away": held(text, *folded_away),
        "in this order": _order(text, {"task": task, "notes": notes, "question": question}),
        "the whole `Result` is in the text": "status=" in text,
    }


def _order(text: str, parts: dict[str, str]) -> tuple[str, ...]:
    """The names of those parts that a text holds, in the order in which they stand in it."""
    places = {name: text.find(part) for name, part in parts.items()}
    return tuple(sorted((name for name in places if places[name] >= 0), key=places.__getitem__))


def done_in_steps(answer: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Observes the handoff to each step, the context at the end, and the result."""
    by_intent = {intent: Result(**result) for _, _, intent, _, result in case["steps"]}

    def works(handoff: Handoff) -> Result:
        unknown = Result(status="failed", reason="this intent is of no step")
        return by_intent.get(handoff.intent, unknown)

    names = {worker for _, worker, *_ in case["steps"]}
    workers = {name: Specialist(name, works) for name in sorted(names)}
    steps = []
    for key, worker, intent, importance, _ in case["steps"]:
        steps.append((key, workers[worker], intent, importance))
    context = Context(max_tokens=case["limit"])
    reader, rules = case["rules"]
    context.store("rules", rules, importance=1, for_=[reader])
    run = quiet_run()
    returned = call(answer, run, case["task"], steps, context, meant=(context,))
    given = run.trace().handoffs()
    past = sum(worker.calls for worker in workers.values()) - len(given)
    task = case["task"]
    seen: dict[str, Any] = {
        "calls of execute past the run": max(0, past),
        "handoffs": order_of(run),
        "intents": [handoff["intent"] for handoff in given],
        "who was told the task": [held(_told(handoff), task) for handoff in given],
        "artifacts of each handoff": [tuple(handoff["artifacts"]) for handoff in given],
        "words in these artifacts": [_lengths(handoff["artifacts"]) for handoff in given],
        "held at the end": [entry.key for entry in context.entries],
        "importance of what is held": {
            entry.key: entry.importance for entry in context.entries if entry.key != "task"
        },
        **ending(returned),
    }
    if isinstance(returned, Result):
        failed = [key for key, *_, result in case["steps"] if result["status"] != "ok"]
        seen["evicted, by the result"] = returned.artifacts.get("evicted", "nothing is said")
        seen["keys in the reason"] = [key for key in failed if key in returned.reason]
    return seen


def _told(handoff: dict[str, Any]) -> str:
    return "\n".join([handoff["intent"], handoff["context"], *handoff["artifacts"].values()])


def _lengths(artifacts: dict[str, str]) -> list[int]:
    return [len(text.split()) for text in artifacts.values()]


OBSERVE = {
    "14.1": evicted,
    "14.2": folded,
    "14.3": done_in_steps,
}
