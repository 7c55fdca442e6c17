"""Errors that are known by their words: the API's, the kernel's, scripted models'."""

from __future__ import annotations

from classroom.course import KnownError

KNOWN = (
    KnownError(
        "without `tool_result` blocks",
        "the API refused the conversation: right after a reply with tool calls it wants one "
        "user message that answers all of them",
        "Append the reply, then one message with a `tool_result` block for each call, then ask.",
    ),
    KnownError(
        "unexpected `tool_use_id`",
        "a result answers a call that the reply just before it does not hold",
        "Append the reply first and its results right after it; each has its call's `id` as "
        "`tool_use_id`.",
    ),
    KnownError(
        "must end with a user message",
        "the last message of the conversation is the model's own, and it answers only the user's",
        'Append what is asked or found as a message with the role `"user"`.',
    ),
    KnownError(
        "the request does not let it use",
        "the model calls a tool that this request does not let it use: the tool is missing from "
        "`tools`, or `tool_choice` forbids calls",
        "Print the `tools` and the `tool_choice` of each request just before it is sent.",
    ),
    KnownError(
        "invalid_request_error",
        "the API refused the request; the lines above hold its own words",
        "Print what you send just before this line, and look for what the API names.",
    ),
    KnownError(
        "needs a docstring",
        "the model reads the docstring to decide when to call the tool, and the function has none",
        "Make a sentence in triple quotes the first line of the function.",
    ),
    KnownError(
        "needs a type",
        "the model is told each parameter's type, and one has none",
        "Write the type behind its name: `query: str`; for a run, `run: Run`.",
    ),
    KnownError(
        r"request \d+ was not expected",
        "the model is asked once more where an end is expected",
        "Print what your function looks at before each request, and see why it goes on.",
    ),
    KnownError(
        "'NoneType' object has no attribute 'verdict'",
        "a result without an output came back; the run refuses, for one, to give the same handoff "
        "to the same agent twice",
        "Look whether the draft in the handoff is a new one each time; the `reason` of the result "
        "says why it has no output.",
    ),
)
