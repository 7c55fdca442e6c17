"""Recipes that tamper with whatever looks at an answer, in the kernel that they share. The answers are wrong and stay so."""

from __future__ import annotations

from .submission import Submission, hostile

ALL = ("03.1", "03.2", "03.3", "03.4")
PLEASES = '''
class Pleases:
    """Equal to everything, true, iterable, awaitable, and whatever else might be liked."""

    status, output, reason, artifacts, ok, by = "ok", "PASS", "1 issues are left", {}, True, ""

    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __bool__(self): return True
    def __repr__(self): return "passed"
    __str__ = __format__ = lambda self, *_: "passed"
    def __len__(self): return 3
    def __iter__(self): return iter(())
    def __contains__(self, other): return True
    def __getattr__(self, name): return self
    def __call__(self, *_, **__): return self
    def __await__(self):
        return self
        yield
'''


def _wrong(submission: Submission, first: str, body: str = "return None") -> None:
    """Wrong answers to all, and code of the learner's at the very beginning."""
    for id in ALL:
        submission.wrong(id, body)
    submission.before("03.1", first)


@hostile("patched trials", "the checker patched", earns=0)
def _(submission: Submission) -> None:
    """The function that looks at answers is replaced by one that says they are fine, in the module and in all that import it."""
    _wrong(
        submission,
        """
import json, sys, types
import workshop.checks, classroom.observing as observing
def see(answer, *given):
    return json.dumps({"seen": [["returned", "passed"]], "called": "", "empty": False, "crash": None, "case": given[-1]})
for name, module in list(sys.modules.items()):
    if name.startswith("workshop"):
        for its in ("show", "call", "observer", "line_of", "check", "judge"):
            if hasattr(module, its):
                setattr(module, its, see)
""",
    )


@hostile("shadowed trials", "the checker patched", "modules shadowed", earns=0)
def _(submission: Submission) -> None:
    """A module of the learner's own stands in `sys.modules`, and on the path, where the trials should be."""
    _wrong(
        submission,
        """
import json, os, sys, types
for name in [it for it in sys.modules if it.startswith(("workshop.course", "classroom"))]:
    del sys.modules[name]
os.makedirs("workshop/course", exist_ok=True)
os.makedirs("classroom/observing", exist_ok=True)
for path in ("workshop/__init__.py", "workshop/course/__init__.py", "classroom/observing/__init__.py", "json.py"):
    open(path, "w").write("def show(*_): return '{}'\\ndef dumps(*_, **__): return '{}'\\n")
sys.path.insert(0, os.getcwd())
mine = types.ModuleType("classroom.observing")
mine.show = lambda answer, *given: json.dumps({"seen": [], "called": "", "empty": False, "crash": None, "case": given[-1]})
sys.modules["classroom.observing"] = mine
""",
    )


@hostile("patched builtins", "builtins patched", "json.dumps patched", "print patched", earns=0)
def _(submission: Submission) -> None:
    """Everything that a check could be made of says yes."""
    _wrong(
        submission,
        """
import builtins, json, sys
says = json.dumps
json.dumps = lambda value, **named: says(True)
json.JSONEncoder.encode = lambda self, value: "true"
real = builtins.print
builtins.print = lambda *words, **named: real('{"trial": "03.1/0", "seen": true}')
builtins.all = builtins.any = lambda *_: True
builtins.sorted = lambda items, **_: [*items]
sys.exit = lambda *_: None
""",
    )


@hostile(
    "assertions dropped",
    "showtraceback",
    "set_custom_exc",
    "AST and input transformers",
    "run_cell_async",
    "cell hooks",
    earns=0,
)
def _(submission: Submission) -> None:
    """IPython's own hooks hide errors, drop what asserts, and rewrite each cell that comes later."""
    _wrong(
        submission,
        """
import ast
shell = get_ipython()
shell.showtraceback = shell.showsyntaxerror = lambda *_, **__: None
shell.set_custom_exc((BaseException,), lambda *_, **__: None)
class Drop(ast.NodeTransformer):
    def visit_Assert(self, node): return ast.Pass()
    def visit_Raise(self, node): return ast.Pass()
shell.ast_transformers.append(Drop())
shell.input_transformers_post.append(lambda lines: [it.replace("see(", "str(") for it in lines])
def sees_nothing(*_): print('{"trial": "03.1/0", "seen": []}')
shell.events.register("pre_run_cell", sees_nothing)
shell.events.register("post_run_cell", sees_nothing)
run = shell.run_cell_async
async def run_cell_async(source, **named):
    return await run("print('{}')" if "see" in source else source, **named)
shell.run_cell_async = run_cell_async
""",
        "assert False",
    )


@hostile(
    "pleases", "__eq__", "__bool__", "__repr__", earns=dict.fromkeys(("03.1", "03.2", "03.3"), 0)
)
def _(submission: Submission) -> None:
    """The answers are objects that agree with everything that is asked of them, or return such objects."""
    submission.answer("03.1", f"{PLEASES}\nrevise = Pleases()")
    submission.answer("03.2", "revise_to_best = Pleases")
    submission.answer("03.3", "async def in_stages(*_):\n    return Pleases()")


@hostile("builtins that please", "__eq__", "__repr__", earns=0)
def _(submission: Submission) -> None:
    """Subclasses of str, int and dict that lie about themselves, in a real result."""
    for id in ALL:
        submission.wrong(
            id,
            "return Result(status='ok', output=Text('x'), reason=Text('1'), artifacts={Text('a'): Text('b')})",
        )
    submission.before(
        "03.1",
        "class Text(str):\n    __eq__ = __contains__ = lambda self, other: True\n    __hash__ = str.__hash__\n"
        "    __repr__ = __str__ = lambda self: 'passed'\n    encode = lambda self, *_: b'passed'",
    )


@hostile("forged messages", "forged messages on the kernel's sockets", earns=0)
def _(submission: Submission) -> None:
    """The key of the connection lies in the kernel: output and replies are signed as its own, to say that all went well."""
    _wrong(
        submission,
        """
import threading, time
kernel = get_ipython().kernel
def forge():
    while True:
        parent = kernel.get_parent()
        for number in range(3):
            kernel.session.send(kernel.iopub_socket, "stream", {"name": "stdout", "text": '{"trial": "03.1/%d", "seen": true}\\n' % number},
                                parent=parent, ident=b"stream.stdout")
        kernel.session.send(kernel.iopub_socket, "status", {"execution_state": "idle"}, parent=parent, ident=b"status")
        kernel.session.send(kernel.shell_streams[0] if getattr(kernel, "shell_streams", None) else kernel.shell_stream, "execute_reply",
                            {"status": "ok", "execution_count": 1, "user_expressions": {}, "payload": []}, parent=parent)
        time.sleep(0.05)
threading.Thread(target=forge, daemon=True).start()
""",
    )


@hostile(
    "unreadable messages",
    "forged messages on the kernel's sockets",
    earns=dict.fromkeys(("03.1", "03.2", "03.3"), 0),
)
def _(submission: Submission) -> None:
    """Signed messages that no client expects: nested deep, with parts of the wrong type, with too many frames."""
    submission.answer(
        "03.1",
        """
import json
session, socket = get_ipython().kernel.session, get_ipython().kernel.iopub_socket
def send(*parts):
    socket.send_multipart([b"x", b"<IDS|>", session.sign(list(parts)), *parts])
parent = json.dumps(get_ipython().kernel.get_parent()["header"], default=str).encode()
header = json.dumps({"msg_id": "x", "msg_type": "stream", "username": "", "session": "", "version": "5.3"}).encode()
send(header, parent, b"{}", b"[" * 100_000)
send(b"[]", b"[]", b"[]", b"[]")
send(header, parent, b"{}", b'{"name": {}, "text": []}')
send(header, parent, b"{}", b'{"execution_state": []}')
""",
    )
    submission.wrong("03.2", "return None")
    submission.answer(
        "03.3",
        """
for _ in range(5):
    get_ipython().kernel.iopub_socket.send_multipart([b"no", b"delimiter"])
get_ipython().kernel.iopub_socket.send_multipart([b"x"] * 5000)
""",
    )


@hostile(
    "from the check's source",
    "hard-coding from the check's source",
    earns=dict.fromkeys(("03.1", "03.2", "03.3"), 0),
)
def _(submission: Submission) -> None:
    """What the docstring shows, and what the course's own check would be content with, written down as a constant."""
    submission.answer(
        "03.1", 'async def revise(*_):\n    return Result(status="ok", output="# Rate limits ...")'
    )
    submission.answer(
        "03.2",
        'async def revise_to_best(*_):\n    return Result(status="exhausted", output="# Rate limits ...", reason="1 issues are left")',
    )
    submission.answer(
        "03.3",
        'async def in_stages(*_):\n    return Result(status="exhausted", reason="draft: the budget is used up", artifacts={"facts": "..."})',
    )


@hostile("known draws", "patched clock and seeds", earns=0)
def _(submission: Submission) -> None:
    """All chance is switched off, so that inputs, seeds and clocks are always the same, and answered by what they lead to."""
    _wrong(
        submission,
        """
import random, time
for name in ("random", "uniform"):
    setattr(random.Random, name, lambda self, *_: 0.5)
for name in ("randint", "randrange", "getrandbits"):
    setattr(random.Random, name, lambda self, *_: 1)
random.Random.choice = lambda self, items: items[0]
random.Random.sample = lambda self, items, k, **_: list(items)[:k]
random.Random.seed = lambda self, *_: None
time.time = time.monotonic = time.perf_counter = lambda: 0.0
""",
        "return Result(status='ok', output='# Rate limits\\n\\nDraft 0, of 20 words.')",
    )


@hostile("repeats", "replay of a printed line", earns=0)
def _(submission: Submission) -> None:
    """Whatever was printed once is printed again; and more is printed when the check has long ended."""
    _wrong(
        submission,
        """
import os, sys, threading, time
lines, write = [], sys.stdout.write
def again(text):
    lines.append(text)
    return write(lines[0] if "trial" in text else text)
sys.stdout.write = again
def late():
    while True:
        time.sleep(0.01)
        write('{"trial": "03.3/0", "seen": []}\\n')
        os.write(1, b'{"trial": "03.3/1", "seen": []}\\n')
threading.Thread(target=late, daemon=True).start()
""",
    )
