"""A class that comes as a zip with ways out, a bomb, a link: who is honest in it has a mark, and nothing is unpacked."""

from __future__ import annotations

import json
from pathlib import Path

from classroom.grading import command

from .files import archive

REFUSED = {
    "../../was-unpacked": "leads out",
    "/tmp/was-unpacked": "leads out",
    "slip/../..": "leads out",
    "bomb": "unpacks to more",
    "linked": "symbolic link",
    "doubled": "more than once",
}


def test_what_is_not_read_is_listed_and_unpacks_nothing(tmp_path: Path, table_engine) -> None:
    """Of a name that stands twice, the last counts, as it does for whoever unpacks the archive; a name that leads
    out of the archive is nobody's."""
    archive(tmp_path / "class.zip")
    assert command.main([str(tmp_path / "class.zip"), "--out", str(tmp_path / "out")]) == 0
    book = json.loads((tmp_path / "out" / "gradebook.json").read_text(encoding="utf-8"))
    totals = {learner["learner"]: learner["total"] for learner in book["learners"]}
    assert totals == {"honest": 12, "doubled": 12, "bomb": 0, "linked": 0}
    why = {file["file"]: file["why"] for file in book["unread"]}
    for part, words in REFUSED.items():
        assert [name for name in why if name.startswith(part) and words in why[name]], part
    assert not Path("/tmp/was-unpacked").exists()
    assert not list(tmp_path.parent.rglob("was-unpacked"))
