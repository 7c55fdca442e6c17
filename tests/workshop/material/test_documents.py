"""Facts about any folder of documents: what is read, what is named, what of a page is text."""

from __future__ import annotations

import os

import pytest

from kernel.plumbing.search import CorpusError
from workshop.material import documents
from workshop.material.documents import read_folder, text_of
from workshop.material.shipping import GARDEN


def test_the_garden_is_read_and_what_is_not_is_named():
    folder = read_folder(GARDEN)
    assert [*folder.library.documents] == ["beds", "compost", "minutes-2026-03", "water"]
    assert [*folder.unread] == ["bees-2019.txt", "seating-plan.pdf"]
    assert "not UTF-8 (byte 12)" in folder.unread["bees-2019.txt"]
    minutes = folder.library.documents["minutes-2026-03"]
    assert minutes.title == "Minutes of the meeting, March 2026"
    assert "480 euros & holds" in minutes.text and "closed" not in minutes.text


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.docx", b"PK", "only .md, .txt, .html are read"),
        ("README", b"text", "no ending"),
        ("a.txt", b"\xff\xfea", "not UTF-8 (byte 0)"),
        ("a.md", b" \n", "holds no text"),
        ("a.html", b"<script>alert(1)</script>", "holds no text"),
        ("a.txt", b"x" * 2_000_001, "at most 2,000,000 are read"),
    ],
)
def test_each_file_that_is_not_read_has_its_reason(tmp_path, name, content, why):
    (tmp_path / name).write_bytes(content)
    (tmp_path / "good.md").write_text("# Good\n\nA text.", encoding="utf-8")
    folder = read_folder(tmp_path)
    assert len(folder.library) == 1 and why in folder.unread[name]


def test_two_documents_of_one_id_and_links_are_named(tmp_path):
    for name in ("a.md", "a.txt"):
        (tmp_path / name).write_text("A text.", encoding="utf-8")
    if hasattr(os, "symlink") and os.name == "posix":
        (tmp_path / "z.md").symlink_to(tmp_path / "a.md")
    unread = read_folder(tmp_path).unread
    assert "another document has the id 'a'" in unread["a.txt"]
    assert "z.md" not in unread or "a link" in unread["z.md"]


def test_hidden_files_are_left_out_and_folders_go_into_the_id(tmp_path):
    for name in (".git/x.md", "sub/.y.md", "sub/z.md"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("A text.", encoding="utf-8")
    folder = read_folder(tmp_path)
    assert [*folder.library.documents] == ["sub-z"] and not folder.unread


def test_what_is_no_folder_or_holds_nothing_gets_a_sentence(tmp_path, monkeypatch):
    with pytest.raises(CorpusError, match="is not a folder"):
        read_folder(tmp_path / "none")
    (tmp_path / "a.pdf").write_bytes(b"%PDF")
    with pytest.raises(CorpusError, match=r"no document .* can be read(.|\n)*a\.pdf: \.pdf: only"):
        read_folder(tmp_path)
    monkeypatch.setattr(documents, "MOST_FILES", 0)
    with pytest.raises(CorpusError, match="name a smaller folder"):
        read_folder(tmp_path)


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>a<p>b", "a\nb"),
        ("<p>a<b>b</b> &lt;c&gt;</p>", "ab <c>"),
        ("<title>T</title><h1>T</h1><p>x</p>", "# T\n\nx\n"),
        ("<style>p{}</style>x<noscript>y</noscript>", "x"),
        ("x<div hidden>y<p>z</p></div>w", "x\nw"),
        ('x<span style="display: none">y</span>z', "xz"),
        ("x<p hidden>y<br>z</p>w", "x\nw"),
        ("<head><title>T</title><body>x", "# T\n\nx\n"),
        ("no tags at all", "no tags at all"),
        ("a < b", "a < b"),
    ],
)
def test_the_text_of_a_page_is_what_a_reader_sees(page, text):
    assert text_of(page) == text
