"""What a saved notebook keeps: controls that were not run again stay drawable on the next day."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"


def keep_widget_state(
    model: dict[str, Any], path: str, contents_manager: Any, **others: Any
) -> None:
    """Put back the state that the file on disk has, where the page no longer holds it.

    JupyterLab writes the state of the kernel's controls only: a notebook that is opened and saved
    without a run would lose its own. A `pre_save_hook` of Jupyter Server; changes `model`.
    """
    if model.get("type") != "notebook" or not model.get("content"):
        return
    needed = _shown(model["content"])
    state = _state(model["content"])
    if needed <= state.keys():
        return
    kept = _state(_on_disk(Path(contents_manager.root_dir) / path.strip("/")))
    if not needed & (kept.keys() - state.keys()):
        return
    widgets = model["content"].setdefault("metadata", {}).setdefault("widgets", {})
    empty = {"version_major": 2, "version_minor": 0}
    widgets[STATE] = {**empty, **widgets.get(STATE, {}), "state": {**kept, **state}}


def _shown(notebook: dict[str, Any]) -> set[str]:
    """The ids of the controls that the outputs show."""
    cells = notebook.get("cells", [])
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    views = [output.get("data", {}).get(VIEW) for output in outputs]
    return {view["model_id"] for view in views if isinstance(view, dict) and "model_id" in view}


def _state(notebook: dict[str, Any]) -> dict[str, Any]:
    return notebook.get("metadata", {}).get("widgets", {}).get(STATE, {}).get("state", {})


def _on_disk(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
