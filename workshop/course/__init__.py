"""The exercises as data, one folder a lesson: their words, what is seen of an answer, what answers
are tried on.

`lesson_NN/words.toml` holds what learners read, and for each known slip the change of our solution
that makes it; `inputs.py` draws what answers are tried on; `observe.py` says what is seen of an
answer, and is the only code of an exercise that a submission's process runs. `right/` holds right
answers in other words, `others.toml` wrong ones without words of their own. The modules beside the
folders are what `observe.py` builds on.
"""
