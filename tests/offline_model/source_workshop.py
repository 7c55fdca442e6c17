"""The script of the workshop that this course grew from, as its text prints it; readers bring it along.

Only the address, the model's name and the search are ours.
"""

import concurrent.futures
import os

import httpx

API_URL = "http://127.0.0.1:8787/v1/messages"
HEADERS = {
    "x-api-key": os.environ.get("ANTHROPIC_API_KEY", "offline"),
    "anthropic-version": "2023-06-01",
    "content-type": "application/json",
}


class Agent:
    def __init__(self, name, system_prompt, tools=(), model="claude-sonnet-5-5"):
        self.name = name
        self.system = system_prompt
        self.tools = [dict(tool) for tool in tools]
        self.tool_fns = {t["name"]: t.pop("fn") for t in self.tools}
        self.model = model

    def run(self, task: str, max_turns: int = 8) -> str:
        messages = [{"role": "user", "content": task}]
        for _ in range(max_turns):
            r = httpx.post(
                API_URL,
                headers=HEADERS,
                timeout=60,
                json={
                    "model": self.model,
                    "max_tokens": 2048,
                    "system": self.system,
                    "tools": self.tools,
                    "messages": messages,
                },
            )
            r.raise_for_status()
            resp = r.json()
            messages.append({"role": "assistant", "content": resp["content"]})
            if resp["stop_reason"] != "tool_use":
                return "".join(b["text"] for b in resp["content"] if b["type"] == "text")
            results = []
            for b in resp["content"]:
                if b["type"] == "tool_use":
                    out = self.tool_fns[b["name"]](**b["input"])
                    results.append(
                        {"type": "tool_result", "tool_use_id": b["id"], "content": str(out)}
                    )
            messages.append({"role": "user", "content": results})
        return "(max turns reached)"


def web_search(query: str) -> list[dict]:
    raise NotImplementedError("a reader's own search")


RESEARCHER = (
    "You are a research specialist. Given a topic, use the search tool "
    "to gather 5-8 factual snippets with citations. Return a bullet list "
    "of facts with [source] markers. Do not write prose; do not "
    "summarize. Just facts and citations."
)
WRITER = (
    "You are a writing specialist. Given a topic and a list of facts with "
    "citations, write a 500-word brief in clear, neutral prose. Cite "
    "every factual claim with [source]. Do not invent facts. If a fact "
    "is missing, say so explicitly rather than guessing."
)
REVIEWER = (
    "You are an editorial reviewer. Given a brief and the source facts it "
    "was drawn from, evaluate three criteria: (1) factual accuracy - every "
    "claim in the brief is supported by the facts; (2) coverage - the brief "
    "uses the important facts; (3) clarity - the brief reads cleanly. "
    "Reply with PASS or REVISE plus a 2-3 sentence justification. If "
    "REVISE, name the specific issues."
)

researcher = Agent(
    "researcher",
    RESEARCHER,
    tools=[
        {
            "name": "web_search",
            "fn": lambda query: web_search(query),
            "description": "Search the web for a query. Returns title, snippet, url.",
            "input_schema": {
                "type": "object",
                "properties": {"query": {"type": "string"}},
                "required": ["query"],
            },
        }
    ],
)
writer = Agent("writer", WRITER)
reviewer = Agent("reviewer", REVIEWER)


def supervisor(topic: str) -> dict:
    state = {"topic": topic, "stages": []}
    facts = researcher.run(f"Research the topic: {topic}")
    state["facts"] = facts
    state["stages"].append({"agent": "researcher", "output_len": len(facts)})
    draft = writer.run(f"Topic: {topic}\n\nFacts to draw from:\n{facts}\n\nWrite the brief.")
    state["draft"] = draft
    state["stages"].append({"agent": "writer", "output_len": len(draft)})
    for _revision in range(2):
        verdict = reviewer.run(f"Facts:\n{facts}\n\nDraft:\n{draft}\n\nEvaluate.")
        state["stages"].append({"agent": "reviewer", "verdict": verdict[:200]})
        if verdict.strip().upper().startswith("PASS"):
            state["final"] = draft
            return state
        draft = writer.run(
            f"Topic: {topic}\n\nFacts:\n{facts}\n\nPrevious draft:\n{draft}\n\n"
            f"Editorial feedback:\n{verdict}\n\nProduce a revised brief."
        )
        state["stages"].append({"agent": "writer (revision)", "output_len": len(draft)})
    state["final"] = draft
    return state


def supervisor_parallel(topic: str, sub_topics: list[str]) -> str:
    with concurrent.futures.ThreadPoolExecutor(max_workers=len(sub_topics)) as pool:
        futures = {pool.submit(researcher.run, f"Research: {st}"): st for st in sub_topics}
        findings = {}
        for fut in concurrent.futures.as_completed(futures):
            findings[futures[fut]] = fut.result()
    merged = "\n\n".join(f"## {st}\n{f}" for st, f in sorted(findings.items()))
    return writer.run(f"Topic: {topic}\n\nFindings:\n{merged}\n\nWrite the brief.")


def text_of(*names):
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": [*names],
    }


HANDOFF_TOOLS = [
    {
        "name": "handoff_to_researcher",
        "description": "Hand off a research question to the researcher. "
        "Use when you need facts you don't have.",
        "input_schema": text_of("question"),
    },
    {
        "name": "handoff_to_writer",
        "description": "Hand off a writing task to the writer. "
        "Use when you have all the facts and need prose.",
        "input_schema": text_of("topic", "facts"),
    },
    {
        "name": "handoff_to_reviewer",
        "description": "Hand off a draft to the reviewer. "
        "Use when you have a draft and need a verdict.",
        "input_schema": text_of("facts", "draft"),
    },
    {
        "name": "finalize",
        "description": "Return the final answer to the user. Call when work is complete.",
        "input_schema": text_of("answer"),
    },
]


def handoff_to_researcher(question: str) -> str:
    return researcher.run(f"Research: {question}")


def handoff_to_writer(topic: str, facts: str) -> str:
    return writer.run(f"Topic: {topic}\n\nFacts:\n{facts}\n\nWrite.")


def handoff_to_reviewer(facts: str, draft: str) -> str:
    return reviewer.run(f"Facts:\n{facts}\n\nDraft:\n{draft}\n\nEvaluate.")
