"""The journal (lessons 16 and 17): each reply and each effect is written down before it is used, so
that a run which was killed resumes where it was.

- `journal`: what the lessons build. A client around the client, decisions of a person, effects that
  happen once, and forks.
- `steps`: the care around it. Numbers for equal requests, and errors that come back.
- `file`: the care around it. One SQLite file for one process, whole after a crash during a write.
- `recording`: a journal that is shipped, so that anybody can replay its run.
"""
