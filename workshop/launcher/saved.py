"""What a saved notebook keeps: controls that were not run again stay drawable on the next day."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
VERSION = {"version_major": 2, "version_minor": 0}
"""Of the state's format, where the notebook names none."""


def keep_widget_state(
    model: dict[str, Any], path: str, contents_manager: Any, **others: Any
) -> None:
    """Put back the state that the file on disk has, where the page no longer holds it.

    JupyterLab writes the state of the kernel's controls only: a notebook that is opened and saved
    without a run would lose its own. A `pre_save_hook` of Jupyter Server; changes `model`.
    """
    notebook = model.get("content")
    if model.get("type") != "notebook" or not notebook:
        return
    needed = _shown(notebook)
    state = _state(notebook)
    if needed <= state.keys():
        return
    file = Path(contents_manager.root_dir) / path.strip("/")
    kept = _state(_on_disk(file))
    lost = kept.keys() - state.keys()
    if not needed & lost:
        return
    metadata = notebook.setdefault("metadata", {})
    widgets = metadata.setdefault("widgets", {})
    stored = widgets.get(STATE, {})
    widgets[STATE] = {**VERSION, **stored, "state": {**kept, **state}}


def _shown(notebook: dict[str, Any]) -> set[str]:
    """The ids of the controls that the outputs show."""
    ids = set()
    for cell in notebook.get("cells", []):
        for output in cell.get("outputs", []):
            view = output.get("data", {}).get(VIEW)
            if isinstance(view, dict) and "model_id" in view:
                ids.add(view["model_id"])
    return ids


def _state(notebook: dict[str, Any]) -> dict[str, Any]:
    metadata = notebook.get("metadata", {})
    widgets = metadata.get("widgets", {})
    return widgets.get(STATE, {}).get("state", {})


def _on_disk(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
