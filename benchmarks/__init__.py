"""The cost of the kernel, in ratios to the plainest code that does the same, from one run."""
