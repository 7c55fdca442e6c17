"""Facts about the folders that Gradescope and nbgrader give; and that no learner sets the time of a submission."""

from __future__ import annotations

import os
import zipfile
from datetime import UTC, datetime

import pytest

from classroom.grading import intake

from .test_intake import SECOND, THREE

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
EARLY = b"2026-01-01 00:00:00 UTC"


@pytest.fixture
def given(tmp_path):
    """Writes {name: bytes} as a folder of submissions, each file of noon, and reads it."""

    def make(files, **options):
        for name, data in files.items():
            path = tmp_path / "class" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            os.utime(path, (NOON.timestamp(), NOON.timestamp()))
        return intake.read(tmp_path / "class", scratch=tmp_path / "scratch", **options)

    return make


def facts(found):
    return {one.learner: (one.notebook[:2], one.submitted) for one in found.submissions}


def flags(found):
    return {one.learner: "; ".join(one.problems) for one in found.submissions}


# ── Gradescope ────────────────────────────────────────────────────────────────────────────────────

LISTED = """submission_409194023:
  :submitters:
  - :name: "\\xC4da L\xf6velace"
    :sid: '007'
    :email: ada@example.org
  :created_at: 2026-11-19 17:34:00.861687000 Z
  :score: 2.0
  :results:
    score: 2.0
    output: |-
      submission_409194023:
        :submitters: []
submission_500000001:
  :submitters:
  - :name: Bo
    :sid: '2'
  - :name: Cy
    :sid: '3'
  :created_at: 2026-11-19 10:00:00.000000000 -07:00
submission_600000002:
  :submitters:
  - :name:
    :email: di@example.org
  :created_at: !ruby/object:ActiveSupport::TimeWithZone
    utc: 2026-11-18 08:00:00.000000000 Z
    zone: UTC
""".encode()
EXPORT = {
    "submission_metadata.yml": LISTED,
    "submission_409194023/03_deterministic_supervisor.ipynb": THREE,
    "submission_409194023/timestamp.txt": EARLY,
    "submission_409194023/submission_metadata.yml": b"submission_409194023: {}",
    "submission_500000001/03.ipynb": THREE,
    "submission_600000002/work/03.ipynb": THREE,
}
EXPECTED = {
    "\xc4da L\xf6velace": ("03", datetime(2026, 11, 19, 17, 34, 0, 861687, tzinfo=UTC)),
    "Bo": ("03", datetime(2026, 11, 19, 17, tzinfo=UTC)),
    "Cy": ("03", datetime(2026, 11, 19, 17, tzinfo=UTC)),
    "di@example.org": ("03", datetime(2026, 11, 18, 8, tzinfo=UTC)),
}


@pytest.mark.parametrize("around", ["", "assignment_1234_export/"])
def test_gradescopes_list_says_who_submitted_and_when(given, around):
    found = given({around + name: data for name, data in EXPORT.items()})
    assert facts(found) == EXPECTED and set(found.learners) == set(EXPECTED)
    numbers = {one.learner: one.number for one in found.submissions}
    assert numbers["\xc4da L\xf6velace"] == "007" and numbers["di@example.org"] == "di@example.org"
    assert "a group: Bo, Cy" in flags(found)["Bo"] and not flags(found)["di@example.org"]
    paths = {one.path for one in found.submissions}
    assert len(paths) == 4, "each member of a group has a copy, and so a mark, of their own"
    assert not found.unread and "Gradescope" in dict(found.aside)["submission_metadata.yml"]


def test_gradescopes_zip_is_read_as_it_is_downloaded(tmp_path):
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for name, data in EXPORT.items():
            archive.writestr(f"assignment_1_export/{name}", data)
    found = intake.read(tmp_path / "export.zip", scratch=tmp_path / "scratch")
    assert facts(found) == EXPECTED


@pytest.mark.parametrize(
    "content", [b"{", b"- a list", b"\xff\xfe\x00", b"", b"x: &a [*a]", b"a: [" * 3000]
)
def test_a_list_that_cannot_be_read_is_told_and_folders_are_names(given, content):
    found = given({"submission_metadata.yml": content, "submission_1/03.ipynb": THREE})
    assert set(facts(found)) == {"submission_1"}
    unread = dict(found.unread)
    assert "Gradescope" in unread.get("submission_metadata.yml", "") or content == b"x: &a [*a]"


def test_a_learner_who_hands_in_such_a_list_has_no_other_name_and_time(given):
    listed = b"sub: {':submitters': [{':name': Bob}], ':created_at': 2026-01-01 00:00:00 Z}"
    found = given({"ada/submission_metadata.yml": listed, "ada/sub/03.ipynb": THREE})
    assert facts(found) == {"ada": ("03", NOON)}


# ── nbgrader ──────────────────────────────────────────────────────────────────────────────────────


def submitted(*learners, stamp=b"2026-11-20 15:58:23.948203 UTC", top="", assignment="ps3"):
    found = {}
    for learner in learners:
        folder = f"{top}{learner}/{assignment}"
        found[f"{folder}/{SECOND}.ipynb"] = THREE
        found[f"{folder}/timestamp.txt"] = stamp
        found[f"{folder}/submission_secret.txt"] = b"0f3a"
    return found


COURSE = {
    "nbgrader_config.py": b"",
    "gradebook.db": b"",
    "source/ps3/03.ipynb": THREE,
    "release/ps3/03.ipynb": THREE,
    "autograded/ada/ps3/03.ipynb": THREE,
    **submitted("ada", "bob", top="submitted/"),
}


@pytest.mark.parametrize(
    "files",
    [
        submitted("ada", "bob"),
        submitted("ada", "bob", top="submitted/"),
        COURSE,
        {f"course101/{name}": data for name, data in COURSE.items()},
        {
            f"{name}+ps3+2026-11-20 15:58:23.948203 UTC+c2Vj/{file}": data
            for name in ("ada", "bob")
            for file, data in {
                "03.ipynb": THREE,
                "timestamp.txt": b"2026-11-20 15:58:23.948203",
            }.items()
        },
    ],
    ids=["submitted", "around", "course", "course around", "inbound"],
)
def test_nbgraders_folders_say_who_submitted_and_when(given, files):
    found = given(files)
    when = datetime(2026, 11, 20, 15, 58, 23, 948203, tzinfo=UTC)
    assert facts(found) == {"ada": ("03", when), "bob": ("03", when)}
    assert not any(flags(found).values()) and not found.unread
    if "nbgrader_config.py" in files:
        assert "only what lies in submitted/" in dict(found.aside)["source"]


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        (b"2026-11-20 15:58:23 America/New_York", 20),
        (b"2026-11-20 15:58:23 +0200", 13),
        (b"2026-11-20 15:58:23", 15),
    ],
)
def test_nbgraders_time_has_a_zone(given, text, hour):
    assert facts(given(submitted("ada", stamp=text)))["ada"][1].hour == hour


def test_a_time_of_nbgraders_that_is_earlier_than_the_file_is_told(given):
    found = given(submitted("ada", "bob", stamp=EARLY))
    assert facts(found)["ada"][1].month == 1 and "the file is of 2026-11-20" in flags(found)["ada"]


@pytest.mark.parametrize("text", [b"\xff yesterday", b"", b"2026-11-20 12:00:00 Nowhere/Land"])
def test_a_time_of_nbgraders_that_cannot_be_read_is_told(given, text):
    found = given(submitted("ada", stamp=text))
    assert facts(found)["ada"][1] == NOON
    assert "no time that can be read" in dict(found.unread)["ada/ps3/timestamp.txt"]


MOODLE = "Tia_4029_assignsubmission_file_"


@pytest.mark.parametrize(
    "mine",
    [
        {f"{MOODLE}/03.ipynb": THREE, f"{MOODLE}/timestamp.txt": EARLY},
        {f"{MOODLE}/ps3/03.ipynb": THREE, f"{MOODLE}/ps3/timestamp.txt": EARLY},
        {"Tia/03.ipynb": THREE, "Tia/timestamp.txt": EARLY},
        {"Tia/ps3/03.ipynb": THREE, "Tia/ps3/timestamp.txt": EARLY},
    ],
)
def test_nobody_sets_the_time_of_a_submission_by_a_file_of_their_own(given, mine):
    other = "Bo_4030_assignsubmission_file_" if MOODLE in next(iter(mine)) else "Bo"
    found = given({**mine, f"{other}/03.ipynb": THREE})
    assert facts(found) == {"Tia": ("03", NOON), "Bo": ("03", NOON)}
    assert "timestamp.txt does not count" in flags(found)["Tia"] and not flags(found)["Bo"]
    assert [why for name, why in found.aside if "timestamp.txt does not count" in why]


def test_one_of_a_class_of_nbgraders_who_puts_it_elsewhere_is_told_too(given):
    files = submitted("ada", "bob", "cy")
    found = given({**files, "di/timestamp.txt": EARLY, "di/03.ipynb": THREE})
    assert facts(found)["di"] == ("03", NOON) and "does not count" in flags(found)["di"]
    assert facts(found)["ada"][1] > NOON


def test_a_folder_named_submitted_is_a_learners_where_nothing_is_nbgraders(given):
    assert set(facts(given({"submitted/03.ipynb": THREE}))) == {"submitted"}
