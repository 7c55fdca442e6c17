"""Optional extras: packages that a part of the kernel needs, imported at its first use."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any


@dataclass(frozen=True)
class Extra:
    """One optional extra of pyproject.toml."""

    name: str
    use: str
    """The feature that needs it, as the first words of an error message: "A cluster"."""

    @property
    def install(self) -> str:
        """The command that installs it, in the folder of the project."""
        return f'pip install -e ".[{self.name}]"'

    def module(self, name: str) -> Any:  # Any: types are not there where the extra is not
        """Imports a module of the extra. Raises ModuleNotFoundError with the line that installs
        it."""
        try:
            return import_module(name)
        except ModuleNotFoundError as problem:
            raise self._missing(problem.name or name) from None

    def check(self, *names: str) -> None:
        """Raises ModuleNotFoundError, as `module` does, for the first of these top-level modules
        that is missing; imports none."""
        for name in names:
            if find_spec(name) is None:
                raise self._missing(name)

    def _missing(self, name: str) -> ModuleNotFoundError:
        return ModuleNotFoundError(
            f"{self.use} needs {name}, which is not installed for"
            f" {sys.executable or 'this Python'}. In the folder of the project: {self.install}",
            name=name,
        )
