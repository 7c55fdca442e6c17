"""The list of lessons, in two tracks, and what fits into a room's time."""

from __future__ import annotations

from classroom.course import Lesson, Sitting

LESSONS = (
    Lesson("00", "Start here", "a team of three write a cited brief"),
    Lesson("01", "The agent loop", "an agent in thirty lines of plain HTTP"),
    Lesson("02", "Three specialists", "three small contexts against one large one"),
    Lesson(
        "03", "The deterministic supervisor", "research, write, review, revise, in plain Python"
    ),
    Lesson("04", "Fan out", "three researchers at once, measured against the ideal"),
    Lesson("05", "The LLM-driven supervisor", "a model that chooses who works next"),
    Lesson("06", "Break it", "four failures: provoked, measured, repaired, guarded by a test"),
    Lesson("07", "Was it worth it?", "the team against one agent, in calls, dollars and quality"),
    Lesson("08", "One contract", "tools, skills and agents in one registry, found and swapped"),
    Lesson(
        "09",
        "Plan and dispatch",
        "a planner's plan: checked, run in batches, estimated and paid for",
    ),
    Lesson("10", "What the work finds", "findings that change the plan, and results read together"),
    Lesson(
        "11",
        "Gates",
        "drafts before rules, a database, tests and a model; only failed steps done again",
    ),
    Lesson("12", "Retry and break", "a team that goes on while its services fail"),
    Lesson(
        "13",
        "The whole supervisor",
        "a supervisor put together part by part, and what each part buys on a bad day",
    ),
    Lesson(
        "14",
        "Context",
        "the same team of ten steps with a context and without: what it holds and hands on",
    ),
    Lesson(
        "15",
        "Memory",
        "notes that the next run finds, and a specialist that others ask and write to",
    ),
    Lesson("16", "Crash and resume", "a run that is killed, and goes on without paying twice"),
    Lesson(
        "17",
        "Ask a person",
        "a run that stops for a person, and goes on with the answer another day",
    ),
    Lesson(
        "18",
        "Teams of teams",
        "three levels: what each costs and loses, and three remedies for a bottleneck",
    ),
    Lesson(
        "19",
        "Four bad managers",
        "four managers beside a good one, and the sign of each in its trace",
    ),
    Lesson(
        "20",
        "Trust nobody",
        "an order in a log, four ways out of its reader, and the defence that closes each",
    ),
    Lesson(
        "21",
        "Trace it",
        "spans built by hand, four faults found from the trace alone, and what each agent costs",
    ),
    Lesson(
        "22",
        "Evaluate it",
        "drafts read, faults counted, and an interval by hand that says which design is better",
    ),
    Lesson(
        "23",
        "Judge it",
        "a judge of yes-or-no questions, held against spoiled drafts and a reader's labels",
    ),
    Lesson("24", "Port it", "the same team on three libraries, and what each keeps from you"),
    Lesson(
        "25",
        "Tools and specialists from elsewhere",
        "a tool on a server and a reviewer behind a URL, and what no budget promises there",
    ),
    Lesson(
        "26", "When one machine is not enough", "a fan-out over processes, with one exact budget"
    ),
    Lesson("27", "Ship yours", "your own team on your own documents, and its build report"),
)
TRACKS = {
    "the core": tuple(lesson for lesson in LESSONS if lesson.number < "08"),
    "the production track": tuple(lesson for lesson in LESSONS if lesson.number >= "08"),
}
SITTINGS = (
    Sitting(
        "the_sitting",
        "The sitting",
        ("01.1", "02.1", "03.1", "05.1", "06.2"),
        "an agent, three specialists and two supervisors, broken and paid for, in one evening",
    ),
)
PLANS = {
    "90 minutes": ("the_sitting",),
    "a day": ("00", "01", "02", "03", "05"),
    "two days": ("00", "01", "02", "03", "04", "05", "06", "07"),
    "a week": (
        *("00", "01", "02", "03", "04", "05", "06", "07"),
        *("08", "09", "10", "11", "12", "13"),
    ),
}
"""Plans for an instructor in a room, by the time that there is: lessons, or a sitting."""
