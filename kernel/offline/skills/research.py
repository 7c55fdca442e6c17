"""Research: search while it pays, then report the sentences that are about the topic, each with its source."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from ..answer import Answer
from ..text import (
    STOP,
    Doc,
    Fact,
    content_words,
    documents,
    is_instruction,
    limit,
    sentence_of,
    sentences,
    stem,
    subjects,
    topic,
    vocabulary,
    wants,
    words,
)
from ..view import View
from .shape import has_field, shaped
from .write import citation_form, compose, writes

MOST_FACTS = 12  # reported when the prompt sets no number
ENOUGH = 3  # facts on a subject after which another search is not worth its cost
_QUERY = re.compile(
    r"^(?:search_?)?(?:quer(?:y|ies)|q|search|terms?|search_terms?|key_?words?|topics?"
    r"|question)(?:_?(?:text|string))?$",
    re.I,
)
_MAYBE = re.compile(
    r"(?:text|title|phrase|subject|name|input|prompt|about|what|entity|page|article|concept|request"
    r"|string)",
    re.I,
)
_FINDS = re.compile(
    r"\b(?:search\w*|look(?:s|ing)? ?ups?|find(?:s|ing)?|retriev\w+|fetch\w*|quer(?:y|ies)|consult\w*"
    r"|browse\w*|encyclop\w+|wiki\w*"
    r"|librar\w+|corpus|knowledge|archive\w*|documents?|sources?)\b",
    re.I,
)
_DOES = re.compile(
    r"\b(?:count\w*|calculat\w+|comput\w+|translat\w+|send\w*|saves?|stor(?:e|es|ing)|writes?|delet\w+"
    r"|converts?|hands?|handoff|delegat\w+"
    r"|finali[sz]\w+|draft\w*|review\w*)\b",
    re.I,
)
_PAST = re.compile(r"\b(?:histor\w+|origins?|evolution|timeline|chronology|beginnings?|rise|story)\b", re.I)
_DEFINES = re.compile(r"^(?:(?:the|an?)\s+)?(.{2,60}?)\s+(?:is|are|was|were)\s+(?:an?|the|one)\b", re.I)
_ANGLES = (
    "origin",
    "dates",
    "numbers",
    "people",
    "design",
    "limits",
    "alternatives",
    "criticism",
    "examples",
    "standards",
)


def query_field(tool: dict) -> str | None:
    """The parameter of a search-like tool that takes the query, or None when the tool does not search."""
    properties = (tool.get("input_schema") or {}).get("properties") or {}
    said = f"{tool.get('name', '').replace('_', ' ')}. {tool.get('description', '')}"
    texts = [
        n
        for n, s in properties.items()
        if isinstance(s, dict) and ((s.get("type") == "string" and not s.get("enum")) or _of_strings(s) or "anyOf" in s)
    ]
    if {"intent", "artifacts", "instructions"} & set(properties) or not texts:
        return None
    sure = [n for n in texts if _QUERY.match(n)]
    if sure and (_FINDS.search(said) or not _DOES.search(said)):
        return sure[0]
    likely = [n for n in texts if _MAYBE.search(n)] or texts[:1]
    return (
        likely[0]
        if _FINDS.search(said) and not _DOES.search(said) and not re.search(r"path|file|url", likely[0])
        else None
    )


def _of_strings(schema: dict) -> bool:
    return schema.get("type") == "array" and (schema.get("items") or {}).get("type") == "string"


def fits(view: View) -> bool:
    """A search-like tool is offered, or was used and is gone."""
    offered = view.request.get("tools") or []
    return any(query_field(tool) for tool in offered) or bool(view.calls and not offered and _searched(view))


def research(view: View) -> Answer:
    """Ask the next search, or report what was found."""
    tools = [tool for tool in view.tools if query_field(tool)]
    task, asked = _task(view), _searched(view)
    about = subjects(task)
    if not about and not asked:
        return Answer(
            ({"type": "text", "text": "What shall I research? The task names no topic."},), "No topic to search for."
        )
    found = gather(view)
    wanted = limit(view.instructions, "facts")
    cap = limit(view.instructions, "searches")
    if tools and not view.must_answer:
        queries = _next(view, about, asked, found, wanted, cap)
        if cap is not None:
            queries = queries[: max(0, cap - len(asked))]
        chosen = _fitting(view, tools, task)
        if cap is not None and len(queries) * len(chosen) > cap - len(asked):
            chosen = chosen[:1]
        uses = [
            {"type": "tool_use", "name": tool["name"], "input": _arguments(tool, query)}
            for query in queries
            for tool in chosen
        ]
        if uses:
            return Answer(
                tuple(uses), "No facts yet: search first." if not asked else "Not enough yet: one more search."
            )
    return _report(view, about, found, wanted)


def _task(view: View) -> str:
    return (
        view.task
        if topic(view.task)
        else "\n".join(t for t in (view.task, view.parts.get("context", "")) if t) or view.first
    )


def _searched(view: View) -> list[str]:
    """The queries that were already asked."""
    fields = {tool.get("name"): query_field(tool) for tool in view.request.get("tools") or []}
    found = []
    for call in view.calls:
        value = call.input.get(fields.get(call.name) or "") or next(
            (v for k, v in call.input.items() if _QUERY.match(k)), None
        )
        if value:
            found.append(value if isinstance(value, str) else " ".join(map(str, value)))
    return found


def _fitting(view: View, tools: list[dict], task: str) -> list[dict]:
    """The tools to ask: those that the prompt names, else the one that fits best, else all that fit alike."""
    called = {call.name for call in view.calls}
    places = {name: found.start() for name in (t["name"] for t in tools) if (found := _named(name, view.instructions))}
    named = sorted((tool for tool in tools if tool["name"] in places), key=lambda tool: places[tool["name"]])
    if len(named) > 1 and re.search(r"\b(?:first|before|then)\b", view.instructions):
        return [tool for tool in named if tool["name"] not in called][:1] or named
    if named:
        return named
    asked = {stem(w) for w in words(view.instructions) if w not in STOP}
    scores = [
        sum(w in asked for w in sorted(vocabulary(f"{t['name'].replace('_', ' ')} {t.get('description', '')}")))
        for t in tools
    ]
    clear = max(scores) > min(scores) and not re.search(
        r"\b(?:both|all|every|each)\b[^.]{0,20}\b(?:tools?|searches|sources|libraries)\b", view.instructions
    )
    return [tool for tool, score in zip(tools, scores, strict=True) if score == max(scores)] if clear else tools


def _named(name: str, text: str) -> re.Match | None:
    """Where a prompt calls a tool by its name; a plain word such as search must be marked as a name."""
    plain = re.escape(name)
    return re.search(
        rf"\b{plain}\b"
        if re.search(r"[_\d]|[a-z][A-Z]", name)
        else rf"[`\"“]{plain}[`\"”]|\b{plain} tool\b|\b(?:call|use|ask|with) {plain}\b(?! to the)",
        text,
    )


def _arguments(tool: dict, query: str) -> dict:
    schema = tool["input_schema"]
    properties, field = schema["properties"], query_field(tool)
    given = {field: [query] if _of_strings(properties[field]) else query}
    for name in schema.get("required") or []:
        if name not in given:
            kind = properties.get(name) or {}
            plain = {"integer": 5, "number": 5, "boolean": False, "array": [], "object": {}}.get(
                kind.get("type"), query
            )
            given[name] = kind.get("default", (kind.get("enum") or [plain])[0])
            if isinstance(given[name], int) and not isinstance(given[name], bool):
                given[name] = min(max(given[name], kind.get("minimum", given[name])), kind.get("maximum", given[name]))
    return given


def _next(
    view: View, about: tuple[str, ...], asked: list[str], found: list, wanted: int | None, cap: int | None
) -> list[str]:
    """The queries of this turn: first one a subject; then another wording for what came back thin; then, when the
    prompt wants it all and sets no limit, whatever was read about and not yet asked."""
    cleaned = [re.sub(r"^(?:the|an?)\s+", "", subject) for subject in about]
    if not asked:
        if len(cleaned) == 1 and _PAST.search(cleaned[0]) and _core(cleaned[0]):  # beginnings are told in other words
            cleaned.append(f"{' '.join(_core(cleaned[0]))} announced introduced first released")
        return [*cleaned[: cap - 1], ", ".join(cleaned[cap - 1 :])] if cap and len(cleaned) > cap else cleaned
    endless = view.temperament.never_done or (
        wants(view.instructions, "thorough") and (cap is not None or wanted is None)
    )
    if not endless:
        thin = [
            s
            for s in cleaned
            if sum(len(kept) for doc, kept in found if concerns(doc, s)) < min(ENOUGH, wanted or ENOUGH)
        ]
        fresh = [query for subject in thin for query in _rewordings(subject, asked)[:1]]
        rewords = len(asked) < 2 * len(cleaned) * max(1, len({call.name for call in view.calls}))
        return fresh if rewords else []
    if (
        cap is None
        and not view.temperament.never_done
        and wanted is not None
        and sum(len(kept) for _, kept in found) >= wanted
    ):
        return []
    known = {stem(w) for query in asked for w in words(query)}
    seen = Counter(
        w
        for doc, kept in found
        for s in kept
        for w in words(s)
        if len(w) > 4 and w.isalpha() and stem(w) not in known and content_words(w)
    )
    head = cleaned[len(asked) % len(cleaned)]
    core = " ".join(_core(head)) or head
    fresh = [w for w, _ in sorted(seen.items(), key=lambda item: (-item[1], item[0]))] + [
        w for w in _ANGLES if stem(w) not in known
    ]
    return [f"{core} {fresh[0]}" if fresh else f"{core} more {len(asked)}"]


@lru_cache(maxsize=1_000)
def _core(text: str) -> tuple[str, ...]:
    """The words that carry a topic, as they are written."""
    return tuple(word for word in re.findall(r"[\w'’.+#-]*\w[+#]*", text) if content_words(word))


def _rewordings(subject: str, asked: list[str]) -> list[str]:
    """Other ways to ask for a subject: its specific words, those in singular, the longest of them."""
    core = _core(subject)
    longest = sorted(core, key=lambda w: (-len(w), w))[:1]
    ways = [
        " ".join(core),
        " ".join(re.sub(r"(?<=\w{3})(?<!s)s$", "", w) for w in core),
        " ".join(w.replace("-", " ") for w in core),
        " ".join(longest),
        f"what is {subject}",
    ]
    tried = {query.lower() for query in asked}
    return [way for way in dict.fromkeys(ways) if way and way.lower() not in tried]


@lru_cache(maxsize=10_000)
def mentions(text: str, subject: str) -> float:
    """How many of a subject's specific words stand in a text, from 0 to 1; an acronym counts as its long form."""
    wanted = content_words(subject) or tuple(stem(w) for w in words(subject))
    have = vocabulary(text)
    initials = stem("".join(w[0] for w in _core(subject)).lower()) if len(_core(subject)) > 1 else ""
    if initials and len(initials) > 2 and initials in have:
        return 1.0
    plain = [stem(w) for w in words(subject)]
    joined = {stem(a): stem(a + b) for a, b in zip(words(subject), words(subject)[1:], strict=False)}
    near = [w in have or joined.get(w) in have or (len(w) > 5 and any(h.startswith(w) for h in have)) for w in wanted]
    return sum(near) / len(near) if plain else 0.0


def concerns(doc: Doc, subject: str) -> float:
    """How much a document is about a subject: 0 not at all, below 1 perhaps, 2 when its title says it all."""
    whole = f"{doc.title}\n{doc.text}\n{doc.id.replace('-', ' ').replace('_', ' ')}"
    parts = [p for p in re.split(r",\s+(?:and\s+)?|\s+and\s+|\s+or\s+", subject) if content_words(p)] or [subject]
    best = max((mentions(whole, part), mentions(f"{doc.title} {doc.id.replace('-', ' ')}", part)) for part in parts)
    return sum(best) if best[0] > 0.5 else 0.4 if best == (0.5, 0.5) else 0.0


def gather(view: View) -> list[tuple[Doc, list[str]]]:
    """The documents of this conversation that are about the task's subjects, each with its usable sentences."""
    about = subjects(_task(view)) or ("",)
    read: dict[tuple[str, str], Doc] = {}
    for call in view.calls:
        if call.result and not call.is_error:
            for doc in documents(call.result):
                read.setdefault(
                    (doc.id or call.name, doc.text), Doc(doc.id or call.name, doc.title, doc.date, doc.url, doc.text)
                )
    scores = [(max(concerns(doc, subject) for subject in about), doc) for doc in read.values()]
    sure = sum(
        len(sentences(doc.text)) for score, doc in scores if score >= 1
    )  # 0: the library knows half of the words, not the topic
    found, said = [], set()
    if any(_PAST.search(subject) for subject in about) or _PAST.search(_task(view)):
        scores.sort(key=lambda pair: pair[1].date or "9")  # a history is told in the order of time
    else:
        scores.sort(key=lambda pair: -pair[0] - _defines(pair[1], about))  # stable: the tool's own order breaks ties
    for score, doc in scores:
        if score <= 0 or not sure or (score < 1 and sure >= ENOUGH):
            continue
        titled = max(mentions(f"{doc.title} {doc.id.replace('-', ' ')}", subject) for subject in about) > 0
        kept = []
        for sentence in sentences(doc.text):
            plain = sentence_of(sentence).sentence
            key = " ".join(words(plain))
            usable = len(words(plain)) > 3 and plain[-1] in ".!。" and not is_instruction(plain) and key not in said
            if usable and (titled or max(mentions(plain, subject) for subject in about) >= 0.5):
                said.add(key)
                kept.append(plain)
        if kept:
            found.append((doc, kept))
    return found


def _defines(doc: Doc, about: tuple[str, ...]) -> float:
    """More than 0 when a document opens with what a subject is ("X is a …"): such a document comes first."""
    said = _DEFINES.match((sentences(doc.text) or ("",))[0])
    if not said:
        return 0.0
    named = set(content_words(said.group(1)))
    ones = [part for subject in about for part in re.split(r",\s+(?:and\s+)?|\s+and\s+", subject)]
    extra = min((len(named - set(content_words(one))) for one in ones if mentions(said.group(1), one) == 1), default=9)
    return {0: 3.0, 1: 0.15}.get(extra, 0.0)


def _choose(found: list, about: tuple[str, ...], most: int) -> list[Fact]:
    """At most `most` facts: for each subject evenly, from its documents in turn; reported document by document."""
    groups = [
        [pair for pair in found if max(about, key=lambda s: (concerns(pair[0], s), -about.index(s))) == subject]
        for subject in about
    ]
    chosen: set[tuple[int, int, int]] = set()
    depth = max((len(kept) for _, kept in found), default=0)
    queues = [
        [(g, d, i) for i in range(depth) for d, (_, kept) in enumerate(group) if i < len(kept)]
        for g, group in enumerate(groups)
    ]
    while len(chosen) < most and any(queues):
        for queue in queues:
            if queue and len(chosen) < most:
                chosen.add(queue.pop(0))
    return [Fact(groups[g][d][1][i], groups[g][d][0].id, groups[g][d][0].title) for g, d, i in sorted(chosen)]


def _report(view: View, about: tuple[str, ...], found: list, wanted: int | None) -> Answer:
    facts = _choose(found, about, wanted or MOST_FACTS)
    failed = [call for call in view.calls if call.is_error]
    missing = [s for s in about if not any(concerns(doc, s) for doc, _ in found)]
    notes = [f"Nothing was found on {subject}." for subject in missing] if facts else []
    if failed and (not facts or missing):
        notes.append(
            f"A search failed: {' '.join((failed[-1].result or 'no reason given').split())[:160].rstrip('.')}."
        )
    if not facts:
        queries = ", ".join(f'"{query}"' for query in dict.fromkeys(_searched(view))) or "none"
        notes.insert(0, f"Nothing was found about {topic(_task(view)) or 'this'} (searched for {queries}).")
    urls = {doc.id: doc.url for doc, _ in found}
    if view.schema and has_field(view.schema, "facts"):
        items = [
            {
                "fact": f.sentence,
                "source": f.source,
                "title": f.title,
                "url": urls.get(f.source, ""),
                "text": f"{f.sentence} [{f.source}]",
            }
            for f in facts
        ]
        record = {
            "facts": items,
            "sources": list(dict.fromkeys(f.source for f in facts)),
            "title": topic(_task(view)),
            "comment": " ".join(notes) or "Found in the sources named.",
            "count": len(facts),
            "found": bool(facts),
            "missing": missing,
        }
        return shaped(view.schema, record, "Report the facts in the shape asked for.")
    if view.schema:
        from .fill import fill

        return fill(view)
    if writes(view):
        return compose(view, facts, "Enough facts: write the brief from them.")
    most, lines = limit(view.instructions, "words"), []
    for fact in facts:
        mark = f"{len(lines) + 1}." if re.search(r"\bnumbered\b", view.instructions, re.I) else "-"
        line = f"{mark} {fact.sentence} {citation_form(view).format(fact.source)}"
        if most is None or len(" ".join([*lines, line]).split()) <= most:
            lines.append(line)
    why = "Enough: report the facts with their sources." if lines else "Nothing fits the topic: say so."
    return Answer(({"type": "text", "text": "\n".join([*lines, *notes])},), why)
