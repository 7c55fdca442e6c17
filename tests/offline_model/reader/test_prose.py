"""How a brief reads: what comes first, the order of time, pronouns, paragraphs, and comparisons."""

from __future__ import annotations

import re

from tests.on_each import on_each

from .wire import VERDICT, parts, send

WRITER = (
    "You are the writer. Cite each sentence. At most 180 words, in one to three short paragraphs."
)
REVIEWER = (
    "You are the reviewer. Every claim must be carried by the source that it cites, every sentence must have "
    "a citation, every source among the facts must be used. Decide PASS or REVISE."
)
HARBOUR = (
    "The harbour opened on 3 May 1890. [old]",
    "The Ferry Board is a public service for ships and crews. [board]",
    "The Ferry Board connects nine islands to the mainland. [board]",
    "Ferries carry 30 cars and many bicycles. [cars]",
)


def listed(*facts: str) -> str:
    return "\n".join(f"- {fact}" for fact in facts)


def brief(task: str, *facts: str, system: str = WRITER) -> str:
    return send(parts(task=task, facts=listed(*facts)), system).text.partition("\n\n")[2]


def plain(text: str) -> str:
    return re.sub(r"\s*\[[^\]]*\]", "", text)


def reviewed(draft: str, *facts: str) -> dict:
    request = parts(task="Review the draft", facts=listed(*facts), draft=draft)
    return send(request, REVIEWER, schema=VERDICT).json


def revised(draft: str, feedback: str, *facts: str) -> str:
    text = parts(task="Write a brief", facts=listed(*facts), draft=draft, feedback=feedback)
    return send(text, WRITER).text


@on_each(
    "definition",
    [
        "The Ferry Board is a public service for ships. [board]",
        "The Ferry Board connects nine islands. [board]",
    ],
)
def test_the_sentence_that_says_what_it_is_comes_first(definition):
    facts = ("Ann Lee has led the Ferry Board since 1999. [lee]", definition, HARBOUR[3])
    for task in ("Write a brief on the Ferry Board", "Write on the history of the Ferry Board"):
        assert brief(task, *facts).startswith(definition.split(".")[0])


def test_a_history_is_in_the_order_of_time():
    days = ("2 June 2021", "March 2019", "2020-12-30", "5 January 1987")
    facts = [f"Ann Lee won a race on {day}. [s{n}]" for n, day in enumerate(days)]
    written = brief("The history of races", *facts, "Races are popular in town. [s9]")
    assert re.findall(r"s\d", written) == ["s3", "s1", "s2", "s0", "s9"]


def test_dated_facts_follow_time_and_all_others_stay_where_they_are():
    facts = (
        "Races are popular in many towns. [a]",
        "Ann Lee won a race in March 2021. [b]",
        "Many towns have wide streets. [c]",
        "Bo Lind won a race in March 2019. [d]",
    )
    assert re.findall(r"\[(.)\]", brief("Write a brief on sport", *facts)) == ["a", "d", "c", "b"]


@on_each(
    ("first", "second", "expected"),
    [
        ("Quark is a library for rain data", "Quark has nine small parts", "It has nine"),
        ("Quark is written in fast C code", "Quark has nine small parts", "Quark has nine"),
        ("QuarkDB is written in fast C code", "QuarkDB has nine small parts", "It has nine"),
        ("The Ferry Tool is quite new here", "The Ferry Tool can sort letters", "It can sort"),
        ("The ferry tools are quite new here", "The ferry tools can sort letters", "They can sort"),
        ("The ferry tool can sort letters", "The ferry tool has nine parts", "It has nine"),
        ("The Rain Data Format (RDF) is a format", "RDF has nine small parts", "It has nine"),
        ("QuarkDB is written in C code", "The origin of QuarkDB lies in Oslo", "The origin of"),
        ("QuarkDB is written in C code", "The history of QuarkDB begins in Oslo", "Its history"),
        ("QuarkDB is written in C code", "The number of new QuarkDB users is 9", "The number"),
        ("QuarkDB is written in C code", "Work on QuarkDB began in cold Oslo", "Work on"),
        ("Ann Lee is a poet from Oslo", "Ann Lee has nine small boats", "Ann Lee has"),
        ("Lee was a poet from cold Oslo", "Lee has nine small boats", "Lee has"),
        ("The author was from cold Oslo", "The author has nine small boats", "The author"),
        ("The code 429 means too many requests", "The code 503 means no server now", "The code"),
        ("The model names are rather long", "The model uses nine small tools", "The model uses"),
        ("QuarkDB, Rust and Go are rather new", "QuarkDB has nine small parts", "QuarkDB has"),
        ("QuarkDB is written in C code", "QuarkDB is old", "QuarkDB is old"),
    ],
)
def test_a_pronoun_stands_for_a_thing_that_the_sentence_before_is_about(first, second, expected):
    written = brief("Write a brief on small things", f"{first}. [a]", f"{second}. [a]")
    assert written.startswith(first) and f"[a]. {expected}" in written
    assert reviewed(written, f"{first}. [a]", f"{second}. [a]")["verdict"] == "PASS"


def test_no_pronoun_after_another_subject_at_the_start_of_a_paragraph_or_in_bullets():
    parts_of = ("small engine", "red lamp", "blue mill", "steel wheel", "long rope", "wide door")
    one = [f"QuarkDB has a {part} inside. [q-{part[:3]}]" for part in parts_of]
    written = brief("Write a brief on QuarkDB", *one, system=f"{WRITER} Exactly three paragraphs.")
    paragraphs = written.split("\n\n")
    assert len(paragraphs) == 3 and all(text.startswith("QuarkDB") for text in paragraphs)
    between = brief("Write a brief on QuarkDB", one[0], "Rust is fast and safe. [r]", one[1])
    assert "It has" not in between
    assert "It has" not in brief(
        "Write a brief on QuarkDB", *one, system="You are the writer. In bullets."
    )


def test_after_two_pronouns_the_name_stands_again():
    lists = ("small engine", "red lamp", "blue mill", "steel wheel")
    facts = [f"QuarkDB has a {part} inside. [q]" for part in lists]
    written = brief("Write a brief on QuarkDB", *facts, system=f"{WRITER} One paragraph.")
    assert re.findall(r"(?:^|\. )(\w+) has", plain(written)) == ["QuarkDB", "It", "It", "QuarkDB"]


SERVICE = (
    "The Ferry Board is a public service for ships. [board]",
    "The Ferry Board has 40 sailors and 9 boats. [crew]",
    "The Ferry Board was founded in 1890 by fishermen. [past]",
    "Ferries carry 30 cars and many bicycles. [cars]",
)


def service() -> str:
    return send(parts(task="Write a brief on the Ferry Board", facts=listed(*SERVICE)), WRITER).text


@on_each(
    ("right", "wrong", "hint"),
    [
        ("has 40 sailors", "has 55 sailors", "40"),
        ("in 1890", "in 1980", "1890"),
        (" [crew]", "", "citation"),
        ("[crew]", "[cars]", "[crew]"),
        ("was founded", "was not founded", "opposite"),
    ],
)
def test_faults_behind_a_pronoun_are_found_and_fixed(right, wrong, hint):
    draft = service()
    assert draft.count("It ") >= 1 and reviewed(draft, *SERVICE)["verdict"] == "PASS"
    spoiled = draft.replace(right, wrong)
    assert spoiled != draft
    verdict = reviewed(spoiled, *SERVICE)
    assert verdict["verdict"] == "REVISE" and hint in " ".join(verdict["issues"])
    feedback = "\n".join(f"- {issue}" for issue in verdict["issues"])
    assert reviewed(revised(spoiled, feedback, *SERVICE), *SERVICE)["verdict"] == "PASS"


def test_a_pronoun_that_loses_its_sentence_becomes_the_name_again():
    draft = (
        "# The Ferry Board\n\nThe Ferry Board is a public service for ships [board]. "
        "The Ferry Board won a medal at the fair [past]. It has 40 sailors and 9 boats [crew]. "
        "Ferries carry 30 cars and many bicycles [cars]."
    )
    feedback = "- “The Ferry Board won a medal at the fair”: no fact carries this claim; drop it."
    fixed = revised(draft, feedback, *SERVICE)
    assert "medal" not in fixed and ". The Ferry Board has 40 sailors and 9 boats [crew]." in fixed


def test_a_fact_that_the_draft_says_with_a_pronoun_is_not_added_again():
    feedback = "- The brief says nothing on sailors: add them."
    assert revised(service(), feedback, *SERVICE).count("40 sailors") == 1


def test_a_revision_leaves_no_orphan_paragraph():
    draft = (
        "# The Ferry Board\n\nThe Ferry Board is a public service for ships [board]. "
        "Ferries carry 30 cars and many bicycles [cars].\n\n"
        "The Ferry Board has 40 sailors and 9 boats [crew]. Ferries can fly [cars]."
    )
    feedback = "- “Ferries can fly”: no fact carries this claim; drop the sentence."
    assert revised(draft, feedback, *SERVICE).count("\n\n") == 1


def test_a_paragraph_ends_where_a_source_ends():
    counts = {"oslo": 2, "rome": 4, "bonn": 3}
    parts_of = ("wide bridge", "red mill", "large market", "tall tower")
    facts = [
        f"Near {town.title()} is a {part}. [{town}]"
        for town, count in counts.items()
        for part in parts_of[:count]
    ]
    written = brief("Write a brief on towns", *facts)
    cited = [set(re.findall(r"\[(\w+)\]", text)) for text in written.split("\n\n")]
    assert cited == [{"oslo"}, {"rome"}, {"bonn"}]


RIVERS = (
    "The Rhine is a river of western Europe. [rhine]",
    "The Rhine is navigable for ships from Basel. [rhine]",
    "The Rhine is 1,230 kilometres long. [rhine]",
    "The Danube is a river of eastern Europe. [danube]",
    "The Danube is 2,850 kilometres long. [danube]",
    "The Danube flows into the Black Sea. [danube]",
)


def test_a_comparison_says_what_each_is_then_what_differs_then_the_rest():
    written = brief("Compare the Rhine and the Danube", *RIVERS)
    assert plain(written).replace("\n\n", " ") == (
        "The Rhine is a river of western Europe. The Danube is a river of eastern Europe. "
        "The Rhine is 1,230 kilometres long. By contrast, the Danube is 2,850 kilometres long. "
        "The Rhine is navigable for ships from Basel. The Danube flows into the Black Sea."
    )
    assert reviewed(written, *RIVERS)["verdict"] == "PASS"
    wrong = reviewed(written.replace("2,850", "2,900"), *RIVERS)
    assert wrong["verdict"] == "REVISE" and "2850" in " ".join(wrong["issues"])


def test_what_is_compared_does_not_contradict_itself():
    facts = ("Cats sleep 15 hours a day. [a]", "Dogs sleep 12 hours a day. [b]")
    written = brief("Compare cats and dogs", *facts)
    assert plain(written) == "Cats sleep 15 hours a day. By contrast, dogs sleep 12 hours a day."
    both = brief("Write a brief on cats", facts[0], "Cats sleep 12 hours a day. [b]")
    assert "Sources differ: Cats sleep 12" in both
