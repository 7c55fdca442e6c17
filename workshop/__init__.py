"""The course around `kernel`: its exercises, views, controls and material, on the toolkit
`classroom`.

Whoever imports any of it has told the toolkit which course this is. That needs nothing but Python,
since the launcher must start on a machine that has only that.
"""

import sys

if sys.version_info >= (3, 11):  # noqa: UP036 (an older one gets a sentence from `__main__`)
    from classroom.course import use
    from workshop.course import COURSE

    use(COURSE)

if sys.modules.get("IPython") is not None:  # a kernel, perhaps one that no launcher has set up
    from classroom.notebook import cells

    cells.load()

if sys.version_info >= (3, 11):  # noqa: UP036
    from workshop import cost_line

    cost_line.load()
