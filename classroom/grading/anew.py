"""The grader's own environment, without keys: a process's environment can be read until its end."""

from __future__ import annotations

import os
import re
import sys

from classroom.course import active
from classroom.launcher.environment import become

BEGUN = "GRADING_BEGUN_ANEW"
KEPT = re.compile(
    r"PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TERM|COLUMNS|LINES|NO_COLOR|TMPDIR|TMP|TEMP"
    r"|VIRTUAL_ENV|PYTHON\w*|LD_LIBRARY_PATH|DYLD_\w+|JUPYTER_\w+|CLASSROOM_COURSE|COVERAGE_\w+"
    r"|SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|APPDATA|LOCALAPPDATA|PROGRAMDATA",
    re.IGNORECASE,
)
"""The variables that grading needs; what is not named here may be a key."""
SECRET = re.compile("KEY|TOKEN|SECRET|PASSW", re.IGNORECASE)


def begin() -> None:
    """Starts this process anew without keys in its environment; returns where it was so begun."""
    if os.environ.pop(BEGUN, ""):
        return
    become([sys.executable, *sys.orig_argv[1:]], {**without_keys(os.environ), BEGUN: "1"})


def without_keys(environ: os._Environ[str] | dict[str, str]) -> dict[str, str]:
    """Returns the part of an environment that grading needs."""
    ours = active().variable("")
    return {
        name: value
        for name, value in environ.items()
        if (KEPT.fullmatch(name) or name.startswith(ours)) and not SECRET.search(name)
    }
