"""The options of every run from a terminal: a real model, its cap, and a file for its events."""

from __future__ import annotations

import argparse


def run_options() -> argparse.ArgumentParser:
    """A parser of these options, to be used as a parent of another parser."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument(
        "--save", metavar="FILE", help="write every event of the run to FILE, as JSON lines"
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="use a real model (needs ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL)",
    )
    parser.add_argument(
        "--max-usd",
        default="0.50",
        metavar="AMOUNT",
        help="hard cap of a live run, in dollars (default 0.50)",
    )
    return parser
