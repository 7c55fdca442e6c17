"""Set-up, drawing and fixtures of single lessons that are too long for a cell."""
