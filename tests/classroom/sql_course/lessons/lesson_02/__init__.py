"""Exercises in SQL."""
