"""Measures the ports that are installed, writes results.json; `--install` makes .venv-ports."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ENVIRONMENT = ROOT / ".venv-ports"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
sys.path.insert(0, str(ROOT))


def python_of(environment: Path) -> Path:
    """The interpreter of a virtual environment."""
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def install() -> None:
    """Makes .venv-ports, with uv or else with venv and pip. Raises CalledProcessError."""
    uv = shutil.which("uv")
    if uv:
        subprocess.run([uv, "venv", "--python", sys.executable, str(ENVIRONMENT)], check=True)
        into = ["--python", str(ENVIRONMENT), "-r", str(REQUIREMENTS)]
        subprocess.run([uv, "pip", "install", *into], check=True)
        return
    subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
    subprocess.run(
        [str(python_of(ENVIRONMENT)), "-m", "pip", "install", "-r", str(REQUIREMENTS)], check=True
    )


def options() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--install", action="store_true", help="make .venv-ports and end")
    parser.add_argument("--check", action="store_true", help="compare only; status 1 if it differs")
    parser.add_argument("--only", metavar="PORT", help="a port that .venv-ports does not have")
    parser.add_argument("--environment", metavar="FOLDER", type=Path, help="where that port is")
    parser.add_argument("--runs", type=int, default=10, help="for the clock (default: 10)")
    return parser.parse_args()


def main() -> int:
    """Returns 0, or 1 where --check finds a difference."""
    asked = options()
    if asked.install:
        install()
        return 0
    ours = python_of(ROOT / ".venv")
    if (
        ours.exists()
        and Path(sys.prefix) != ROOT / ".venv"
        and "WORKSHOP_NO_VENV" not in os.environ
    ):
        return subprocess.call([str(ours), *sys.argv])  # measuring needs the workshop's packages
    from workshop.material import playing_ports, ports

    if asked.only:
        pythons = {asked.only: playing_ports.python_of(asked.environment)}
    else:
        pythons = playing_ports.pythons()
    rows = playing_ports.measured(pythons, runs=asked.runs)
    kept = ports.stored() if ports.STORED.exists() else {}
    found = []
    for name, row in rows.items():
        print(f"{name}: {row.answered} calls, {row.megabytes} MB, {row.who_tells}")
        found += ports.differences(row, kept[name]) if name in kept else [f"{name}: new"]
    print(*found or ["as stored"], sep="\n")
    if not asked.check:
        ports.store(rows)
    return int(asked.check and bool(found))


if __name__ == "__main__":
    raise SystemExit(main())
