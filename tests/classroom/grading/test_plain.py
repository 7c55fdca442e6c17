"""Facts about untrusted text: whatever it holds, a page, a table and a file's name stay what they are."""

from __future__ import annotations

import csv
import io
import re
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from classroom.grading import plain

NASTY = [
    "<script>alert(1)</script>",
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;http://evil\x07link\x1b]8;;\x07",
    "\x9b2J",
    "a\u202egpj.exe",
    "\u2066x\u2069",
    "=1+1",
    "＝cmd",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "a\nb",
    "`",
    "```",
    "[x](javascript:alert(1))",
    "![x](http://evil/x.png)",
    "\ud800",
    "\ufffe",
    "\0",
    "\u2028",
    "Z\u0300\u0301\u0302\u0303\u0304\u0305\u0306",
    "\U000e0041",
    "\ufeff=1",
    "\u200b=1",
    '"',
    "'",
    "&#60;",
]
TEXT = st.lists(
    st.one_of(st.sampled_from(NASTY), st.text(st.characters(codec=None), max_size=8)), max_size=6
).map("".join)


@given(TEXT, st.integers(1, 50))
@example("\x1b]0;title\x1b\\shown", 50)
def test_what_nobody_sees_is_gone_and_the_rest_is_bounded(text, length):
    words = plain.plain(text, length)
    assert len(words) <= length + 40
    for sign in words:
        assert (
            sign == "\n"
            or sign == "\t"
            or unicodedata.category(sign) not in ("Cc", "Cs", "Zl", "Zp")
        )
        assert unicodedata.bidirectional(sign) not in (
            "LRE",
            "RLE",
            "LRO",
            "RLO",
            "PDF",
            "LRI",
            "RLI",
            "FSI",
            "PDI",
        )
    words.encode("utf-8")
    assert "\n" not in plain.line(text, length) and len(plain.line(text, length)) <= length


@pytest.mark.parametrize(
    ("given_text", "left"),
    [
        ("\x1b[1;31mred\x1b[0m and \x1b[2Kgone", "red and gone"),
        ("\x1b]8;;http://evil\x07click\x1b]8;;\x07", "click"),
        ("\x9b31mred", "red"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("x\u202etxt.exe", "xtxt.exe"),
        ("naïve 漢字 עברית 👍🏽", "naïve 漢字 עברית 👍🏽"),
        ("a\tb", "a\tb"),
        ("\x1bPdata\x1b\\after", "after"),
    ],
)
def test_what_is_left(given_text, left):
    assert plain.plain(given_text) == left


def test_accents_do_not_pile_up():
    assert len(plain.plain("Z" + "\u0301" * 500)) == 1 + plain.MOST_MARKS


def test_a_cut_is_announced():
    assert plain.plain("x" * 50, 10) == "xxxxxxxxxx … (cut; 50 characters)"
    assert plain.plain("x\n" * 100, 1000, 3).startswith("x\nx\nx … (cut")
    assert plain.line("x" * 50, 10) == "x" * 9 + "…"


@given(TEXT)
def test_a_cell_is_one_cell_and_no_formula(text):
    words = plain.cell(text)
    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_NONNUMERIC).writerow([words, 1])
    assert (
        next(csv.reader(io.StringIO(out.getvalue()))) == [words, "1"]
        and "\n" not in words
        and "\r" not in words
    )
    assert not re.match(r"[\s'\"]*[=+\-@|%＝＋－＠]", words) or words.startswith("'")


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        " =1+1",
        "+1",
        "-1",
        "@x",
        "\t=1",
        "\r=1",
        "＝1",
        "\ufeff=1",
        "\u200b=1",
        "\x1b[0m=1",
        "\u3000=1",
        "'=1",
        '"=1',
        "⁺1",
        "−1",
        "|x",
    ],
)
def test_formulas_are_defused(text):
    assert plain.cell(text).startswith("'")


def test_ordinary_names_stay_as_they_are():
    for name in ("Ada Lovelace", "O'Brien", "漢字", "a=b", "1-2", ""):
        assert plain.cell(name) == name


@given(st.lists(TEXT, unique=True))
def test_file_names_are_safe_and_different(names):
    files = {name: plain.file_name(name) for name in names}
    assert len(set(files.values())) == len(files)
    for name in files.values():
        assert (
            re.fullmatch(r"[a-z0-9][a-z0-9._-]{0,59}", name)
            and not name.endswith(".")
            and not plain.RESERVED.fullmatch(name)
        )


def test_file_names_tell_people_apart_on_every_file_system():
    names = [
        "ada",
        "Ada",
        "ADA",
        "ada ",
        "con",
        "CON",
        "com1.txt",
        "..",
        ".",
        "",
        "a/b",
        "a\\b",
        "ä",
        "ae",
        "-rf",
        "ada.",
        "x" * 300,
        "x" * 301,
    ]
    files = [plain.file_name(name) for name in names]
    assert files[0] == "ada" and len({name.lower() for name in files}) == len(names)
    assert plain.file_name(plain.file_name("Ada")) != plain.file_name("Ada")
