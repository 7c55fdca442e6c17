"""Starts JupyterLab on the first lesson, with quiet settings of the course's own instead of the
user's.
"""

from __future__ import annotations

import argparse
import importlib.util
import ipaddress
import json
import logging
import os
import socket
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from classroom.course import active
from classroom.launcher import environment
from classroom.launcher.copies import FOLDER, Copies

USUAL_PORT = 8888

SETTINGS = {
    # No requests to the outside, no question about them.
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    # Every cell stays in the page: a picture further up goes on changing, the browser's search
    # finds all. A long line of code goes on in the next row: nobody scrolls sideways to read it.
    "@jupyterlab/notebook-extension:tracker": {
        "windowingMode": "none",
        "codeCellConfig": {"lineNumbers": False, "lineWrap": True},
    },
    # A control is still drawn when its notebook is opened tomorrow.
    "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},
    # The map is a page to read, not to edit.
    "@jupyterlab/docmanager-extension:plugin": {"defaultViewers": {"markdown": "Markdown Preview"}},
}
"""Defaults that differ from JupyterLab's; what a learner changes in the Settings menu wins over
them.
"""

SERVER_SETTINGS = """c.ContentsManager.pre_save_hook = "classroom.launcher.saved.keep_widget_state"
"""
"""The hook's name, not the hook: given a function, Jupyter Server warns that the hook replaces
itself.
"""
DRAWN = ':is(.mathjax_ignore, svg[role="img"], img[src^="data:image/svg+xml"])'
DARK = '[data-jp-theme-light="false"]'
IN_THE_DARK = f"""\
/* Cards and pictures are drawn on light paper. A dark theme inverts them and keeps their hues. */
{DARK} {DRAWN} {{ filter: invert(0.92) hue-rotate(180deg); }}
{DARK} .mathjax_ignore {DRAWN} {{ filter: none; }}
"""
"""A style of JupyterLab's page alone: other hosts, which show the same outputs, stay light."""
WHOLE_WORDS = """\
/* A printed line that is too long goes on below it, after a whole word. */
.jp-Notebook .jp-OutputArea-output pre { word-break: normal; overflow-wrap: anywhere; }
"""
KERNEL_SETTINGS = {
    # Errors only: warnings about its transport would fill the window that shows the address.
    "IPKernelApp": {"log_level": 40},
    "InteractiveShellApp": {"extensions": ["classroom.notebook.cells"]},
}


def options(argv: list[str]) -> argparse.Namespace:
    """The options of `lab`; wrong ones end the program with exit status 2."""
    parser = argparse.ArgumentParser(
        prog=f"{active().command} lab", description="Open JupyterLab on the first lesson."
    )
    parser.add_argument(
        "--port",
        type=_port,
        help="the port to listen on (default 8888; the next free one when it is taken)",
    )
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument(
        "--ip",
        type=_address,
        help="the address to listen on, for a container: 0.0.0.0 (default: this machine alone)",
    )
    return parser.parse_args(argv)


def _address(word: str) -> str:
    try:
        return str(ipaddress.ip_address(word))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{word!r} is not an address: give one of this machine, such as 0.0.0.0 for all of them"
        ) from None


def _port(word: str) -> int:
    if not word.isdigit() or int(word) > 65535:
        raise argparse.ArgumentTypeError(
            f"{word!r} is not a port: give a number from 0 (any free one) to 65535"
        )
    return int(word)


def start(chosen: argparse.Namespace) -> int:
    """Become JupyterLab: it prints its address, one Ctrl-C ends it. Raises SetupFailed when it is
    missing.
    """
    root = active().root
    if importlib.util.find_spec("jupyterlab") is None:
        raise environment.SetupFailed(
            "This Python has no JupyterLab: pip install -r requirements.txt, then start again."
        )
    adopt(jupyter_environment(root, os.environ))
    os.chdir(root)
    copies = Copies(root)
    for sentence in [*copies.refresh(), *taken(chosen.port), *reachable(chosen.ip)]:
        print(sentence, flush=True)
    print("JupyterLab is starting; Ctrl-C in this window ends it.", flush=True)
    # In this process, not in a new one: signing needs modules that take JupyterLab two seconds to
    # load anyway.
    from jupyterlab.labapp import LabApp

    trust_lessons(root, copies.written)
    server = LabApp.initialize_server(options_of_jupyterlab(root, chosen, as_root=_is_root()))
    server.log.addFilter(_is_news)
    print(f"Open: {server.local_url if chosen.ip else server.public_url}", flush=True)
    server.start()
    return 0


def _is_news(record: logging.LogRecord) -> bool:
    """False for JupyterLab's own five lines about its address: one line of ours says it."""
    return "To access the server" not in record.getMessage()


def adopt(environ: Mapping[str, str]) -> None:
    """Make `environ` this process's own, and so that of the kernels that it starts."""
    os.environ.clear()
    os.environ.update(environ)


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def taken(port: int | None) -> list[str]:
    """A sentence when another program listens on the port that JupyterLab would take first."""
    first = USUAL_PORT if port is None else port
    try:
        socket.create_connection(("127.0.0.1", first), timeout=0.5).close()
    except OSError:
        return []
    return [
        f"Port {first} is taken, perhaps by a lab that is still open. "
        "JupyterLab takes the next free one: use the address below."
    ]


def reachable(ip: str | None) -> list[str]:
    """A sentence when others than this machine can reach the server."""
    if ip is None or ipaddress.ip_address(ip).is_loopback:
        return []
    return [
        f"JupyterLab listens on {ip}: whoever reaches it and has its token can run code here. "
        "Use this in a container, or in a network that you trust."
    ]


def trust_lessons(root: Path, copies: Iterable[Path] = ()) -> None:
    """Sign lessons that are new or changed, so that their stored pictures show before anything
    runs.

    JupyterLab shows no SVG of a notebook that it did not sign. Only the lessons and the
    copies that were just made are signed: whoever starts this launcher runs their code anyway; a
    notebook that was put beside them is not ours to vouch for.
    """
    known_file = root / ".jupyter" / "signed.json"
    try:
        known = json.loads(known_file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        known = {}
    lessons = active().books(root / "notebooks")
    digests = {lesson.name: environment.digest(lesson) for lesson in lessons}
    unsigned = [*(lessons if digests != known else ()), *copies]
    if not unsigned:
        return
    import nbformat
    from nbformat.sign import NotebookNotary

    notary = NotebookNotary(data_dir=str(root / ".jupyter" / "data"))
    for lesson in unsigned:
        try:
            notary.sign(nbformat.read(lesson, as_version=4))
        except Exception as error:  # a lesson that cannot be read is JupyterLab's to explain
            print(f"{lesson.name} cannot be read: {error}", file=sys.stderr)
    notary.store.close()
    known_file.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


def options_of_jupyterlab(root: Path, chosen: argparse.Namespace, *, as_root: bool) -> list[str]:
    """The options that make the repository JupyterLab's folder and the first lesson its page."""
    first = f"{FOLDER}/notebooks/{active().first_notebook}"
    page = f"/lab/tree/{first}" if (root / first).is_file() else "/lab"
    words = [
        f"--ServerApp.root_dir={root}",
        f"--LabApp.default_url={page}",
        "--LabApp.custom_css=True",
        "--ServerApp.answer_yes=True",
        "--Application.log_level=ERROR",
    ]
    if chosen.port is not None:
        words.append(f"--ServerApp.port={chosen.port}")
    if chosen.ip is not None:
        words.append(f"--ServerApp.ip={chosen.ip}")
    if chosen.no_browser:
        words.append("--no-browser")
    if as_root:
        words.append("--allow-root")
    return words


def jupyter_environment(root: Path, environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` with every folder of Jupyter and IPython inside `root/.jupyter`, which is made if
    need be.

    So a learner's other Jupyter, its extensions, start-up files and tabs neither disturb nor are
    disturbed.
    """
    own = root / ".jupyter"
    folders = {
        "JUPYTER_CONFIG_DIR": own / "config",
        "JUPYTER_DATA_DIR": own / "data",
        "JUPYTER_RUNTIME_DIR": own / "runtime",
        "JUPYTERLAB_SETTINGS_DIR": own / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": own / "workspaces",
        "IPYTHONDIR": own / "ipython",
    }
    try:
        for folder in folders.values():
            folder.mkdir(parents=True, exist_ok=True)
        (own / ".gitignore").write_text("*\n", encoding="utf-8")
        for file, settings in (
            (own / "config" / "labconfig" / "default_setting_overrides.json", SETTINGS),
            (own / "ipython" / "profile_default" / "ipython_kernel_config.json", KERNEL_SETTINGS),
        ):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
        style = own / "config" / "custom" / "custom.css"
        style.parent.mkdir(exist_ok=True)
        style.write_text(IN_THE_DARK + WHOLE_WORDS, encoding="utf-8")
        (own / "config" / "jupyter_server_config.py").write_text(SERVER_SETTINGS, encoding="utf-8")
    except OSError as error:
        raise environment.SetupFailed(
            f"{own} cannot be written ({error.strerror}). "
            "Copy the repository to a folder of your own and start again."
        ) from error
    foreign = ("JUPYTER_", "JUPYTERLAB_", "IPYTHON")
    quiet = {name: value for name, value in environ.items() if not name.startswith(foreign)}
    env = environment.Environment(root)
    if env.is_current:
        quiet = environment.child_environ(env, quiet)
    quiet.pop("PYTHONDONTWRITEBYTECODE", None)
    return {**quiet, **{name: str(folder) for name, folder in folders.items()}}
