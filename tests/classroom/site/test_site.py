"""The site to read: every lesson is there, no solution is, links lead somewhere, nothing comes from elsewhere."""

from __future__ import annotations

import re
import threading
from pathlib import PurePosixPath
from posixpath import normpath
from urllib.parse import unquote
from urllib.request import urlopen

import nbformat
import pytest

from tests.places import ROOT

pytest.importorskip(
    "pagefind", reason="the site's packages: pip install -r classroom/site/requirements.txt"
)
from bs4 import BeautifulSoup

from classroom.authoring import needs
from classroom.course import Course
from classroom.site import browser, command, render, runtime, serving, sources
from classroom.site.frame import Frame


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    out = tmp_path_factory.mktemp("site") / "out"
    command.build(out)
    return out


@pytest.fixture(scope="module")
def pages(site):
    found = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    return {path: BeautifulSoup(text, "html.parser") for path, text in found.items()}


def answers():
    for path in sorted((ROOT / "solutions").glob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            text = re.search(r"# solution\n(.*?)\s*# end solution", cell.source, re.DOTALL)
            if text and len(text[1].split()) > 8:
                yield path.name, " ".join(text[1].split())


def test_every_lesson_and_exercise_has_a_page_and_no_solution_is_on_one(site, pages):
    for folder in ("notebooks", "exercises"):
        for path in (ROOT / folder).glob("*.ipynb"):
            assert (site / folder / f"{path.stem}.html").is_file()
    exercises = {
        path.name: " ".join(soup.get_text().split())
        for path, soup in pages.items()
        if path.parent.name == "exercises"
    }
    found = list(answers())
    assert len(found) > 20
    for name, text in found:
        assert text not in exercises[name.replace(".ipynb", ".html")]


def test_links_and_anchors_lead_somewhere(site, pages):
    ids = {path: {part["id"] for part in soup.find_all(id=True)} for path, soup in pages.items()}
    for path, soup in pages.items():
        for part in soup.find_all(["a", "img", "link"]):
            address = unquote(part.get("href") or part.get("src") or "")
            if not address or re.match(r"https?:|data:", address):
                assert part.name == "a" or address.startswith("data:"), (
                    f"{path.name} loads {address}"
                )
                continue
            name, _, anchor = address.partition("#")
            target = (path.parent / name).resolve() if name else path
            assert target.is_file(), f"{path.name} links {address}"
            if anchor and target in ids:
                assert anchor in ids[target], f"{path.name} links {address}"


def test_pages_are_plain_and_readable(pages):
    for path, soup in pages.items():
        ids = [part["id"] for part in soup.find_all(id=True)]
        assert len(ids) == len(set(ids)), f"{path.name} has an id twice"
        levels = [int(part.name[1]) for part in soup.find_all(re.compile(r"^h[1-6]$"))]
        assert levels and levels[0] == 1 and levels.count(1) == 1, path.name
        assert all(later <= earlier + 1 for earlier, later in zip(levels, levels[1:], strict=False))
        assert all(picture.get("alt") for picture in soup.find_all("img")), path.name
        assert soup.html["lang"] == "en" and soup.title.string
        scripts = [script.get("src", "") for script in soup.find_all("script")]
        assert not scripts or path.name == "search.html", f"{path.name} has a script"


def test_search_finds_a_word_of_a_lesson(site):
    assert (site / "pagefind" / "pagefind-ui.js").is_file()
    assert list((site / "pagefind" / "fragment").iterdir())


def test_a_folder_with_other_files_is_refused(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    assert command.main(["--out", str(tmp_path)]) == 2
    assert "holds other files" in capsys.readouterr().err
    assert (tmp_path / "mine.txt").read_text(encoding="utf-8") == "mine"


def test_each_source_has_a_place_of_its_own():
    found = sources.pages()
    assert len({source.target for source in found}) == len(found)
    assert not any(source.name.startswith("solutions/") for source in found)


def test_links_of_the_notebooks_lead_somewhere_in_a_tab(tmp_path):
    browser._contents(tmp_path)
    found = 0
    for path in tmp_path.rglob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                for link in re.findall(r"\]\(([^)#:]+\.(?:md|ipynb))", cell.source):
                    found += 1
                    assert (path.parent / link).is_file(), f"{path.name} links {link}"
    assert found > 200


def test_a_cell_that_a_tab_cannot_run_is_text_with_its_reason_its_code_and_what_it_showed():
    picture = nbformat.v4.new_output("display_data", {"image/png": "AAAA", "text/plain": "a chart"})
    printed = nbformat.v4.new_output("stream", name="stdout", text="```\n1\n")
    cell = nbformat.v4.new_code_cell("run()", id="one", outputs=[printed, picture])
    cell.metadata["tags"] = ["needs-process"]
    [(id, needed)] = needs.stored([cell]).items()
    text = browser._as_text(cell, needs.in_words(needed))
    assert (text.id, text.cell_type) == (id, "markdown")
    for part in ("it needs another process.", "```python\nrun()\n```", "````text\n```\n1\n````"):
        assert part in text.source
    assert "![a chart](attachment:1.png)" in text.source.partition("<details>")[2]
    assert text.attachments == {"1.png": {"image/png": "AAAA"}}


def test_each_page_of_a_notebook_leads_to_it_in_the_edition_for_a_tab():
    """That the link opens it in a browser: tests/browser/test_browser_edition.py."""
    notebooks = [source for source in sources.pages() if source.is_notebook]
    assert len(notebooks) >= 40
    for source in notebooks:
        page = Frame(browser=True).around(render.Page(source, "Title", ""))
        link = BeautifulSoup(page, "html.parser").find("a", string="run it in this browser")
        address, _, path = link["href"].partition("?path=")
        target = normpath(f"{PurePosixPath(source.target).parent}/{address}")
        assert target == runtime.start().partition("?")[0] and path == source.name


def test_a_page_that_leads_into_the_tab_fetches_python_ahead_and_no_other_page_does():
    for source in sources.pages():
        leads = source.is_notebook or source.target == "index.html"
        for built in (True, False):
            text = Frame(browser=built).around(render.Page(source, "Title", "<p>Text.</p>"))
            links = BeautifulSoup(text, "html.parser").select("link[rel=prefetch]")
            folder = PurePosixPath(source.target).parent
            found = [normpath(f"{folder}/{link['href']}") for link in links]
            files = [f"{runtime.STATIC}/{name}" for name in runtime.FILES]
            assert found == (files if leads and built else [])


def test_the_front_page_has_a_door_for_each_way_and_the_tab_has_one_where_it_is_built():
    [readme] = [source for source in sources.pages() if source.target == "index.html"]
    page = render.Page(readme, "Title", "<h1>Title</h1><p>What it is.</p>")
    for built, doors in (
        (False, ["Read it", "Install it"]),
        (True, ["Run it here", "Read it", "Install it"]),
    ):
        soup = BeautifulSoup(Frame(browser=built).around(page), "html.parser")
        assert [link.get_text() for link in soup.select(".doors a")] == doors


def test_the_doors_of_the_site_stand_in_place_of_those_of_the_clone(pages):
    [front] = [soup for path, soup in pages.items() if path.name == "index.html"]
    assert [link.get_text() for link in front.select(".doors a")] == ["Read it", "Install it"]
    assert "Read lesson 00" not in front.get_text()


def test_a_lesson_says_where_it_is_and_what_comes_before_and_after(pages):
    soups = {(path.parent.name, path.stem): soup for path, soup in pages.items()}
    names = [path.stem for path in sorted(ROOT.glob("notebooks/[0-9][0-9]_*.ipynb"))]
    for before, name, after in zip(names, names[1:], names[2:], strict=False):
        for folder in ("notebooks", "exercises"):
            soup = soups[folder, name]
            ways = {link["rel"][0]: link["href"] for link in soup.select("a[rel]")}
            assert {way: PurePosixPath(link).stem for way, link in ways.items()} == {
                "prev": before,
                "next": after,
            }
            [summary] = soup.select(".lessons summary")
            assert summary.get_text().startswith(f"Lesson {name[:2]} of {names[-1][:2]}: ")
            assert len(soup.select(".lessons li")) == len(names)
        [current] = soups["notebooks", name].select("[aria-current=page]")
        assert current.get_text().startswith(name[:2])


def test_a_page_describes_itself_and_a_missing_one_is_said(site, pages):
    for soup in pages.values():
        description = soup.find("meta", attrs={"name": "description"})["content"]
        assert 0 < len(description) <= 165
    missing = pages[site / "404.html"]
    assert "There is no such page" in missing.get_text() and missing.find("base") is None


def test_with_an_address_a_missing_page_leads_back_from_any_folder(site, capsys):
    frame = Frame(url="https://example.org/course/")
    from classroom.site import pages as further

    soup = BeautifulSoup(frame.around(further.not_found(linked=True)), "html.parser")
    assert soup.find("base")["href"] == "https://example.org/course/"
    with pytest.raises(SystemExit):
        command.main(["--out", str(site), "--url", "here"])
    assert "'here' is not an address" in capsys.readouterr().err


def test_what_can_be_wider_than_the_page_is_reached_by_the_keyboard(pages):
    for path, soup in pages.items():
        for wide in soup.select("pre, .output_area"):
            assert wide.get("tabindex") == "0", path.name
        assert all(head.get_text(strip=True) for head in soup.find_all("th")), path.name


def test_a_served_file_has_the_type_that_a_browser_insists_on(tmp_path):
    types = {"a.mjs": "text/javascript", "a.wasm": "application/wasm", "a.html": "text/html"}
    for name in types:
        (tmp_path / name).touch()
    with serving.server_of(tmp_path, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for name, kind in types.items():
            with urlopen(f"http://127.0.0.1:{server.server_port}/{name}") as answer:
                assert answer.headers["content-type"] == kind
        with serving.server_of(tmp_path, server.server_port) as other:
            assert other.server_port != server.server_port
        server.shutdown()


def test_a_site_is_served_again_as_it_is_and_built_anew_when_a_file_changed(tmp_path, monkeypatch):
    built, served = [], []
    monkeypatch.setattr(
        command, "_make", lambda out, options: (out.mkdir(exist_ok=True), built.append(out))
    )
    monkeypatch.setattr(serving, "serve", lambda out, page: served.append(page))
    for content in ("one", "one", "other"):
        monkeypatch.setattr(sources, "digest", lambda options, content=content: content)
        assert command.main(["--serve", "--out", str(tmp_path / "site")]) == 0
    assert len(built) == 2 and served == ["index.html"] * 3


def test_without_node_or_a_folder_the_command_says_what_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(command.shutil, "which", lambda name: None)
    for words, line in (
        (["--browser", "--serve"], "needs node and npm"),
        ([], "--out DIR, or show it"),
    ):
        with pytest.raises(SystemExit):
            command.read(words)
        assert line in capsys.readouterr().err


def test_a_site_is_named_by_the_content_of_its_sources(monkeypatch, tmp_path):
    (tmp_path / "notebooks").mkdir()
    page = tmp_path / "notebooks" / "01_a.ipynb"
    course = Course(module="course", root=tmp_path, title="A course", lessons=())
    monkeypatch.setattr(sources, "active", lambda: course)
    names = set()
    for text in ("a", "b"):
        page.write_text(text, encoding="utf-8")
        names |= {sources.digest(""), sources.digest("browser"), sources.digest("")}
    assert len(names) == 4
