"""What the kernel costs, as ratios to the plainest code that does the same, measured in one run."""
