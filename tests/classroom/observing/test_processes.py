"""Processes played in one interpreter: what one remembers, the next one does not know."""

from __future__ import annotations

from classroom.observing.processes import Processes
from tests.on_each import on_each

REMEMBERS = (
    "SEEN = []\ndef answer(word): return add(SEEN, word)",
    "SEEN = {}\ndef answer(word): return add(SEEN.setdefault('words', []), word)",
    "from collections import defaultdict\nSEEN = defaultdict(list)\ndef answer(word): return add(SEEN[1], word)",
    "SEEN = {1: ([], 2)}\ndef answer(word): return add(SEEN[1][0], word)",
    "def answer(word, seen=[]): return add(seen, word)",
    "def answer(word, *, seen=[]): return add(seen, word)",
    "def answer(word): return add(answer.__dict__.setdefault('seen', []), word)",
    "COUNT = 0\ndef answer(word):\n    global COUNT\n    COUNT += 1\n    return COUNT",
    "def answer(word):\n    global LATE\n    if 'LATE' not in globals(): LATE = []\n    return add(LATE, word)",
    "def of(seen):\n    def answer(word): return add(seen, word)\n    return answer\nanswer = of([])",
    "def of(count):\n    def answer(word):\n        nonlocal count\n        count += 1\n        return count\n"
    "    return answer\nanswer = of(0)",
    "import functools\n@functools.lru_cache\ndef seen(): return []\ndef answer(word): return add(seen(), word)",
    "import functools\ndef late(seen, word): return add(seen, word)\nanswer = functools.partial(late, [])",
    "import functools\nSEEN = []\ndef late(_, word): return add(SEEN, word)\nanswer = functools.partial(late, 0)",
    "class Seen:\n    words = []\ndef answer(word): return add(Seen.words, word)",
    "class Seen:\n    count = 0\ndef answer(word):\n    Seen.count += 1\n    return Seen.count",
    "class Seen:\n    def __call__(self, word): return add(self.__dict__.setdefault('words', []), word)\nSEEN = Seen()\n"
    "def answer(word): return SEEN(word)",
    "class Seen:\n    @classmethod\n    def of(cls, word, seen=[]): return add(seen, word)\nanswer = Seen.of",
    "def inner(word):\n    def deep(): return add(SEEN, word)\n    return deep()\nSEEN = []\ndef answer(word): return inner(word)",
)


@on_each("source", REMEMBERS)
def test_what_an_answer_remembers_is_gone_in_the_next_process(source):
    names = {"__name__": "__main__"}
    exec(f"def add(seen, word):\n    seen.append(word)\n    return len(seen)\n{source}", names)
    answer = names["answer"]
    processes = Processes(answer)
    for _ in range(3):
        with processes.another(None):
            assert (answer("one"), answer("two")) == (1, 2)


def test_a_store_is_another_object_in_each_process_and_holds_what_was_kept():
    stores, processes = [], Processes(len)
    kept = {"a": [1]}
    for _ in range(3):
        with processes.another(kept) as kept:
            kept["a"].append(2)
            stores.append(kept)
    assert stores == [{"a": [1, 2]}, {"a": [1, 2, 2]}, {"a": [1, 2, 2, 2]}]
    assert len({*map(id, stores)}) == 3
