"""The strict half: requests checked, counted, answered and refused as the Messages API does."""
