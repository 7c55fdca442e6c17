"""A toolkit for courses in notebooks: checks that explain, grading on nbval, a launcher, a site.

It knows nothing of what a course teaches; a course tells it by one object, `course.Course`.
Nothing is imported here: the launcher must start on a machine that has only Python.
"""
