"""Recipes of the capstone: they overwhelm the service outside, avoid it, or make up what it saw. Each costs its own exercise."""

from __future__ import annotations

from .submission import Submission, honest, hostile

LESSON = "27"
DOOR = '''
import glob, os, socket, threading, time

def door():
    """A new connection to the service of this case."""
    from classroom import observing
    found = socket.socket(socket.AF_UNIX)
    found.settimeout(30)
    found.connect(observing._here.session.socket)
    return found

HEAD = b"POST /team/v1/messages HTTP/1.1\\r\\nhost: x\\r\\ncontent-type: application/json\\r\\n"
'''
LOST = "killed|timeout|not-run"
OVERWHELMED = {"27.1": "passed", "27.2": LOST, "27.3": "passed"}


def at_each_call(submission: Submission, *lines: str) -> None:
    """The answer to 19.2 is right, but does this first."""
    submission.before("27.2", DOOR)
    body = "".join(f"    {line}\n" for line in lines)
    submission.after("27.2", f"ours = team\n\ndef team(library):\n{body}    return ours(library)")


def overwhelms(name: str, item: str, *lines: str, states: str = LOST) -> None:
    """Registers a team that does this to the service before it works."""

    def make(submission: Submission) -> None:
        at_each_call(submission, *lines)

    make.__doc__ = f"Right answers, but the team {name}."
    ended = {**OVERWHELMED, "27.2": states}
    hostile(name, item, lesson=LESSON, earns={"27.2": 0}, states=ended, boxed=True)(make)


overwhelms(
    "sends a thousand requests",
    "a flood of requests",
    "for one in range(1000):",
    "    with door() as it:",
    "        it.sendall(HEAD + b'content-length: 2\\r\\nconnection: close\\r\\n\\r\\n{}')",
    "        while it.recv(65536): pass",
)
overwhelms(
    "sends 40 MB at once",
    "a huge request",
    "with door() as it:",
    "    try:",
    "        it.sendall(HEAD + b'content-length: 40000000\\r\\n\\r\\n' + b'x' * 40000000)",
    "    except OSError:",
    "        pass",
    states="killed|not-run",
)
overwhelms(
    "sends a byte now and then",
    "a slow request",
    "with door() as it:",
    "    it.sendall(HEAD + b'content-length: 1000\\r\\n\\r\\n')",
    "    try:",
    "        for one in range(1000):",
    "            it.sendall(b'x')",
    "            time.sleep(0.5)",
    "    except OSError:",
    "        pass",
)
overwhelms(
    "opens a hundred connections and says nothing",
    "half-open connections",
    "global held",
    "held = []",
    "for one in range(100):",
    "    held.append(door())",
)
overwhelms(
    "asks with deep and long nonsense",
    "a request that is hard to read",
    "for body in (b'[' * 390000, b'{\"a\":' * 60000, b'\"' + b'a ' * 190000 + b'\"'):",
    "    with door() as it:",
    "        it.sendall(HEAD + b'content-length: %d\\r\\n\\r\\n' % len(body) + body)",
    "        it.recv(65536)",
    "for one in range(400):",
    "    with door() as it:",
    "        it.sendall(b'GARBAGE\\r\\n\\r\\n')",
    "        it.recv(65536)",
    "with door() as it:",
    "    it.sendall(HEAD + b'content-length: 400001\\r\\n\\r\\n')",
    "    it.recv(65536)",
)


@hostile(
    "a server of its own",
    "a service of its own",
    lesson=LESSON,
    earns={"27.2": 0, "27.3": 0},
    states={"27.1": "passed", "27.2": "failed", "27.3": "failed"},
    boxed=True,
)
def _(submission: Submission) -> None:
    """In place of the service's socket the submission puts one of its own, which answers as the offline model does: nobody outside has seen a request."""
    submission.before(
        "27.2",
        DOOR
        + """
def instead():
    from socketserver import ThreadingMixIn, UnixStreamServer
    from offline_model import OfflineAPI
    from offline_model.api.server import _Connection
    from classroom import observing

    class Handler(_Connection):
        disable_nagle_algorithm = False

    class Mine(ThreadingMixIn, UnixStreamServer):
        daemon_threads = True

    class Prefixed(OfflineAPI):
        def handle(self, method, path, headers, body=b""):
            return super().handle(method, "/" + path.lstrip("/").partition("/")[2], headers, body)

    path = observing._here.session.socket
    os.unlink(path)
    server = Mine(path, Handler)
    server.api = Prefixed()
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
""",
    )
    submission.after(
        "27.2", "ours = team\n\ndef team(library):\n    instead()\n    return ours(library)"
    )
    submission.before("27.3", "theirs = None")
    submission.after(
        "27.3",
        "right = ship\n\nasync def ship(team, task, client, file):\n    try:\n        instead()\n"
        "    except FileNotFoundError:\n        pass\n    return await right(team, task, client, file)",
    )


@hostile(
    "a log that was made up",
    "a fake log",
    lesson=LESSON,
    earns={"27.2": 0, "27.3": 0},
    states={"27.1": "passed", "27.2": "failed", "27.3": "failed"},
)
def _(submission: Submission) -> None:
    """What reads the log in the submission's process is replaced, and says that all went well; a log lies beside the notebook, too."""
    forged = {
        "how it ended": "ok",
        "agents that asked a model": 4,
        "own specialists whose work was used": 2,
        "tools of your own that were called": 1,
        "tools whose answer depends on what they are given": 1,
        "checks by a gate": 2,
        "vetoes that were left": 0,
        "limits in the budget": 1,
        "documents that the text cites": 3,
        "citations of no document": 0,
    }
    submission.answer(
        "27.2",
        "import workshop.course.lesson_27.observe as look\n"
        f"look.on_log = lambda *given: {forged!r}\n"
        "look._text = lambda run: 'a text'\n"
        "look._first = lambda run: 'supervisor: ' + look.given\n"
        "class Idle:\n    name, description = 'idle', 'Does nothing.'\n"
        "    async def execute(self, handoff, run):\n"
        "        from kernel import Result\n        return Result(status='ok', output='done')\n"
        "def team(library):\n    return Idle()",
    )
    submission.answer(
        "27.3",
        "async def ship(team, task, client, file):\n    look.given = task\n    return Run(client)",
    )
    submission.files["run.jsonl"] = b'{"kind": "reply", "status": "ok"}\n'


@hostile(
    "reads other logs",
    "reading other logs",
    lesson=LESSON,
    earns={"27.2": 0},
    states={"27.1": "passed", "27.2": "failed|error|timeout|not-run", "27.3": "passed"},
    boxed=True,
)
def _(submission: Submission) -> None:
    """Every socket that can be found is asked for its log, by HTTP and as the grader asks; nothing answers but the submission's own service, which tells nothing."""
    at_each_call(
        submission,
        "from classroom import observing",
        "own = observing._here.session.socket",
        "others = [path for root in ('/tmp', '/run', '/home', '/dev/shm') for path in glob.glob(root + '/**/c-*', recursive=True)]",
        "told = []",
        "for path in [own] + [one for one in others if one != own]:",
        "    for words in (b'take 1\\n', b'1\\n', b'GET /log HTTP/1.1\\r\\n\\r\\n'):",
        "        try:",
        "            with socket.socket(socket.AF_UNIX) as it:",
        "                it.settimeout(0.3)",
        "                it.connect(path)",
        "                it.sendall(words)",
        "                told.append(it.recv(65536))",
        "        except OSError:",
        "            pass",
        "if not any(b'figures' in one or b'Exchange' in one or b'\"system\"' in one for one in told):",
        "    return None",
    )


@honest("ships", lesson=LESSON, states=dict.fromkeys(("27.1", "27.2", "27.3"), "passed"))
def _(submission: Submission) -> None:
    """Everything right in the capstone, with documents in files."""
    text = "The bakery feeds its sourdough with 50 grams of flour and 40 grams of water on each {}."
    for day in ("monday", "tuesday", "sunday"):
        submission.files[f"documents/{day}.md"] = text.format(day).encode()
    submission.answer(
        "27.1",
        'def own():\n    return "Write a brief on sourdough", shipping.texts("documents")',
    )
