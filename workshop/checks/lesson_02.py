"""The exercises of lesson 02: a prompt that sees a wrong number, a second tool, a handoff of what is needed."""

from __future__ import annotations

from random import Random
from typing import Any

from kernel import Agent, Handoff, Result, Run, Tool, connect, models
from kernel.team import RESEARCHER, REVIEWER
from workshop.desks import SAYINGS, Shelf
from workshop.views.transcript import Transcript

from .probe import Probe, brief
from .register import Exercise, Misconception

AUDIENCES = ("for engineers", "for new colleagues", "for the weekly newsletter", "for the board")


def _facts(draw: Random, size: int) -> list[tuple[str, str]]:
    """(sentence without its full stop, source id) of so many facts."""
    drawn = draw.sample(SAYINGS, size)
    return [(says.format(draw.randint(100, 900)).rstrip("."), f"{topic}-{draw.randint(10, 99)}")
            for topic, says in drawn]


def _bullets(facts: list[tuple[str, str]]) -> list[str]:
    return [f"- {says}. [{source}]" for says, source in facts]


# ── 02.1: the fact-checker's prompt ────────────────────────────────────────────────────────────────────────


def check_fact_checker(fact_checker: Any, probe: Probe) -> None:
    """A true draft, one with a wrong number, one without a citation, a true one of half the facts, each with all facts."""
    for drawn in (Random(21), probe.random):
        checker = probe.call()
        if not isinstance(checker, Agent):
            probe.wrong("no agent" if checker is not None else None, came=brief(checker), expected="an Agent")
        if not isinstance(checker.tools, tuple | list):
            probe.wrong("shape among the tools", came=f"an agent whose tools are {brief(checker.tools)}",
                        expected="an agent whose output is Verdict")
        if not checker.system.strip():
            probe.wrong("no prompt", came="an agent whose system prompt is empty",
                        expected="a prompt that says what to check")
        if checker.system.strip() == REVIEWER:
            probe.wrong("reviewer's prompt", came="an agent with the reviewer's own prompt",
                        expected="a prompt for this job alone")
        facts = _facts(drawn, 4)
        true = [f"{says} [{source}]." for says, source in facts]
        says, source = facts[1]
        number = next(word for word in says.split() if word.isdigit())
        wrong = says.replace(number, str(int(number) + drawn.randint(1, 99)))
        for what, sentences, right, name in (
            ("a wrong number", [true[0], f"{wrong} [{source}].", *true[2:]], "REVISE", "wrong number passes"),
            ("nothing wrong", true, "PASS", "true draft refused"),
            ("a sentence without a citation", [*true[:2], f"{facts[2][0]}.", true[3]], "REVISE",
             "no citation passes"),
            ("nothing wrong, on half of the facts", true[:2], "PASS", "true draft refused"),
        ):
            _look_at_the_verdict(probe, checker, facts, sentences, what, right, name)


def _look_at_the_verdict(probe: Probe, checker: Agent, facts: list, sentences: list[str], what: str, right: str,
                         name: str) -> None:
    draft = f"# What the desk runs on\n\n{' '.join(sentences)}"
    material = {"facts": "\n".join(_bullets(facts)), "draft": draft}
    run = Run(connect("offline", latency_ms=0))
    probe.calling = f"the agent of {probe.exercise.name}(), on a draft with {what}"
    result = probe.run(run.dispatch(checker, Handoff(intent="Check the draft", artifacts=material)))
    probe.pictures.append(Transcript(run))
    verdict = getattr(result.output, "verdict", None)
    if result.output is None:
        probe.wrong("no answer", came=f"status {result.status!r}: {result.reason}", expected="a Verdict: PASS or REVISE")
    if verdict not in ("PASS", "REVISE"):
        probe.wrong("no verdict", came=f"status {result.status!r} and {brief(result.output)}",
                    expected="a Verdict: PASS or REVISE, with issues")
    if verdict != right:
        issues = "".join(f"; {issue}" for issue in result.output.issues[:1])
        probe.wrong(name, came=f"{verdict}{issues}", expected=right)


FACT_CHECKER = Exercise(
    id="02.1", title="The fact-checker's prompt", name="fact_checker", difficulty=2, importance=4, minutes=2,
    points=2, check=check_fact_checker,
    objective="Write a prompt that makes an agent see a wrong number, and nothing that is not its job",
    why="A specialist looks for what its prompt names; a wrong number passes every agent that was told to look "
        "elsewhere.",
    hints=(
        "Two agents with the same model and the same draft differ in their prompts alone. Name who the agent "
        "is, what it compares with what, what counts as wrong, and which two decisions there are. Leave out "
        "what other members of the desk look after.",
        "An agent of the kernel is made of a name, a description, a system prompt, a model and the shape of "
        "its answer. The reviewer of the lesson shows all of them; the shape is `output=Verdict`, and the "
        "model is `models.worker`.",
        'Return `Agent("fact_checker", "Checks …", system, models.worker, output=Verdict)`, where `system` '
        "tells the agent to compare each claim and number of the draft with the facts, to insist on a citation "
        "for each sentence, and to decide PASS or REVISE.",
    ),
    misconceptions={
        "no agent": Misconception(
            "the prompt or something else was returned; a supervisor can only hand work to an agent",
            'Return `Agent("fact_checker", …, system, models.worker, output=Verdict)`.'),
        "no prompt": Misconception(
            "the agent has a name and a description, but those are for the supervisor; its model never sees them",
            "Put what to check into the third argument, the system prompt."),
        "no verdict": Misconception(
            "the agent was not told the shape of its answer, or was told another, and a program cannot branch on that",
            "Give the agent `output=Verdict`."),
        "no answer": Misconception(
            "the model gave no answer at all: one of the agent's settings is not what the service takes",
            "Read the reason above, and compare your agent with `Agent(name, description, system, models.worker, …)`."),
        "shape among the tools": Misconception(
            "the fifth argument of `Agent` is its tools, and the shape of the answer stands behind them",
            "Give it by its name: `output=Verdict`."),
        "wrong number passes": Misconception(
            "the prompt sends the agent's eyes elsewhere, so that it never compares the draft with the facts",
            "Say what to compare with what: the claims and numbers of the draft with the facts."),
        "no citation passes": Misconception(
            "the prompt does not ask for citations, or does it in a roundabout way, by what a sentence lacks",
            "Say it as a plain rule: each sentence needs a citation."),
        "true draft refused": Misconception(
            "the prompt sets a rule, such as a length or that every source be used, that a draft without a mistake can break",
            "Keep to what makes a claim wrong; length, style and completeness are other people's work."),
        "reviewer's prompt": Misconception(
            "the reviewer's prompt was taken over; it also judges length and completeness, so that two agents would "
            "do the same work",
            "Write a prompt that names claims, numbers and citations, and no more."),
    },
    solution_note="The prompt names what is compared with what, and both decisions. The agent's model is the one "
                  "that let the wrong number pass: the prompt alone is different.",
    break_it="Add that the draft must have at most ten words, and see which of the drafts is refused now.",
    alternative='''# The kernel's reviewer with another name and prompt: model and shape of the answer stay.
def fact_checker():
    system = ("You check facts. Each number and name in the draft must agree with the facts. Each sentence must "
              "have a citation. Say PASS when the draft holds, REVISE when it does not.")
    return replace(reviewer(), name="fact_checker", system=system)
''')


# ── 02.2: a second tool ────────────────────────────────────────────────────────────────────────────────────


def check_two_shelves(two_shelves: Any, probe: Probe) -> None:
    """A scripted model asks both tools at once, then the second one for what it does not have."""
    for drawn in (Random(22), probe.random):
        topics = [it[0] for it in drawn.sample(SAYINGS, 3)]
        library, archive = (Shelf(drawn, place, topics[:2]) for place in ("library", "archive"))
        agent = probe.call(library, archive)
        second = _second_tool(probe, agent)
        field = next(iter(second.arguments.model_fields))
        use = {"type": "tool_use"}
        wire = probe.wire([
            [{**use, "name": "search", "input": {"query": topics[0]}},
             {**use, "name": second.name, "input": {field: topics[0]}}],
            {**use, "name": second.name, "input": {field: topics[2]}},
            f"- {library.documents[0].text} [{library.documents[0].id}]"], who="researcher")
        probe.calling = f"the agent of {probe.exercise.name}(library, archive), which asks both tools"
        probe.run(wire.run().dispatch(agent, Handoff(intent=f"Find facts on {topics[0]}")))
        results = [it for request, *_ in wire.exchanges[1:] for it in request["messages"][-1]["content"]]
        _look_at_the_shelves(probe, results, library, archive, topics, second.name)


def _second_tool(probe: Probe, agent: Any) -> Tool:
    """The tool beside `search`, when the agent is one that can be asked."""
    if not isinstance(agent, Agent):
        probe.wrong("no agent" if agent is not None else None, came=brief(agent), expected="the researcher, with two tools")
    for it in agent.tools:
        if isinstance(it, tuple | list):
            probe.wrong("tools in a tool's place", came=f"{type(it).__name__} with {len(it)} tool among the tools",
                        expected="a tuple of two tools")
        if not isinstance(it, Tool):
            probe.wrong("no decorator", came=f"the function {brief(it)} among the tools",
                        expected="a Tool, made by @tool")
    names = [it.name for it in agent.tools]
    if names == ["search"]:
        probe.wrong("nothing added", came="one tool, search", expected="search, and a second tool")
    if len(names) == 1:
        probe.wrong("first tool lost", came=f"one tool, {names[0]}", expected="search, and a second tool")
    if len(set(names)) < len(names):
        probe.wrong("same name", came=f"tools named {', '.join(names)}", expected="a name of its own for each tool")
    if "search" not in names or len(names) != 2:
        probe.wrong(came=f"tools named {', '.join(names) or '(none)'}", expected="search, and one tool more")
    if agent.system != RESEARCHER:
        probe.wrong("prompt lost", came=f"the system prompt {brief(agent.system)}",
                    expected="the researcher's own prompt, unchanged")
    second = next(it for it in agent.tools if it.name != "search")
    if len(second.arguments.model_fields) != 1:
        probe.wrong(came=f"{second.name} with the parameters {', '.join(second.arguments.model_fields) or '(none)'}",
                    expected="one parameter, query: str")
    return second


def _look_at_the_shelves(probe: Probe, results: list[dict], library: Shelf, archive: Shelf, topics: list[str],
                         second: str) -> None:
    first, found, nothing = (str(it["content"]) for it in results)
    ours, theirs = library.documents[0], archive.documents[0]
    if ours.text not in first:
        probe.wrong("researcher of the archive" if theirs.text in first else None, came=f"{brief(first)} from search",
                    expected=f"the library's document {ours.id}")
    if not archive.queries:
        name = "wrong shelf" if ours.id in found else "never searches"
        probe.wrong(name, came=f"{brief(found)} from {second}", expected=f"the archive's document {theirs.id}")
    if library.queries != [topics[0]]:
        probe.wrong("both shelves", came=f"the library was asked for {brief(library.queries)}",
                    expected=f"{[topics[0]]}: only what search was asked for")
    if archive.queries != [topics[0], topics[2]]:
        probe.wrong("another query", came=f"the archive was asked for {brief(archive.queries)}",
                    expected=f"the model's own queries, {[topics[0], topics[2]]}")
    if not found.strip():
        probe.wrong("not returned", came=f"an empty text from {second}", expected=f"the archive's document {theirs.id}")
    if theirs.id not in found or theirs.text not in found or found.startswith(("[{", "{")):
        probe.wrong("not as text", came=f"{brief(found)} from {second}",
                    expected=f"id, title and text of {theirs.id}, as as_text gives them")
    if len(nothing.strip()) < 5:
        probe.wrong("silence", came=f"{brief(nothing)} from {second}, for {topics[2]!r}",
                    expected="a sentence that says that nothing matches")


TWO_SHELVES = Exercise(
    id="02.2", title="A second tool", name="two_shelves", difficulty=3, importance=4, minutes=3, points=3,
    check=check_two_shelves,
    objective="Give a researcher a second source beside its first, without touching its prompt or its loop",
    why="What an agent can do is the list of its tools; growing that list is how specialists grow.",
    hints=(
        "Nothing in the researcher changes but its list of tools. The new tool does for the archive what the "
        "old one does for the library, and the model has to be able to tell them apart.",
        "A tool is an async function with `@tool`, a docstring and typed parameters; it awaits `search` of its "
        "source. Agents cannot be changed, but `replace` gives a copy with other tools.",
        "Inside, under `@tool`, `async def search_archive(query: str) -> str:` with a docstring; await the "
        "archive's `search`; return `as_text` of the hits, or a sentence when there are none. Then return "
        "`replace` of `researcher(library)`, its `tools` being the old ones and the new one.",
    ),
    misconceptions={
        "no agent": Misconception(
            "the tool alone was returned; an agent has to hold it",
            "Return a copy of the researcher: `replace(first, tools=…)`."),
        "no decorator": Misconception(
            "the inner function went among the tools as it is; without a schema no model can call it",
            "Put `@tool` above the inner function."),
        "nothing added": Misconception(
            "the researcher came back as it was; `replace` leaves it alone, and gives a copy",
            "Return the copy: `return replace(first, tools=(*first.tools, search_archive))`."),
        "tools in a tool's place": Misconception(
            "the old tools went in as one thing, a tuple inside the tuple",
            "Unpack them with a star: `tools=(*first.tools, search_archive)`."),
        "first tool lost": Misconception(
            "the new tool took the place of the old one",
            "Keep the old ones in front: `tools=(*first.tools, search_archive)`."),
        "same name": Misconception(
            "both tools have the same name, and the API refuses a request in which a call could mean either",
            "Name the inner function `search_archive`."),
        "prompt lost": Misconception(
            "a new agent was made with another prompt, so that this one has forgotten how to be a researcher",
            "Copy the researcher: `replace(researcher(library), tools=…)`."),
        "wrong shelf": Misconception(
            "the second tool looks into the library as well",
            "Await `archive.search(query)` in it."),
        "researcher of the archive": Misconception(
            "the first tool looks into the archive; the two sources changed places",
            "Make the researcher of the library: `researcher(library)`."),
        "both shelves": Misconception(
            "the second tool searches the library too, so the model cannot choose where to look, and reads things twice",
            "Search `archive` alone in it."),
        "not returned": Misconception(
            "the archive was asked, and what it gave went nowhere; what a tool prints never reaches the model",
            "Return `as_text(hits)` in the tool."),
        "never searches": Misconception(
            "the tool's text is written into it; it has to come from the archive",
            "Await `archive.search(query)` in the tool, each time that it is called."),
        "another query": Misconception(
            "the archive was asked for something else than the model asked for",
            "Pass the tool's own argument on: `archive.search(query)`."),
        "not as text": Misconception(
            "the hits went out as objects, or without their ids; a model cites what it can read",
            "Return `as_text(hits)`."),
        "silence": Misconception(
            "when nothing matches, the model gets an empty text or list, and cannot know why",
            'Return a sentence for that case: `f"No documents match {query!r}."`.'),
    },
    solution_note="The loop, the prompt and the first tool are the kernel's own; the agent grew by one entry of a "
                  "tuple. The docstring tells the model when to use the second tool.",
    break_it="Name both tools `search`, dispatch the agent and read the API's error.",
    alternative='''# The kernel's own search tool, over the archive, under another name.
def two_shelves(library, archive):
    from kernel import search_tool
    second = replace(search_tool(archive), name="search_archive", description="Search the archive of older documents.")
    return replace(researcher(library), tools=(search_tool(library), second))
''')


# ── 02.3: hand over what the writer needs ──────────────────────────────────────────────────────────────────


def check_writers_handoff(writers_handoff: Any, probe: Probe) -> None:
    """Facts among remarks; facts without a source; and no facts at all."""
    for case in range(4):
        drawn = Random(23) if case == 0 else probe.random
        task, audience = f"Write a brief on {drawn.choice(SAYINGS)[0]}", drawn.choice(AUDIENCES)
        facts = _facts(drawn, 5)
        cited, rumour = _bullets(facts[:4]), f"- {facts[4][0]}."
        remarks = [f"I searched {drawn.randint(2, 9)} times.", f"{drawn.randint(2, 9)} documents did not fit."]
        lines = [remarks[0], *cited[:2], rumour, *cited[2:], remarks[1]]
        if case == 2:
            lines, cited = [f"Nothing was found on {task.rpartition(' ')[2]}."], []
        searched = {"search_results": " ".join(f"{says} and {number} more." for number, (says, _) in enumerate(facts))}
        found = Result(status="ok", output="\n".join(lines), by="researcher", artifacts=searched)
        handoff = probe.call(task, audience, found)
        if not isinstance(handoff, Handoff):
            probe.wrong("no handoff" if handoff is not None else None, came=brief(handoff), expected="a Handoff")
        wire = probe.wire(["# What the desk runs on"], who="writer")
        writer = Agent("writer", "Writes briefs.", "Write a brief from the facts.", models.worker)
        probe.run(wire.run().dispatch(writer, handoff))
        _look_at_the_handoff(probe, handoff, task, audience, lines, cited, searched["search_results"])


def _look_at_the_handoff(probe: Probe, handoff: Handoff, task: str, audience: str, lines: list[str],
                         cited: list[str], searched: str) -> None:
    beside = f"{handoff.intent}\n{handoff.context}"
    if searched in handoff.as_text():
        probe.wrong("everything", came=f"the artifacts {', '.join(handoff.artifacts)}", expected="the facts alone")
    if any(line in beside for line in lines):
        probe.wrong("all in one text", came=f"intent {brief(handoff.intent)}, context {brief(handoff.context)}",
                    expected="the facts in artifacts['facts'], the task in intent")
    if task not in handoff.intent:
        probe.wrong("no task", came=f"intent {brief(handoff.intent)}", expected=repr(task))
    if audience not in beside:
        probe.wrong("no audience", came=f"context {brief(handoff.context)}", expected=repr(audience))
    if set(handoff.artifacts) != {"facts"}:
        probe.wrong("another name", came=f"artifacts {brief(list(handoff.artifacts))}", expected="one artifact, 'facts'")
    handed = [line.strip() for line in handoff.artifacts["facts"].splitlines() if line.strip()]
    if not cited:
        if handed != lines:
            probe.wrong("nothing found, nothing said", came=f"facts {brief(handoff.artifacts['facts'])}",
                        expected=repr(lines[0]))
        return
    extra = [line for line in handed if line in lines and line not in cited]
    if any(not line.startswith("-") for line in extra):
        probe.wrong("remarks", came=f"facts with the line {extra[0]!r}", expected=f"{len(cited)} lines, one a fact")
    if extra:
        probe.wrong("fact without a source", came=f"facts with the line {extra[0]!r}",
                    expected=f"the {len(cited)} facts that name their source")
    if not any("[" in line for line in handed) and handed:
        probe.wrong("sources lost", came=f"facts with the line {handed[0]!r}", expected=repr(cited[0]))
    if len(handed) == 1 and all(line in handed[0] for line in cited):
        probe.wrong("on one line", came=f"{len(cited)} facts on one line", expected=f"{len(cited)} lines, one a fact")
    if len(handed) < len(cited):
        probe.wrong("facts lost", came=f"{len(handed)} of {len(cited)} facts", expected=f"{len(cited)} lines, one a fact")
    if handed != cited:
        other_order = sorted(handed) == sorted(cited)
        probe.wrong("another order" if other_order else "lines changed", came=f"facts {brief(handed)}", expected=brief(cited))


WRITERS_HANDOFF = Exercise(
    id="02.3", title="Hand over what the writer needs", name="writers_handoff", difficulty=2, importance=5, minutes=2,
    points=3, check=check_writers_handoff,
    objective="Build a handoff that carries what the next specialist needs and nothing else",
    why="The handoff is the specialist's whole world: what is missing cannot be guessed, what is too much is read "
        "and paid for.",
    hints=(
        "The writer needs to know what to write, for whom, and from which facts. How the researcher came to "
        "them, and what nobody can cite, is not needed. But that nothing was found is worth saying.",
        "A `Handoff` has a field for each: `intent`, `context` and `artifacts`. The researcher's answer is "
        "`found.as_text()`; a fact is a line that begins with a dash and ends with its source in brackets.",
        "Split the text into lines; keep those with `line.startswith(\"- \")` and `line.endswith(\"]\")`; when "
        "none is left, keep all lines. Return a `Handoff` with the task as intent, the audience as context, and "
        "the joined lines as the artifact `facts`.",
    ),
    misconceptions={
        "no handoff": Misconception(
            "the parts are there, but not in the form that `run.dispatch` takes",
            "Return `Handoff(intent=…, context=…, artifacts=…)`."),
        "everything": Misconception(
            "the researcher's whole material went along, and the writer pays for reading it",
            "Leave `found.artifacts` behind; the facts in `found.as_text()` are what was found in it."),
        "all in one text": Misconception(
            "task and facts stand in one field, so that the model has to guess where one ends",
            'Keep `intent` for the task, and put the facts into `artifacts={"facts": …}`.'),
        "no task": Misconception(
            "the writer never sees its caller's messages; without the task it does not know what to write",
            "Set `intent=task`."),
        "no audience": Misconception(
            "the writer is not told for whom it writes",
            "Set `context=audience`."),
        "another name": Misconception(
            "the writer's prompt and description speak of `facts`; under another name, or beside other artifacts, "
            "they are harder to find",
            'Give `artifacts` one key, `"facts"`.'),
        "nothing found, nothing said": Misconception(
            "an empty artifact is left out of the message, so the writer never hears that nothing was found",
            "When no line is a fact, hand over the researcher's own words: `facts or lines`."),
        "remarks": Misconception(
            "the researcher's remarks went along, and may end up in the brief",
            'Keep only lines with `line.startswith("- ")`.'),
        "fact without a source": Misconception(
            "a line without a source went along; the writer must cite each sentence, and cannot cite this one",
            'Keep only lines that also end with a source: `line.endswith("]")`.'),
        "sources lost": Misconception(
            "the sources were cut off, and the writer has nothing to cite",
            "Hand over the lines as they are."),
        "lines changed": Misconception(
            "the lines were changed on the way; the writer's model knows a fact by its dash and its source",
            "Hand over the lines as they are."),
        "another order": Misconception(
            "the facts changed places; the researcher's order often says what belongs together",
            "Go over the lines in their order, and sort nothing."),
        "on one line": Misconception(
            "the facts were joined without a line break, so that the writer cannot see where one ends",
            'Join them by `"\\n".join(…)`.'),
        "facts lost": Misconception(
            "not all facts went along; the brief will lack them, and nobody will know",
            "Go over all lines of `found.as_text()`, and join all that are facts."),
    },
    solution_note="Each part has its own place, so that the message shows the writer where the task ends and the "
                  "facts begin. `facts or lines` keeps the one remark that matters: that there are no facts.",
    break_it="Hand over the search results too, and compare the tokens of the writer's request.",
    alternative='''# With a regular expression for a bullet that ends in a source.
def writers_handoff(task, audience, found):
    import re
    facts = "\\n".join(re.findall(r"^- .*\\[[\\w.-]+\\]$", found.as_text(), flags=re.MULTILINE))
    return Handoff(intent=f"{task}, {audience}", artifacts={"facts": facts or found.as_text()})
''')

EXERCISES = (FACT_CHECKER, TWO_SHELVES, WRITERS_HANDOFF)
