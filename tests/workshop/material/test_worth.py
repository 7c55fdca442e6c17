"""What plain code sees of a brief: sentences, the sources that they cite, and whether these carry them."""

from kernel import Corpus
from workshop.material import worth


def test_a_citation_belongs_to_its_sentence_before_the_full_stop_and_behind_it():
    pairs = [("It began in 2024.", ["one"]), ("It has 12 writers!", ["two", "three"])]
    brief = "# A title\n\nIt began in 2024 [one]. It has 12 writers [two] [three]!"
    bullets = "- It began in 2024. [one]\n- It has 12 writers! [two] [three]"
    assert worth.sentences(brief) == pairs
    assert worth.sentences(bullets) == pairs


def test_a_sentence_without_a_citation_has_no_source():
    assert worth.sentences("Everybody loves it. It began in 2024. [one]")[0] == (
        "Everybody loves it.",
        [],
    )


def test_a_wrong_number_is_not_carried_and_a_right_one_is():
    library = Corpus()
    source = ["mcp-announcement"]
    assert worth.carried("MCP was announced on 25 November 2024.", source, library)
    assert not worth.carried("MCP was announced on 25 November 2023.", source, library)
