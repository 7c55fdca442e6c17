"""Desks: ready teams with their tools. `oncall` works on a small shop that is broken."""
