"""The extension of a kernel that no launcher started: the course's own packages bring it."""

from __future__ import annotations

import subprocess
import sys

from tests.places import ROOT

PROGRAM = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_cell("import workshop.checks")
print("classroom.notebook.cells" in shell.extension_manager.loaded)
shell.run_cell("%load_ext classroom.notebook.cells")
"""


def ran(program):
    return subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, encoding="utf-8"
    )


def test_a_kernel_of_another_program_gets_the_extension_once():
    ended = ran(PROGRAM)
    assert ended.stdout.splitlines() == [
        "True",
        "The classroom.notebook.cells extension is already loaded. To reload it, use:",
        "  %reload_ext classroom.notebook.cells",
    ], ended.stderr


def test_a_program_that_is_no_kernel_is_left_alone():
    program = "import sys, workshop; print('classroom.notebook.cells' in sys.modules)"
    assert ran(program).stdout == "False\n"
    assert ran(f"import IPython; {program}").stdout == "True\n", "loaded, and without a kernel idle"
