"""The site to read, held against axe: no finding on any page, on a laptop and on a phone."""

from __future__ import annotations

import functools
import http.server
import shutil
import subprocess
import tarfile
import threading

import pytest

from .lab import browser_path

pytest.importorskip(
    "pagefind", reason="the site's packages: pip install -r classroom/site/requirements.txt"
)
AXE = "axe-core@4.11.0"
SIZES = ((1280, 900), (390, 800))


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *parts):
        """Says nothing."""


@pytest.fixture(scope="module")
def axe(tmp_path_factory):
    """The program that looks for faults of accessibility."""
    folder, npm = tmp_path_factory.mktemp("axe"), shutil.which("npm")
    if npm is None:
        pytest.skip("npm, which fetches axe, is not installed")
    subprocess.run([npm, "pack", "--silent", AXE], cwd=folder, check=True, capture_output=True)
    [archive] = folder.glob("*.tgz")
    with tarfile.open(archive) as packed:
        return packed.extractfile("package/axe.min.js").read().decode("utf-8")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of a built site, and its address on this machine."""
    from classroom.site import command

    out = tmp_path_factory.mktemp("pages") / "site"
    command.build(out)
    handler = functools.partial(_Quiet, directory=str(out))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield out, f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.mark.exhaustive
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_axe_finds_nothing_and_no_page_is_too_wide(playwright, axe, site, width, height):
    out, address = site
    with playwright.chromium.launch(
        executable_path=browser_path(), args=["--no-sandbox"]
    ) as browser:
        page = browser.new_page(viewport={"width": width, "height": height})
        for path in sorted(out.rglob("*.html")):
            if "pagefind" in path.parts:
                continue
            name = path.relative_to(out).as_posix()
            page.goto(address + name)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            page.evaluate(axe)
            found = page.evaluate("axe.run()")["violations"]
            assert [(fault["id"], fault["nodes"][0]["html"]) for fault in found] == [], name
