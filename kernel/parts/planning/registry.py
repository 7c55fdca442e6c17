"""A registry: executables by name, and the words by which a supervisor finds who can do what."""

from __future__ import annotations

import re
from typing import Literal

from ...core.contract import Executable
from ...plumbing.labels import label

Kind = Literal["tool", "skill", "agent"]
# within Registry `list` is a method, so its annotations cannot name the type
Executables = list[Executable]
Names = list[str]


class Registry:
    """Executables by name, each with its kind; the place where a supervisor finds who can
    do what. A name is a label: "fact checker" is found as such and as "fact-checker"."""

    def __init__(self) -> None:
        self._entries: dict[str, tuple[Executable, Kind]] = {}

    def __contains__(self, name: str) -> bool:
        return label(name) in self._entries

    def register(self, executable: Executable, kind: Kind = "agent") -> Executable:
        """Adds an executable. Raises ValueError if the name is taken, TypeError if the contract is
        not kept."""
        if not isinstance(executable, Executable) or not isinstance(executable.name, str):
            raise TypeError(
                f"{executable!r} cannot be registered: it needs name, description and"
                " execute(handoff, run)"
            )
        name = label(executable.name)
        if name in self._entries:
            raise ValueError(
                f"an executable named {name!r} is registered already; choose another name"
            )
        self._entries[name] = (executable, kind)
        return executable

    def get(self, name: str) -> Executable:
        """The executable of that name. Raises KeyError that lists the names there are."""
        if name not in self:
            raise KeyError(
                f"no executable named {name!r}; registered: {', '.join(self._entries) or 'none'}"
            )
        return self._entries[label(name)][0]

    def kind(self, name: str) -> Kind:
        """The kind under that name: tool, skill or agent. Raises KeyError like `get`."""
        self.get(name)
        return self._entries[label(name)][1]

    def describe(self) -> str:
        """One line an executable, for a model or a reader: name, kind, description."""
        lines = []
        for name, (executable, kind) in self._entries.items():
            lines.append(f"- {name} ({kind}): {' '.join(executable.description.split())}")
        return "\n".join(lines)

    def list(self, kind: Kind | None = None) -> Executables:
        """All executables, or those of one kind, in the order of their registration."""
        return [
            executable
            for executable, registered_as in self._entries.values()
            if kind in (None, registered_as)
        ]

    def names(self) -> Names:
        """The names of all executables, in the order of their registration."""
        return [*self._entries]

    def find(self, capability: str) -> Executables:
        """The executables whose name or description shares words with `capability`, best match
        first."""
        needed = stems(capability)
        scored = []
        for executable in self.list():
            shared = needed & stems(f"{executable.name} {executable.description}")
            scored.append((len(shared), executable))
        scored.sort(key=lambda pair: -pair[0])
        return [executable for score, executable in scored if score]


def stems(text: str) -> set[str]:
    """Words without their plural, cut to five letters: "review" finds "reviewers"."""
    return {
        word.rstrip("s")[:5]
        for word in re.findall(r"[a-z]{3,}", text.lower())
        if word not in _COMMON
    }


_COMMON = frozenset(
    "the and for with that this from its are what who can has you into nobody".split()
)
"""Words that name no capability; "nobody" is what a planner calls a missing worker."""
