"""The plumbing: what core and parts stand on, looked up and never read first.

The connection to a service (client, connections, network, prices and limits), texts and labels,
search, and the readers of a run's events.
"""
