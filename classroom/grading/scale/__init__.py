"""Grading on more than one machine: a Dask cluster (`--scheduler`), or a Kubernetes Indexed Job
(`--shard`, `indexed-job.yaml`).
"""
