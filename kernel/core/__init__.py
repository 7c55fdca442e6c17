"""The core: the parts of a team that lessons 01 to 07 build.

Read it in this order: contract, wire, budget, events, run, door, asking, tools, agent,
handoff_tools, supervisors, team. It imports itself and `kernel.plumbing`, and knows no part.
"""
