"""What a kernel does for its learner: short tracebacks, small facts that are kept, a browser's tab."""
