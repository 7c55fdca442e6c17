"""Private files: every file with prompts or replies is written by `private_file`."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import BinaryIO, Literal

OWNER_ONLY = 0o600


def private_file(path: str | Path, mode: Literal["wb", "xb", "ab", "r+b"]) -> BinaryIO:
    """Opens a file for writing that only its owner may read (mode 0600), where the system has
    modes; an existing file gets that mode. A new file ("xb") is never written through a link.
    """
    return open(Path(path), mode, opener=_owned)


def _owned(path: str, flags: int) -> int:
    file = os.open(path, flags, OWNER_ONLY)
    if hasattr(os, "fchmod") and stat.S_ISREG(os.fstat(file).st_mode):  # and no device or pipe
        with contextlib.suppress(OSError):  # somebody else's
            os.fchmod(file, OWNER_ONLY)
    return file
