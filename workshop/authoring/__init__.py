"""For maintainers: the list of lessons, the stubs of the exercises and the build of stored
notebooks.
"""
