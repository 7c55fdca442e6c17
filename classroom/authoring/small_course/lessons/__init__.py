"""The exercises as data, a folder a lesson."""
