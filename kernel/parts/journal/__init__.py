"""The journal (lesson 16): each reply and each effect is written down before it is used, so that a
run which was killed goes on where it was.

`journal` is what the lesson builds. `file` is the care around it: one SQLite file, written by one
process at a time, that survives a crash in the middle of a write. `recording` is a journal kept to
be replayed by anybody.
"""
