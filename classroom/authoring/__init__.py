"""For maintainers: the stubs and tables of the exercises, the handout, and the build of stored
notebooks.
"""
