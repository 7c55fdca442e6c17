"""The parts: each one mechanism of a later lesson, added to a team that works without it.

A part imports the core, the plumbing and at most one other part. It is imported by where it lives,
such as `kernel.parts.gates`.
"""
