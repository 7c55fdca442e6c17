"""Recipes that were found by trying, and stand in no list."""
