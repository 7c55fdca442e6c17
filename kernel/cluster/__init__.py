"""A fan-out on several processes or machines: branches go out as parcels, their events come back
live, and the run's budgets hold exactly.

    async with open_cluster(workers=2) as cluster:         # or open_cluster("tls://…:8786")
        results = await fan_out(run, [(agent, handoff), …], on=cluster)

What travels is the executable and its handoff. The run stays, with its ledgers: before a worker
sends a request, it asks the bank, which is a port of the run's process that books in the run's own
ledgers. A branch whose worker dies is given to another one. What the dead worker had under way
counts as spent, since nobody knows what the service did; with a journal (`kernel.journal`) nothing
that was finished is asked or paid again.

Which code runs where, file by file:

- in the run's process: `books` (money and events), `call` (one branch at a worker), `dask` (opens a
  cluster), and of `parcel` what packs jobs and restores results
- in the Dask process, which each cluster has on this machine: `dask_process`. It alone speaks Dask,
  so that the run's process unpickles nothing that others send
- in a worker: `worker`, and of `parcel` what runs a job and encodes its result
- in all three: `line` (TLS connections, on which the other two call the run) and `messages`

`LocalWorkers`, in `parcel`, runs jobs in the run's process.

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
from .dask import SETTINGS, Cluster, open_cluster
from .line import INSTALL
from .parcel import BankedClient, LocalWorkers, perform

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
