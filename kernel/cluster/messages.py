"""The messages of a line, as JSON: between a run and a worker, and between a run and its Dask
process."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from ..budget import Budget
from ..events import Used
from ..wire import RequestSize


class Message(BaseModel):
    """The base of every message."""

    model_config = ConfigDict(defer_build=True, extra="forbid")


# ── from the run to a worker, and back ────────────────────────────────────────────────────────────


class BranchSent(Message):
    """The run gives out a branch."""

    parcel: str
    """The job, pickled, as base64."""
    rest: Budget
    """The amount that the attempt may use without asking, where its money is leased."""


class BankQuestion(Message):
    """A worker asks for money, or only whether somebody is there."""

    id: int
    size: RequestSize | None = None
    """Of a request that has not been booked yet."""
    number: int | None = None
    """Of a booked one that is sent again."""


class BankAnswer(Message):
    """The run answers a question."""

    id: int
    number: int = 0
    booked: Used | None = None
    refused: str = ""


class QuestionWithdrawn(Message):
    """A worker waits for this answer no longer; it sends nothing that the question asked for."""

    id: int


class RequestSettled(Message):
    """A worker tells what a request cost; None: it does not know."""

    number: int
    spent: Used | None


class Bug(Message):
    """A branch ended with an error of its own."""

    type: str
    text: str


class Measured(Message):
    """The seconds that a question costs a worker."""

    seconds: float


# ── from the run to its Dask process, and back ────────────────────────────────────────────────────


class StartOptions(Message):
    """The settings of `open_cluster`, as its Dask process gets them on stdin."""

    ticket: dict[str, Any]
    address: str | None
    workers: int
    branches: int
    patience_s: float
    start_s: float
    options: str
    """Options of `distributed.Client`, pickled, as base64; empty without any."""


class Order(Message):
    """The run has work: the Dask process gives a worker the ticket."""

    id: str
    ticket: dict[str, Any]


class Opened(Message):
    """The cluster is up."""

    address: str
    certificate: str = ""
    key: str = ""


class ClusterFailed(Message):
    """The cluster is not up."""

    reason: str


class Seen(Message):
    """The Dask process's view of the cluster."""

    workers: int
    nobody: bool
    """True if there has been no worker for longer than `patience_s`."""
    lost: bool
    """True if the scheduler is gone."""


class OrderEnded(Message):
    """The order finished; `reason` if the worker could not connect."""

    id: str
    reason: str = ""
    bug: bool = False
    """True if another worker would end the same way."""
