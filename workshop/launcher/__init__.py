"""The launcher of this course: `classroom.launcher`, bound to it."""
