"""The exercises as data, one folder a lesson: their words, what is seen of an answer, what answers
are tried on.

`lesson_NN/words.toml` holds what learners read, `observe.py` what is seen of an answer (the only
code of an exercise that a submission's process runs), `cases.py` the author's side: inputs, known
slips, right answers in other words. The modules beside the folders are what `observe.py` builds on.
Nothing here but `cases.py` knows what is right.
"""
