"""The browser edition: the course as a JupyterLite site, with Python and packages beside it."""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from typing import Any

from classroom.authoring import needs
from classroom.course import active
from classroom.launcher import lab
from classroom.site.runtime import FILES, FOLDER, PAGE, STATIC

HERE = Path(__file__).parent
TOOLKIT = HERE.resolve().parent
COMPILE = HERE / "compile.mjs"
WHEELS = HERE / "wheels.txt"
"""Every wheel of the browser's Python, pinned by hash."""
RUNTIME = "pyodide-314.0.6.tgz"
RUNTIME_SHA256 = "d78ac549b28a2a58600cd06f44e017024151775f8c6b2d73fab1475400d38ea2"
PYTHON = ("--python-version", "3.14", "--implementation", "cp", "--abi", "cp314", "--abi", "abi3")
PLATFORM = ("--abi", "none", "--platform", "pyemscripten_2026_0_wasm32", "--platform", "any")
NOT_THERE = ("classroom/grading/", "classroom/authoring/", "classroom/site/")
"""The folders that need processes or are for authors, and do not travel."""
VIEWERS = "@jupyterlab/docmanager-extension:plugin"
"""The setting, as installed, that opens a page to be read and not as its source."""
PYTHONWARNINGS = "ignore:only soft file lock is available"
"""A tab has no other process that could hold a file, so this is no news to a learner. `kernel`
warns when it is imported, which may be before the workshop is."""
NARROW = """<script>
const soon = () => new Promise(done => setTimeout(done, 250));
const makeRoom = async () => {
  while (!window.jupyterapp) await soon();
  await window.jupyterapp.restored;
  const shell = window.jupyterapp.shell;
  for (let look = 0; look < 20; look++) {
    if (!shell.leftCollapsed) shell.collapseLeft();
    await soon();
  }
};
if (innerWidth < 600) makeRoom();
</script>"""
"""On a phone the list of files, which JupyterLab opens at first, would leave no room to read."""


KERNEL = "jupyterlite-pyodide-kernel"
KERNEL_WHEELS = ("ipykernel-", "piplite-", "pyodide_kernel-")
"""The beginnings of the names of the wheels that `KERNEL` ships for the browser's Python."""
AT_ONCE = ("micropip", "piplite", "ipykernel", "comm", "pyodide-kernel", "jedi", "ipython")
"""The packages that a kernel starts with. It installs one after the other those that Python does
not load with itself while it starts.
"""
STARTING = HERE / "starting.html"
"""A line that says that Python is not there yet, and goes when it is; SIZE is filled in."""
MODULES = '<link rel="modulepreload" href="../static/pyodide/{}">'
FETCHES = '<link rel="preload" as="fetch" crossorigin href="../static/pyodide/{}">'
WHEELS_LATER = FETCHES.replace("crossorigin", 'crossorigin fetchpriority="low"')


def build(out: Path, cache: Path) -> tuple[float, float]:
    """Builds the browser edition in `out / "try"`; returns its megabytes, plain and compressed.

    cache: a folder that keeps what was fetched (the runtime, the wheels) for the next build.
    Raises RuntimeError with what a tool wrote when it fails, or when a hash is another one.
    """
    lite = cache / "lite"
    shutil.rmtree(lite, ignore_errors=True)
    static = lite / "static" / "pyodide"
    static.mkdir(parents=True)
    lock = _runtime(cache, static)
    _wheels(cache, static)
    _kernel_wheels(static)
    own = _own_wheel(cache, static)
    _compile(cache, static, own)
    (static / "pyodide-lock.json").write_text(json.dumps(_locked(lock, static, own)), "utf-8")
    _contents(lite / "files")
    _settings(lite, out / FOLDER, [*AT_ONCE, _entry(static / own)["name"]])
    _run([sys.executable, "-m", "jupyter", "lite", "build", "--lite-dir", str(lite)], cwd=lite)
    shipped = list((out / STATIC).iterdir())
    _page(out / PAGE, shipped)
    files = [path for path in (out / FOLDER).rglob("*") if path.is_file()]
    return sum(path.stat().st_size for path in files) / 1e6, sum(map(_compressed, files)) / 1e6


def _compressed(path: Path) -> int:
    """The bytes of a file as a web host sends it; a wheel is compressed already."""
    content = path.read_bytes()
    return len(content) if path.suffix in (".whl", ".zip") else len(gzip.compress(content, 6))


def _run(command: list[str], cwd: Path) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        written = (done.stdout + done.stderr)[-3000:]
        raise RuntimeError(f"{' '.join(command[:4])} failed:\n{written}")


def _runtime(cache: Path, static: Path) -> dict[str, Any]:
    """Copies the browser's Python; returns its lock file. Raises RuntimeError for another hash."""
    archive = cache / RUNTIME
    if not archive.is_file():
        name, _, version = RUNTIME.removesuffix(".tgz").rpartition("-")
        _run([_program("npm"), "pack", "--silent", f"{name}@{version}"], cwd=cache)
    if hashlib.sha256(archive.read_bytes()).hexdigest() != RUNTIME_SHA256:
        raise RuntimeError(f"{archive} is not the file that is pinned; delete it and build again")
    with tarfile.open(archive) as packed:
        for name in FILES:
            (static / name).write_bytes(_content(packed, f"package/{name}"))
        return json.loads(_content(packed, "package/pyodide-lock.json"))


def _compile(cache: Path, static: Path, own: str) -> None:
    """Adds bytecode to the wheels and to the standard library. A tab keeps none that it made
    itself: it would compile everything anew at each start.
    """
    runtime = cache / "runtime"
    with tarfile.open(cache / RUNTIME) as packed:
        packed.extractall(runtime, filter="data")
    _run([_program("node"), str(COMPILE), str(runtime / "package"), str(static), own], cwd=cache)


def _program(name: str) -> str:
    """Returns the path of a program. Raises RuntimeError where it is not installed."""
    found = shutil.which(name)
    if found is None:
        raise RuntimeError(f"{name} is not installed; the edition for a tab needs Node.js to build")
    return found


def _content(packed: tarfile.TarFile, name: str) -> bytes:
    """Returns the content of a file in an archive. Raises KeyError where it has no such file."""
    file = packed.extractfile(name)
    if file is None:
        raise KeyError(f"{name} is no file")
    return file.read()


def _wheels(cache: Path, static: Path) -> None:
    """Copies every pinned wheel; pip holds each to its hash."""
    pinned = hashlib.sha256(WHEELS.read_bytes()).hexdigest()
    fetched = cache / f"wheels-{pinned[:12]}"  # another list finds none of the wheels of this one
    pip = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
    ]
    options = ["--require-hashes", "--requirement", str(WHEELS), "--dest", str(fetched)]
    _run([*pip, *PYTHON, *PLATFORM, *options], cwd=cache)
    for wheel in fetched.glob("*.whl"):
        shutil.copyfile(wheel, static / wheel.name)


def _kernel_wheels(static: Path) -> None:
    """Copies what the kernel's own package ships, so that Python loads it like any other wheel.
    Raises RuntimeError where one of them is missing.
    """
    found = [Path(file.locate()) for file in distribution(KERNEL).files or ()]
    for begins in KERNEL_WHEELS:
        wheels = [path for path in found if path.suffix == ".whl" and path.name.startswith(begins)]
        if len(wheels) != 1:
            raise RuntimeError(f"{KERNEL} has {len(wheels)} wheels {begins}*; expected one")
        shutil.copyfile(wheels[0], static / wheels[0].name)


def _own_wheel(cache: Path, static: Path) -> str:
    """Makes one wheel of toolkit, packages and the lessons' data; returns its file name."""
    own, source = cache / "own", cache / "source"
    for folder in (own, source):
        shutil.rmtree(folder, ignore_errors=True)
    root = active().root
    for folder in (TOOLKIT, *(root / name for name in active().packages)):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(folder, source / folder.name, ignore=ignore)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(root / name, source / name)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    _run([*pip, "--wheel-dir", str(own), str(source)], cwd=cache)
    [wheel] = own.glob("*.whl")
    with (
        zipfile.ZipFile(wheel) as old,
        zipfile.ZipFile(static / wheel.name, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for part in old.infolist():
            if not part.filename.startswith(NOT_THERE):
                new.writestr(part.filename, old.read(part))
        for path in sorted((root / "notebooks" / "data").rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                new.write(path, path.relative_to(root))
    return wheel.name


def _locked(lock: dict[str, Any], static: Path, own: str) -> dict[str, Any]:
    """The runtime's lock file with our packages for its own: an import loads what it needs."""
    packages = {}
    for wheel in sorted(static.glob("*.whl")):
        entry = _entry(wheel)
        packages[entry["name"]] = entry
    for entry in packages.values():
        entry["depends"] = [name for name in entry["depends"] if name in packages]
    ours = packages[_entry(static / own)["name"]]
    ours["imports"] = ["classroom", *active().packages]
    ours["depends"] = [name for name in packages if name not in (ours["name"], "micropip")]
    return {**lock, "packages": packages}


def _entry(wheel: Path) -> dict[str, Any]:
    distribution, version = wheel.name.split("-")[:2]
    with zipfile.ZipFile(wheel) as inside:
        names = inside.namelist()
        about = next(name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = inside.read(about).decode("utf-8")
    needs = re.findall(r"^Requires-Dist: ([\w.-]+)(?!.*extra ==)", metadata, re.MULTILINE)
    modules = {
        name.split("/")[0].removesuffix(".py") for name in names if name.endswith((".py", ".so"))
    }
    return {
        "name": _normal(distribution),
        "version": version,
        "file_name": wheel.name,
        "install_dir": "site",
        "package_type": "package",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "unvendored_tests": False,
        "depends": sorted({_normal(name) for name in needs}),
        "imports": sorted(modules),
    }


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _contents(files: Path) -> None:
    """The notebooks with the browser's kernel named. What a cell printed where it last ran
    installed is shown until it is run, but for the answer to a prediction; a cell that cannot run
    in a tab is text.
    """
    import nbformat

    from classroom.launcher.copies import MAP, clear_answers

    course = active()
    for folder in ("notebooks", "exercises"):
        (files / folder).mkdir(parents=True)
        for path in sorted((course.root / folder).glob("*.ipynb")):
            notebook = nbformat.read(path, as_version=4)
            notebook.metadata["kernelspec"] = {
                "name": "python",
                "display_name": "Python (browser)",
                "language": "python",
            }
            installed = needs.stored(notebook.cells)
            texts = {
                cell.id: _as_text(cell, needs.in_words(installed[cell.id]))
                for cell in notebook.cells
                if cell.id in installed
            }
            clear_answers(notebook)
            notebook.cells = [texts.get(cell.id, cell) for cell in notebook.cells]
            nbformat.write(notebook, files / folder / path.name)
    for name in (MAP, *course.linked):
        (files / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(course.root / name, files / name)


def _as_text(cell: Any, sentence: str) -> Any:
    """A cell of code as one of text: why it does not run, its code, and folded what it showed,
    which may be the answer to a prediction. A picture is an attachment, as JupyterLab keeps them.
    """
    import nbformat

    shown, pictures = [], {}
    for number, output in enumerate(cell.outputs):
        data = output.get("data", {})
        if "image/png" in data:
            pictures[f"{number}.png"] = {"image/png": data["image/png"]}
            shown.append(f"![{data['text/plain']}](attachment:{number}.png)")
        else:
            text = output.get("text") or data.get("text/plain", "")
            shown.append(data.get("text/markdown") or _fenced(text, "text"))
    parts = [f"**{sentence}**", _fenced(cell.source, "python")]
    if shown:
        parts += ["<details><summary>What it showed there</summary>", *shown, "</details>"]
    text = nbformat.v4.new_markdown_cell("\n\n".join(parts), id=cell.id, metadata=cell.metadata)
    if pictures:
        text.attachments = pictures
    return text


def _fenced(text: str, language: str) -> str:
    """A text as a block of code, with a fence that does not occur in it."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _settings(lite: Path, out: Path, packages: list[str]) -> None:
    """Writes the settings of the edition. packages: what Python loads while it starts."""
    kernel = {
        "pyodideUrl": "./static/pyodide/pyodide.mjs",
        "disablePyPIFallback": True,
        "loadPyodideOptions": {
            "lockFileURL": "./static/pyodide/pyodide-lock.json",
            "env": {"PYTHONWARNINGS": PYTHONWARNINGS},
            "packages": packages,
        },
    }
    page = {
        "appName": active().title,
        "exposeAppInBrowser": True,
        "litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": kernel},
    }
    _json(
        lite / "jupyter-lite.json", {"jupyter-lite-schema-version": 0, "jupyter-config-data": page}
    )
    _json(lite / "overrides.json", {VIEWERS: lab.SETTINGS[VIEWERS]})
    build = {"contents": ["files"], "output_dir": str(out), "apps": ["lab"], "no_sourcemaps": True}
    _json(lite / "jupyter_lite_config.json", {"LiteBuildConfig": build})


def _page(path: Path, shipped: list[Path]) -> None:
    """Adds to JupyterLab's page what the launcher adds to it, room on a phone, our title, and what
    is said while Python starts. shipped: the files that are downloaded for it, from now on.
    """
    size = round(sum(map(_compressed, shipped)) / 1e6)
    wheels = sorted(file.name for file in shipped if file.suffix == ".whl")
    text = path.read_text("utf-8")
    title = html.escape(active().title)
    text = re.sub("<title>.*?</title>", f"<title>{title}</title>", text, count=1, flags=re.DOTALL)
    early = [
        *(MODULES.format(name) for name in FILES if name.endswith(".mjs")),
        *(FETCHES.format(name) for name in FILES if not name.endswith(".mjs")),
        *(WHEELS_LATER.format(name) for name in wheels),
    ]
    style = f"<style>{lab.IN_THE_DARK}{lab.WHOLE_WORDS}</style>"
    added = "\n".join(
        [*early, style, NARROW, STARTING.read_text("utf-8").replace("SIZE", str(size)), "</head>"]
    )
    path.write_text(text.replace("</head>", added, 1), "utf-8")


def _json(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
