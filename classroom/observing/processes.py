"""Processes of one answer, one after the other, played in one interpreter: they share nothing but
a store, and each has a copy of it.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any, TypeVar

from . import copied

Store = TypeVar("Store")
DICTS = (dict, OrderedDict, defaultdict, Counter)
NOT_SET = object()
PLAIN = (str, bytes, int, float, complex, bool, type(None))
HOLDERS = (*DICTS, list, deque, set, tuple)
MOST = 1_000
"""Values within one that an answer keeps in a list or dict of its own; a larger one is not looked
into."""


class Processes:
    """The processes of an answer. Each begins with the names and the data that the answer has when
    the first one does, as if its cells had run anew.
    """

    def __init__(self, answer: Any) -> None:
        function = answer.func if isinstance(answer, functools.partial) else answer
        self._names: dict[str, Any] = getattr(inspect.unwrap(function), "__globals__", {})
        self._held = _Held(self._names)
        self._held.look(answer)
        self._stores: list[Any] = []  # all of them, so that no two have one identity

    @contextlib.contextmanager
    def another(self, store: Store) -> Iterator[Store]:
        """A new process, with a copy of a store. As with Python's texts, `hash` gives other numbers
        in it.
        """
        self._held.restore()
        own = copied(store)
        self._stores.append(own)
        number, is_free = len(self._stores), "hash" not in self._names
        if is_free:
            self._names["hash"] = lambda value: hash((number, value))
        try:
            yield own
        finally:
            if is_free:
                self._names.pop("hash", None)


class _Held:
    """All that the functions and classes of a namespace remember, as it was when they were looked
    at.
    """

    def __init__(self, names: dict[str, Any]) -> None:
        self.names = names
        self.module = names.get("__name__", "")
        self._known: dict[int, Any] = {}
        self._undo: list[Callable[[], object]] = []

    def restore(self) -> None:
        for undo in self._undo:
            undo()

    def look(self, value: Any) -> None:
        """Notes what a value remembers, and what is reached from it."""
        waiting = [value]
        while waiting:
            value = waiting.pop()
            if id(value) not in self._known:
                self._known[id(value)] = value
                waiting += self._noted(value)

    def _noted(self, value: Any) -> Iterable[Any]:
        """Notes how one value is restored; returns those that it leads to."""
        kind = type(value)
        if kind in DICTS:
            return self._dict(value)
        if kind in (list, deque, set):
            before = [*value]
            fill = value.update if kind is set else value.extend
            self._undo += [value.clear, lambda: fill(before)]
            return filter(self._is_own, before)
        if kind is tuple:
            return value
        if kind is FunctionType:
            return self._function(value) if value.__globals__ is self.names else ()
        if kind is MethodType:
            return value.__self__, value.__func__
        if kind in (staticmethod, classmethod):
            return (value.__func__,)
        if kind is property:
            return value.fget, value.fset
        if kind is functools.partial:
            return value.func, value.args, value.keywords
        if kind is functools._lru_cache_wrapper:
            self._undo.append(value.cache_clear)
            return (value.__wrapped__,)
        return self._of_its_own(value)

    def _dict(self, value: dict[Any, Any]) -> Iterable[Any]:
        before = dict(value)
        self._undo += [value.clear, lambda: dict.update(value, before)]
        return filter(self._is_own, before.values())

    def _is_own(self, value: Any) -> bool:
        """False for data of somebody else that an answer has collected, such as what it found on
        the stack: putting that back would break its owner."""
        if type(value) not in HOLDERS:
            return True
        waiting, looked_at = [value], 0
        while waiting:
            part = waiting.pop()
            looked_at += 1
            if type(part) in HOLDERS and looked_at <= MOST:
                waiting += part.values() if type(part) in DICTS else part
            elif type(part) not in PLAIN and type(part).__module__ != self.module:
                return False
        return True

    def _function(self, function: FunctionType) -> Iterable[Any]:
        used = {name: self.names.get(name, NOT_SET) for name in _names_in(function.__code__)}
        self._undo.append(functools.partial(self._bind, used))
        yield from used.values()
        for cell in function.__closure__ or ():
            with contextlib.suppress(ValueError):  # an empty one
                before = cell.cell_contents
                self._undo.append(functools.partial(setattr, cell, "cell_contents", before))
                yield before
        yield from (function.__defaults__, function.__kwdefaults__, vars(function))

    def _bind(self, before: dict[str, Any]) -> None:
        for name, value in before.items():
            if value is NOT_SET:
                self.names.pop(name, None)
            else:
                self.names[name] = value

    def _of_its_own(self, value: Any) -> Iterable[Any]:
        """A class of the namespace, or an object of one."""
        is_class = isinstance(value, type)
        if (value if is_class else type(value)).__module__ != self.module:
            return ()
        if not is_class:
            return type(value), getattr(value, "__dict__", None)
        before = dict(vars(value))
        self._undo.append(lambda: _restore_class(value, before))
        return before.values()


def _restore_class(kind: type, before: dict[str, Any]) -> None:
    now = dict(vars(kind))
    for name in now.keys() - before.keys():
        delattr(kind, name)
    for name, value in before.items():
        if now.get(name) is not value:
            setattr(kind, name, value)


def _names_in(code: CodeType) -> set[str]:
    """The names outside that code may read or bind, also those of functions within it."""
    names = set(code.co_names)
    for part in code.co_consts:
        if isinstance(part, CodeType):
            names |= _names_in(part)
    return names
