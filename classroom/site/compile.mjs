// node compile.mjs RUNTIME FOLDER OURS: compiles every wheel and the standard library in FOLDER, with
// the Python that a tab runs, so that a start compiles nothing.
// RUNTIME: the folder of the npm package pyodide. OURS: the wheel that keeps its sources, which
// tracebacks show and people read; of all others only the bytecode is shipped.
import path from "node:path";
import { pathToFileURL } from "node:url";

const [runtime, folder] = process.argv.slice(2, 4).map((name) => path.resolve(name));
const { loadPyodide } = await import(pathToFileURL(path.join(runtime, "pyodide.mjs")));
const pyodide = await loadPyodide({ indexURL: runtime + path.sep });
pyodide.globals.set("ours", process.argv[4]);
pyodide.FS.mkdir("/shipped");
pyodide.FS.mount(pyodide.FS.filesystems.NODEFS, { root: folder }, "/shipped");
try {
  console.log(await pyodide.runPythonAsync(`
import py_compile, sys, zipfile
from pathlib import Path

UNCHECKED = py_compile.PycInvalidationMode.UNCHECKED_HASH
TAG = sys.implementation.cache_tag
SITE = f"/lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages/"
STDLIB = "python_stdlib.zip"
RECORD = ".dist-info/RECORD"
# of a completer: stubs of libraries that are not there, ten times as many files as all the rest
NOT_READ = ("jedi/third_party/django-stubs/", "jedi/third_party/typeshed/stubs/")
scratch, compiled = Path("/tmp/module.py"), Path("/tmp/module.pyc")
count = 0


def bytecode(source, place):
    scratch.write_bytes(source)
    try:
        py_compile.compile(str(scratch), str(compiled), place, True, 0, UNCHECKED)
    except py_compile.PyCompileError:
        return None
    return compiled.read_bytes()


def beside(name):
    folder, _, module = name.rpartition("/")
    return f"{folder}/__pycache__/{module[:-3]}.{TAG}.pyc".removeprefix("/")


def in_place(name):
    return name + "c"


def is_code(name):
    return name.endswith(".py") and ".data/" not in name


def listed(names):
    """The list of files that belongs into a wheel; a lock file has the hash of the whole."""
    return "".join(f"{name},,\\n" for name in names)


def rewritten(archive, root, *, sources):
    """Adds the bytecode; without sources it takes their place."""
    global count
    with zipfile.ZipFile(archive) as old:
        parts = [(info, old.read(info)) for info in old.infolist() if not info.is_dir()]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as new:
        for info, content in parts:
            if info.filename.startswith(NOT_READ) or info.filename.endswith(RECORD):
                continue
            code = bytecode(content, root + info.filename) if is_code(info.filename) else None
            if code is not None:
                name = beside(info.filename) if sources else in_place(info.filename)
                part = zipfile.ZipInfo(name, info.date_time)
                part.compress_type = zipfile.ZIP_DEFLATED
                new.writestr(part, code)
                count += 1
            if code is None or sources:
                info.compress_type = zipfile.ZIP_DEFLATED
                new.writestr(info, content)
        for record in (info.filename for info, _ in parts if info.filename.endswith(RECORD)):
            new.writestr(record, listed([*new.namelist(), record]))


shipped = Path("/shipped")
for wheel in sorted(shipped.glob("*.whl")):
    rewritten(wheel, SITE, sources=wheel.name == ours)
version = "".join(map(str, sys.version_info[:2]))
rewritten(shipped / STDLIB, f"/lib/python{version}.zip/", sources=False)
str(count)
`));
} catch (problem) {
  console.error(problem.message);
  process.exit(1);
}
