"""Wrong answers to the exercises of lesson 02, by the name of the misconception that each shows."""

AGENT = 'return Agent("fact_checker", says, system, models.worker, output=Verdict)'
COPY = "return replace(first, tools=(*first.tools, search_archive))"
HITS = "hits = await archive.search(query)"
TEXT = 'return as_text(hits) if hits else f"No documents match {query!r}. Try other words."'
KEPT = 'line.startswith("- ") and line.endswith("]")'
HANDED = 'handed = "\\n".join(facts or lines)'
BUILT = 'return Handoff(intent=task, context=audience, artifacts={"facts": handed})'

WRONG = {
    "02.1": {
        "no agent": [(AGENT, "return system")],
        "no prompt": [(AGENT, AGENT.replace("says, system", "system, ''"))],
        "no answer": [("models.worker", "'a-model'")],
        "shape among the tools": [("output=Verdict", "Verdict")],
        "no verdict": [(", output=Verdict", "")],
        "wrong number passes": [("    says =", "    system = EDITOR\n    says =")],
        "no citation passes": [('        "Each sentence needs a citation. "\n', "")],
        "true draft refused": [("Each sentence", "The draft must have at most 10 words. Each sentence")],
        "reviewer's prompt": [("    says =", "    system = reviewer().system\n    says =")],
    },
    "02.2": {
        "no agent": [(COPY, "return search_archive")],
        "no decorator": [("    @tool\n", "")],
        "nothing added": [(COPY, f"{COPY[7:]}\n    return first")],
        "tools in a tool's place": [("(*first.tools", "(first.tools")],
        "researcher of the archive": [("researcher(library)", "researcher(archive)")],
        "both shelves": [(HITS, "hits = await library.search(query) + await archive.search(query)")],
        "not returned": [(TEXT, "print(as_text(hits))")],
        "first tool lost": [("(*first.tools, search_archive)", "(search_archive,)")],
        "same name": [("search_archive", "search")],
        "prompt lost": [(COPY, COPY.replace("first, ", "first, system='You are a researcher.', "))],
        "wrong shelf": [("archive.search", "library.search")],
        "never searches": [(HITS, "hits = []")],
        "another query": [("archive.search(query)", "archive.search('tracing ' + query)")],
        "not as text": [("return as_text(hits) if", "return hits if")],
        "silence": [(TEXT, "return as_text(hits)")],
    },
    "02.3": {
        "no handoff": [(BUILT, BUILT.replace("Handoff(", "dict("))],
        "everything": [('"facts": handed', '"facts": handed, **found.artifacts')],
        "all in one text": [(BUILT, 'return Handoff(intent=f"{task} from {handed}", context=audience)')],
        "no task": [("intent=task", "intent='Write a brief'")],
        "no audience": [("context=audience, ", "")],
        "another name": [('"facts": handed', '"found": handed')],
        "nothing found, nothing said": [("facts or lines", "facts")],
        "remarks": [(HANDED, 'handed = "\\n".join(lines)')],
        "fact without a source": [(KEPT, 'line.startswith("- ")')],
        "sources lost": [("facts or lines", 'it.partition(" [")[0] for it in facts or lines')],
        "lines changed": [("facts or lines", "it[2:] for it in facts or lines")],
        "another order": [("facts or lines", "sorted(facts or lines)")],
        "on one line": [('"\\n".join(facts', '" ".join(facts')],
        "facts lost": [("facts or lines", "facts[:1] or lines")],
    },
}

CRASHES = {
    "02.1": [(AGENT, "system = None + system\n    " + AGENT)],
    "02.2": [("first = researcher(library)", "first = researcher(library).copy()")],
    "02.3": [("lines = found.as_text().splitlines()", "lines = found.as_text().split_lines()")],
}
ENDLESS = {
    "02.1": [("    says =", "    while True:\n        pass\n    says =")],
    "02.2": [("    @tool", "    while True:\n        pass\n\n    @tool")],
    "02.3": [("    lines =", "    while True:\n        pass\n    lines =")],
}
CHEATS = {  # what the docstring shows, and nothing behind it
    "02.1": [("", "    return replace(reviewer(), name='fact_checker')\n")],
    "02.2": WRONG["02.2"]["never searches"],
    "02.3": [("", "    return Handoff(intent=task, artifacts={'facts': '- It has 12 writers. [desk-staff]'})\n")],
}
