"""The doctor: names each problem of this machine and how to fix it, with or without an
environment.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# the types of the standard library that mypy reads leave this function out
from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]

from classroom.course import active
from classroom.launcher import environment, lab

DISK_NEEDED_GB = 1.0
KERNEL_START_S = 30


@dataclass(frozen=True)
class Diagnosis:
    """One thing that was looked at. `ok` with a remedy is a note: not broken, but something can be
    done.
    """

    name: str
    ok: bool
    said: str
    remedy: str = ""

    def __str__(self) -> str:
        word = "problem" if not self.ok else "note" if self.remedy else "ok"
        return f"{word:<7}  {self.name}: {self.said}" + (f" → {self.remedy}" if self.remedy else "")


def check(deep: bool = False) -> list[Diagnosis]:
    """Look at this machine; returns the findings, basics first. `deep` also starts a kernel
    (2 s). In a browser's tab there is little to look at, and nothing to set up.
    """
    course = active()
    if sys.platform == "emscripten":
        return [python_version(), *course.findings(course.root), in_a_tab()]
    env = environment.Environment(course.root)
    complete = _has_everything(env)
    findings = [python_version(), maker(env), writable(env.root), disk(env.root)]
    state = current_python() if complete and not env.is_current else environment_state(env)
    findings.append(state)
    ready = state.ok and not state.remedy
    python = sys.executable if complete else str(env.python)
    if ready:
        findings += inside(env.root, python)
        if deep:
            findings.append(kernel_starts(env.root, python))
    findings += [loopback(), proxy(os.environ), encoding(os.environ)]
    findings += [python_path(os.environ), *course.findings(env.root)]
    return findings


def set_up() -> str:
    """The command that sets everything up."""
    return f"{active().command} lab"


def verdict(findings: list[Diagnosis]) -> str:
    """The last line: ready, not set up yet, or how many problems there are."""
    problems = [finding.name for finding in findings if not finding.ok]
    if problems:
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        return f"{count}: {', '.join(problems)}. Fix the first, then run the doctor again."
    if any(finding.name == "environment" and finding.remedy for finding in findings):
        return f"No problems. Not set up yet: {set_up()} does it."
    return "No problems: this machine is ready."


def main(argv: list[str]) -> int:
    """Print the findings and the verdict; returns 1 when there is a problem, else 0."""
    parser = argparse.ArgumentParser(prog=f"{active().command} doctor", description=__doc__)
    parser.add_argument(
        "--deep", action="store_true", help="also start a kernel and let it calculate"
    )
    findings = check(parser.parse_args(argv).deep)
    print(*findings, "", verdict(findings), sep="\n")
    return 0 if all(finding.ok for finding in findings) else 1


def _has_everything(env: environment.Environment) -> bool:
    """True if this Python is the one to look into: the environment, a notebook's, one of the user's
    own.
    """
    return (
        env.is_current
        or "ipykernel" in sys.modules
        or environment.has_own_python()
        or not active().makes_environment
    )


# ---------------------------------------------------------------- the machine


def python_version(version: tuple[int, ...] = tuple(sys.version_info[:3])) -> Diagnosis:
    found = "Python " + ".".join(map(str, version))
    if version < (3, 11):
        return Diagnosis(
            "python",
            False,
            f"{found}, 3.11 or newer is needed",
            "install Python 3.12 and start again with it",
        )
    return Diagnosis("python", True, found)


def maker(env: environment.Environment) -> Diagnosis:
    """Looks for an installer of the environment: uv, or venv with its pip."""
    if shutil.which("uv"):
        return Diagnosis("installer", True, "uv")
    if all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        return Diagnosis("installer", True, "venv and pip")
    package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    remedy = f"sudo apt install {package} (Debian, Ubuntu), or install uv"
    needed = not env.python.exists()
    return Diagnosis("installer", not needed, "neither uv nor a complete venv module", remedy)


def writable(root: Path) -> Diagnosis:
    try:
        with tempfile.TemporaryFile(dir=root):
            return Diagnosis("folder", True, "can be written")
    except OSError as error:
        return Diagnosis(
            "folder",
            False,
            f"cannot be written ({error.strerror})",
            "copy the repository to a folder of your own",
        )


def disk(root: Path, free_bytes: int | None = None) -> Diagnosis:
    free_gb = (shutil.disk_usage(root).free if free_bytes is None else free_bytes) / 1e9
    if free_gb < DISK_NEEDED_GB:
        return Diagnosis(
            "disk",
            False,
            f"{free_gb:.1f} GB free, {DISK_NEEDED_GB:.0f} GB is needed",
            "free some space",
        )
    return Diagnosis("disk", True, f"at least {DISK_NEEDED_GB:.0f} GB free")


def loopback() -> Diagnosis:
    """Tries a connection to this machine: the kernels and `python -m kernel serve` need it."""
    try:
        with (
            socket.create_server(("127.0.0.1", 0)) as server,
            socket.create_connection(server.getsockname(), timeout=5),
        ):
            server.settimeout(5)
            server.accept()[0].close()
    except OSError as error:
        problem = f"127.0.0.1 cannot be used ({error.strerror or error})"
        return Diagnosis(
            "loopback", False, problem, "allow local connections in the firewall or the sandbox"
        )
    return Diagnosis("loopback", True, "127.0.0.1 answers")


def proxy(environ: Mapping[str, str]) -> Diagnosis:
    """Looks for a proxy that would catch requests to this machine itself."""
    lowered = {name.lower(): value for name, value in environ.items() if value}
    names = [name for name in ("http_proxy", "all_proxy") if name in lowered]
    if not names:
        return Diagnosis("proxy", True, "none in the way of this machine's own addresses")
    excluded = {"no": lowered.get("no_proxy", "")}
    if all(proxy_bypass_environment(host, excluded) for host in ("127.0.0.1", "localhost")):
        return Diagnosis(
            "proxy",
            True,
            f"{names[0].upper()} is set and leaves this machine's own addresses alone",
        )
    addition = ",".join(filter(None, [lowered.get("no_proxy", ""), "localhost,127.0.0.1"]))
    setting = f"set NO_PROXY={addition}" if os.name == "nt" else f"export NO_PROXY={addition}"
    return Diagnosis(
        "proxy", False, f"{names[0].upper()} would catch requests to 127.0.0.1 too", setting
    )


def encoding(environ: Mapping[str, str]) -> Diagnosis:
    name = getattr(sys.stdout, "encoding", None) or "utf-8"
    if name.lower().replace("-", "") in ("utf8", "utf8sig"):
        return Diagnosis("text", True, "UTF-8")
    return Diagnosis(
        "text", True, f"this terminal writes {name}, some signs show as ?", "set PYTHONUTF8=1"
    )


def python_path(environ: Mapping[str, str]) -> Diagnosis:
    if environ.get("PYTHONPATH"):
        effect = "is set: packages from there come before the environment's"
        return Diagnosis("PYTHONPATH", True, effect, "unset it when an import behaves strangely")
    return Diagnosis("PYTHONPATH", True, "not set")


# ---------------------------------------------------------------- the environment


def current_python() -> Diagnosis:
    return Diagnosis("environment", True, "this Python")


def environment_state(
    env: environment.Environment, run: environment.Runner = environment.run_quietly
) -> Diagnosis:
    if not os.path.lexists(env.folder):
        return Diagnosis("environment", True, "not made yet", set_up())
    if reason := environment.damage(env, run):
        return Diagnosis("environment", False, f"cannot be used: {reason}", _anew(env.root))
    if env.read_stamp() is None:
        return Diagnosis(
            "environment", True, "somebody's own, not completed by the launcher", set_up()
        )
    if reasons := environment.due(env, ("requirements.lock",)):
        return Diagnosis(
            "environment", False, "; ".join(reasons.values()), f"{set_up()} updates it"
        )
    return Diagnosis("environment", True, "complete")


def inside(root: Path, python: str) -> list[Diagnosis]:
    """Returns the findings of the environment's own Python."""
    code = (
        f"import sys; sys.path.append({str(root)!r}); "
        f"from classroom.course import load, use; use(load({active().module!r})); "
        "from classroom.launcher import doctor; doctor.print_facts()"
    )
    status, output = environment.run_quietly([python, "-I", "-c", code], root)
    if status:
        last = output.strip().splitlines()[-1:] or ["it said nothing"]
        return [
            Diagnosis("packages", False, f"the environment's Python fails: {last[0]}", _anew(root))
        ]
    return judge(json.loads(output.splitlines()[-1]), root)


def print_facts() -> None:
    """Write, as one line of JSON, what only the environment's own Python knows. Runs in a child
    with `-I`.
    """
    course = active()
    # the packages of a course without an environment are found beside its course.py
    hidden = str(course.root) if course.makes_environment else ""
    outside = [entry for entry in sys.path if entry != hidden]
    requirements = course.root / "requirements.txt"
    facts = {
        "unmet": environment.unmet(requirements) if requirements.exists() else [],
        "projects": {name: _is_found(name, outside) for name in course.packages},
        "kernelspec": _kernelspec(Path(sys.prefix)),
    }
    print(json.dumps(facts))


def _is_found(name: str, path: list[str]) -> bool:
    """True if a kernel, whose folder is not the repository's root, would find our package."""
    kept, sys.path[:] = sys.path[:], path
    loaded = {
        module: sys.modules.pop(module)
        for module in list(sys.modules)
        if module.split(".")[0] == name
    }
    try:
        return importlib.util.find_spec(name) is not None
    finally:
        sys.path[:] = kept
        sys.modules.update(loaded)


def _kernelspec(prefix: Path) -> str:
    """ "" when the kernel `python3` is registered and its program exists, else what is wrong."""
    try:
        program = json.loads(
            (prefix / "share/jupyter/kernels/python3/kernel.json").read_text(encoding="utf-8")
        )["argv"][0]
    except (OSError, ValueError, LookupError):
        return "no kernel named python3 is registered"
    return (
        ""
        if not Path(program).is_absolute() or Path(program).exists()
        else "the kernel's program is gone"
    )


def judge(facts: Mapping, root: Path) -> list[Diagnosis]:
    """Turn the facts of `print_facts` into findings."""
    anew = _anew(root)
    astray = facts["unmet"]
    absent = [name for name, found in facts["projects"].items() if not found]
    return [
        Diagnosis("packages", False, ", ".join(astray), anew)
        if astray
        else Diagnosis("packages", True, "as requirements.txt asks"),
        Diagnosis("project", False, f"notebooks cannot import {' and '.join(absent)}", anew)
        if absent
        else Diagnosis("project", True, "notebooks can import the course's packages"),
        Diagnosis("kernelspec", False, facts["kernelspec"], anew)
        if facts["kernelspec"]
        else Diagnosis("kernelspec", True, "python3"),
    ]


def _anew(root: Path) -> str:
    if environment.Environment(root).folder.exists():
        return f"delete the folder .venv, then {set_up()}"
    return "pip install -r requirements.txt"


KERNEL_TRIAL = """
from jupyter_client.manager import start_new_kernel
manager, client = start_new_kernel(kernel_name="python3", startup_timeout={seconds})
try:
    quiet = lambda message: None
    reply = client.execute_interactive("print(1 + 1)", timeout={seconds}, output_hook=quiet)
    print(reply["content"]["status"])
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
"""


def kernel_starts(root: Path, python: str) -> Diagnosis:
    """Start a real kernel and let it calculate."""
    code = KERNEL_TRIAL.format(seconds=KERNEL_START_S)
    try:
        environ = lab.jupyter_environment(root, os.environ)
        trial = subprocess.run(
            [python, "-I", "-c", code],
            cwd=root,
            env=environ,
            capture_output=True,
            timeout=3 * KERNEL_START_S,
        )
        lines = (trial.stdout + trial.stderr).decode("utf-8", "replace").strip().splitlines()[
            -1:
        ] or ["it said nothing"]
        if trial.returncode == 0 and trial.stdout.strip().endswith(b"ok"):
            return Diagnosis("kernel", True, "starts and calculates")
    except (environment.SetupFailed, OSError, subprocess.TimeoutExpired) as error:
        lines = [str(error)]
    return Diagnosis(
        "kernel",
        False,
        f"does not start: {lines[0]}",
        "allow local connections in the firewall or the sandbox",
    )


# ---------------------------------------------------------------- the lessons


def in_a_tab() -> Diagnosis:
    """Returns the finding on what a browser's tab lacks."""
    return Diagnosis(
        "browser",
        True,
        "Python runs in this tab: no threads, no processes, the offline model only; "
        "your notebooks and progress are kept in this browser",
        "to keep a notebook, download it; to grade or to use what a tab lacks, install the course",
    )
