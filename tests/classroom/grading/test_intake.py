"""Facts about the intake: which learner, which exercise, which version; and that no file stops or harms another."""

from __future__ import annotations

import json
import os
import re
import stat
import struct
import sys
import tracemalloc
import warnings
import zipfile
from datetime import UTC, datetime

import hypothesis
import pytest
from hypothesis import strategies as st

from classroom.grading import intake
from classroom.grading.intake import files as sources
from classroom.grading.intake.files import NothingToGrade
from classroom.grading.intake.notebook_json import without_outputs
from tests.places import EXERCISES, SOLUTIONS

NAMES = {path.stem[:2]: path.stem for path in SOLUTIONS.glob("*.ipynb")}
FIRST, SECOND = NAMES["01"], NAMES["03"]
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()
posix = pytest.mark.skipif(os.name == "nt", reason="the file system has no such names or files")


def notebook(*ids, **more):
    """The bytes of a notebook whose cells carry these exercise ids."""
    cells = [
        {
            "cell_type": "code",
            "source": "",
            "outputs": [],
            "metadata": {"workshop": {"id": id, "role": "answer"}},
        }
        for id in ids
    ]
    return json.dumps(
        {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5, **more}
    ).encode()


ONE, THREE, BARE = notebook("01.1", "01.2"), notebook("03.1", "03.2"), notebook()


@pytest.fixture
def given(tmp_path):
    """Writes {name: bytes} as a folder of submissions, each file a minute younger than the one before, and reads it."""

    def make(files, **options):
        top = tmp_path / "class"
        for index, (name, data) in enumerate(files.items()):
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            os.utime(path, (NOON + 60 * index, NOON + 60 * index))
        return intake.read(top, scratch=tmp_path / "scratch", **options)

    make.top = tmp_path / "class"
    return make


@pytest.fixture
def zipped(tmp_path):
    """Writes entries (name or ZipInfo, bytes) as a zip, and reads it."""

    def make(*entries, spoil=lambda data: data):
        path = tmp_path / "class.zip"
        with (
            warnings.catch_warnings(action="ignore"),
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        ):
            for name, data in entries:
                archive.writestr(name, data)
        path.write_bytes(spoil(path.read_bytes()))
        return intake.read(path, scratch=tmp_path / "scratch")

    return make


def notebooks_of(found):
    return [(submission.learner, submission.notebook) for submission in found.submissions]


def why(found, name):
    return dict(found.unread)[name]


# ── layouts ────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_folder_for_each_learner(given):
    found = given({"ada/03.ipynb": THREE, "ada/anything.ipynb": ONE, "bob/deep/er/03.ipynb": THREE})
    assert notebooks_of(found) == [("ada", FIRST), ("ada", SECOND), ("bob", SECOND)]
    assert not found.unread and found.learners == ("ada", "bob")


@pytest.mark.parametrize(
    ("file", "learner"),
    [
        ("ada.ipynb", "ada"),
        (f"ada_{SECOND}.ipynb", "ada"),
        (f"{SECOND}_ada.ipynb", "ada"),
        ("Ada Lovelace - 03 Deterministic Supervisor.ipynb", "Ada Lovelace"),
        ("ada_03.ipynb", "ada"),
        (f"Ada Lovelace_123456_assignsubmission_file_{SECOND}.ipynb", "Ada Lovelace"),
        (f"Ada Lovelace_123456_assignsubmission_file_/{SECOND}.ipynb", "Ada Lovelace"),
        (f"lovelaceada_12345_678910_{SECOND}.ipynb", "lovelaceada"),
        (f"lovelaceada_LATE_12345_678910_{SECOND}-1.ipynb", "lovelaceada"),
        (f"ada/{SECOND}/{SECOND}.ipynb", "ada"),
    ],
)
def test_names_that_people_and_platforms_give(given, file, learner):
    assert notebooks_of(given({file: THREE})) == [(learner, SECOND)]


def test_letters_of_a_sittings_name_are_not_taken_for_a_lessons_number(given):
    """`the_sitting` has no number, so `th` in a file's name is the learner's."""
    sitting = (EXERCISES / "the_sitting.ipynb").read_bytes()
    found = given({f"{name}_the_sitting.ipynb": sitting for name in ("th", "le-th")})
    assert notebooks_of(found) == [("le-th", "the_sitting"), ("th", "the_sitting")]


def test_numbers_of_people_are_not_taken_for_lessons(given):
    found = given({f"student_{index:02}.ipynb": THREE for index in range(1, 6)})
    assert [learner for learner, _ in notebooks_of(found)] == [
        f"student_0{index}" for index in range(1, 6)
    ]


def test_two_people_of_one_name_are_kept_apart(given):
    found = given(
        {f"Ada King_{number}_assignsubmission_file_/03.ipynb": THREE for number in (111, 222)}
    )
    assert (
        [submission.learner for submission in found.submissions]
        == ["Ada King (111)", "Ada King (222)"]
        == list(found.learners)
    )


def test_two_exports_of_a_platform_are_one_learner(given):
    found = given(
        {
            "Ada King_111_assignsubmission_file_/03.ipynb": THREE,
            "Ada King_222_assignsubmission_file_/01.ipynb": ONE,
        }
    )
    assert notebooks_of(found) == [("Ada King", FIRST), ("Ada King", SECOND)]


def test_a_zip_of_either_with_and_without_a_folder_around(zipped):
    assert notebooks_of(zipped(("ada/03.ipynb", THREE), ("bob/03.ipynb", THREE))) == [
        ("ada", SECOND),
        ("bob", SECOND),
    ]
    assert notebooks_of(zipped(("2026/ada/03.ipynb", THREE), ("2026/bob/03.ipynb", THREE))) == [
        ("ada", SECOND),
        ("bob", SECOND),
    ]
    assert notebooks_of(zipped(("class/ada/work.ipynb", THREE))) == [("ada", SECOND)]
    assert notebooks_of(zipped(("ada.ipynb", THREE), ("bob.ipynb", ONE))) == [
        ("ada", SECOND),
        ("bob", FIRST),
    ]
    assert notebooks_of(zipped(("2026/ada.ipynb", THREE), ("2026/bob.ipynb", ONE))) == [
        ("ada", SECOND),
        ("bob", FIRST),
    ]
    assert notebooks_of(zipped(("ada/01.ipynb", ONE), ("ada/03.ipynb", THREE))) == [
        ("ada", FIRST),
        ("ada", SECOND),
    ]


def test_a_notebook_of_nobody_is_listed(given):
    found = given({f"{SECOND}.ipynb": THREE, "ada/03.ipynb": THREE})
    assert notebooks_of(found) == [("ada", SECOND)] and "whose" in why(found, f"{SECOND}.ipynb")


# ── which exercise ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_cells_say_which_exercise_before_the_name_does(given):
    found = given({"ada/01_agent_loop.ipynb": THREE})
    assert (
        notebooks_of(found) == [("ada", SECOND)]
        and "named as 01" in found.submissions[0].problems[0]
    )


def test_without_ids_the_name_says_it_and_is_flagged(given):
    found = given(
        {
            "ada/03.ipynb": BARE,
            "bob/My Agent Loop.ipynb": BARE,
            "eve/01-agent loop.ipynb": notebook("99.9", "evil"),
        }
    )
    assert notebooks_of(found) == [("ada", SECOND), ("eve", FIRST)]
    assert "no exercise ids" in found.submissions[0].problems[0]
    assert "which exercise" in why(found, "bob/My Agent Loop.ipynb") and "bob" in found.learners


def test_one_exercise_alone(given):
    found = given(
        {"ada/03.ipynb": THREE, "ada/01.ipynb": ONE, "bob/x.ipynb": BARE, "eve/01.ipynb": ONE},
        exercise="03",
    )
    assert notebooks_of(found) == [("ada", SECOND), ("bob", SECOND)]
    assert dict(found.aside)["ada/01.ipynb"] == f"it belongs to {FIRST}; only 03 is graded"
    assert (
        "taken for" in found.submissions[1].problems[0]
        and found.learners == ("ada", "bob", "eve")
        and not found.unread
    )


# ── versions ───────────────────────────────────────────────────────────────────────────────────────────────


def test_the_latest_version_counts_and_the_others_are_listed(given):
    found = given(
        {"ada/z.ipynb": THREE, "ada/a.ipynb": notebook("03.1"), "ada/m.ipynb": notebook("03.2")}
    )
    [submission] = found.submissions
    assert submission.file == "ada/m.ipynb" and submission.older == ("ada/z.ipynb", "ada/a.ipynb")
    assert submission.submitted == datetime(
        2026, 11, 20, 12, 2, tzinfo=UTC
    ) and submission.path.read_bytes() == notebook("03.2")


@pytest.mark.parametrize(
    "latest", ["03 (10).ipynb", "03-Copy10.ipynb", "03(10).ipynb", "03_v10.ipynb"]
)
def test_of_the_same_time_the_name_decides(given, latest):
    names = ["03 (2).ipynb", "03.ipynb", latest, "03 (9).ipynb"]
    given({f"ada/{file}": notebook("03.1", file) for file in names})
    for name in names:
        os.utime(given.top / "ada" / name, (NOON, NOON))
    [submission] = given({}).submissions
    assert submission.file == f"ada/{latest}" and len(submission.older) == 3


def test_a_later_version_that_cannot_be_read_does_not_hide_a_good_one(given):
    [submission] = given({"ada/03.ipynb": THREE, "ada/03 (1).ipynb": b"{"}).submissions
    assert (
        submission.file == "ada/03.ipynb"
        and submission.readable
        and "03 (1)" in submission.problems[0]
    )


# ── hostile files ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"{", "JSON"),
        (b"null", "no notebook"),
        (b"\0" * 99, "JSON"),
        (b'{"cells": "\0"}', "JSON"),
        ("é".encode("latin-1"), "UTF-8"),
        (THREE.decode().encode("utf-16"), "UTF-8"),
        (b"[" * 100_000, "nested"),
        (b'{"cells": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", "nested"),
        (b'{"a":' * 50_000, "nested"),
        (b'{"cells":["' + b'\\"' * 5_000_000, "JSON"),
        (b'{"cells":[' + b"[]," * 5_000_000 + b"0]}", "texts and lists"),
        (b'{"nbformat": 3, "worksheets": []}', "format 3"),
        (b" " * (sources.MOST_BYTES + 1), "MB"),
        (b'{"cells": [' + b"9" * 9999 + b"]}", "JSON"),
    ],
    ids=lambda value: repr(value[:12]) if isinstance(value, bytes) else value,
)
def test_a_file_that_is_no_notebook_is_a_clear_problem_of_its_own(given, data, words):
    found = given({f"mallory/{SECOND}.ipynb": data, "ada/03.ipynb": THREE})
    bad = found.submissions[1]
    assert (
        notebooks_of(found) == [("ada", SECOND), ("mallory", SECOND)]
        and found.submissions[0].readable
    )
    assert words in bad.problems[0] and dict(found.unread)[bad.file] == bad.problems[0]


@pytest.mark.parametrize("ending", [".ipynb.txt", ".IPYNB.json", ".json", ".txt", ""])
def test_a_notebook_under_another_ending_is_one(given, ending):
    """Some mail programs and browsers put `.txt` behind a name."""
    found = given({f"ada/{SECOND}{ending}": THREE, "ada/notes.txt": b"{}"})
    assert notebooks_of(found) == [("ada", SECOND)]
    assert [name for name, _ in found.aside] == ["ada/notes.txt"]


SHOWN = st.recursive(
    st.none() | st.integers() | st.text('ab"\\[]{},: outputs', max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["outputs", "cells", 'a"[']), inner, max_size=3)
    ),
    max_leaves=9,
)


@hypothesis.given(
    st.lists(st.tuples(SHOWN, st.lists(SHOWN, max_size=3)), max_size=3),
    st.integers(1, 9),
    st.booleans(),
)
def test_only_the_outputs_of_cells_are_dropped(cells, size, indented):
    made = [{"source": source, "outputs": outputs, "id": source} for source, outputs in cells]
    data = json.dumps({"cells": made, "outputs": [1]}, indent=1 if indented else None).encode()
    kept = without_outputs(data[start : start + size] for start in range(0, len(data), size))
    without = [{**each, "outputs": []} for each in made]
    assert json.loads(kept) == {"cells": without, "outputs": [1]}


def test_a_large_notebook_is_read_without_its_outputs_in_bounded_memory(tmp_path):
    picture = {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo" * 8_000_000}}
    whole = json.loads(THREE)
    whole["cells"][0].update(source="answer = 1", outputs=[picture])
    path = tmp_path / "class" / "ada" / f"{SECOND}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert path.stat().st_size > 4 * sources.MOST_BYTES
    del whole, picture
    tracemalloc.start()
    [found] = intake.read(tmp_path / "class", scratch=tmp_path / "scratch").submissions
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.readable and "answer = 1" in found.path.read_text(encoding="utf-8")
    assert peak < 2.5 * sources.MOST_BYTES and found.path.stat().st_size < 1000


def test_a_mark_of_byte_order_does_no_harm(given):
    [submission] = given({"ada/03.ipynb": b"\xef\xbb\xbf" + THREE}).submissions
    assert not submission.problems


@posix
def test_names_survive_as_text(given, tmp_path):
    names = [
        "-rf",
        "a b",
        "ä漢",
        "[x]*?",
        "a\nb\t\x1b[31m",
        "..a",
        "=1+1",
        "$(id)",
        "con",
        "a'\"b",
        "x" * 200,
    ]
    found = given({f"{name}/03.ipynb": THREE for name in names})
    assert sorted(submission.learner for submission in found.submissions) == sorted(
        set(names) - {"..a"}
    )  # begins with a dot: hidden
    copies = [path.name for path in (tmp_path / "scratch").iterdir()]
    assert len(copies) == len(found.submissions) and all(
        re.fullmatch(r"\d{5}-\d-[0-9a-f]{16}\.ipynb", copy_name) for copy_name in copies
    )


@pytest.mark.skipif(sys.platform != "linux", reason="other file systems refuse such names")
def test_a_name_that_is_no_unicode_is_spelled_out(given):
    given({"ada/03.ipynb": THREE})
    os.mkdir(os.fsencode(given.top) + b"/\xff")
    with open(os.fsencode(given.top) + b"/\xff/03.ipynb", "wb") as file:
        file.write(THREE)
    assert [submission.learner for submission in given({}).submissions] == ["\\xff", "ada"]


@posix
def test_links_and_special_files_are_never_opened(given, tmp_path):
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "03.ipynb").write_bytes(THREE)
    given({"ada/03.ipynb": THREE})
    (given.top / "eve").mkdir()
    (given.top / "eve" / "03.ipynb").symlink_to(secret / "03.ipynb")
    (given.top / "mallory").symlink_to(secret)
    (given.top / "ada" / "loop").symlink_to(given.top)
    os.mkfifo(given.top / "eve" / "01.ipynb")
    found = given({})
    assert notebooks_of(found) == [("ada", SECOND)]
    assert {name for name, _ in found.unread} == {
        "eve/03.ipynb",
        "mallory",
        "ada/loop",
        "eve/01.ipynb",
    }
    assert "link" in why(found, "mallory") and "neither" in why(found, "eve/01.ipynb")


def test_nothing_vanishes(given):
    found = given(
        {
            "ada/03.ipynb": THREE,
            "ada/notes.pdf": b"",
            "ada/.ipynb_checkpoints/03-checkpoint.ipynb": THREE,
            "__MACOSX/ada/._03.ipynb": b"",
            "bob/work.zip": b"",
            "readme.txt": b"",
        }
    )
    assert notebooks_of(found) == [("ada", SECOND)] and found.learners == ("ada", "bob")
    assert [name for name, _ in found.aside] == ["2 hidden files", "ada/notes.pdf", "readme.txt"]
    assert "unpack" in why(found, "bob/work.zip")


def test_a_learner_with_too_many_files_stops_nobody(given, monkeypatch):
    monkeypatch.setattr(intake, "MOST_FILES", 3)
    found = given(
        {**{f"mallory/{index}.ipynb": THREE for index in range(6)}, "zoe/03.ipynb": THREE}
    )
    assert notebooks_of(found) == [("mallory", SECOND), ("zoe", SECOND)] and len(found.unread) == 3


def test_a_learner_with_a_million_files_keeps_nobody_waiting(given, monkeypatch):
    monkeypatch.setattr(sources, "MOST_FILES", 20)
    found = given(
        {
            **{f"mallory/{index}/x/y.txt": b"" for index in range(30)},
            "mallory/03.ipynb": THREE,
            "zoe/03.ipynb": THREE,
        }
    )
    assert (
        notebooks_of(found)[-1] == ("zoe", SECOND)
        and "more than 20 files" in why(found, "mallory")
        and len(found.unread) == 1
    )


# ── hostile zips ───────────────────────────────────────────────────────────────────────────────────────────


def as_link(name):
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    "name",
    [
        "../../evil/03.ipynb",
        "/etc/03.ipynb",
        "C:/03.ipynb",
        "..\\..\\03.ipynb",
        "ada/../../03.ipynb",
    ],
)
def test_a_name_that_leads_out_of_the_zip(zipped, name, tmp_path):
    before = {path for path in tmp_path.parent.rglob("*") if tmp_path not in path.parents}
    found = zipped((name, THREE), ("ada/03.ipynb", THREE), ("bob/03.ipynb", THREE))
    assert notebooks_of(found) == [("ada", SECOND), ("bob", SECOND)] and "leads out" in why(
        found, name.replace("\\", "/")
    )
    assert {path for path in tmp_path.parent.rglob("*") if tmp_path not in path.parents} == before
    assert {path.name for path in tmp_path.iterdir()} == {"class.zip", "scratch"}


def test_a_name_without_end_keeps_nobody_waiting(zipped):
    found = zipped(
        ("eve/" + " (1)" * 8000 + " " * 30_000 + ".ipynb", THREE), ("ada/03.ipynb", THREE)
    )
    assert notebooks_of(found) == [("ada", SECOND)] and "characters" in found.unread[0][1]


def test_links_bombs_and_doubles_in_a_zip(zipped):
    bomb = b'{"cells": [], "x": "' + b"0" * 5_000_000 + b'"}'
    found = zipped(
        (as_link("eve/03.ipynb"), "/etc/passwd"),
        ("mallory/03.ipynb", bomb),
        ("huge/03.ipynb", b"0" * (sources.MOST_BYTES + 1)),
        ("twice/03.ipynb", ONE),
        ("twice/03.ipynb", THREE),
        ("ada/03.ipynb", THREE),
    )
    assert notebooks_of(found) == [("ada", SECOND), ("twice", SECOND)]
    assert (
        "link" in why(found, "eve/03.ipynb")
        and "bomb" in why(found, "mallory/03.ipynb")
        and "times its size" in why(found, "huge/03.ipynb")
    )
    assert "more than once" in why(found, "twice/03.ipynb")


PARTS = st.sampled_from(
    [
        "ada",
        "bob",
        "03",
        "..",
        ".",
        "",
        "a b",
        "-x",
        ".hidden",
        "__MACOSX",
        FIRST,
        "x_123456_assignsubmission_file_",
        "\n",
        "漢",
    ]
)
FILES = st.sampled_from(
    [
        "03.ipynb",
        "ada.ipynb",
        f"ada_{SECOND}.ipynb",
        "ada_12345_67890_03.ipynb",
        "x (2).ipynb",
        ".ipynb",
        "a.txt",
        "b.zip",
        "IPYNB",
        "\\",
    ]
)
CONTENTS = st.one_of(st.sampled_from([ONE, THREE, BARE, b"", b"{", b"[]"]), st.binary(max_size=20))


@hypothesis.settings(
    max_examples=60, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture]
)
@hypothesis.given(
    st.lists(st.tuples(st.lists(PARTS, max_size=3), FILES, CONTENTS), min_size=1, max_size=8)
)
def test_every_entry_of_any_zip_is_accounted_for(zipped, made):
    made.append((["zoe"], "03.ipynb", THREE))
    found = zipped(*(("/".join([*parts, file]), data) for parts, file, data in made))
    counted = [
        name
        for submission in found.submissions
        for name in ([submission.file] if submission.readable else []) + [*submission.older]
    ]  # the unreadable are unread too
    counted += [name for name, _ in (*found.unread, *found.aside) if "hidden files" not in name]
    hidden = sum(int(name.split()[0]) for name, _ in found.aside if "hidden files" in name)
    folders = sum(file == "\\" for _, file, _ in made)
    assert len(counted) + hidden + folders == len(made)
    assert all(
        submission.path.exists() and submission.learner.strip() for submission in found.submissions
    )


def test_a_zip_that_lies_about_sizes_or_is_encrypted_or_damaged(zipped):
    def encrypted(data):
        index = data.index(b"PK\x01\x02")
        return data[: index + 8] + struct.pack("<H", 1) + data[index + 10 :]

    assert "encrypted" in why(
        zipped(("eve/03.ipynb", THREE), ("ada/03.ipynb", THREE), spoil=encrypted), "eve/03.ipynb"
    )

    def damaged(data):
        index = data.index(b"eve/03.ipynb") + 20
        return (
            data[:index]
            + bytes(255 - byte for byte in data[index : index + 40])
            + data[index + 40 :]
        )

    found = zipped(("eve/03.ipynb", THREE), ("ada/03.ipynb", THREE), spoil=damaged)
    assert "unpacked" in why(found, "eve/03.ipynb") and not found.submissions[0].problems

    def understated(data):
        index = data.index(b"PK\x01\x02")
        return data[: index + 24] + struct.pack("<I", 10) + data[index + 28 :]

    found = zipped(("eve/03.ipynb", THREE), ("ada/03.ipynb", THREE), spoil=understated)
    assert found.submissions[1].problems and not found.submissions[0].problems


def test_times_of_a_zip_come_from_its_exact_field(zipped):
    info = zipfile.ZipInfo("ada/03.ipynb", (2001, 1, 1, 0, 0, 0))
    info.extra = struct.pack("<HHBi", 0x5455, 5, 1, int(NOON))
    nobody = zipfile.ZipInfo("bob/03.ipynb")  # 1980: not known
    ada, bob = zipped((info, THREE), (nobody, THREE)).submissions
    assert ada.submitted == datetime(2026, 11, 20, 12, tzinfo=UTC) and bob.submitted is None


# ── nothing to read ────────────────────────────────────────────────────────────────────────────────────────


def test_what_is_not_there_is_said_in_full(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.zip").write_bytes(b"PK\x05\x06")
    for name, words in (
        ("nowhere", "does not exist"),
        ("empty", "is empty"),
        ("a.zip", "neither a folder nor a zip"),
    ):
        with pytest.raises(NothingToGrade, match=words) as caught:
            intake.read(tmp_path / name, scratch=tmp_path / "scratch")
        assert "expected a folder or a .zip" in str(caught.value)
    with pytest.raises(NothingToGrade, match="'42'; expected one of 00"):
        intake.read(tmp_path, exercise="42", scratch=tmp_path / "scratch")


def test_the_own_output_folder_is_not_read(given):
    given({"ada/03.ipynb": THREE})
    for _ in range(2):
        found = intake.read(given.top, scratch=given.top / "graded" / "scratch")
        assert notebooks_of(found) == [("ada", SECOND)] and found.learners == ("ada",)


# ── numbers, times and looks ───────────────────────────────────────────────────────────────────────────────


def test_the_platforms_number_and_its_folder_are_kept(given):
    found = given(
        {
            f"Ada Lovelace_1000_assignsubmission_file_/{SECOND}.ipynb": THREE,
            f"bob_LATE_12345_678910_{FIRST}.ipynb": ONE,
            "eve/03.ipynb": THREE,
        }
    )
    kept = {
        submission.learner: (submission.platform, submission.number, submission.upload)
        for submission in found.submissions
    }
    assert kept == {
        "Ada Lovelace": ("moodle", "1000", "Ada Lovelace_1000_assignsubmission_file_"),
        "bob": ("canvas", "12345", f"bob_LATE_12345_678910_{FIRST}"),
        "eve": ("", "", ""),
    }


@posix
def test_names_that_look_alike_are_flagged(given):
    found = given({f"{name}/03.ipynb": THREE for name in ("ada", "ada\u200b", "\u0430da", "bob")})
    flags = {submission.learner: " ".join(submission.problems) for submission in found.submissions}
    assert all("looks like that of" in flags[learner] for learner in flags if learner != "bob")
    assert flags["bob"] == "" and r"'ada\u200b'" in flags["ada"]


def test_the_lesson_and_a_stub_take_nobodys_place(given):
    """Both may have the name of what was worked on, and be younger."""
    lesson = (SOLUTIONS.parent / "notebooks" / f"{SECOND}.ipynb").read_bytes()
    stub = (EXERCISES / f"{SECOND}.ipynb").read_bytes()
    worked_on = (SOLUTIONS / f"{SECOND}.ipynb").read_bytes()
    found = given({"ada/a.ipynb": worked_on, "ada/03.ipynb": lesson, "ada/z.ipynb": stub})
    assert [one.file for one in found.submissions] == ["ada/a.ipynb"]
    assert found.submissions[0].older == ("ada/z.ipynb",)
    assert "lesson itself" in dict(found.aside)["ada/03.ipynb"]


def test_a_folder_that_was_taken_for_a_wrapper_is_named(given):
    found = given({"mallory/ada/03.ipynb": THREE, "mallory/bob/03.ipynb": THREE})
    assert "the folder mallory" in dict(found.aside)
