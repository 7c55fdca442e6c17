"""The code inside the sandbox, before and around a submission: it is copied there as a whole."""
