class NotEmpty:
    name, cost = "not empty", 0.0

    async def check(self, draft, handoff, run):
        return [] if draft.strip() else [gates.Issue(where="all", problem="is empty")]


@tool
async def figures_in(text: str) -> str:
    """Counts the figures of a text."""
    return f"{sum(word.isdigit() for word in text.split())} figures"


class Mine:
    name, description = "mine", "Researches twice, writes, and has a headline made."

    def __init__(self, library):
        self.search, self.write, self.review = specialists(library)
        self.titles = Agent(
            "titles",
            "Makes it short.",
            "You are an editor. Summarize texts in one sentence.",
            models.worker,
        )
        self.figures = Agent(
            "figures", "Counts figures.", "Use your tools.", models.worker, (figures_in,)
        )

    async def execute(self, handoff, run):
        facts = (await run.dispatch(self.search, handoff)).as_text()
        given = Handoff(intent=handoff.intent, artifacts={"facts": facts})
        judged = gates.Gated(self.write, [NotEmpty(), gates.ModelGate(self.review)])
        written = await run.dispatch(judged, given)
        draft = {"draft": written.as_text()}
        title = await run.dispatch(
            self.titles, Handoff(intent="Shorten the draft.", artifacts=draft)
        )
        figures = Handoff(
            intent="How many figures has the text?",
            artifacts={"text": title.as_text()},
        )
        counted = await run.dispatch(self.figures, figures)
        run.keep(title=title.as_text(), figures=counted.as_text())
        return written


team = Mine
