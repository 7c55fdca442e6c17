"""Planning (lessons 08 to 10): who there is, who works, in which steps, and a plan that changes.

`registry`, `steps` and `plan` are what the lessons build; `selection` puts to work whom a rule or a
model selects, and `findings` holds the shapes of what workers report.
"""
