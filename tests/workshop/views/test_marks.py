"""Facts about a report of marks as HTML: it is whole, needs no network and shows data as data."""

from __future__ import annotations

from html.parser import HTMLParser

from kernel.parts.evaluate import Report
from tests.kernel.test_marks import REPORT, trials
from workshop.views import marks


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.words = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_the_page_is_whole_needs_no_network_and_holds_everything_as_data():
    evil = Report({"<script>x</script>": trials(1.0, 0.5), "b": trials(0.5, 0.5)}, "<b>bold</b>")
    text = marks.page(evil, "<svg></svg>")
    page = Page(text)
    assert page.open == [] and "http" not in text and "<svg></svg>" in text
    assert not {"script", "b", "link", "img"} & {tag for tag, _ in page.tags}
    words = "".join(page.words)
    assert "<script>x</script>" in words and "seconds" in words
    assert all(sentence in words for sentence in evil.limits())


def test_a_notebook_shows_a_table_whose_intervals_stay_on_one_line():
    page = Page(marks.table(REPORT))
    words = "".join(page.words)
    assert page.open == [] and all(sentence in words for sentence in REPORT.limits())
    for row in REPORT.rows:
        assert str(row.mark).replace(" ", "\u00a0") in words
