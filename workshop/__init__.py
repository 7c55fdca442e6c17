"""The notebook toolkit around `kernel`: launcher, checks and hints, views, exercise builder,
grading.

Nothing is imported here: the launcher must start on a machine that has only Python.
"""
