"""A fan-out on several processes or machines: branches go out as parcels, their events come back
live, and the run's budgets hold exactly.

    async with open_cluster(workers=2) as cluster:         # or open_cluster("tls://…:8786", …)
        results = await fan_out(run, [(agent, handoff), …], on=cluster)

What travels is the executable and its handoff. The run stays, with its ledgers: before a worker
sends a request, it asks the run, which books in its own ledgers. A branch whose worker dies is
given to another one. What the dead worker had under way counts as spent, since nobody knows what
the service did; with a journal (`kernel.parts.journal.journal`) nothing that was finished is asked
or paid again.

- `books`: money and events, in the run's process
- `branch`: what travels, the work at the other end, and the result's way back
- `worker`: a branch in a worker, and the bank that it asks there
- `queues`: what run and workers say to each other, as JSON over queues of Dask
- `dask`: opens a cluster and gives branches to it

Members of a cluster trust each other. A worker that lies about what it spent is believed, and its
results are unpickled in the run's process: give the address of a cluster only to machines of yours.

Dask is an optional extra, used when a cluster is opened: pip install -e ".[cluster]".
"""

from .books import (
    Attempt,
    Bank,
    Books,
    BranchJob,
    Elsewhere,
    FanOutOptions,
    NoCluster,
    WorkerLost,
    Workers,
    fan_out,
    share,
)
from .branch import BankedClient, LocalWorkers, perform
from .dask import SETTINGS, Cluster, open_cluster
from .queues import EXTRA

INSTALL = EXTRA.install

__all__ = [
    "INSTALL",
    "SETTINGS",
    "Attempt",
    "Bank",
    "BankedClient",
    "Books",
    "BranchJob",
    "Cluster",
    "Elsewhere",
    "FanOutOptions",
    "LocalWorkers",
    "NoCluster",
    "WorkerLost",
    "Workers",
    "fan_out",
    "open_cluster",
    "perform",
    "share",
]
