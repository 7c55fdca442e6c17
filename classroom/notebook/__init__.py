"""Help in a learner's kernel: short tracebacks, facts that are kept, a browser's tab."""
