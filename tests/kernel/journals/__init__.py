"""A file of each form that a journal has had, each written by the code of its time."""
