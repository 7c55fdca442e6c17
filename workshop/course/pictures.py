"""Draws what a learner's answer did: its run, or its conversation with a scripted model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kernel import Event, Reply, Run, Spent
from kernel.core.events import Replied, Requested, Retried
from workshop.course.wire import Wire, refusal
from workshop.views import TeamPicture, Timeline
from workshop.views.transcript import Transcript, Turn


def picture_of(kind: str, runs: list[Any]) -> Any:
    """A view of the first of these runs and scripted models, or None. kind: "team" for the picture
    of a team.
    """
    if not runs:
        return None
    first = runs[0]
    if isinstance(first, Wire):
        return LearnersConversation(_events(first))
    if kind == "conversation" and isinstance(first, Run):
        return Transcript(first)
    return TeamPicture(first) if kind == "team" else Timeline(first)


class LearnersConversation(Transcript):
    """The learner's own conversation; the API's refusals are not tried again."""

    def _turns(self, *conversation: Any) -> Iterator[Turn]:
        for turn in super()._turns(*conversation):
            yield turn._replace(note="refused") if turn.kind == "error" else turn


def _events(wire: Wire) -> list[Event]:
    """Returns the events that a run would have noted of the requests and replies."""
    events: list[Event] = []
    for request, status, answer in wire.exchanges:
        if not _has_messages(request):
            continue
        head: dict[str, Any] = {"at": 0.0, "run": "1", "agent": "loop"}
        events.append(Requested(seq=len(events), body=request, since=0, **head))
        head["seq"] = len(events)
        if status == 200:
            reply = Reply.model_validate(answer)
            model = request["model"]
            events.append(Replied(model=model, reply=reply, spent=Spent(), seconds=0.0, **head))
        else:
            error = {"error": refusal(answer), "type": answer["error"]["type"]}
            events.append(Retried(wait_s=0.0, **error, **head))
    return events


def _has_messages(request: dict) -> bool:
    """True if a request can be drawn as a conversation."""
    messages = request.get("messages")
    return isinstance(messages, list) and all(
        isinstance(message, dict) and "role" in message and _is_content(message.get("content"))
        for message in messages
    )


def _is_content(content: Any) -> bool:
    blocks = isinstance(content, list) and all(
        isinstance(block, dict) and "type" in block for block in content
    )
    return blocks or isinstance(content, str)
