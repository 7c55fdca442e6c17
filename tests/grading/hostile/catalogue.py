"""The catalogue of hostile submissions: each item must have its recipe. Whoever finds another way adds it here."""

ITEMS = (
    # endings and limits
    "endless loop", "a loop that catches BaseException", "endless await", "a blocking C call", "os._exit", "SIGKILL", "segfault",
    "SystemExit", "quit()", "bounded fork bomb", "a thousand threads", "memory bomb", "disk bomb", "300 MB print", "100,000 outputs",
    "deep recursion",
    # the notebook around the answers
    "checks deleted", "checks edited", "checks turned to Markdown", "checks duplicated", "checks reordered", "checks split",
    "checks merged", "ids missing", "ids renamed", "ids doubled",
    # what looks at an answer
    "the checker patched", "builtins patched", "json.dumps patched", "print patched", "showtraceback", "set_custom_exc",
    "AST and input transformers", "run_cell_async", "cell hooks", "__eq__", "__bool__", "__repr__", "faked outputs", "nbval markers",
    "nbval markers, also in strings",
    # the surroundings
    "a kernelspec that names another kernel or a shell", "metadata timeouts", "changed cwd", "files deleted", "modules shadowed",
    "conftest.py and friends beside the notebook",
    # what is not the learner's
    "reading solutions", "reading other learners", "reading the gradebook", "/proc/<parent>/environ", "writing to the grader's tree",
    "forging results", "network out", "DNS", "localhost", "keys in the environment",
    # files
    "nbformat 3", "nbformat 9", "corrupt JSON", "empty", "BOM", "latin-1", "NUL", "a huge file", "deep nesting", "symlinks", "zip-slip",
    "zip bomb", "names with spaces", "names with unicode", "names with brackets", "names with newlines", "names with ..",
    "names with a leading -", "CSV formulas", "script in feedback", "ANSI",
    # and more
    "input()", "a thread that flips answers later", "a child that outlives the kernel", "forged messages on the kernel's sockets",
    "%reset", "a sleep just under the limit in each cell", "hard-coding from the check's source", "patched clock and seeds",
    "a closed event loop", "a warning on stderr", "a right answer in another form",
    # found since
    "replay of a printed line", "huge metadata and unexpected shapes", "huge and without an end", "a million empty cells",
    "a message of many parts", "files beside the connection", "settings below /proc", "frames of the check",
    "changes once it is explained", "half a character", "a reason that names every number", "memory that belongs to no process",
    "what counts an answer's doings",
)
