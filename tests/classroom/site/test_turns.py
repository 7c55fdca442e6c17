"""Our way of a turn on the site."""

from __future__ import annotations

from bs4 import BeautifulSoup

from classroom.site.render import render
from classroom.site.sources import PageSource
from tests.places import BOOKS


def test_our_way_is_closed_until_somebody_opens_it():
    page = render(PageSource(BOOKS["03"], "notebooks/03.ipynb"), {})
    [details] = BeautifulSoup(page.body, "html.parser").select("details.one-way")
    assert details.summary.get_text() == "Our way"
    assert 'if not passed("03.t1")' in details.get_text() and not details.has_attr("open")
