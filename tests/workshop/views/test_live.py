"""Facts about the live picture: the words of whoever speaks."""

from workshop.views.live import LINE, words


def test_one_who_speaks_is_read_whole_and_of_several_each_has_a_line():
    long = "begun < " + "word " * 100 + "ended"
    alone = words([("writer", long), ("reviewer", "")])
    assert "begun &lt;" in alone and "ended" in alone and "reviewer" not in alone
    both = words([("writer", long), ("reviewer", "a\nb")])
    assert "begun" not in both and "ended" in both and "a b" in both
    assert len(both) - len(words([("writer", ""), ("reviewer", "a b")])) < 2 * LINE
    assert not words([("writer", "")])
