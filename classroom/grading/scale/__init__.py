"""Grading on more than one machine: a Dask cluster (`--scheduler`), or parts of a class that share
one folder (`--shard`).
"""
