"""Hides the packages of the extras that CLASSROOM_WITHOUT names, as if they were not installed."""

import os
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[3] / "pyproject.toml"


def modules(extras):
    """The top modules that the packages of some extras bring."""
    known = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    lines = [line for extra in extras for line in known[extra]]
    names = {re.match(r"[\w.-]+", line)[0] for line in lines}
    return [module for module, packages in packages_distributions().items() if names & {*packages}]


for module in modules(os.environ["CLASSROOM_WITHOUT"].split()):
    sys.modules[module] = None
