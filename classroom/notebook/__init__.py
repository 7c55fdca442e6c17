"""What a kernel does for its learner: short tracebacks, facts that are kept, a browser's tab."""
