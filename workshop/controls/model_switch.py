"""The model switch: offline, live or a local server, what each still needs, and the dollar cap."""

from __future__ import annotations

import os
import re
from typing import Any

import httpx
import traitlets

import kernel
from classroom.notebook import kept
from classroom.notebook.presence import IN_BROWSER, interactive, notebook_name
from classroom.paper.control import Control
from classroom.paper.shown import prose, status_line
from kernel import Client, SetupError, spending
from kernel.plumbing.client import Mode
from kernel.plumbing.connections import check_named

from .choice import Choice

LABELS: dict[Mode, tuple[str, str]] = {
    "offline": ("Offline", "The workshop's own model: deterministic, no key, no network"),
    "live": ("Live", "The real service: your key, your money, under a hard cap"),
    "local": ("Local server", "The server that ANTHROPIC_BASE_URL names"),
}
"""Each mode's name, and what it means."""
FILE, KEPT = kept.place("choices.json"), ("mode", "max_usd", "pace_ms")
LIVE_AGAIN = "Last time you chose Live. It costs money, so choose it again to use it."
OFFERED = ("offline",) if IN_BROWSER else tuple(LABELS)
IN_A_TAB = "A page cannot keep a key safe, so here is only the offline model; installed, all three."
SLOWEST_PACE_MS, MOST_USD = 800, 100.0
SECRETS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN")


class _Cap(traitlets.CFloat):
    """The limit of the process, in US dollars: read and set where it holds."""

    def validate(self, obj: Any, value: Any) -> float:
        usd = super().validate(obj, value)
        if not 0 < usd <= MOST_USD:
            raise traitlets.TraitError(
                f"the cap is {usd} US dollars; expected more than 0, at most {MOST_USD:g}"
            )
        return round(usd, 4)

    def get(self, obj: Any, cls: Any = None) -> float:
        limit = spending.limit()
        return MOST_USD if limit is None else min(float(limit), MOST_USD)

    def set(self, obj: Any, value: Any) -> None:
        spending.allow(self.validate(obj, value))
        super().set(obj, value)


class ModelSwitch(Control, traitlets.HasTraits):
    """A switch for the model of the lesson's agents. The choice lives in this object; the
    environment is left alone.

    mode:    "offline", "live" or "local"; without it WORKSHOP_MODEL, else offline.
    max_usd: the hard cap, in US dollars, of this notebook: of all live connections together.
             It is the limit of the process; without it the one that holds already.
    pace_ms: how long the offline model takes for an answer while a person watches.
    Raises SetupError for a mode that there is not and a WORKSHOP_MAX_USD that is no amount,
    TraitError for a cap or pace out of range.
    """

    mode = traitlets.Enum(tuple(LABELS))
    max_usd = _Cap()
    pace_ms = traitlets.CInt(300)
    reminder = ""
    """A sentence for who sees the switch first in a new kernel."""

    def __init__(
        self, mode: str | None = None, *, max_usd: float | None = None, pace_ms: int = 300
    ) -> None:
        mode = mode or os.environ.get("WORKSHOP_MODEL") or "offline"
        if mode not in LABELS:
            raise SetupError(
                f"the model is {mode!r}; expected offline, live or local (argument or"
                " WORKSHOP_MODEL)"
            )
        try:
            spending.limit()
        except ValueError as problem:
            raise SetupError(str(problem)) from None
        super().__init__(mode=mode, pace_ms=pace_ms)
        if max_usd is not None:
            self.max_usd = max_usd

    @traitlets.validate("pace_ms")
    def _check_pace(self, proposal: dict[str, Any]) -> int:
        if not 0 <= proposal["value"] <= SLOWEST_PACE_MS:
            raise traitlets.TraitError(
                f"the pace is {proposal['value']} ms; expected 0 to {SLOWEST_PACE_MS}"
            )
        return proposal["value"]

    @property
    def latency_ms(self) -> int:
        """The latency of an offline answer: the pace while a person watches, else 0."""
        return self.pace_ms if interactive() else 0

    def connect(self, *, concurrency: int | None = None, **offline: Any) -> Client:
        """A new client of the chosen model. `offline` (seed, faults …) counts only while that is
        the offline one.

        Raises SetupError when something is missing.
        """
        if self.mode == "offline":
            return kernel.connect(
                "offline", concurrency=concurrency, **{"latency_ms": self.latency_ms, **offline}
            )
        return kernel.connect(self.mode, concurrency=concurrency)

    def missing(self, mode: Mode) -> str:
        """Returns the reason that a mode is not ready, in one line; empty when it is."""
        try:
            kernel.connect(mode)
            check_named()
        except Exception as problem:  # also an address or a proxy that cannot be read
            return _without_secrets(str(problem).removeprefix(f"the model is {mode}, but "))
        return ""

    def text(self) -> str:
        """The choice in one line: `Model: offline (deterministic; no key needed)`."""
        return f"Model: {self._said(self.mode)}"

    def _said(self, mode: Mode) -> str:
        if mode == "offline":
            return "offline (deterministic; no key needed)"
        problem = self.missing(mode)
        if problem:
            return f"{mode}, not ready: {problem}"
        key = "a key is set" if any(map(os.environ.get, SECRETS)) else "no key is sent"
        limit = spending.limit()
        cap = "no cap" if limit is None else f"hard cap ${limit:.2f} for this notebook"
        return f"{mode}, at {_host()} ({key}; {cap})"

    # ── widgets ───────────────────────────────────────────────────────────────────────────────────

    def _build(self) -> Any:
        import ipywidgets

        wide = {"description_width": "initial"}
        choice = Choice(
            "Model",
            [
                (f"**{name}**: {description}", mode)
                for mode in OFFERED
                for name, description in (LABELS[mode],)
            ],
        )
        pace = ipywidgets.BoundedIntText(
            min=0,
            max=SLOWEST_PACE_MS,
            step=50,
            description="Pace, ms an answer",
            style=wide,
            layout={"width": "220px"},
        )  # not a slider: its handle has no name for a screen reader
        cap = ipywidgets.BoundedFloatText(
            min=min(0.01, self.max_usd),
            max=MOST_USD,
            step=0.05,
            description="Hard cap, US dollars",
            style=wide,
            layout={"width": "220px"},
        )
        self._choice, self._pace, self._cap = choice, pace, cap
        self._status = ipywidgets.HTML(layout={"max_width": "760px"})
        traitlets.link((self, "mode"), (choice, "value"))
        traitlets.link((self, "pace_ms"), (pace, "value"))
        traitlets.link((self, "max_usd"), (cap, "value"))
        self.observe(lambda change: self._refresh(), ["mode", "max_usd"])
        return ipywidgets.VBox([choice.widget, pace, cap, self._status])

    def _refresh(self) -> None:
        """Shows the fields of the chosen mode, what it means and what it still needs."""
        self._pace.layout.display = "" if self.mode == "offline" else "none"
        self._cap.layout.display = "none" if self.mode == "offline" else ""
        why = IN_A_TAB if IN_BROWSER else ""
        self._status.value = prose(status_line(f"{self.text()} {self.reminder}".strip()) + why)


def model_switch(
    mode: str | None = None, *, max_usd: float | None = None, pace_ms: int = 300
) -> ModelSwitch:
    """A ModelSwitch; as the last line of a cell it is shown.

    For a person, a cell that runs again gets the switch that it had before, with what was chosen
    there; in a new kernel, the choice of the last time. Only "live" has to be chosen anew, since it
    costs money.
    """
    if not interactive():
        return ModelSwitch(mode, max_usd=max_usd, pace_ms=pace_ms)
    given = mode, os.environ.get("WORKSHOP_MODEL"), max_usd, pace_ms
    if given not in _switches:
        _switches[given] = _as_last_time(ModelSwitch(mode, max_usd=max_usd, pace_ms=pace_ms))
    return _switches[given]


_switches: dict[tuple[Any, ...], ModelSwitch] = {}
"""This kernel's switches, by what they were made with."""


def _as_last_time(switch: ModelSwitch) -> ModelSwitch:
    """The switch with this notebook's kept choice, which it keeps from now on."""
    name = notebook_name()
    known = kept.read(FILE, "switches", "choices") or {}
    choice = known.get(name) or {}
    begins = {trait: getattr(switch, trait) for trait in KEPT}
    if choice.get("begins") == begins:
        try:
            switch.set_trait("pace_ms", choice["pace_ms"])
            if choice["max_usd"] != switch.max_usd:
                switch.set_trait("max_usd", choice["max_usd"])
            if choice["mode"] == "live" != switch.mode:
                switch.reminder = LIVE_AGAIN
            else:
                switch.set_trait("mode", choice["mode"])
        except (traitlets.TraitError, KeyError):
            pass  # of another version of the workshop: the switch begins as the lesson wrote it

    def keep(change: Any) -> None:
        switch.reminder = ""
        others = kept.read(FILE, "switches", "choices") or {}
        chosen = {"begins": begins, **{trait: getattr(switch, trait) for trait in KEPT}}
        kept.write(FILE, "switches", {**others, name: chosen}, "choices")

    switch.observe(keep, list(KEPT))
    return switch


def _host() -> str:
    """Host of requests, without the user and the password that an address may hold."""
    url = httpx.URL(os.environ.get("ANTHROPIC_BASE_URL") or "https://api.anthropic.com")
    return url.host + (f":{url.port}" if url.port else "")


def _without_secrets(text: str) -> str:
    """One line without a key, even one that was put into the wrong variable."""
    for name in SECRETS:
        if os.environ.get(name):
            text = text.replace(os.environ[name], "[key]")
    text = re.sub(r"\bsk-[\w-]{8,}", "[key]", text)
    return " ".join(re.sub(r"//[^/@\s']*@", "//[user]@", text).split())
