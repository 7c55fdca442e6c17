"""The locks: each pin of the requirement files stands in them, and each package that a learner gets has hashes."""

from __future__ import annotations

import re

from classroom.launcher.environment import pins_of
from tests.places import ROOT

PIN = re.compile(r"^([a-z0-9.-]+)(?:\[[a-z,]+\])?==(\S+)", re.MULTILINE)


def pins(name):
    """(package, version) of each pin in a file."""
    return set(PIN.findall((ROOT / name).read_text(encoding="utf-8")))


def test_each_pin_stands_in_its_lock_with_its_version():
    for name in ("requirements", "tests/requirements"):
        asked = pins(f"{name}.txt")
        assert asked
        missing = asked - pins(f"{name}.lock")
        assert not missing, f"make {name}.lock again, as its first lines say: {sorted(missing)}"


def test_what_the_tests_install_has_what_a_learner_gets():
    everything = pins_of(ROOT, ["requirements.lock", "tests/requirements.lock"])
    assert everything == pins_of(ROOT, ["tests/requirements.lock"])


def test_each_package_that_a_learner_gets_has_a_version_and_hashes():
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    packages = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert packages
    for package in packages:
        assert PIN.match(package), package
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", package), package
