"""The toolkit's own commands, for the course of this folder: `python -m classroom COMMAND`."""

import sys

from classroom.course import NoCourse, active, found
from classroom.launcher import commands

USAGE = """usage: python -m classroom COMMAND [OPTIONS]

  new FOLDER                      make a small course that runs, checks and grades
  lab [--port N] [--no-browser]   open JupyterLab on the first lesson
  doctor [--deep]                 name each problem of this machine and how to fix it
  build [--check]                 execute the notebooks, make exercises, tables and pages of them
  handout --out ZIP               the course without solutions, to give to learners
  grade SUBMISSIONS --out DIR     grade a folder of submissions
  site --out DIR                  the course as a static site to read; --serve opens it

All but `new` are for the course in this folder, whose `course.py` says what it is.
"""


def main(argv: list[str]) -> int:
    """Runs one command; returns the exit status (0 done, 1 a problem of this machine or course, 2
    wrong usage).
    """
    if not argv or argv[0] in ("-h", "--help", "help"):
        print(USAGE, end="")
        return 0
    command, *arguments = argv
    if command == "new":
        from classroom.authoring import new

        return new.main(arguments)
    if command not in commands.NAMES:
        print(f"There is no command {command!r}.\n\n{USAGE}", end="", file=sys.stderr)
        return 2
    try:
        use_the_course_here()
    except NoCourse as problem:
        print(problem, file=sys.stderr)
        return 1
    return commands.run(command, arguments)


def use_the_course_here() -> None:
    """Makes the course of this folder the course of the process, whatever the environment names.

    Raises NoCourse where there is none.
    """
    from pathlib import Path

    from classroom.course import use

    use(found(Path.cwd()))
    active()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
