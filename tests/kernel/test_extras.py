"""Facts about optional extras: a missing package ends in one sentence that installs it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from kernel.parts import telemetry
from kernel.parts.cluster.queues import EXTRA as CLUSTER
from kernel.parts.elsewhere import mcp
from kernel.plumbing.extras import Extra
from tests.on_each import on_each
from tests.places import ROOT

EXTRA = Extra("shop", "A shop")
SENTENCE = r'A shop needs no_such_package, .*: pip install -e "\.\[shop\]"$'


LOADS_NO_EXTRA = """
import sys

sys.modules["ssl"] = None  # a browser's tab has none
import kernel

assert "kernel.parts.telemetry" not in sys.modules
import kernel.parts.cluster, kernel.parts.elsewhere.mcp, kernel.parts.telemetry

extras = "mcp opentelemetry google.protobuf requests distributed dask cloudpickle cryptography"
loaded = {*extras.split()} & sys.modules.keys()
assert not loaded, loaded
"""


def test_no_extra_and_no_tls_is_needed_to_import_the_part_that_uses_it():
    subprocess.run([sys.executable, "-c", LOADS_NO_EXTRA], check=True, cwd=ROOT)


def test_a_module_that_is_there_is_imported():
    assert EXTRA.module("json") is json
    EXTRA.check("json", "sqlite3")


def test_a_missing_module_is_named_with_the_command_that_installs_its_extra():
    with pytest.raises(ModuleNotFoundError, match=SENTENCE) as caught:
        EXTRA.module("no_such_package.part")
    assert caught.value.name == "no_such_package"
    with pytest.raises(ModuleNotFoundError, match=SENTENCE):
        EXTRA.check("json", "no_such_package")


@on_each(
    ("optional", "extra"),
    [
        (mcp.optional, "elsewhere"),
        (telemetry.optional, "telemetry"),
        (CLUSTER.module, "cluster"),
    ],
)
def test_each_part_of_the_kernel_names_its_own_extra(optional, extra):
    with pytest.raises(ModuleNotFoundError, match=rf"\[{extra}\]"):
        optional("no_such_package")
