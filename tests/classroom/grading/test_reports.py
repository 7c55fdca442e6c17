"""Facts about the reports: whose marks count and how, what learners may see, and that opening any of them runs nothing."""

from __future__ import annotations

import contextlib
import csv
import html
import json
import re
import zipfile
from dataclasses import dataclass
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from classroom.checks import exercise, exercises
from classroom.grading import late, reports
from classroom.grading.overrides import Override
from classroom.grading.reports import changes, marks, pages, reading
from classroom.grading.reports.tables import as_json

from .a_class import NAMES, line, report, some_class, write
from .test_plain import NASTY

LESSON = "03"
THESE = exercises(LESSON)
OF = sum(exercise.points for exercise in THESE)


@dataclass(frozen=True)
class Trial:
    title: str
    points: int
    hidden: bool = False


SPEC = {
    exercise.id: tuple(
        Trial(f"part {index} of {exercise.id[-1]}", 1, index == exercise.points - 1)
        for index in range(exercise.points)
    )
    for exercise in exercises()
}


@pytest.fixture(autouse=True)
def known_trials(monkeypatch):
    """Trials whose titles a test can foresee: one for each point, the last one hidden."""
    monkeypatch.setattr(reading, "trials_of", lambda id: SPEC[id])


@pytest.fixture
def book(tmp_path):
    """Writes these reports and everything made of them; gives the gradebook."""

    def make(*made, **options):
        write(tmp_path / "results", *made)
        return reports.write(tmp_path, **options)

    make.out = tmp_path
    make.text = lambda name: (tmp_path / name).read_text(encoding="utf-8")
    make.table = lambda: list(
        csv.reader(make.text("gradebook.csv").removeprefix("\ufeff").splitlines())
    )
    return make


def with_results(*lines, **changes):
    return report(results=list(lines), **changes)


def all_passed(**changes):
    return [
        line(exercise.id, index, **changes)
        for exercise in THESE
        for index in range(exercise.points)
    ]


# ── marks ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_everything_passed_is_everything(book):
    [person] = book(with_results(*all_passed())).people
    assert (person.total, person.of, person.share) == (OF, OF, 1) and {
        mark.state for mark in person.marks().values()
    } == {"passed"}


def test_a_report_says_how_a_check_ended_and_the_register_what_that_is_worth(book):
    """Points in a report count for nothing, and neither do lines of checks that are not there."""
    more = [line("03.1", 17, points=50), line("99.9", 0, points=50)]
    made = book(
        with_results(*all_passed(points=99, earned=10**400), *all_passed(), *more),
        with_results(line("03.1", state="failed", earned=1), learner="bob"),
        with_results(line("03.1", state="PASSED"), learner="eve"),
    )
    assert [person.total for person in made.people] == [OF, 0]
    assert [why for _, why in made.unread if "there is no state 'PASSED'" in why]


def test_who_did_not_hand_in_is_told_first(book):
    made = book(with_results(*all_passed()), learners=["zoe"])
    assert "1 handed in, 1 did not." in made.summary()
    page = book.text("index.html")
    assert "1 handed in, 1 did not." in page[: page.index("<h2>")]


def test_a_check_that_is_absent_was_not_run(book):
    [person] = book(with_results(line("03.1", 0))).people
    first = person.marks()["03.1"]
    assert (
        first.points == 1
        and first.state == "partly"
        and [check.state for check in first.checks[1:]] == ["not-run"] * (len(first.checks) - 1)
    )


def test_who_handed_in_nothing_has_nothing_and_is_listed(book):
    made = book(with_results(*all_passed()), report("bob", "01", results=[]), learners=["zoe"])
    assert [person.learner for person in made.people] == ["ada", "bob", "zoe"]
    zoe = made.people[2]
    assert zoe.total == 0 and zoe.of == made.people[0].of and "nothing handed in" in zoe.flags[0]
    assert {check.state for work in zoe.works for mark in work.marks for check in mark.checks} == {
        "missing"
    }


def test_of_two_reports_for_one_notebook_the_last_counts(book):
    [person] = book(
        with_results(graded="2026-11-22T02:00:00+00:00"),
        with_results(*all_passed(), graded="2026-11-22T01:00:00+00:00"),
    ).people
    assert person.total == 0


def test_a_report_that_cannot_be_read_harms_nobody(book):
    (book.out / "results").mkdir()
    for index, text in enumerate(
        [
            "",
            "[]",
            "{",
            "null",
            '{"learner": 1, "notebook": "03_x"}',
            '{"learner": "a", "notebook": "99_x"}',
            "[" * 99999,
            '{"learner": "a"}',
        ]
    ):
        (book.out / "results" / f"bad{index}.json").write_text(text, encoding="utf-8")
    (book.out / "results" / "bytes.json").write_bytes(b"\xff\xfe")
    made = book(with_results(*all_passed()))
    assert [person.total for person in made.people] == [OF] and len(made.unread) == 9
    assert "cannot be read" in made.unread[0][1] and "bad0.json" in book.text("index.html")


ODD = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from(NASTY)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(report())), ODD))
def test_a_report_of_any_shape_is_unread_or_a_mark_between_nothing_and_everything(changes):
    made = {**report(), **changes, "notebook": NAMES[LESSON]}
    with contextlib.suppress(*reading.NO_REPORT):
        work = reading.work_of(made, late.rule("2026-11-20T18:00Z", "10% per day"))
        person = marks.Person(learner="ada", page="ada", works=(work,))
        assert 0 <= work.total <= work.points <= work.of == OF
        whole = reports.Gradebook(exercises=tuple(THESE), people=(person,))
        for text in (pages.of_class(whole), pages.of_learner(person, whole), as_json(whole)):
            text.encode("utf-8")


# ── lateness ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_late_notebook_shows_before_and_after(book):
    made = book(
        with_results(*all_passed(), submitted="2026-11-21T19:00:00+00:00"),
        with_results(*all_passed(), learner="bob"),
        with_results(*all_passed(), learner="eve", submitted=None),
        rule=late.rule("2026-11-20T18:00Z", late.EXAMPLE),
    )
    ada, bob, eve = made.people
    assert (ada.points, ada.total, bob.total, eve.total) == (OF, round(OF * 0.8, 2), OF, OF)
    assert "1 day, 1:00:00 late: 20%" in book.text("learners/ada.html")
    assert f"{OF} before" in book.text("learners/ada.html")
    assert "Of 1 notebook nobody knows" in book.text("index.html")
    head, row, *_ = book.table()
    assert dict(zip(head, row, strict=True))["lost by lateness"] == str(round(OF * 0.2, 2))


# ── the files ──────────────────────────────────────────────────────────────────────────────────────────────


def test_the_table_has_points_total_and_flags(book):
    book(
        with_results(*all_passed(), flags=["found by its position"]),
        with_results(line("03.1"), learner="bob"),
    )
    assert (book.out / "gradebook.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    head, ada, bob = book.table()
    assert head == [
        "learner",
        "number",
        *(f"{exercise.id} (of {exercise.points})" for exercise in THESE),
        "points",
        "lost by lateness",
        "total",
        "of",
        "percent",
        "flags",
    ]
    assert ada == [
        "ada",
        "",
        *(str(exercise.points) for exercise in THESE),
        str(OF),
        "0",
        str(OF),
        str(OF),
        "100.0",
        "found by its position",
    ]
    assert bob[0] == "bob" and bob[2] == "1" and bob[-4] == "1"


def test_programs_get_the_exact_names(book):
    name = "=ä\n\x1b[31m\u202e"
    book(with_results(*all_passed(), learner=name))
    data = json.loads(book.text("gradebook.json"))
    [person] = data["learners"]
    assert (
        person["learner"] == name
        and (person["total"], person["of"]) == (OF, OF)
        and data["seeds"] == [123]
    )
    assert (book.out / person["page"]).exists() and person["exercises"]["03.1"]["state"] == "passed"
    assert book.text("gradebook.json").isascii()


def test_a_second_run_replaces_the_first(book):
    book(with_results(*all_passed()), with_results(learner="gone"))
    (book.out / "results" / f"{1:032x}.json").unlink()
    book()
    assert {path.name for path in (book.out / "learners").iterdir()} == {"ada.html"}
    assert not list(book.out.rglob("*.part"))


def test_only_the_reports_that_are_named_count(book):
    paths = write(book.out / "results", with_results(*all_passed()), with_results(learner="old"))
    assert [person.learner for person in reports.write(book.out, paths[:1]).people] == ["ada"]


# ── what learners see ──────────────────────────────────────────────────────────────────────────────────────


def test_of_a_hidden_check_there_is_the_title_and_no_more(book):
    last = THESE[0].points - 1
    book(
        with_results(
            line(
                "03.1",
                last,
                state="failed",
                came="SECRET came",
                expected="SECRET expected",
                reason="SECRET reason",
                hidden=False,
                title="SECRET title",
            ),
            line(
                "03.1",
                0,
                state="failed",
                came="open came",
                expected="open expected",
                reason="open reason",
            ),
        )
    )
    text = book.text("learners/ada.html")
    assert "SECRET" not in text and f"part {last} of 1" in text
    assert re.search(r"open\W*(<mark>)?came", text)
    assert re.search(r"open\W*(<mark>)?expected", text)
    assert not any("SECRET" in book.text(name) for name in ("gradebook.json", "index.html"))


def test_a_known_misconception_is_told_in_our_words_and_counted(book):
    known = exercise("03.1")
    name = sorted(known.misconceptions)[0]
    feedback = {
        "misconception": name,
        "parts": [
            ["called", "revise()"],
            ["likely cause", "you get all points"],
            ["next", "ask for them"],
        ],
    }
    forged = {"misconception": "<b>mine</b>", "parts": [["called", "forged()"]]}
    made = book(
        with_results(feedback={"03.1": feedback}),
        with_results(learner="bob", feedback={"03.1": feedback}),
        with_results(learner="eve", feedback={"03.1": forged}),
        with_results(*all_passed(), learner="zoe", feedback={"03.1": feedback}),
    )
    page = book.text("learners/ada.html")
    assert "you get all points" not in page and "ask for them" not in page and "revise()" in page
    assert known.misconceptions[name].cause.split("`")[0][:30] in html.unescape(page)
    counted = [(found.id, which, count) for found, which, count in pages.misconceptions(made)]
    assert counted == [("03.1", name, 2)]
    assert "mine" not in book.text("index.html") and "forged()" in book.text("learners/eve.html")


def test_who_failed_without_an_explanation_gets_a_hint_and_who_passed_a_next_step(book):
    book(with_results(*[row for row in all_passed() if row["exercise"] != "03.1"]))
    page = book.text("learners/ada.html")
    assert "A hint" in page and page.count("To try next") == len(THESE) - 1


def test_the_answer_is_shown_with_its_lines_and_cut_where_no_honest_one_ends(book):
    book(with_results(answers={"03.1": "def f():\n    return 1 < 2", "03.2": "x\n" * 100_000}))
    page = book.text("learners/ada.html")
    assert (
        "def f():\n    return 1 &lt; 2" in page
        and "(cut; 200,000 characters)" in page
        and len(page) < 60_000
    )


def test_a_difference_is_shown_where_it_begins():
    actual = f"returned: {['same'] * 100 + ['left']}"
    expected = f"returned: {['same'] * 100 + ['right'] * 300}"
    (before, different), (same, other) = pages.differing(actual, expected)
    assert before == same and before.startswith("… ")
    assert different.startswith("left") and other.startswith("right") and other.endswith(" …")
    assert pages.differing("[1]", "[2]") == (("[", "1]"), ("[", "2]"))
    assert pages.differing("a", "a") == (("", ""), ("", ""))
    assert pages.differing("", "b") == (("", ""), ("", "b"))


# ── the instructor's page ──────────────────────────────────────────────────────────────────────────────────


def test_what_was_not_sandboxed_or_not_understood_comes_first(book):
    book(
        with_results(sandbox="none: no user namespaces"),
        unread=[("eve/03.ipynb", "the file is empty")],
        aside=[("notes.pdf", "no notebook")],
    )
    page = book.text("index.html")
    assert (
        page.index("Not sandboxed") < page.index("<h2>Distribution")
        and "no user namespaces" in page
    )
    assert "eve/03.ipynb" in page and "notes.pdf" in page
    book(with_results())
    assert "Not sandboxed" not in book.text("index.html")


@given(st.lists(st.floats(0, 1)))
def test_the_distribution_counts_everybody_and_says_so(shares):
    assert sum(pages.counts(shares)) == len(shares)
    sentence = pages.finding(shares)
    assert sum(int(number) for number in re.findall(r"(\d+) with", sentence)) == len(shares)


def test_the_distribution_is_a_picture_of_the_columns():
    charts = pages.PAGES.get_template("charts.html.j2").module
    for shares in ([], [1.0], [0.0, 0.35, 0.95]):
        picture = charts.distribution(pages.counts(shares), max(shares, default=None), "<all>")
        assert picture.count('class="s-bar"') == len(shares)
        assert ET.fromstring(picture).get("aria-label") == "<all>"


def test_a_class_of_nobody_is_a_page_too(book):
    assert "0 learners" in book().summary() and "Nobody has been graded" in book.text("index.html")


def test_statistics_agree_with_the_marks(book):
    made = book(*some_class(3, lessons=(LESSON,)))
    page = html.unescape(book.text("index.html"))
    for known in THESE:
        passed = sum(person.marks()[known.id].points == known.points for person in made.people)
        assert f"{passed} passed, " in page[page.index(f"{known.id} {known.title}") :]


def test_no_template_writes_a_text_that_is_not_escaped():
    assert pages.PAGES.autoescape is True
    hostile = "<script>alert('x')</script>"
    assert pages.PAGES.from_string("{{ x }}").render(x=hostile) == str(escape(hostile))
    templates = sorted(pages.HERE.glob("*.j2"))
    assert [path.name for path in templates] == [
        "charts.html.j2",
        "class.html.j2",
        "frame.html.j2",
        "learner.html.j2",
    ]
    for path in templates:
        switches = set(re.findall(r"safe|autoescape|Markup", path.read_text(encoding="utf-8")))
        assert not switches, f"{path.name} turns escaping off: {switches}"


# ── opening runs nothing ───────────────────────────────────────────────────────────────────────────────────

EVIL = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "</pre></details><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "<style>*{display:none}</style>",
    "</title><script>alert(1)</script>",
    "]]><x>",
    *NASTY,
]
TAGS = set(
    "html head meta title style body main p h1 h2 h3 a div span strong section article ul li dl dt dd mark details summary pre code "
    "footer svg abbr rect path text table caption thead tbody tr th td figure br".split()
)
ATTRIBUTES = set(
    "title lang charset http-equiv content name class href id scope colspan xmlns viewbox width height role aria-label x y rx d fill "
    "stroke stroke-width stroke-dasharray font-size font-weight text-anchor".split()
)


class Strict(HTMLParser):
    def handle_starttag(self, tag, attributes):
        assert tag in TAGS, tag
        for name, value in attributes:
            assert name in ATTRIBUTES, name
            if name == "href":
                assert re.fullmatch(
                    r"learners/[a-z0-9._-]+\.html|#is-unread|(gradebook|results)\.\w+"
                    r"|(moodle|canvas)(-\d\d|-feedback)?\.(csv|zip)",
                    value,
                ), value


@pytest.mark.parametrize("evil", EVIL)
def test_hostile_text_everywhere_stays_text(book, evil):
    bad = report(
        evil,
        file=evil,
        older=[evil],
        flags=[evil],
        sandbox=f"none: {evil}",
        kernel=evil,
        graded=evil,
        sha256=evil,
        results=[
            line(
                "03.1",
                index,
                state="failed",
                title=evil,
                reason=evil,
                came=evil,
                expected=evil + "x",
            )
            for index in range(3)
        ],
        feedback={
            "03.1": {
                "outcome": evil,
                "headline": evil,
                "misconception": evil,
                "parts": [[evil, evil], ["called", evil]],
            }
        },
        answers={"03.1": evil},
    )
    handed = {
        (evil, NAMES["03"]): reports.Handed(file=evil, platform="moodle", number=evil, upload=evil),
        (evil, NAMES["01"]): reports.Handed(
            file=evil, platform="canvas", number=evil, upload=evil, pending=evil
        ),
    }
    by_hand = [
        Override(learner=evil, exercise="03.1", points=1, reason=evil, comment=evil, row=2),
        Override(learner=evil, comment=evil, row=3),
        Override(learner="nobody" + evil, comment=evil, row=4),
    ]
    book(
        bad,
        report("ada"),
        unread=[(evil, evil)],
        aside=[(evil, evil)],
        learners=[evil + "2"],
        handed=handed,
        overrides=by_hand,
    )
    pages = sorted(book.out.rglob("*.html"))
    assert len(pages) == 4
    for page in pages:
        text = page.read_text(encoding="utf-8")
        Strict(convert_charrefs=True).feed(text)
        assert (
            "default-src 'none'" in text[:400]
            and "\x1b" not in text
            and "\u202e" not in text
            and "\0" not in text
        )
    for name in ("gradebook.csv", "moodle-03.csv", "canvas.csv"):
        for row in csv.reader(book.text(name).removeprefix("\ufeff").splitlines()):
            assert not any(field.startswith(tuple("=+@\t\r＝")) for field in row if field != "-"), (
                row
            )
    for name in ("moodle-feedback.zip", "canvas-feedback.zip"):
        with zipfile.ZipFile(book.out / name) as archive:
            assert all(
                ".." not in member.split("/") and member.count("/") < 2
                for member in archive.namelist()
            )
    assert {path.relative_to(book.out).parts[0] for path in book.out.rglob("*")} == {
        "results",
        "learners",
        "gradebook.csv",
        "gradebook.json",
        "index.html",
        ".grading.json",
        "moodle-03.csv",
        "moodle-feedback.zip",
        "canvas.csv",
        "canvas-feedback.zip",
    }


def test_the_policy_allows_this_style_and_nothing_else(book):
    import base64
    import hashlib

    book(report())
    text = book.text("index.html")
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    assert (
        policy
        == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )
    assert "url(" not in style and "@import" not in style and "\r" not in style


def test_hundreds_of_learners_have_pages_of_their_own(book):
    names = [
        name
        for index in range(60)
        for name in (f"ada{index}", f"Ada{index}", f"ada {index}", f"ada-{index:012x}")
    ]
    made = book(learners=names, notebooks=[NAMES[LESSON]])
    assert (
        len({person.page.lower() for person in made.people})
        == len(names)
        == len(list((book.out / "learners").glob("*.html")))
    )


# ── not graded yet, by hand, and for platforms ─────────────────────────────────────────────────────────────


def handed(name, *, lesson="03", **facts):
    return {(name, NAMES[lesson]): reports.Handed(file=f"{name}/{lesson}.ipynb", **facts)}


def test_who_was_not_reached_has_an_empty_cell_and_is_in_no_mean(book):
    made = book(
        with_results(*all_passed()), handed={**handed("ada"), **handed("zoe", pending="stopped")}
    )
    head, _, zoe = book.table()
    cells = dict(zip(head, zoe, strict=True))
    assert [cells[column] for column in head if column.startswith("03.")] == [""] * len(THESE)
    assert cells["total"] == cells["percent"] == "" and "not graded yet: stopped" in cells["flags"]
    assert "nothing handed in" not in cells["flags"] and "100%" in made.summary()
    assert "1 of them not graded yet" in made.summary()
    page = book.text("learners/zoe.html")
    assert "stopped" in page and "Nothing was handed in" not in page
    assert "still to come" in page and "no total" in page
    assert "Not everybody is graded yet" in book.text("index.html")
    assert "Mean 100%" in book.text("index.html") and ", 1 not graded yet" in book.text(
        "index.html"
    )
    zoe = json.loads(book.text("gradebook.json"))["learners"][1]
    assert zoe["total"] is None and zoe["exercises"]["03.1"]["points"] is None


def test_points_given_by_hand_count_everywhere_with_their_reason_and_what_the_checks_gave(book):
    by_hand = [
        Override(
            learner="ada", exercise="03.1", points=2, reason="good idea", comment="see me", row=2
        ),
        Override(learner="ADA", comment="a fine term", row=3),
    ]
    [person] = book(with_results(line("03.1")), overrides=by_hand).people
    assert (person.total, person.marks()["03.1"].checked) == (2, 1)
    text = book.text("learners/ada.html")
    phrases = ("good idea", "see me", "a fine term", "The checks gave 1")
    assert all(phrase in text for phrase in phrases)
    assert "good idea" in book.text("index.html") and "(1 by the checks)" in book.text("index.html")
    assert "03.1: by hand: good idea" in book.table()[1][-1]
    assert json.loads(book.text("gradebook.json"))["learners"][0]["exercises"]["03.1"]["override"][
        "reason"
    ] == ("good idea")


def test_points_given_by_hand_are_a_mark_where_there_was_no_verdict(book):
    rows = [
        Override(learner="zoe", exercise=exercise.id, points=1, reason="looked at on paper", row=2)
        for exercise in THESE
    ]
    [zoe] = book(handed=handed("zoe", pending="stopped"), overrides=rows).people
    assert not zoe.open and zoe.total == len(THESE)


def test_a_due_time_of_ones_own_wins_over_that_of_the_class(book):
    rule = late.rule("2026-11-20T18:00Z", late.EXAMPLE)
    made = with_results(*all_passed(), submitted="2026-11-21T19:00:00+00:00")
    later = late.moment("2026-11-22T18:00Z")
    rows = [Override(learner="ada", exercise="03", due=later, reason="was ill", row=2)]
    [ada] = book(made, rule=rule, overrides=rows).people
    assert ada.total == OF and "was ill" in book.text("learners/ada.html")
    [ada] = book(made, rule=rule).people
    assert ada.total < OF
    unused = book(made, overrides=rows).unused
    assert len(unused) == 1 and "--due" in unused[0] and "without effect" in book.text("index.html")


def test_a_row_for_nobody_is_told_and_changes_nothing(book):
    rows = [Override(learner="bob", exercise="03.1", points=0, reason="?", row=7)]
    made = book(with_results(*all_passed()), overrides=rows)
    assert made.people[0].total == OF and made.unused == (
        "line 7, bob: nobody here has this name or number",
    )


def test_names_that_look_alike_are_told_apart_wherever_they_are_shown(book):
    names = ["ada", "ada\u200b", "\x01ada", "ada ", "\u0430d\u0430", "ADA", "bob"]
    book(learners=names, notebooks=[NAMES[LESSON]])
    shown = [row[0] for row in book.table()[1:]]
    assert len(set(shown)) == len(names) and "bob" in shown and "ada" not in shown


def test_platforms_get_their_own_numbers_and_their_own_folders(book):
    ada = handed("ada", platform="moodle", number="1000", upload="Ada_1000_assignsubmission_file_")
    bob = handed("bob", platform="canvas", number="77", upload="bob_77_123_03")
    zoe = handed("zoe", platform="moodle", number="1001", upload="Zoe_1001_x", pending="stopped")
    book(
        with_results(*all_passed()),
        with_results(line("03.1"), learner="bob"),
        handed={**ada, **bob, **zoe},
    )
    rows = list(csv.DictReader(book.text("moodle-03.csv").removeprefix("\ufeff").splitlines()))
    assert [(entry["Identifier"], entry["Grade"], entry["Maximum Grade"]) for entry in rows] == [
        ("Participant 1000", str(OF), str(OF))
    ]
    head, possible, row = csv.reader(book.text("canvas.csv").removeprefix("\ufeff").splitlines())
    assert (head[1], row[1], possible[0], possible[-1], row[-1]) == (
        "ID",
        "77",
        "    Points Possible",
        str(OF),
        "1",
    )
    with zipfile.ZipFile(book.out / "moodle-feedback.zip") as archive:
        [name] = archive.namelist()
        assert name == "Ada_1000_assignsubmission_file_/feedback.html"
        assert archive.read(name).decode("utf-8") == book.text("learners/ada.html")
    with zipfile.ZipFile(book.out / "canvas-feedback.zip") as archive:
        assert archive.namelist() == ["bob_77_123_03-feedback.html"]
    assert 'href="moodle-03.csv"' in book.text("index.html")
    numbers = [learner["number"] for learner in json.loads(book.text("gradebook.json"))["learners"]]
    assert numbers == ["1000", "77", "1001"]


def test_the_exercises_own_words_come_first_and_the_comparison_is_folded(book):
    feedback = {
        "outcome": "wrong",
        "headline": "",
        "misconception": None,
        "parts": [["next", "READ"]],
    }
    book(
        with_results(
            line("03.1", 0, state="failed", came="a", expected="b"), feedback={"03.1": feedback}
        )
    )
    page = book.text("learners/ada.html")
    assert page.index("READ") < page.index("What the check saw")
    assert re.search(r"<details>\s*<summary>What the check", page)


def test_a_file_that_is_not_gradings_own_outlives_every_run(book):
    book(with_results(*all_passed()), with_results(learner="gone"))
    (book.out / "learners" / "thesis.txt").write_text("mine", encoding="utf-8")
    (book.out / "results" / f"{1:032x}.json").unlink()
    book()
    assert {path.name for path in (book.out / "learners").iterdir()} == {
        "ada.html",
        "thesis.txt",
    }


# ── marks that changed ────────────────────────────────────────────────────────────────────────────


def graded(learner, *, lost=0, **facts):
    """A report with so many checks of the last exercise lost."""
    made = with_results(*all_passed(), learner=learner, **facts)
    for result in made["results"][::-1][:lost]:
        result |= {"state": "failed", "earned": 0}
    return made


def test_after_a_change_of_the_course_the_page_lists_whose_mark_changed(book, tmp_path):
    first = {"course": "one", "graded": "2026-11-22T01:40:00+00:00"}
    second = {"course": "two", "graded": "2026-11-23T01:40:00+00:00"}
    book(graded("ada", **first), graded("bo", lost=1, **first), graded("cy", **first))
    known = book(graded("ada", lost=2, **second), graded("bo", **second), graded("cy", **second))
    id, points = THESE[-1].id, THESE[-1].points
    found = {(one.learner, one.exercise, one.before, one.now): one.why for one in known.changes}
    assert set(found) == {("ada", id, points, points - 2), ("bo", id, points - 1, points)}
    assert set(found.values()) == {changes.COURSE}
    assert "2 marks changed since the last run" in known.summary()
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert f"{points} → {points - 2}" in page and "Marks changed." in page
    same = book(graded("ada", lost=2, **second), graded("bo", **second), graded("cy", **second))
    assert same.changes == known.changes and not same.changed, "they stay listed, as earlier ones"
    assert "Marks changed." not in (tmp_path / "index.html").read_text(encoding="utf-8")
    kept = json.loads((tmp_path / "gradebook.json").read_text(encoding="utf-8"))["changes"]
    assert [(one["learner"], one["before"], one["now"]) for one in kept] == [
        ("ada", points, points - 2),
        ("bo", points - 1, points),
    ]


@pytest.mark.parametrize(
    "facts, override, why",
    [
        ({"sha256": "1" * 64}, None, changes.OTHER_FILE),
        ({"course": "one", "seed": 5}, None, changes.AGAIN),
        ({"course": "one"}, 0.5, changes.BY_HAND),
    ],
)
def test_a_change_says_why(book, facts, override, why):
    book(graded("ada", course="one"))
    by_hand = [Override(learner="ada", exercise=THESE[-1].id, points=override)] if override else []
    known = book(graded("ada", lost=1, **facts), overrides=by_hand)
    assert [one.why for one in known.changes] == [why]


def test_what_was_not_graded_has_not_changed(book, tmp_path):
    handed = {("ada", NAMES[LESSON]): reports.Handed(file="ada/03.ipynb", pending="stopped")}
    reports.write(tmp_path, [], handed=handed)
    assert not book(graded("ada")).changes
    assert not reports.write(tmp_path, [], handed=handed).changes


@pytest.mark.parametrize(
    "last",
    [
        "{",
        "[]",
        '{"learners": [1, {"learner": "ada", "exercises": []}], "changes": [{}, 1]}',
        '{"learners": [{"learner": "ada", "exercises": {"03.1": {"points": "3"}}}]}',
        '{"changes": [{"learner": "<b>", "exercise": "x", "before": true, "now": 1, "why": "y", "when": "z"}]}',
    ],
)
def test_a_last_gradebook_that_somebody_edited_harms_nothing(book, tmp_path, last):
    (tmp_path / "gradebook.json").write_text(last, encoding="utf-8")
    assert not book(graded("ada")).changes


# ── a sitting beside the lessons ───────────────────────────────────────────────────────────────────────────

SITTING = "the_sitting"
RULE = late.rule("2026-11-20T18:00Z", "20% once")
LATE, IN_TIME = "2026-11-21T18:00:00+00:00", "2026-11-20T17:00:00+00:00"


def evening(passed=None, **changes):
    """A report of the sitting in which some of its exercises are passed; by default all."""
    results = [
        line(known.id, index)
        for known in exercises(SITTING)
        for index in range(known.points)
        if passed is None or known.id in passed
    ]
    return report(notebook=SITTING, results=results, **changes)


def of_lesson(lesson, passed=None, **changes):
    """The same of a lesson."""
    results = [
        line(known.id, index)
        for known in exercises(lesson)
        for index in range(known.points)
        if passed is None or known.id in passed
    ]
    return report(lesson=lesson, results=results, **changes)


def counting(person):
    """By notebook, the exercises that count there."""
    return {work.notebook: [mark.exercise.id for mark in work.marks] for work in person.works}


def test_an_exercise_that_is_in_two_notebooks_of_a_learner_counts_once_where_it_got_most(book):
    ids = [known.id for known in exercises(SITTING)]
    [person] = book(of_lesson("01", passed=[]), evening()).people
    assert counting(person) == {NAMES["01"]: ["01.2", "01.3"], SITTING: ids}
    assert person.total == sum(known.points for known in exercises(SITTING))
    [person] = book(notebooks=[NAMES["01"], SITTING], learners=["ada"]).people
    every = [id for found in counting(person).values() for id in found]
    assert sorted(every) == sorted({*ids, "01.1", "01.2", "01.3"})


def test_the_most_points_are_those_after_lateness_and_by_hand(book):
    first = exercise("01.1")
    [person] = book(of_lesson("01", submitted=LATE), evening(submitted=IN_TIME), rule=RULE).people
    assert counting(person)[SITTING][0] == "01.1" and person.marks()["01.1"].state == "passed"
    assert person.total == sum(known.points for known in exercises(SITTING)) + 0.8 * sum(
        known.points for known in exercises("01")[1:]
    )
    row = Override(learner="ada", exercise="01.1", points=first.points, reason="on paper", row=2)
    made = book(
        of_lesson("01", passed=[], submitted=IN_TIME),
        evening(submitted=LATE),
        rule=RULE,
        overrides=[row],
    )
    assert counting(made.people[0])[NAMES["01"]][0] == "01.1" and not made.unused


def test_what_was_not_handed_in_does_not_hide_what_is_still_to_be_graded(book):
    waiting = {("ada", SITTING): reports.Handed(file="evening.ipynb", pending="stopped")}
    [person] = book(learners=["ada"], notebooks=[NAMES["01"]], handed=waiting).people
    assert person.open and person.marks()["01.1"].state == "pending"
    [person] = book(of_lesson("01", passed=[]), handed=waiting).people
    assert person.marks()["01.1"].state == "pending", "it may still earn points"
    [person] = book(of_lesson("01"), handed=waiting).people
    assert person.marks()["01.1"].state == "passed"


def test_what_counts_in_another_notebook_is_said_and_nothing_is_missing(book):
    lessons = sorted({known.lesson for known in exercises(SITTING)})
    whole = [of_lesson(lesson) for lesson in lessons]
    [person] = book(*whole, notebooks=[SITTING]).people
    assert person.share == 1 and not person.flags, "no sitting is missing: all of it was handed in"
    assert "Nothing was handed in" not in book.text("learners/ada.html")
    [person] = book(*whole, evening()).people
    [flag] = person.flags
    assert flag.startswith(f"{SITTING}: 01.1 counts in {NAMES['01']}, 02.1 counts in ")
    page = html.unescape(book.text("learners/ada.html"))
    assert f"01.1 counts in {NAMES['01']}" in page and "0 of 0" not in page
    assert "The sitting" in page
    assert f"01.1 counts in {NAMES['01']}" in book.text("gradebook.csv")
    [learner] = json.loads(book.text("gradebook.json"))["learners"]
    assert learner["notebooks"][SITTING]["counted elsewhere"]["01.1"] == NAMES["01"]


def test_a_platform_gets_each_notebook_by_itself(book):
    worth = sum(known.points for known in exercises(SITTING))
    ones = sum(known.points for known in exercises("01"))
    numbers = {"01_agent_loop": "1000", SITTING: "2000"}
    for platform in ("moodle", "canvas"):
        files = {
            ("ada", name): reports.Handed(
                file="a.ipynb", platform=platform, number=number, upload=f"Ada_{number}_x"
            )
            for name, number in numbers.items()
        }
        book(of_lesson("01"), evening(), handed=files)
        if platform == "moodle":
            for name, points in (("01", ones), (SITTING, worth)):
                table = book.text(f"moodle-{name}.csv").removeprefix("\ufeff").splitlines()
                [row] = csv.DictReader(table)
                assert (row["Grade"], row["Maximum Grade"]) == (str(points), str(points))
                assert f"the assignment's maximum grade: {points})" in html.unescape(
                    book.text("index.html")
                )
        else:
            rows = list(csv.reader(book.text("canvas.csv").removeprefix("\ufeff").splitlines()))
            assert rows[0][-2:] == ["01 Agent loop", "The sitting"]
            assert rows[1][-2:] == [str(ones), str(worth)]
            assert [row[-2:] for row in rows[2:]] == [[str(ones), ""], ["", str(worth)]]


@pytest.mark.parametrize(
    ("named", "moved"),
    [("", {"01", SITTING}), ("01", {"01"}), ("01.1", {"01"}), (SITTING, {SITTING})],
)
def test_a_due_time_is_that_of_the_book_that_a_row_names(book, named, moved):
    row = Override(
        learner="ada", exercise=named, due=late.moment("2026-11-30T18:00Z"), reason="ill", row=2
    )
    made = book(
        of_lesson("01", submitted=LATE), evening(submitted=LATE), rule=RULE, overrides=[row]
    )
    [person] = made.people
    assert {work.notebook[:2] for work in person.works if not work.late} == {
        name[:2] for name in moved
    }
    assert not made.unused


def test_a_due_time_of_an_exercise_without_its_lesson_is_told(book):
    due = late.moment("2026-11-30T18:00Z")
    row = Override(learner="ada", exercise="01.1", due=due, reason="ill", row=2)
    made = book(evening(submitted=LATE), rule=RULE, overrides=[row])
    [sentence] = made.unused
    assert "it is due with lesson 01, which is not graded" in sentence
    [work] = made.people[0].works
    assert work.late


def test_a_comment_on_a_sitting_is_on_its_page(book):
    row = Override(learner="ada", exercise=SITTING, comment="a fine evening", row=2)
    made = book(of_lesson("01"), evening(), overrides=[row])
    assert [work.comments for work in made.people[0].works] == [(), ("a fine evening",)]
    assert "a fine evening" in book.text("learners/ada.html") and not made.unused
