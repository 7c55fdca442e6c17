"""The course as a static site to read: lessons with stored outputs, exercises, glossary, search."""
