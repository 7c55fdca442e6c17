"""The documents beside a capstone: which are brought along, which are named, and that the answers find them."""

from __future__ import annotations

import ast
import json
import os
import zipfile
from pathlib import Path

import nbformat
import pytest

from classroom.grading import command, intake
from classroom.grading.intake import documents
from classroom.grading.intake.answers import master, merge
from classroom.grading.intake.files import FileEntry
from classroom.grading.plan import GradingPlan
from classroom.grading.staged import StagedNotebook
from tests.places import SOLUTIONS

from .small_class import WITHOUT

posix = pytest.mark.skipif(os.name == "nt", reason="a symbolic link needs rights there")
NAME = "27_ship_yours.ipynb"
TEXT = (
    "The bakery feeds its sourdough with 50 grams of flour and 40 grams of water on each day, {}."
)
OWN = """
def own():
    return "Write a brief on sourdough", shipping.texts("documents")
"""


def hand_in(folder: Path, files: dict[str, bytes | str], name: str = NAME) -> Path:
    """A learner's folder with the capstone, whose first answer reads its documents, and files."""
    folder.mkdir(parents=True)
    notebook = nbformat.read(SOLUTIONS / NAME, 4)
    for cell in notebook.cells:
        facts = cell.metadata.get("workshop", {})
        if facts.get("id") == "27.1" and facts["role"] == "answer":
            cell.source = OWN
    nbformat.write(notebook, folder / name)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        (folder / path).write_bytes(data)
    return folder / name


def three() -> dict[str, bytes | str]:
    return {f"documents/{day}.md": TEXT.format(day) for day in ("monday", "tuesday", "sunday")}


def read(submissions: Path, tmp_path: Path) -> intake.Submission:
    (found,) = intake.read(submissions, scratch=tmp_path / "scratch").submissions
    return found


@posix
def test_texts_are_brought_along_and_all_else_is_named(tmp_path):
    secret = tmp_path / "secret.md"
    secret.write_text("the instructor's own", encoding="utf-8")
    folder = tmp_path / "class" / "ada"
    files = {
        **three(),
        "documents/deep/er.txt": "A text in a folder.",
        "documents/plan.pdf": b"%PDF",
        "documents/old.txt": b"caf\xe9",
        "documents/long.md": "x" * 200_001,
        "elsewhere/no.md": "Not below documents.",
        "run.jsonl": "{}",
    }
    hand_in(folder, files)
    os.symlink(secret, folder / "documents" / "link.md")
    os.symlink(tmp_path, folder / "documents" / "all")
    found = intake.read(tmp_path / "class", scratch=tmp_path / "scratch")
    (ada,) = found.submissions
    kept = documents.kept_beside(ada.path)
    assert [*kept] == ["deep/er.txt", "monday.md", "sunday.md", "tuesday.md"]
    flags = "\n".join(ada.problems)
    assert "documents/plan.pdf was not read: only .md, .txt, .html are read" in flags
    assert "documents/old.txt was not read: not UTF-8 (byte 3)" in flags
    assert "documents/long.md was not read: 200,001 bytes; at most 200,000 are read" in flags
    assert "documents/link.md was not read: a symbolic link" in flags
    assert "documents/all was not read: a symbolic link" in flags
    assert "the instructor's own" not in json.dumps(kept)
    aside = dict(found.aside)
    assert "earns nothing" in aside["ada/run.jsonl"] and "ada/elsewhere/no.md" in aside
    assert not [name for name in aside if "documents" in name]


def test_number_and_size_are_bounded(tmp_path):
    many = {f"documents/{number:03}.md": "A text." for number in range(70)}
    hand_in(tmp_path / "many" / "ada", many)
    ada = read(tmp_path / "many", tmp_path)
    assert len(documents.kept_beside(ada.path)) == documents.MOST_FILES
    assert "2 more files in documents/ were not read" in ada.problems
    large = {f"documents/{number}.md": "ü" * 95_000 for number in range(8)}
    hand_in(tmp_path / "large" / "ada", large)
    ada = read(tmp_path / "large", tmp_path)
    assert len(documents.kept_beside(ada.path)) == 5
    assert "all documents together have more than 1,000,000 bytes" in "\n".join(ada.problems)


def test_no_more_files_are_opened_than_may_be_kept():
    opened = []
    found = documents.Documents()
    for number in range(70):
        found.take(
            f"{number}.md", FileEntry((f"{number}.md",), None, lambda: opened.append(1) or b"\xff")
        )
    assert len(opened) == documents.MOST_FILES and len(found.left_out) == 70 and not found.texts


def test_a_zip_is_read_alike_and_a_name_that_climbs_is_not(tmp_path):
    notebook = hand_in(tmp_path / "made", {}).read_bytes()
    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for learner in ("ada", "bo"):
            archive.writestr(f"{learner}/{NAME}", notebook)
        archive.writestr("ada/documents/a.md", "A text.")
        archive.writestr("ada/documents/../../b.md", "It climbs.")
        archive.writestr(f"ada/documents/{'é' * 130}.md", "No file system takes this name.")
        archive.writestr("ada/documents/bomb.md", "x" * 30_000_000, zipfile.ZIP_DEFLATED)
    ada, bo = intake.read(tmp_path / "class.zip", scratch=tmp_path / "scratch").submissions
    assert documents.kept_beside(ada.path) == {"a.md": "A text."}
    assert not documents.kept_beside(bo.path) and not bo.documents and ada.documents
    assert "its name cannot be written on every system" in "\n".join(ada.problems)


def test_a_notebook_that_lies_alone_has_no_documents(tmp_path):
    hand_in(tmp_path / "class", three(), name=f"ada_{NAME}")
    ada = read(tmp_path / "class", tmp_path)
    assert not ada.documents


def test_another_document_is_graded_again(tmp_path):
    hand_in(tmp_path / "class" / "ada", three())
    before = read(tmp_path / "class", tmp_path)
    (tmp_path / "class" / "ada" / "documents" / "monday.md").write_text(
        "Changed.", encoding="utf-8"
    )
    after = intake.read(tmp_path / "class", scratch=tmp_path / "again").submissions[0]
    assert before.documents != after.documents and before.sha256 == after.sha256


def test_the_kernel_finds_them_also_after_it_was_ended(material):
    ours = master(NAME.removesuffix(".ipynb"))
    merged = merge(ours.solved(), ours)
    texts = {"deep/er.txt": "Grüße \r\n\U0001f35e", "a.md": "'''\\"}
    staged = StagedNotebook(merged, GradingPlan(1, course=str(material)), 3, texts)
    look = "import pathlib; print({p.as_posix(): p.read_bytes().decode() for p in sorted(pathlib.Path('documents').rglob('*.*'))})"
    try:
        for _ in range(2):
            assert staged.ready("27.1")
            printed = staged.run(look).stdout()
            assert ast.literal_eval(printed) == {
                f"documents/{name}": text for name, text in texts.items()
            }
            staged.kernel.stop()
    finally:
        staged.stop()


@pytest.mark.exhaustive
def test_a_capstone_on_files_earns_all_its_points(tmp_path):
    hand_in(tmp_path / "class" / "ada", three())
    hand_in(tmp_path / "class" / "bo", {"documents/only.md": TEXT.format("monday")})
    out = tmp_path / "out"
    options = ["--out", str(out), "--workers", "1", "--timeout", "60", *WITHOUT]
    assert command.main([str(tmp_path / "class"), *options]) == 0
    book = json.loads((out / "gradebook.json").read_text(encoding="utf-8"))
    totals = {learner["learner"]: learner["total"] for learner in book["learners"]}
    assert totals == {"ada": 14, "bo": 12}
