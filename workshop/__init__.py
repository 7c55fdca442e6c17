"""The notebook toolkit around `kernel`: launcher, checks and hints, views, exercise builder,
grading.

Nothing is imported here: the launcher must start on a machine that has only Python.
"""

import sys

if sys.platform == "emscripten":  # in a browser's tab no launcher has set up the kernel
    from IPython import get_ipython

    from workshop.cells import load_ipython_extension

    load_ipython_extension(get_ipython())
