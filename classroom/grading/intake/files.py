"""The files in a folder or a zip of submissions, looked at with suspicion: nothing is followed,
unpacked or run.
"""

from __future__ import annotations

import os
import stat
import struct
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import IO

from .notebook_json import MOST_BYTES, PIECE, Unreadable, without_outputs

MOST_FILES = 20_000
"""Below one folder of SUBMISSIONS, so that a learner with a million files keeps nobody waiting; a
zip may hold ten times that.
"""
MOST_RATIO, HARMLESS_BYTES = 200, 2**20
"""An entry of a zip that unpacks to more than this many times its size is refused, unless it is
small.
"""
MOST_NAME = 1000
"""Characters of a name in a zip, with its folders."""
LEFT_OUT = ("__MACOSX", "__pycache__")
"""And whatever begins with a dot."""


class NothingToGrade(ValueError):
    """There is nothing to read; the message says what was given, what was expected, what to do."""


class Refused(ValueError):
    """This one file is not read; the message says why."""


@dataclass(frozen=True)
class FileEntry:
    """One file: its name in parts as text, when it was last changed, and how to get its bytes
    (raises Refused).
    """

    parts: tuple[str, ...]
    when: datetime | None
    read: Callable[[], bytes]

    @property
    def name(self) -> str:
        return "/".join(self.parts)


@dataclass
class Found:
    """Content of a submission: files that may be read, (name, why) of those that may not, and the
    number of hidden ones that were left out.
    """

    entries: list[FileEntry] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    hidden: int = 0


@contextmanager
def look(submissions: Path, *, leave_out: Path | None = None) -> Iterator[Found]:
    """Everything in a folder or a zip, which stays open meanwhile; `leave_out` is a folder of ours
    that may stand inside.

    Raises NothingToGrade.
    """
    expected = (
        "expected a folder or a .zip with a folder for each learner, or with notebooks named by"
        " learner"
    )
    if not submissions.exists():
        raise NothingToGrade(
            f"{submissions} does not exist; {expected}. Give the path of what you downloaded"
        )
    with ExitStack() as open_files:
        if submissions.is_dir():
            found = _folder(submissions, _child_with(submissions, leave_out))
        elif not zipfile.is_zipfile(submissions):
            raise NothingToGrade(
                f"{submissions} is neither a folder nor a zip that can be read; {expected}"
            )
        else:
            found = _zip(open_files.enter_context(_opened(submissions)))
        if not found.entries and not found.refused:
            hidden = f" but for {found.hidden} hidden files" if found.hidden else ""
            raise NothingToGrade(f"{submissions} is empty{hidden}; {expected}")
        yield found


def _child_with(folder: Path, inside: Path | None) -> str:
    """The path of the folder's own entry in which `inside` stands; empty when it does not."""
    try:
        below = inside.resolve().relative_to(folder.resolve()).parts if inside else ()
    except ValueError:
        return ""
    return os.path.join(folder, below[0]) if below else ""


# ── a folder ──────────────────────────────────────────────────────────────────────────────────────


def _folder(top: Path, leave_out: str) -> Found:
    found = Found()
    folders: list[tuple[str, tuple[str, ...]]] = [(os.fspath(top), ())]
    count: Counter[str] = Counter()
    while folders:
        folder, above = folders.pop()
        try:
            with os.scandir(folder) as listed:
                inside = sorted(
                    islice(listed, MOST_FILES - count[above[0]] + 1) if above else listed,
                    key=lambda each: each.name,
                )
        except OSError as problem:
            found.refused.append(
                ("/".join(above), f"the folder cannot be read ({problem.strerror})")
            )
            continue
        if above:
            count[above[0]] += len(inside)
            if count[above[0]] > MOST_FILES:
                folders = [one_folder for one_folder in folders if one_folder[1][0] != above[0]]
                found.refused.append(
                    (above[0], f"more than {MOST_FILES:,} files; those beyond were not looked at")
                )
                continue
        for item in inside:
            parts = (*above, _as_text(item.name))
            if item.path == leave_out:
                continue
            if item.name.startswith(".") or item.name in LEFT_OUT:
                found.hidden += 1
            elif item.is_symlink() or getattr(item, "is_junction", bool)():
                found.refused.append(
                    (
                        "/".join(parts),
                        "a symbolic link; links are not followed, hand in the file itself",
                    )
                )
            elif item.is_dir(follow_symlinks=False):
                folders.append((item.path, parts))
            elif not item.is_file(follow_symlinks=False):
                found.refused.append(("/".join(parts), "neither a file nor a folder"))
            else:
                found.entries.append(
                    FileEntry(
                        parts,
                        _moment(item.stat(follow_symlinks=False).st_mtime),
                        partial(_bytes_of, item.path),
                    )
                )
    return found


def _as_text(name: str) -> str:
    """A file's name as text that can be written anywhere; bytes that are no UTF-8 are
    spelled out.
    """
    return os.fsencode(name).decode("utf-8", "backslashreplace") if os.name == "posix" else name


def _bytes_of(path: str) -> bytes:
    flags = (
        os.O_RDONLY
        | getattr(os, "O_NOFOLLOW", 0)
        | getattr(os, "O_NONBLOCK", 0)
        | getattr(os, "O_BINARY", 0)
    )
    try:
        with open(os.open(path, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Refused("neither a file nor a folder")
            return _bounded(file)
    except OSError as problem:
        raise Refused(f"the file cannot be read ({problem.strerror})") from None


def _bounded(file: IO[bytes]) -> bytes:
    """The bytes of a file; of a large one those of a notebook without its outputs."""
    data = file.read(MOST_BYTES + 1)
    if len(data) <= MOST_BYTES:
        return data
    try:
        return without_outputs(chain([data], iter(partial(file.read, PIECE), b"")))
    except Unreadable as problem:
        raise Refused(str(problem)) from None


def _moment(seconds: float) -> datetime | None:
    """A time in UTC; None for one that no calendar has, or that stands for an unknown one."""
    try:
        return datetime.fromtimestamp(seconds, UTC) if seconds > 0 else None
    except (ValueError, OverflowError, OSError):
        return None


# ── a zip ─────────────────────────────────────────────────────────────────────────────────────────


def _opened(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as problem:
        raise NothingToGrade(
            f"{path} cannot be read as a zip ({problem}); download it again, or unpack it"
        ) from None


def _zip(archive: zipfile.ZipFile) -> Found:
    found, infos = Found(), archive.infolist()
    if len(infos) > 10 * MOST_FILES:
        raise NothingToGrade(
            f"{archive.filename} holds more than {10 * MOST_FILES:,} files; give a zip with"
            " submissions only"
        )
    last = {_name(info): index for index, info in enumerate(infos)}
    for index, info in enumerate(infos):
        name = _name(info)
        parts = tuple(part for part in name.split("/") if part not in ("", "."))
        if info.is_dir() or name.endswith("/"):
            continue
        if why := _why_not(info, name):
            found.refused.append((name, why))
        elif any(part.startswith(".") or part in LEFT_OUT for part in parts):
            found.hidden += 1
        elif last[name] != index:
            found.refused.append(
                (name, "this name stands more than once in the zip; the last one counts")
            )
        else:
            found.entries.append(FileEntry(parts, _when(info), partial(_unpacked, archive, info)))
    return found


def _name(info: zipfile.ZipInfo) -> str:
    """The entry's name with plain slashes; some programs write UTF-8 without saying so."""
    name = info.orig_filename
    if not info.flag_bits & 0x800:
        try:
            name = name.encode("cp437").decode("utf-8")
        except UnicodeError:
            pass
    return name.replace("\\", "/").encode("utf-8", "backslashreplace").decode("utf-8")


def _why_not(info: zipfile.ZipInfo, name: str) -> str:
    """Returns the reason that an entry is not read; empty when it may be."""
    mode = info.external_attr >> 16
    if name.startswith("/") or name[1:2] == ":" or ".." in name.split("/"):
        return "its name leads out of the zip; nothing is written there, and it is not read"
    if len(name) > MOST_NAME:
        return f"its name has more than {MOST_NAME:,} characters"
    if "\0" in name:
        return "its name holds a NUL"
    if stat.S_ISLNK(mode):
        return "a symbolic link; links are not followed, hand in the file itself"
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "neither a file nor a folder"
    if info.flag_bits & 0x1:
        return "it is encrypted; hand it in without a password"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "it is packed by a method that is not read here; use the usual one (deflate)"
    if info.file_size > HARMLESS_BYTES and info.file_size > MOST_RATIO * max(1, info.compress_size):
        return f"it unpacks to more than {MOST_RATIO} times its size, as a zip bomb does"
    return ""


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    try:
        with archive.open(info) as file:
            return _bounded(file)
    except Refused:
        raise
    except Exception as problem:  # whatever the decoder raises concerns this entry alone
        raise Refused(f"it cannot be unpacked ({type(problem).__name__})") from None


def _when(info: zipfile.ZipInfo) -> datetime | None:
    """The time in the extra field, which is exact; else the zip's own, in the time zone of this
    machine.
    """
    for tag, body in _extras(info.extra):
        if tag == 0x5455 and len(body) >= 5 and body[0] & 1:
            return _moment(struct.unpack("<i", body[1:5])[0])
    try:
        moment = datetime(*info.date_time)
        return moment.astimezone(UTC) if moment.year > 1980 else None
    except (ValueError, OverflowError, OSError):
        return None


def _extras(extra: bytes) -> Iterator[tuple[int, bytes]]:
    while len(extra) >= 4:
        tag, size = struct.unpack("<HH", extra[:4])
        yield tag, extra[4 : 4 + size]
        extra = extra[4 + size :]
