"""A fan-out on several processes or machines: branches go out as parcels, their events come back
live, and the run's budgets hold exactly.

    async with open_cluster(workers=2) as cluster:         # or open_cluster("tls://…:8786")
        results = await fan_out(run, [(agent, handoff), …], on=cluster)

What travels is the executable and its handoff. The run stays, with its ledgers: before a worker
sends a request, it asks the bank, which is a port of the run's process that books in the run's own
ledgers. A branch whose worker dies is given to another one. What the dead worker had under way
counts as spent, since nobody knows what the service did; with a journal (`kernel.journal`) nothing
that was finished is asked or paid again.

`books` holds the money, `parcel` what travels, `line` the wire between a run and its workers,
`worker` what is done there; `dask` opens a cluster, and `desk` is the process of this machine that
speaks Dask, so that the run's own process need not: it unpickles nothing that others send.

Dask is an optional extra, used when a cluster is opened: pip install -e ".[cluster]".
"""

from .books import (
    Account,
    Bank,
    Books,
    BranchJob,
    Elsewhere,
    NoCluster,
    Terms,
    WorkerLost,
    Workers,
    fan_out,
    share,
)
from .dask import SETTINGS, Cluster, open_cluster
from .line import INSTALL
from .parcel import BankedClient, Here, perform

__all__ = [
    "INSTALL",
    "SETTINGS",
    "Account",
    "Bank",
    "BankedClient",
    "Books",
    "BranchJob",
    "Cluster",
    "Elsewhere",
    "Here",
    "NoCluster",
    "Terms",
    "WorkerLost",
    "Workers",
    "fan_out",
    "open_cluster",
    "perform",
    "share",
]
