"""Right answers in other words: what an exercise leaves free, they do differently. By exercise."""

RIGHT = {
    "00.1": ['''
def who_gets_work(sent_back):
    return ("researcher", *("writer", "reviewer") * (1 + sent_back))
'''],
    "00.2": ['''
def what_changed(first, second):
    return {name for name in second if not first[name] == second[name]}
'''],
    "01.1": ['''
def answer(client, question, tools, functions, messages=None):
    messages = messages or [{"role": "user", "content": [{"type": "text", "text": question}]}]
    reply = ask(client, messages, tools)
    calls = [it for it in reply["content"] if it["type"] == "tool_use"]
    if not calls:
        return next(it["text"] for it in reply["content"] if it["type"] == "text")
    results = [{"type": "tool_result", "tool_use_id": it["id"], "is_error": False,
                "content": [{"type": "text", "text": functions[it["name"]](**it["input"])}]} for it in reversed(calls)]
    return answer(client, question, tools, functions,
                  messages + [{"role": "assistant", "content": reply["content"]}, {"role": "user", "content": results}])
''', '''
def answer(client, question, tools, functions):
    messages = [dict(role="user", content=question)]
    for _ in range(50):
        reply = ask(client, messages, tools)
        messages.append({"role": reply["role"], "content": list(reply["content"])})
        uses = {it["id"]: it for it in reply["content"] if it["type"] == "tool_use"}
        if reply["stop_reason"] != "tool_use":
            break
        messages.append({"role": "user", "content": [
            {"content": functions[it["name"]](it["input"]["topic"]), "type": "tool_result", "tool_use_id": id}
            for id, it in uses.items()]})
    return reply["content"][-1]["text"]
''', '''
def answer(client, question, tools, functions):
    messages = [{"role": "user", "content": question}]
    while True:
        reply = ask(client, messages, tools)
        messages += [{"role": "assistant", "content": reply["content"]}]
        results, words = [], []
        for block in reply["content"]:
            match block:
                case {"type": "tool_use", "id": id, "name": name, "input": arguments}:
                    results.append({"type": "tool_result", "tool_use_id": id, "content": str(functions[name](**arguments))})
                case {"type": "text", "text": text}:
                    words.append(text)
        if not results:
            return "\\n".join(words)
        messages += [{"role": "user", "content": results}]
'''],
    "01.2": ['''
def reading_tool(shelf):
    async def get_source(source_id: str) -> str:
        if text := shelf.get(source_id):
            return text
        known = "\\n".join(f"- {id}" for id in sorted(shelf))
        raise ToolError(f"You asked for {source_id}. I only have:\\n{known}")
    return tool(get_source, name="get_source", description="Get a source.")
''', '''
class Reader:
    def __init__(self, shelf):
        self.shelf = shelf
    def complain(self, id):
        raise ToolError(id + " is not one of " + " ".join(self.shelf.keys()))
def reading_tool(shelf):
    reader = Reader(shelf)
    @tool
    async def look_up(source_id: str) -> str:
        "Look a source up."
        return shelf[source_id] if source_id in shelf else reader.complain(source_id)
    return look_up
'''],
    "01.3": ['''
async def answer_within(run, question, tools, max_turns):
    request = {"model": models.worker, "tools": [it.definition for it in tools]}
    conversation = Conversation([{"role": "user", "content": question}])
    turns = 0
    while True:
        reply = await run.ask(**request, messages=conversation)
        if not reply.tool_calls:
            return Result(status="ok", output=reply.text, reason="done")
        conversation.append(reply.as_message())
        message, _ = await run_calls(tools, reply.tool_calls, run)
        turns += 1
        if turns == max_turns:
            message["content"].append({"type": "text", "text": "That was the last search: what do you know?"})
        conversation.append(message)
        if turns == max_turns:
            last = await run.ask(messages=conversation, tool_choice={"type": "none"}, **request)
            return Result(status="exhausted", output=last.text, reason="out of turns")
'''],
    "02.1": ['''
def fact_checker():
    system = """You are a checker. Compare every number and claim of the draft with the facts.
    Each sentence needs a citation. Answer PASS if all is right, and REVISE if not."""
    return replace(reviewer(), name="checker", description="Checks.", system=system)
'''],
    "02.2": ['''
def two_shelves(library, archive):
    @tool(name="old_documents", description="Look into the archive.")
    async def look(topic: str) -> str:
        found = await archive.search(topic, 3)
        if not found:
            return "The archive has nothing on that."
        return "In the archive:\\n" + as_text(found)
    agent = researcher(library)
    return replace(agent, tools=(look,) + agent.tools)
''', '''
def two_shelves(library, archive):
    from kernel import ToolError
    @tool
    async def search_archive(query: str) -> str:
        """Search older documents."""
        hits = await archive.search(query)
        if not hits:
            raise ToolError("no documents match; try other words")
        return as_text(hits)
    agent = researcher(library)
    return replace(agent, tools=(*agent.tools, search_archive))
'''],
    "02.3": ['''
def writers_handoff(task, audience, found):
    kept = []
    for line in str(found.output).split("\\n"):
        if line[:2] == "- " and line[-1] == "]":
            kept += [line]
    return Handoff(artifacts={"facts": "\\n\\n".join(kept) if kept else found.output}, intent=task + " " + audience, context=task)
'''],
    "03.1": ['''
def revise(run, desk, task, facts, draft, left=None):
    async def go():
        rounds = desk.max_revisions if left is None else left
        given = {"facts": facts, "draft": draft, "task": task}
        verdict = (await run.dispatch(desk.reviewer, Handoff(intent=task, context="Be strict.", artifacts=given))).output
        if verdict.verdict != "PASS" and rounds > 0:
            given["feedback"] = "".join(f"- {it}\\n" for it in reversed(verdict.issues)) + "Mend all of them."
            new = await run.dispatch(desk.writer, Handoff(intent=task, artifacts=given))
            return await revise(run, desk, task, facts, new.output, rounds - 1)
        return Result(status="ok" if verdict.verdict == "PASS" else "exhausted", output=draft, by="me", reason="the end",
                      artifacts={"facts": facts})
    return go()
'''],
    "03.2": ['''
async def revise_to_best(run, desk, task, facts, draft):
    rated, told = [], ""
    for at in range(desk.max_revisions + 1):
        if at:
            parts = {"draft": draft, "facts": facts, "feedback": told}
            draft = (await run.dispatch(desk.writer, Handoff(intent=task, artifacts=parts))).as_text()
        said = await run.dispatch(desk.reviewer, Handoff(intent=task, artifacts={"draft": draft, "facts": facts, "old": told}))
        if said.output.verdict == "PASS":
            return said.model_copy(update={"output": draft})
        rated.append((len(said.output.issues), at, draft))
        told += "\\n".join(said.output.issues) + "\\n"
    issues, at, best = sorted(rated)[0]
    return Result(status="exhausted", output=best, reason=f"draft number {at}: {issues} issue(s), after {desk.max_revisions} revisions")
'''],
    "03.3": ['''
async def in_stages(run, task, stages):
    done = {}
    for stage in stages:
        came = await run.dispatch(stages[stage], Handoff(intent=task, artifacts={**done}, context=""))
        if came.status == "ok":
            done = {**done, stage: came.output}
            continue
        return Result(status=came.status, artifacts=done, reason=f"We stopped at {stage.upper()} ({stage}), since: {came.reason}!",
                      output={"so far": list(done)})
    return Result(status="ok", output=came.output, artifacts=done)
''', '''
async def in_stages(run, task, stages, work=None, text=""):
    work = work or {}
    todo = [n for n in stages if n not in work]
    if not todo:
        return Result(status="ok", output=text, artifacts=work)
    name = todo[0]
    came = await run.dispatch(stages[name], Handoff(intent=task, artifacts=work))
    match came.status:
        case "ok":
            return await in_stages(run, task, stages, {**work, name: came.as_text()}, came.as_text())
        case bad:
            return Result(status=bad, reason=f"{name} / {came.reason}", artifacts=work)
'''],
    "04.1": ['''
async def fan_out(run, jobs, limit):
    todo, at_work, done = list(jobs), set(), []
    while todo or at_work:
        while todo and len(at_work) < limit:
            at_work.add(asyncio.ensure_future(run.dispatch(*todo.pop())))
        ready, at_work = await asyncio.wait(at_work, return_when=asyncio.FIRST_COMPLETED)
        done += [it.result() for it in ready]
    return tuple(done)
''', '''
async def fan_out(run, jobs, limit):
    places = asyncio.BoundedSemaphore(limit)
    async def one(who, what):
        await places.acquire()
        try:
            return await run.dispatch(who, what)
        finally:
            places.release()
    tasks = [asyncio.ensure_future(one(*j)) for j in jobs]
    return [await t for t in asyncio.as_completed(tasks)]
'''],
    "04.2": ['''
async def findings(run, researcher, topics):
    texts = dict.fromkeys(topics)
    results = await asyncio.gather(*(run.dispatch(researcher, Handoff(intent="Research " + it)) for it in topics),
                                   return_exceptions=True)
    for topic, it in zip(topics, results):
        if isinstance(it, Exception):
            texts[topic] = f"There is a gap here: {it}"
        else:
            texts[topic] = it.as_text() if it.ok else f"{it.as_text()} [unfinished, {it.reason}]"
    return texts
'''],
    "04.3": ['''
async def in_time(run, jobs, seconds, backup):
    async def one(executable, handoff):
        try:
            return await asyncio.wait_for(run.dispatch(executable, handoff), seconds)
        except asyncio.TimeoutError:
            return await run.dispatch(backup, handoff)
    tasks = [asyncio.create_task(one(*it)) for it in jobs]
    return [await it for it in tasks]
'''],
    "05.1": ['''
def reviewer_tool(reviewer):
    async def call(draft: str, run: Run, facts: str, intent: str = "") -> str:
        """Ask for a review."""
        came = await run.dispatch(reviewer, Handoff(artifacts=dict(draft=draft, facts=facts), intent=intent))
        text = came.as_text()
        if text == "":
            raise ToolError(f"No review. {came.reason}. It {came.status}.")
        return text
    return tool(call, name="handoff_to_reviewer")
''', '''
class Door:
    def __init__(self, who):
        self.who = who
    async def send(self, run, handoff):
        result = await run.dispatch(self.who, handoff)
        match result.as_text():
            case "":
                raise ToolError("\\n".join([result.status, result.reason]))
            case text:
                return text
def reviewer_tool(reviewer):
    door = Door(reviewer)
    @tool(name="handoff_to_reviewer", description="Review the draft")
    async def _(intent: str, facts: str, draft: str, run: Run) -> str:
        return await door.send(run, Handoff(intent=intent, artifacts=dict(facts=facts, draft=draft)))
    return _
'''],
    "05.2": ['''
async def needless_work(fixed, free, tasks, client):
    import asyncio
    runs = {(task, who): Run(client) for task in tasks for who in ("fixed", "free")}
    await asyncio.gather(*(run.dispatch({"fixed": fixed, "free": free}[who], Handoff(intent=task))
                           for (task, who), run in runs.items()))
    found = {}
    for task in reversed(tasks):
        one, other = (runs[task, who].trace() for who in ("fixed", "free"))
        there = [it["to_agent"] for it in other.handoffs()[1:]]
        names, calls = [], 0
        for it in one.handoffs()[1:]:
            if it["to_agent"] not in there + names:
                names.append(it["to_agent"])
        calls = sum(it.kind == "reply" and it.agent in names for it in one.events)
        if calls > 0:
            found[task] = tuple([names, calls])
    return found
'''],
    "05.3": ['''
def with_editor(team):
    says = "Shortens a finished text to one sentence, and changes nothing else. Artifacts: draft."
    return LLMSupervisor(specialists=(Agent(name="editor", description=says, system="Shorten the draft.", model=models.supervisor), *team))
'''],
    "06.1": ['''
async def revise_within(run, desk, task, facts, draft, calls):
    end = run.spent.calls + calls
    status = "exhausted"
    while run.spent.calls < end:
        parts = {"draft": draft, "facts": facts}
        said = await run.dispatch(desk.reviewer, Handoff(intent=task, artifacts=parts), budget=Budget(calls=end - run.spent.calls))
        if said.status != "ok":
            break
        if said.output.verdict == "PASS":
            status = "ok"
            break
        if run.spent.calls >= end:
            break
        parts["feedback"] = "; ".join(said.output.issues)
        new = await run.dispatch(desk.writer, Handoff(intent=task, artifacts=parts), budget=Budget(calls=end - run.spent.calls))
        draft = new.output if new.ok else draft
    return Result(status=status, output=draft, reason="", artifacts={"draft": draft})
''', '''
async def revise_within(run, desk, task, facts, draft, calls):
    if calls <= 0:
        return Result(status="exhausted", output=draft)
    before = run.spent.calls
    parts = {"facts": facts, "draft": draft}
    match await run.dispatch(desk.reviewer, Handoff(intent=task, artifacts=parts), budget=Budget(calls=calls)):
        case Result(status="ok", output=verdict) if verdict.verdict == "PASS":
            return Result(status="ok", output=draft)
        case Result(status="ok", output=verdict):
            left = calls - (run.spent.calls - before)
            if left:
                new = await run.dispatch(desk.writer, Handoff(intent=task, artifacts={**parts, "feedback": " ".join(verdict.issues)}), budget=Budget(calls=left))
                if new.ok:
                    return await revise_within(run, desk, task, facts, new.output, calls - (run.spent.calls - before))
    return Result(status="exhausted", output=draft)
'''],
    "06.2": ['''
def lost_handoffs(handoffs, needs):
    gaps, number = [], 0
    for it in handoffs:
        number += 1
        who = it["to_agent"]
        if who in needs:
            lacks = list(filter(lambda name: name not in it["artifacts"] or it["artifacts"][name].isspace()
                                or not it["artifacts"][name], needs[who]))
            gaps += [(number, who, lacks)] if len(lacks) else []
    return gaps
'''],
    "06.3": ['''
async def facts_within(run, researcher, task, calls):
    came = await run.dispatch(researcher, Handoff(intent=task, context="Be quick."), budget=Budget(calls=calls))
    return came.output if came.output else came.artifacts["tool_results"]
''', '''
async def facts_within(run, researcher, task, calls):
    match await run.dispatch(researcher, Handoff(intent=task), budget=Budget(calls=calls)):
        case Result(output=str(text)) if text:
            return text
        case Result(artifacts={"tool_results": kept}):
            return kept
    return ""
'''],
    "06.4": ['''
def find_ring(handoffs):
    names = {it["from_agent"] for it in handoffs} | {it["to_agent"] for it in handoffs}
    for start in sorted(names):
        ways = [[start]]
        while ways:
            way = ways.pop()
            for it in handoffs:
                if it["from_agent"] == way[-1]:
                    if it["to_agent"] == start:
                        return way + [start]
                    if it["to_agent"] not in way:
                        ways.append(way + [it["to_agent"]])
    return []
''', '''
def find_ring(handoffs):
    from graphlib import TopologicalSorter, CycleError
    sorter = TopologicalSorter()
    for h in handoffs:
        sorter.add(h["to_agent"], h["from_agent"])
    try:
        sorter.prepare()
    except CycleError as ring:
        return ring.args[1]
    return []
'''],
    "07.1": ['''
def compare(team, alone):
    a, b = team.totals(), alone.totals()
    usd = None if None in (a["usd"], b["usd"]) else float(a["usd"] - b["usd"])
    ratio = (a["output_tokens"] + a["input_tokens"]) / (b["output_tokens"] + b["input_tokens"])
    return {"usd": usd, "calls": float(len([it for it in team.events if it.kind == "reply"]) - b["calls"]), "tokens": round(ratio, 2),
            "comment": "as asked"}
'''],
    "07.2": ['''
def numbers_held(pairs, documents):
    good = bad = 0
    for sentence, ids in pairs:
        if not ids:
            continue
        text = " ".join(documents[id] for id in ids if id in documents)
        if numbers(sentence) - numbers(text):
            bad += 1
        else:
            good += 1
    return 0 if good == 0 else round(good / (good + bad), 2)
''', '''
class Shelf(dict):
    def __missing__(self, id):
        return ""
def numbers_held(pairs, documents):
    shelf, held, cited = Shelf(documents), 0, 0
    for pair in pairs:
        match pair:
            case (_, []):
                continue
            case (sentence, ids):
                cited += 1
                known = set()
                for id in ids:
                    known |= numbers(shelf[id])
                if not numbers(sentence) - known:
                    held += 1
    return held / cited if cited else 0.0
'''],
    "07.3": ['''
def verdict(team, alone, source_usd):
    fewer = alone["mistakes"] - team["mistakes"]
    net = source_usd * team["sources"] - source_usd * alone["sources"] + alone["usd"] - team["usd"]
    return ["one agent", "team"][fewer > 0 or (fewer == 0 and net > 0)]
'''],
}
