"""The choice: a radio group, one option a line, for mouse, keyboard and screen reader.

ipywidgets' own radio buttons have no group, so arrows do not move within them. This one is plain
HTML whose options press hidden buttons, and it keeps the keys that JupyterLab would take for its
own shortcuts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from uuid import uuid4

import traitlets

from classroom.paper.shown import escape, inline

PICK = (
    "const box=this.closest('.workshop-choice');"
    "box.picked=event.target.value;"
    "box.querySelectorAll('.workshop-choice-keys button')[+box.picked].click();"
    "const keep=()=>{"
    "const now=[...box.querySelectorAll('input')].find(one=>one.value===box.picked);"
    "if(!now||now.disabled)return;"
    "now.checked=true;"
    "if(document.activeElement===document.body||box.contains(document.activeElement))now.focus()};"
    "box.drawn=box.drawn||new MutationObserver(keep);"
    "box.drawn.observe(box,{childList:true,subtree:true});"
    "clearTimeout(box.ends);box.ends=setTimeout(()=>box.drawn.disconnect(),5000)"
)
"""Presses the option's hidden button; keeps choice and focus when the group is drawn anew.

The kernel draws late: what arrives may show an earlier option than the one just picked.
"""
KEEP_KEYS = (
    "const alone=!(event.shiftKey||event.ctrlKey||event.metaKey||event.altKey);"
    "if(alone&&event.key!=='Escape'&&event.key!=='Tab')event.stopPropagation()"
)
"""Arrows and letters belong to the group; Shift+Enter still runs the cell."""
OF_ITS_OWN = '<form onsubmit="return false" style="margin:0">'
"""Shown twice, a choice has two groups of one name: each in a form, or one empties the other."""


class Choice(traitlets.HasTraits):
    """A radio group; `value` is the chosen option's value, None until there is one.

    question: inline Markdown, the name of the group.
    options:  (label, value) each.
    """

    value = traitlets.Any(None, allow_none=True)
    disabled = traitlets.Bool(False)

    def __init__(
        self, question: str, options: Iterable[tuple[str, Any]], value: Any = None, **traits: Any
    ) -> None:
        super().__init__(value=value, **traits)
        import ipywidgets

        self.question, self.options = question, list(options)
        self._group = f"choice-{uuid4().hex[:12]}"
        self._html = ipywidgets.HTML(layout={"max_width": "760px"})
        keys = ipywidgets.HBox(
            [self._key(label, option) for label, option in self.options], layout={"display": "none"}
        )
        keys.add_class("workshop-choice-keys")
        self.widget = ipywidgets.VBox([self._html, keys])
        self.widget.add_class("workshop-choice")
        self.observe(self._draw, ["value", "disabled"])
        self._draw()

    def _key(self, label: str, option: Any) -> Any:
        import ipywidgets

        button = ipywidgets.Button(description=label)
        button.on_click(lambda _: self._pick(option))
        return button

    def _pick(self, option: Any) -> None:
        if not self.disabled:
            self.value = option

    def _draw(self, change: Any = None) -> None:
        rows = "".join(
            self._row(index, label, option) for index, (label, option) in enumerate(self.options)
        )
        name = f"{self._group}-name"
        self._html.value = (
            f'{OF_ITS_OWN}<div role="radiogroup" aria-labelledby="{name}" '
            f'onchange="{escape(PICK)}" onkeydown="{escape(KEEP_KEYS)}" style="line-height:1.5">'
            f'<div id="{name}" style="margin-bottom:4px">{inline(self.question)}</div>'
            f"{rows}</div></form>"
        )

    def _row(self, index: int, label: str, option: Any) -> str:
        state = (" checked" if option == self.value else "") + (
            " disabled" if self.disabled else ""
        )
        return (
            '<label style="display:flex;align-items:center;gap:8px;padding:3px 0;'
            f'overflow-wrap:anywhere;cursor:{"default" if self.disabled else "pointer"}">'
            f'<input type="radio" name="{self._group}" value="{index}"{state} '
            'style="flex:none;margin:0">'
            f"<span>{inline(label)}</span></label>"
        )
