"""Facts about the live picture: the words of whoever speaks."""

from workshop.views.live import LINE, words


def test_one_who_speaks_is_read_whole_and_of_several_each_has_a_line():
    long = "begun < " + "word " * 100 + "ended"
    alone = words([("writer", long), ("reviewer", "")])
    assert "begun &lt;" in alone and "ended" in alone and "reviewer" not in alone
    both = words([("writer", long), ("reviewer", "a\nb")])
    assert "begun" not in both and "ended" in both and "a b" in both
    assert "… word" in both and both.count("word ") <= LINE / len("word ")
    assert "中" * LINE in words([("writer", "中" * 500), ("reviewer", "a")])
    assert not words([("writer", "")])
