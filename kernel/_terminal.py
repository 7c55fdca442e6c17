"""The options that every run from a terminal has: a real model, its cap, and where it is kept."""

from __future__ import annotations

import argparse


def run_options() -> argparse.ArgumentParser:
    """The parser of these options, to be given as a parent of another one."""
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
