"""Faults on purpose: rates and a fixed order of faults, drawn by seed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Faults:
    """Rates of faults. Each one is a share of the valid requests to `POST /v1/messages`.

    A request's fault follows from the seed, its body and how often that body came before, so that
    the order of a fan-out does not matter and a retry is a new draw. `first` are the faults of the
    first requests to arrive: names of rates ("429", "timeout", …), "html" (a page instead of a
    reply) or "". Raises ValueError for what cannot be.
    """

    rate_429: float = 0
    rate_529: float = 0
    rate_500: float = 0
    rate_timeout: float = 0
    rate_cut: float = 0
    rate_refusal: float = 0
    rate_malformed: float = 0
    rate_disconnect: float = 0
    retry_after_s: float | None = None
    first: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        rates = self._rates()
        for name in self.first:
            if name not in (*rates, "html", ""):
                known = ", ".join(rates)
                raise ValueError(f"Faults(first=…) got {name!r}; it takes {known}, html, or ''")
        if min(rates.values()) < 0 or sum(rates.values()) > 1:
            raise ValueError(
                f"the rates of Faults are each at least 0 and together at most 1; got {rates}"
            )

    def _rates(self) -> dict[str, float]:
        return {
            name.removeprefix("rate_"): rate
            for name, rate in vars(self).items()
            if name.startswith("rate_")
        }

    def draw(self, number: int, share: float) -> str:
        """The fault of request `number` (from 0) whose share is in [0, 1); "" when it has none."""
        if number < len(self.first):
            return self.first[number]
        for name, rate in self._rates().items():
            share -= rate
            if share < 0:
                return name
        return ""
