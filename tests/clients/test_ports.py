"""Lesson 24's results.json is still true: each port that is installed is played again, in its own process."""

from __future__ import annotations

import pytest

from workshop.material import ports
from workshop.material.playing_ports import measured, python_for

pytestmark = pytest.mark.clients
SHIPPED = [name for name, port in ports.PORTS.items() if port.shipped and name != "kernel"]


@pytest.mark.parametrize("name", SHIPPED)
def test_a_stored_row_is_what_is_measured_today(name):
    python = python_for(ports.PORTS[name])
    if python is None:
        pytest.skip(f"the packages of {name} are not installed: {ports.INSTALL}")
    rows, kept = measured({name: python}), ports.stored()
    assert [each for row in rows.values() for each in ports.differences(row, kept[row.name])] == []
    assert 0.7 < rows[name].megabytes / kept[name].megabytes < 1.4
