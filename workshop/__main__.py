"""The launcher: `python3 -m workshop lab | test | doctor | report | build | grade | ...`.

This file must parse on every Python, so that an old one gets a sentence instead of a SyntaxError;
that is why its syntax is old-fashioned and its text plain ASCII.
"""

import sys

USAGE = """usage: python3 -m workshop COMMAND [OPTIONS]

  lab [--port N] [--no-browser]   set everything up and open JupyterLab on lesson 00 (--help: all)
  test [--all] [PYTEST OPTIONS]   set everything up and run the tests; with --all the slow ones too
  doctor [--deep]                 name each problem of this machine and how to fix it
  doctor --live                   ask the configured model five short things: what it can do
  report LOG [--out HTML]         the build report of a run, from the log that it saved
  oncall TICKET                   a desk finds the bug of a small shop (T-21 T-31 T-40 T-44 T-52)
  build [--check]                 for maintainers: re-execute the notebooks, regenerate exercises
  handout --out ZIP               for instructors: the course without solutions, to give to learners
  corpus FOLDER --out DIR         for instructors: a copy of the course around your own documents
  site --browser --serve          build the course for a browser's tab and open it (needs Node.js)
  grade SUBMISSIONS --out DIR     grade a folder of submissions
"""
COMMANDS = (
    *("lab", "test", "doctor", "report", "oncall"),
    *("build", "handout", "corpus", "site", "grade"),
)
OLDEST_PYTHON = (3, 11)


def version_complaint(version):
    """One line for a Python that is too old, "" for one that will do."""
    if tuple(version[:2]) >= OLDEST_PYTHON:
        return ""
    return (
        "The workshop needs Python 3.11 or newer; this is Python "
        + ".".join(str(part) for part in version[:2])
        + ". Install a newer one (python.org, or your system's packages) and start again with it, "
        "for example: python3.12 -m workshop lab"
    )


def main(argv):
    """Run one command; returns the exit status (0 done, 1 a problem of this machine, 2 wrong
    usage).
    """
    complaint = version_complaint(sys.version_info)
    if complaint:
        sys.stderr.write(complaint + "\n")
        return 1
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(
                errors="replace"
            )  # a terminal without UTF-8 must not end in a traceback
    if not argv or argv[0] in ("-h", "--help", "help"):
        sys.stdout.write(USAGE)
        return 0
    if argv[0] not in COMMANDS:
        sys.stderr.write("There is no command " + repr(argv[0]) + ".\n\n" + USAGE)
        return 2
    from classroom.launcher import commands  # only now: it uses the syntax of Python 3.11

    return commands.run(argv[0], argv[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
