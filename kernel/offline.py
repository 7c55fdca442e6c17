"""The old name of `offline_model`, kept for copies and submissions that were made before it
moved.
"""

import warnings
from typing import Any

import offline_model

__all__ = offline_model.__all__

warnings.warn(
    "kernel.offline has moved: import the same names from offline_model",
    DeprecationWarning,
    stacklevel=2,
)


def __getattr__(name: str) -> Any:  # Any: whatever the name is of
    """Passes a name on to `offline_model`; raises AttributeError where there is none."""
    return getattr(offline_model, name)
