"""The folders of documents that ship with the kernel."""

from pathlib import Path

_KERNEL = Path(__file__).resolve().parent.parent
_INSTALLED = _KERNEL / "data"
_IN_A_CLONE = _KERNEL.parent / "notebooks" / "data"


def shipped(name: str) -> Path:
    """The folder `name`: in the package when installed from a wheel, else in `notebooks/data`."""
    place = _INSTALLED if _INSTALLED.is_dir() else _IN_A_CLONE
    return place / name
