"""The state of widgets in a saved notebook, so that controls stay drawable on the next day."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"
VERSION = {"version_major": 2, "version_minor": 0}
"""Of the state's format, where the notebook names none."""
LOST = "This control was saved when its kernel was gone. Run this cell, and it is back."


def keep_widget_state(
    model: dict[str, Any], path: str, contents_manager: Any, **others: Any
) -> None:
    """Put back the state that the file on disk has, where the page no longer holds it.

    JupyterLab writes the state of the kernel's controls only: a notebook that is opened and saved
    without a run would lose its own. A control whose state is nowhere, since it was not saved
    before a restart, becomes its text: the page could only say "Error displaying widget" of it.
    A `pre_save_hook` of Jupyter Server; changes `model`.
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
    if needed & (kept.keys() - state.keys()):
        metadata = notebook.setdefault("metadata", {})
        widgets = metadata.setdefault("widgets", {})
        stored = widgets.get(STATE, {})
        widgets[STATE] = {**VERSION, **stored, "state": {**kept, **state}}
    for data, id in _views(notebook):
        if id not in kept and id not in state:
            del data[VIEW]
            text = "".join(data.get("text/plain", ""))
            data["text/plain"] = f"{text}\n\n{LOST}".lstrip()


def _shown(notebook: dict[str, Any]) -> set[str]:
    """The ids of the controls that the outputs show."""
    return {id for _, id in _views(notebook)}


def _views(notebook: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Each output that shows a control, with the id of the control."""
    for cell in notebook.get("cells", []):
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            view = data.get(VIEW)
            if isinstance(view, dict) and "model_id" in view:
                yield data, view["model_id"]


def _state(notebook: dict[str, Any]) -> dict[str, Any]:
    metadata = notebook.get("metadata", {})
    widgets = metadata.get("widgets", {})
    return widgets.get(STATE, {}).get("state", {})


def _on_disk(path: Path) -> dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
