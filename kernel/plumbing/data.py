"""The folders of documents that come with the kernel."""

from pathlib import Path

_KERNEL = Path(__file__).resolve().parent.parent
_INSTALLED = _KERNEL / "data"
_IN_A_CLONE = _KERNEL.parent / "notebooks" / "data"


def shipped(name: str) -> Path:
    """The folder `name`: inside the package where a wheel was installed, in `notebooks/data` in a
    clone.
    """
    place = _INSTALLED if _INSTALLED.is_dir() else _IN_A_CLONE
    return place / name
