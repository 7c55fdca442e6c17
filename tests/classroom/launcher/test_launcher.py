"""The launcher: what it notices, what it repairs, and the one line that it says when it cannot."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from classroom import course
from classroom.launcher import commands, doctor, environment, lab, saved
from classroom.launcher.copies import Copies
from classroom.launcher.environment import Environment, SetupFailed, prepare
from classroom.launcher.saved import keep_widget_state
from classroom.notebook import cells as workshop_cells
from tests.places import ROOT
from workshop import __main__ as entry
from workshop.course import COURSE
from workshop.launcher import commands as own_commands
from workshop.launcher import findings as own

LESSONS = ("requirements.lock",)
FIRST_LESSON = "my-work/notebooks/00_start_here.ipynb"
EVERYTHING = ("requirements.lock", "tests/requirements.lock")
LOCK = """\
# a comment
httpx==0.28.1 \\
    --hash=sha256:00 \\
    --hash=sha256:01
    # via nothing
colorama==0.4.6 ; sys_platform == 'win32' \\
    --hash=sha256:02
"""
PINS = ["colorama==0.4.6 ; sys_platform == 'win32'", "httpx==0.28.1"]
OFFLINE = "ERROR: Could not find a version\nFailed to establish a new connection: [Errno 111] Connection refused"


@dataclass
class Machine:
    """Stands in for the installers: keeps what was run, makes the folders that they would make."""

    env: Environment
    python: str = "3.12"
    failing: dict[str, str] = field(
        default_factory=dict
    )  # a word of the command → what it says when it fails
    ran: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    programs: tuple[str, ...] = ()

    def run(self, command: list[str], folder: Path) -> tuple[int, str]:
        line = " ".join(command)
        if "sys.version_info" in line:
            return (0, self.python + "\n") if self.env.python.exists() else (127, "no such file")
        self.ran.append(line)
        for word, output in self.failing.items():
            if word in line:
                if output == "Ctrl-C":
                    raise KeyboardInterrupt
                return 1, output
        if "venv" in command:
            self.env.python.parent.mkdir(parents=True)
            self.env.python.touch()
            (self.env.folder / "pyvenv.cfg").touch()
        return 0, ""

    def prepare(self, files: tuple[str, ...] = LESSONS) -> None:
        self.ran.clear()
        self.messages.clear()
        prepare(
            self.env,
            files,
            run=self.run,
            say=self.messages.append,
            which=lambda name: name if name in self.programs else None,
        )

    def pins(self) -> list[str]:
        """What the one installation that was run has installed."""
        [line] = [line for line in self.ran if " -r " in line]
        assert line.endswith(f" --no-deps -r {self.env.folder / 'pins.txt'} -e .")
        return (self.env.folder / "pins.txt").read_text(encoding="utf-8").splitlines()


@pytest.fixture
def machine(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "requirements.lock").write_text(LOCK, encoding="utf-8")
    (tmp_path / "tests" / "requirements.lock").write_text("httpx==0.28.1\npytest==9.2.0\n")
    return Machine(Environment(tmp_path))


# ---------------------------------------------------------------- a sound machine


def test_a_fresh_machine_gets_the_versions_of_the_lock_and_one_line_while_it_waits(machine):
    machine.prepare()
    assert machine.pins() == PINS
    assert machine.messages[0].startswith("Setting up (once")


def test_a_second_start_installs_nothing_and_says_nothing(machine):
    machine.prepare()
    machine.prepare()
    assert (machine.ran, machine.messages) == ([], [])


def test_the_packages_of_the_tests_are_added_to_the_same_environment_or_come_with_the_rest(machine):
    machine.prepare()
    machine.prepare(EVERYTHING)
    assert machine.pins() == ["httpx==0.28.1", "pytest==9.2.0"]
    machine.prepare(EVERYTHING)
    assert machine.ran == []
    shutil.rmtree(machine.env.folder)
    machine.prepare(EVERYTHING)
    assert machine.pins() == [*PINS, "pytest==9.2.0"]


def test_a_file_that_is_no_lock_is_installed_with_all_that_it_needs(machine):
    (machine.env.root / "site.txt").write_text("pagefind\n", encoding="utf-8")
    machine.prepare((*LESSONS, "site.txt"))
    locked, resolved = [line for line in machine.ran if " -r " in line]
    assert "--no-deps" in locked
    assert "--no-deps" not in resolved and resolved.endswith(" -r site.txt")


def test_uv_is_used_when_it_is_there_and_pip_when_uv_fails(machine):
    machine.programs = ("uv",)
    machine.prepare()
    assert all(line.startswith("uv ") for line in machine.ran)
    machine.env.stamp_file.unlink()
    machine.failing = {"uv pip": "error sending request"}
    machine.prepare()
    assert "-m pip install" in machine.ran[-1]


def test_only_a_changed_lock_is_installed_again(machine):
    machine.prepare(EVERYTHING)
    lock = machine.env.root / "requirements.lock"
    lock.write_text(LOCK.replace("\n", "\r\n"), encoding="utf-8", newline="")
    machine.prepare(EVERYTHING)
    assert machine.ran == [], "line ends are no change"
    lock.write_text(LOCK + "idna==3.0\n", encoding="utf-8")
    machine.prepare(EVERYTHING)
    assert machine.pins() == [PINS[0], PINS[1], "idna==3.0"]
    assert "requirements.lock has changed" in machine.messages[0]


def test_an_environment_of_somebodys_own_is_completed_not_deleted(machine):
    machine.run(["python", "-m", "venv"], machine.env.root)
    theirs = machine.env.folder / "theirs.txt"
    theirs.touch()
    machine.prepare()
    assert theirs.exists()
    assert machine.pins() == PINS


# ---------------------------------------------------------------- broken and half-made


def broken_by_moving(machine):
    stamp = machine.env.read_stamp()
    machine.env.stamp_file.write_text(json.dumps({**stamp, "root": "/elsewhere"}), encoding="utf-8")


def broken_by_deleting_its_python(machine):
    machine.env.python.unlink()


def broken_by_another_python(machine):
    machine.python = "3.13"


def broken_by_an_unreadable_stamp(machine):
    machine.env.stamp_file.write_text('{"ro', encoding="utf-8")


def broken_by_an_empty_folder(machine):
    shutil.rmtree(machine.env.folder)
    machine.env.folder.mkdir()


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (broken_by_moving, "the folder was moved or copied"),
        (broken_by_deleting_its_python, "it has no Python"),
        (broken_by_another_python, "its Python changed from 3.12 to 3.13"),
        (broken_by_an_unreadable_stamp, "its stamp cannot be read"),
        (broken_by_an_empty_folder, "it has no Python"),
    ],
)
def test_a_broken_environment_is_named_with_its_repair_and_nothing_is_deleted(
    machine, damage, reason
):
    machine.prepare()
    damage(machine)
    with pytest.raises(SetupFailed) as failure:
        machine.prepare()
    assert str(failure.value).startswith(f"The environment in .venv cannot be used: {reason}. ")
    assert f"'{machine.env.folder}'), start again." in str(failure.value)
    assert machine.ran == []
    shutil.rmtree(machine.env.folder)
    machine.python = "3.12"
    machine.prepare()
    assert machine.pins() == PINS


def test_an_interrupted_set_up_is_taken_up_again(machine):
    machine.failing = {"pip install": "Ctrl-C"}
    with pytest.raises(KeyboardInterrupt):
        machine.prepare()
    machine.failing = {}
    machine.prepare()
    assert machine.pins() == PINS


# ---------------------------------------------------------------- what cannot be repaired is said in one line


@pytest.mark.parametrize(
    ("output", "words"),
    [
        (OFFLINE, "the package index cannot be reached. Connect this machine to the network"),
        ("OSError: [Errno 28] No space left on device", "the disk is full. Free 1 GB"),
        ("SSLError(CERTIFICATE_VERIFY_FAILED)", "certificate is not trusted"),
        ("PermissionError: [Errno 13] Permission denied", "the folder cannot be written"),
    ],
)
def test_a_failed_installation_is_one_line_with_its_remedy(machine, output, words):
    machine.failing = {"pip install": output}
    with pytest.raises(SetupFailed) as failure:
        machine.prepare()
    assert str(failure.value).startswith("Installing the packages failed: ")
    assert words in str(failure.value)
    assert "\n" not in str(failure.value)


def test_an_unknown_failure_shows_the_installers_last_lines_only(machine):
    machine.failing = {"pip install": "\n".join(f"line {number}" for number in range(100))}
    with pytest.raises(SetupFailed, match="last lines of its output") as failure:
        machine.prepare()
    assert str(failure.value).endswith("line 99")
    assert "line 80" not in str(failure.value)


def test_an_update_that_fails_is_tried_again(machine):
    machine.prepare()
    (machine.env.root / "requirements.lock").write_text("httpx==0.29\n", encoding="utf-8")
    machine.failing = {"pip install": OFFLINE}
    with pytest.raises(SetupFailed):
        machine.prepare()
    machine.failing = {}
    machine.prepare()
    assert machine.pins() == ["httpx==0.29"]


def test_a_python_without_a_complete_venv_names_the_package_to_install(machine, monkeypatch):
    monkeypatch.setattr(
        environment.importlib.util,
        "find_spec",
        lambda name: None if name == "ensurepip" else object(),
    )
    with pytest.raises(
        SetupFailed, match=r"sudo apt install python3\.\d+-venv.*or install uv"
    ) as failure:
        machine.prepare()
    assert "\n" not in str(failure.value)


def test_a_copy_without_requirements_is_named_as_incomplete(machine):
    (machine.env.root / "requirements.lock").unlink()
    with pytest.raises(
        SetupFailed, match=r"has no requirements\.lock: run this from a complete copy"
    ):
        machine.prepare()


def test_a_command_that_fails_to_set_up_ends_with_status_1_and_no_traceback(monkeypatch, capsys):
    def fail(argv, files):
        raise SetupFailed("the reason")

    monkeypatch.setattr(environment, "settle", fail)
    assert commands.run("lab", []) == 1
    assert capsys.readouterr().err == "the reason\n"


def test_two_starts_at_once_take_turns(machine, tmp_path):
    waiting, order = threading.Event(), []

    def second():
        with environment.one_at_a_time(tmp_path / "requirements.lock", lambda line: waiting.set()):
            order.append("second")

    other = threading.Thread(target=second)
    with environment.one_at_a_time(tmp_path / "requirements.lock", lambda line: pytest.fail(line)):
        other.start()
        assert waiting.wait(10), "the second start says that it waits"
        order.append("first")
    other.join(10)
    assert order == ["first", "second"]


# ---------------------------------------------------------------- the way in


def test_a_child_keeps_its_bytecode_and_reaches_this_machine_past_a_proxy(machine):
    given = {
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHOME": "/x",
        "HTTP_PROXY": "http://proxy",
        "NO_PROXY": "intra",
        "PATH": "/bin",
    }
    child = environment.child_environ(machine.env, given)
    assert "PYTHONDONTWRITEBYTECODE" not in child
    assert "PYTHONHOME" not in child
    assert child["NO_PROXY"] == child["no_proxy"] == "intra,localhost,127.0.0.1,::1"
    assert child["PATH"].split(os.pathsep)[0] == str(machine.env.python.parent)


def test_with_the_flag_the_current_python_is_used_as_it_is(monkeypatch):
    monkeypatch.setenv("WORKSHOP_NO_VENV", "1")
    monkeypatch.setattr(
        environment, "prepare", lambda *given: pytest.fail("nothing must be installed")
    )
    environment.settle(["lab"], LESSONS)


def test_an_environment_that_does_not_lead_inside_is_not_entered_twice(monkeypatch, machine):
    monkeypatch.delenv("WORKSHOP_NO_VENV", raising=False)
    monkeypatch.setenv("WORKSHOP_ARRIVED", "1")
    monkeypatch.setattr(course, "_chosen", [replace(COURSE, root=machine.env.root)])
    monkeypatch.setattr(environment, "prepare", lambda env, files: None)
    with pytest.raises(SetupFailed, match="Delete that folder, start again"):
        environment.settle(["lab"], LESSONS)


@pytest.mark.parametrize("version", [(2, 7, 18), (3, 6, 15), (3, 10, 13)])
def test_an_old_python_gets_a_sentence(version):
    line = entry.version_complaint(version)
    assert f"3.11 or newer; this is Python {version[0]}.{version[1]}." in line
    assert "\n" not in line


def test_the_entry_parses_on_old_pythons():
    for file in ("__main__.py", "__init__.py"):
        source = Path(entry.__file__).with_name(file).read_text(encoding="ascii")
        ast.parse(source, feature_version=(3, 6))
        assert "annotations" not in source and not any(
            isinstance(node, ast.JoinedStr) for node in ast.walk(ast.parse(source))
        )


def test_wrong_usage_is_answered_with_the_usage_and_status_2(capsys):
    assert entry.main(["nonsense"]) == 2
    assert "There is no command 'nonsense'" in capsys.readouterr().err
    assert entry.main([]) == 0
    assert "usage: python3 -m workshop" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "where"),
    [
        ([], ["tests", *own_commands.TOGETHER]),
        (["-k", "kernel"], ["tests", *own_commands.TOGETHER]),
        (["tests/classroom/launcher/test_launcher.py::x"], []),
        (["tests"], []),
        (["--all", "tests/kernel"], own_commands.TOGETHER),
        (["--all", "--part", "1/2"], ["tests", *own_commands.TOGETHER, "-p", "tests.parts"]),
    ],
)
def test_pytest_runs_over_all_tests_unless_a_path_is_named(monkeypatch, argv, where):
    started = []
    monkeypatch.setattr(
        environment, "become", lambda command, environ, folder: started.append((command, environ))
    )
    monkeypatch.setattr(lab, "jupyter_environment", lambda root, environ: {})
    own_commands.run_tests(argv)
    command, environ = started[0]
    assert command[1:] == ["-m", "pytest", *where, *argv]
    assert environ["PYTHONHASHSEED"].isdigit()


# ---------------------------------------------------------------- JupyterLab


def test_jupyter_has_folders_of_its_own_that_git_does_not_see(tmp_path):
    given = {
        "JUPYTER_TOKEN": "x",
        "JUPYTER_PATH": "/theirs",
        "IPYTHONDIR": "/theirs",
        "JUPYTERHUB_USER": "kept",
    }
    environ = lab.jupyter_environment(tmp_path, given)
    own = {
        name: Path(value)
        for name, value in environ.items()
        if name.startswith(("JUPYTER_", "JUPYTERLAB_", "IPYTHON"))
    }
    assert {
        "JUPYTER_CONFIG_DIR",
        "JUPYTERLAB_SETTINGS_DIR",
        "JUPYTERLAB_WORKSPACES_DIR",
        "IPYTHONDIR",
    } <= set(own)
    assert all(
        folder.is_dir() and folder.is_relative_to(tmp_path / ".jupyter") for folder in own.values()
    )
    assert environ["JUPYTERHUB_USER"] == "kept"
    assert (tmp_path / ".jupyter" / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_the_quiet_settings_are_the_ones_that_jupyterlab_reads(tmp_path):
    environ = lab.jupyter_environment(tmp_path, {**os.environ})
    code = "import json, sys; from jupyterlab_server.settings_utils import _get_overrides; print(json.dumps(_get_overrides('')[0]))"
    output = subprocess.run(
        [sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=True
    ).stdout
    defaults = json.loads(output)
    assert defaults["@jupyterlab/apputils-extension:notification"] == {
        "fetchNews": "false",
        "checkForUpdates": False,
    }
    assert defaults["@jupyter-widgets/jupyterlab-manager:plugin"] == {"saveState": True}


def test_what_is_saved_passes_the_workshops_hook_and_nothing_is_warned_of(tmp_path, recwarn):
    from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
    from traitlets.config import PyFileConfigLoader

    lab.jupyter_environment(tmp_path, {})
    folder = tmp_path / ".jupyter" / "config"
    config = PyFileConfigLoader("jupyter_server_config.py", str(folder)).load_config()
    manager = AsyncLargeFileManager(config=config)
    assert manager.pre_save_hook is keep_widget_state
    assert [str(warning.message) for warning in recwarn] == []


def test_a_control_whose_state_was_never_saved_is_saved_as_its_text(tmp_path):
    def shown(id):
        data = {saved.VIEW: {"model_id": id}, "text/plain": f"Predict: {id}"}
        return nbformat.v4.new_code_cell(outputs=[nbformat.v4.new_output("display_data", data)])

    def with_state(*ids):
        states = {saved.STATE: {"state": {id: {} for id in ids}}}
        cells = [shown(id) for id in ("kept", "new", "lost")]
        return nbformat.v4.new_notebook(cells=cells, metadata={"widgets": states})

    nbformat.write(with_state("kept"), tmp_path / "lesson.ipynb")
    model = {"type": "notebook", "content": with_state("new")}
    keep_widget_state(model, "lesson.ipynb", SimpleNamespace(root_dir=tmp_path))
    kept, new, lost = (cell.outputs[0].data for cell in model["content"].cells)
    assert set(model["content"].metadata.widgets[saved.STATE]["state"]) == {"kept", "new"}
    assert saved.VIEW in kept and saved.VIEW in new and saved.VIEW not in lost
    assert lost["text/plain"] == f"Predict: lost\n\n{saved.LOST}"


def test_lab_opens_on_the_first_lesson_and_asks_no_question_at_the_end(tmp_path):
    (tmp_path / FIRST_LESSON).parent.mkdir(parents=True)
    words = lab.options_of_jupyterlab(tmp_path, lab.options([]), as_root=False)
    assert "--LabApp.default_url=/lab" in words, "a copy without lessons still opens"
    (tmp_path / FIRST_LESSON).touch()
    words = lab.options_of_jupyterlab(
        tmp_path, lab.options(["--port", "0", "--no-browser"]), as_root=True
    )
    assert "--LabApp.default_url=/lab/tree/my-work/notebooks/00_start_here.ipynb" in words
    assert {
        "--ServerApp.answer_yes=True",
        "--ServerApp.port=0",
        "--no-browser",
        "--allow-root",
    } <= set(words)


@pytest.mark.parametrize("port", ["-1", "70000", "http"])
def test_a_port_that_is_none_is_refused_before_anything_is_installed(port, capsys, monkeypatch):
    monkeypatch.setattr(
        environment, "settle", lambda *given: pytest.fail("nothing must be installed")
    )
    with pytest.raises(SystemExit) as end:
        commands.run("lab", [f"--port={port}"])
    assert end.value.code == 2
    assert "is not a port" in capsys.readouterr().err


def test_an_address_is_handed_on_and_a_word_that_is_none_is_refused(tmp_path, capsys):
    chosen = lab.options(["--ip", "0.0.0.0"])
    words = lab.options_of_jupyterlab(tmp_path, chosen, as_root=False)
    assert "--ServerApp.ip=0.0.0.0" in words
    [sentence] = lab.reachable(chosen.ip)
    assert "can run code here" in sentence
    assert lab.reachable("127.0.0.1") == lab.reachable(None) == []
    with pytest.raises(SystemExit):
        lab.options(["--ip", "everywhere"])
    assert "'everywhere' is not an address" in capsys.readouterr().err


def test_lessons_are_signed_once_and_other_notebooks_never(tmp_path):
    import nbformat
    from nbformat.sign import NotebookNotary

    (tmp_path / "notebooks").mkdir()
    lab.jupyter_environment(tmp_path, {})
    for name, text in (("00_start_here", "lesson"), ("found_on_the_net", "stranger")):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell(text, id="a")])
        nbformat.write(notebook, tmp_path / "notebooks" / f"{name}.ipynb")
    (tmp_path / "notebooks" / "01_broken.ipynb").write_text("{", encoding="utf-8")
    lab.trust_lessons(tmp_path)

    notary = NotebookNotary(data_dir=str(tmp_path / ".jupyter" / "data"))
    trusted = {
        name: notary.check_signature(
            nbformat.read(tmp_path / "notebooks" / f"{name}.ipynb", as_version=4)
        )
        for name in ("00_start_here", "found_on_the_net")
    }
    notary.store.close()
    assert trusted == {"00_start_here": True, "found_on_the_net": False}


def test_a_port_that_is_taken_is_reported_also_when_it_was_asked_for(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        for asked, usual in ((port, 1), (None, port)):
            monkeypatch.setattr(lab, "USUAL_PORT", usual)
            [sentence] = lab.taken(asked)
            assert sentence.startswith(f"Port {port} is taken") and "next free one" in sentence
    assert lab.taken(port) == []


def test_a_long_set_up_says_how_far_it_is_and_a_short_one_nothing(tmp_path):
    texts = []
    packages = tmp_path / "packages"
    packages.mkdir()
    (packages / "pip-1.dist-info").mkdir()
    env = SimpleNamespace(packages_folders=lambda: [packages])
    code = "import time\nprint('Collecting one-more\\nCollecting two==2.0', flush=True)\n"
    code += f"import pathlib\npathlib.Path({str(packages)!r}, 'two-2.dist-info').mkdir()"
    code += "\ntime.sleep(0.5)"
    run = environment.SetUpProgress(env, texts.append, every_s=0.2)
    status, output = run([sys.executable, "-c", "import time; time.sleep(0.5)"], tmp_path)
    assert status == 0 and texts[0].endswith(" s")
    status, output = run([sys.executable, "-c", code, "install"], tmp_path)
    assert status == 0 and "Collecting two" in output
    assert texts[-1].endswith(" s, 2 packages fetched, 2 installed")
    seconds = [int(re.search(r"(\d+) s", line)[1]) for line in texts]
    assert seconds == sorted(seconds), "the seconds are those since the set-up began"
    quick = environment.SetUpProgress(env, texts.clear)
    assert quick([sys.executable, "-c", "pass"], tmp_path) == (0, "")
    assert quick(["no such program"], tmp_path)[0] == 127


def test_the_test_command_ends_with_a_count_and_names_what_is_left(tmp_path):
    code = (
        "import pytest\ndef test_a(): pass\n@pytest.mark.exhaustive\ndef test_b(): pass\n"
        "def test_c(): pytest.skip('no tab here')\n"
    )
    (tmp_path / "test_these.py").write_text(code, encoding="utf-8")
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for options, ending in (
        ([], "The quick form: 1 passed, 0 failed, 1 skipped, 1 left to `python3 -m workshop test"),
        (["--all"], "Everything: 2 passed, 0 failed, 1 skipped."),
    ):
        command = [sys.executable, "-m", "pytest", "-p", "no:randomly", str(tmp_path), *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0 and ending in done.stdout, done.stdout
        assert done.stdout.count("Skipped 1: no tab here") == 1
        assert ": runs with" not in done.stdout


def test_the_tests_of_the_edition_for_a_tab_install_what_it_needs_when_they_are_named(monkeypatch):
    needed = []
    monkeypatch.setattr(environment, "settle", lambda argv, files: needed.append(files))
    monkeypatch.setattr(own_commands, "run_tests", lambda argv: 0)
    assert (ROOT / own_commands.EDITION).is_file()
    for argv in (["--all"], ["--all", own_commands.EDITION], [f"{own_commands.EDITION}::test_one"]):
        assert commands.run("test", argv) == 0
    everything = commands.BUILDING_NEEDS + commands.SITE_NEEDS
    assert needed == [commands.BUILDING_NEEDS, everything, everything]


# ---------------------------------------------------------------- the learner's copies


@pytest.fixture
def clone(tmp_path):
    """A clone with a lesson that asks for a prediction, and an exercise."""
    cells = [
        nbformat.v4.new_markdown_cell(
            "[map](MAP.md) [next](01_next.ipynb#Way) [text](../kernel/core/run.py#L1) [here](#x) "
            "[do](../exercises/00_start_here.ipynb) [far](https://example.org/a.ipynb) `t[0](x.md)`"
        ),
        nbformat.v4.new_code_cell("1", outputs=[stream("1")]),
        nbformat.v4.new_code_cell("order = predict('Which?', 'a', 'b')", outputs=[stream("ask")]),
        nbformat.v4.new_code_cell("run()", execution_count=3, outputs=[stream("the answer is a")]),
        nbformat.v4.new_code_cell("order.reveal('a')", outputs=[stream("It was a")]),
        nbformat.v4.new_code_cell("2", outputs=[stream("2")]),
    ]
    for place in ("notebooks", "exercises"):
        (tmp_path / place).mkdir()
        put(tmp_path / place / "00_start_here.ipynb", cells)
    put(tmp_path / "notebooks" / "01_next.ipynb", cells[:1])
    (tmp_path / "notebooks" / "MAP.md").write_text(
        "[00](00_start_here.ipynb) [grading](GRADING.md)", encoding="utf-8"
    )
    return tmp_path


def stream(text):
    return nbformat.v4.new_output("stream", name="stdout", text=text)


def put(path, cells):
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)


def change(path, word):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells.append(nbformat.v4.new_markdown_cell(word))
    nbformat.write(notebook, path)


def test_a_copy_holds_no_answer_before_its_question_and_the_original_is_complete(clone):
    before = (clone / "notebooks" / "00_start_here.ipynb").read_bytes()
    Copies(clone).refresh()
    copy = nbformat.read(clone / "my-work" / "notebooks" / "00_start_here.ipynb", as_version=4)
    outputs = [
        [output.text for output in cell.outputs] for cell in copy.cells if cell.cell_type == "code"
    ]
    assert outputs == [["1"], ["ask"], [], [], ["2"]] and copy.cells[3].execution_count is None
    assert (clone / "notebooks" / "00_start_here.ipynb").read_bytes() == before


def test_links_lead_from_a_copy_to_copies_and_to_the_repository(clone):
    Copies(clone).refresh()
    folder = clone / "my-work" / "notebooks"
    text = nbformat.read(folder / "00_start_here.ipynb", as_version=4).cells[0].source
    assert text == (
        "[map](MAP.md) [next](01_next.ipynb#Way) [text](../../kernel/core/run.py#L1) [here](#x) "
        "[do](../exercises/00_start_here.ipynb) [far](https://example.org/a.ipynb) `t[0](x.md)`"
    )
    page = (folder / "MAP.md").read_text(encoding="utf-8")
    assert page == "[00](00_start_here.ipynb) [grading](../../notebooks/GRADING.md)"


def test_a_newer_lesson_is_put_beside_the_learners_own_and_never_over_it(clone):
    copies, original = Copies(clone), clone / "notebooks" / "00_start_here.ipynb"
    mine = clone / "my-work" / "notebooks" / "00_start_here.ipynb"
    copies.refresh()
    assert copies.refresh() == [] and copies.written == [], "nothing changed, nothing is written"
    change(mine, "my own thought")
    own = mine.read_bytes()
    change(original, "newer")
    [sentence] = copies.refresh()
    newer = mine.with_name("00_start_here.newer.ipynb")
    assert newer.name in sentence and "Your own is unchanged" in sentence
    assert mine.read_bytes() == own and "newer" in newer.read_text(encoding="utf-8")
    assert copies.refresh() == [], "it is offered once"
    change(newer, "worked on")
    change(original, "newest")
    copies.refresh()
    assert "worked on" in newer.read_text(encoding="utf-8"), "the offer is the learner's own now"
    newest = mine.with_name("00_start_here.newer-2.ipynb")
    assert "newest" in newest.read_text(encoding="utf-8") and mine.read_bytes() == own


def test_a_copy_that_nobody_changed_follows_the_repository(clone):
    copies, original = Copies(clone), clone / "notebooks" / "00_start_here.ipynb"
    copies.refresh()
    change(original, "newer")
    assert copies.refresh() == []
    folder = clone / "my-work" / "notebooks"
    assert "newer" in (folder / "00_start_here.ipynb").read_text(encoding="utf-8")
    assert not list(folder.glob("*.newer*"))


def test_without_its_record_no_copy_is_replaced(clone):
    copies, mine = Copies(clone), clone / "my-work" / "exercises" / "00_start_here.ipynb"
    copies.refresh()
    change(mine, "my answer")
    own = mine.read_bytes()
    (clone / "my-work" / ".copies.json").write_text("damaged", encoding="utf-8")
    copies.refresh()
    assert mine.read_bytes() == own and mine.with_name("00_start_here.newer.ipynb").exists()
    assert not list((clone / "my-work" / "notebooks").glob("*.newer*")), "those are as they were"


def test_a_copy_that_was_deleted_comes_back_and_a_broken_lesson_is_named(clone):
    copies, mine = Copies(clone), clone / "my-work" / "notebooks" / "00_start_here.ipynb"
    copies.refresh()
    mine.unlink()
    (clone / "notebooks" / "02_broken.ipynb").write_text("{", encoding="utf-8")
    [sentence] = copies.refresh()
    assert mine.exists() and "02_broken.ipynb cannot be copied" in sentence


def test_the_copies_of_this_repository_are_ignored_by_git_and_every_link_leads_somewhere(tmp_path):
    for place in ("notebooks", "exercises"):
        shutil.copytree(
            ROOT / place, tmp_path / place, ignore=shutil.ignore_patterns("data", "images")
        )
    Copies(tmp_path).refresh()
    pages = sorted((tmp_path / "my-work").rglob("*.ipynb"))
    assert len(pages) == len(list((ROOT / "notebooks").glob("*.ipynb"))) + len(
        list((ROOT / "exercises").glob("*.ipynb"))
    )
    for path in pages:
        for cell in nbformat.read(path, as_version=4).cells:
            prose = re.sub(r"`[^`]*`|<(pre|code)>.*?</\1>", "", cell.source, flags=re.DOTALL)
            for target in re.findall(r"\]\(([^)#\s]+)", prose) * (cell.cell_type == "markdown"):
                exists = (path.parent / target).exists()
                beyond = Path(
                    os.path.normpath(ROOT / "my-work" / path.parent.name / target)
                ).exists()
                assert exists or beyond or target.startswith("https://"), (path.name, target)
    assert "my-work/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


# ---------------------------------------------------------------- what a cell says


def test_a_name_from_a_cell_that_has_not_run_names_that_cell(tmp_path, monkeypatch):
    cells = ["import os", "# two\nmodel = await connect()\nfor a, b in []: pass", "model.use(a)"]
    path = tmp_path / "lesson.ipynb"
    put(path, [nbformat.v4.new_code_cell(cell) for cell in cells])
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    sentence = workshop_cells.explained(NameError("name 'model' is not defined", name="model"))
    assert "`model` is not there yet" in sentence
    assert "# two" in sentence and "Run All Above" in sentence
    assert workshop_cells.explained(NameError("name 'modle' is not defined", name="modle")) == ""
    monkeypatch.delenv("JPY_SESSION_NAME")
    assert workshop_cells.explained(NameError("name 'model' is not defined", name="model")) == ""


def test_an_interrupted_cell_is_one_sentence():
    for stop in (asyncio.CancelledError(), KeyboardInterrupt()):
        sentences = workshop_cells.explained(stop)
        assert sentences.count(".") == 2 and "\n" not in sentences
    assert workshop_cells.explained(ValueError("x")) == ""


def test_what_a_cell_makes_is_what_later_cells_can_use():
    made = workshop_cells.made_by(
        "import a.b\nfrom c import d as e\nwith open(f) as g: h = 1\n"
        "def i(j):\n    k = 1\nclass L:\n    m = 1\nn, *o = [p for p in q]\nr.s = 1"
    )
    assert made == {"a", "e", "g", "h", "i", "L", "n", "o"}
    assert workshop_cells.made_by("%magic (") == set()


# ---------------------------------------------------------------- the doctor


def test_a_machine_before_its_first_start_has_a_note_and_no_problem(machine):
    finding = doctor.environment_state(machine.env, machine.run)
    assert finding.ok
    assert str(finding) == "note     environment: not made yet → python3 -m workshop lab"
    assert (
        doctor.verdict([finding]) == "No problems. Not set up yet: python3 -m workshop lab does it."
    )


def test_the_doctor_names_a_broken_and_an_outdated_environment(machine):
    machine.prepare()
    assert doctor.environment_state(machine.env, machine.run) == doctor.Diagnosis(
        "environment", True, "complete"
    )
    (machine.env.root / "requirements.lock").write_text("httpx==0.29\n", encoding="utf-8")
    assert (
        "requirements.lock has changed" in doctor.environment_state(machine.env, machine.run).said
    )
    machine.env.python.unlink()
    finding = doctor.environment_state(machine.env, machine.run)
    assert not finding.ok
    assert finding.remedy == "delete the folder .venv, then python3 -m workshop lab"


def test_every_problem_comes_with_a_remedy(tmp_path):
    bad = {
        "unmet": ["httpx is missing"],
        "projects": {"kernel": False},
        "fts5": "no such module: fts5",
    }
    findings = [
        *doctor.judge(
            {**bad, "kernelspec": "no kernel named python3 is registered"},
            tmp_path,
        ),
        doctor.python_version((3, 10, 13)),
        doctor.disk(tmp_path, free_bytes=10**8),
        doctor.writable(tmp_path / "missing"),
        own.corpus(tmp_path),
        doctor.proxy({"HTTP_PROXY": "http://proxy:3128"}),
        own.model({"WORKSHOP_MODEL": "gpt"}),
        own.model({"WORKSHOP_MODEL": "live"}),
    ]
    assert [finding.name for finding in findings if finding.ok] == []
    assert all(finding.remedy and str(finding).startswith("problem ") for finding in findings)
    assert doctor.verdict(findings).startswith(
        f"{len(findings)} problems: packages, project, kernelspec"
    )


def test_a_sound_machine_has_no_problem(tmp_path):
    good = {
        "unmet": [],
        "projects": {"kernel": True},
        "fts5": "",
        "kernelspec": "",
    }
    findings = [
        *doctor.judge(good, tmp_path),
        doctor.loopback(),
        doctor.writable(tmp_path),
        doctor.proxy({}),
        doctor.proxy({"HTTP_PROXY": "http://proxy:3128", "NO_PROXY": "localhost, 127.0.0.1"}),
        doctor.proxy({"HTTPS_PROXY": "http://proxy:3128"}),
        own.model({}),
        own.model({"WORKSHOP_MODEL": "live", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1"}),
    ]
    assert [str(finding) for finding in findings if not finding.ok or finding.remedy] == []
    assert doctor.verdict(findings) == "No problems: this machine is ready."


def test_the_doctor_hears_what_the_environments_python_says_about_itself():
    findings = doctor.inside(ROOT, sys.executable)
    assert len(findings) > 1, findings
    assert all("Python fails" not in finding.said for finding in findings)


def test_the_doctor_never_shows_a_key():
    finding = own.key({"ANTHROPIC_API_KEY": "sk-secret"})
    assert "ANTHROPIC_API_KEY set, ANTHROPIC_AUTH_TOKEN not set" in finding.said
    assert "sk-secret" not in str(finding)


def test_the_doctors_exit_status_follows_its_verdict(monkeypatch, capsys):
    findings = [doctor.Diagnosis("disk", True, "fine")]
    monkeypatch.setattr(doctor, "check", lambda deep: findings)
    assert doctor.main([]) == 0
    findings.append(doctor.Diagnosis("sqlite", False, "no full-text search", "another Python"))
    assert doctor.main([]) == 1
    assert capsys.readouterr().out.endswith(
        "1 problem: sqlite. Fix the first, then run the doctor again.\n"
    )
