"""The lock: each pin of requirements.txt stands in it, and each of its packages has hashes."""

from __future__ import annotations

import re

from tests.places import ROOT

PIN = re.compile(r"^([a-z0-9.-]+)==(\S+)", re.MULTILINE)


def packages_of_the_lock():
    """Each package's text in the lock, hashes included."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]


def test_each_pin_stands_in_the_lock_with_its_version():
    pins = set(PIN.findall((ROOT / "requirements.txt").read_text(encoding="utf-8")))
    assert pins
    locked = {pin for package in packages_of_the_lock() for pin in PIN.findall(package)}
    assert pins <= locked, f"make the lock again: {sorted(pins - locked)}"


def test_each_package_of_the_lock_has_a_version_and_hashes():
    packages = packages_of_the_lock()
    assert packages
    for package in packages:
        assert PIN.match(package), package
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", package), package
