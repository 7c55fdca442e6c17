"""`python -m workshop.grading`: the same as `python3 -m workshop grade`, in an environment that
stands.
"""

import sys

from . import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
