# Made of the writer: a copy with another name, description and prompt.
import dataclasses

from kernel import writer


def with_editor(team):
    editor = dataclasses.replace(
        writer(),
        name="editor",
        description="Shortens a finished text to the length that is asked for. Artifacts: draft.",
        system="You are the editor of an editorial desk. Shorten the draft to one sentence; keep its citation.",
    )
    return LLMSupervisor(specialists=(*team, editor))
