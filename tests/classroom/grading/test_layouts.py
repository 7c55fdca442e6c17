"""Facts about the folders that Gradescope and nbgrader give; and that no learner takes another name by a file."""

from __future__ import annotations

import os
import zipfile
from datetime import UTC, datetime

import pytest

from classroom.grading import intake

from .test_intake import THREE

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


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
    assert not found.unread


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


def test_the_folders_of_nbgraders_exchange_say_who_submitted_and_when(given):
    inbound = "{}+ps3+2026-11-20 15:58:23.948203 UTC+c2Vj/03.ipynb"
    found = given({inbound.format(name): THREE for name in ("ada", "bob")})
    when = datetime(2026, 11, 20, 15, 58, 23, 948203, tzinfo=UTC)
    assert facts(found) == {"ada": ("03", when), "bob": ("03", when)}
    assert not any(flags(found).values()) and not found.unread


def test_nbgraders_submitted_is_a_folder_for_each_learner_and_a_whole_course_is_refused(given):
    """The other folders of a course hold its solutions."""
    files = {f"submitted/{name}/ps3/03.ipynb": THREE for name in ("ada", "bob")}
    files["submitted/ada/ps3/timestamp.txt"] = b"2026-01-01 00:00:00 UTC"
    assert facts(given(files)) == {"ada": ("03", NOON), "bob": ("03", NOON)}
    with pytest.raises(intake.NothingToGrade, match="give its folder `submitted`, or"):
        given({**files, "source/ps3/03.ipynb": THREE})
