"""The site: no warnings, links that resolve, a page for every claim; in a browser search, formulas, local files."""

import json
import re
import shutil
from html.parser import HTMLParser
from importlib.util import find_spec
from urllib.parse import unquote, urlsplit

import pytest

from derivations import cli
from derivations.output import PASS
from derivations.publish import compose, questions
from theory.claims import catalog
from theory.conjecture import judge, read

pytestmark = pytest.mark.filterwarnings("ignore:.*Check CHANGES for Sphinx API")  # MyST calls what Sphinx 11 removes
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Content(HTMLParser):
    """The ids of a page, its links, what it loads, and its visible text outside of code."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded, self.text, self.quoted = set(), [], [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids.add(values.get("id"))
        self.links += [values["href"]] if tag == "a" and "href" in values else []
        self.loaded += [values[name] for name in ("src", "href") if name in values and tag not in ("a", "use")]
        self.quoted += tag in ("code", "pre", "script", "style")

    def handle_endtag(self, tag):
        self.quoted -= tag in ("code", "pre", "script", "style")

    def handle_data(self, data):
        if not self.quoted:
            self.text.append(data)


def stored_text(_book, page):
    return (compose.BOOK / f"{page}.md").read_text("utf-8")


def stored_figures(book, page):
    files = [
        compose.BOOK / f"{name}.json" for name in re.findall(r"\]\((figures/[\w-]+)\.svg\)", stored_text(book, page))
    ]
    return {file.stem: json.loads(file.read_text("utf-8")) for file in files if file.is_file()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The whole site from the stored pages, which `gdln derive --check` compares with the rendered ones."""
    site = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compose.Book, "render", stored_text)
        patch.setattr(compose.Book, "figures", stored_figures)
        assert cli.main(["derive", "--format", "html", "--out", str(site)]) == PASS
    return site


@pytest.fixture(scope="module")
def pages(folder):
    return read_pages(folder)


def read_pages(folder):
    return {str(path.relative_to(folder)): Content(path.read_text("utf-8")) for path in sorted(folder.rglob("*.html"))}


def broken(folder, pages):
    """The links that lead nowhere, and what is loaded from elsewhere."""
    for name, page in pages.items():
        for target in page.links + page.loaded:
            parts = urlsplit(target)
            if (parts.scheme in ("http", "https") and target in page.links) or target == "#":
                continue
            path = ((folder / name).parent / unquote(parts.path)).resolve() if parts.path else folder / name
            inside = path.is_relative_to(folder.resolve()) and path.is_file()
            known = pages.get(str(path.relative_to(folder.resolve()))) if inside else None
            if parts.scheme or not inside or (parts.fragment and known and unquote(parts.fragment) not in known.ids):
                yield name, target


@pytest.mark.slow
def test_links_resolve_and_nothing_is_loaded_from_elsewhere(folder, pages):
    assert list(broken(folder.resolve(), pages)) == []


@pytest.mark.slow
def test_every_claim_has_its_page_and_is_listed_in_its_area(pages):
    for name in catalog():
        area = name.partition(".")[0]
        assert f"claims/{name}.html" in pages, name
        assert f"{name}.html" in pages[f"claims/{area}.html"].links, name


@pytest.mark.slow
def test_no_page_shows_raw_tex_or_marks_of_markdown(pages):
    for name, page in pages.items():
        if name.startswith(("book/", "claims/", "manual/")):
            assert not re.search(r"\$|\\[A-Za-z]|\*\*|\{ref|<!--|<a id", "".join(page.text)), name


@pytest.mark.slow
def test_a_site_of_two_chapters_links_to_nothing_else_and_leaves_no_older_page(tmp_path):
    for name in (".buildinfo", "gone.html", "notes.txt"):
        (tmp_path / name).touch()
    assert cli.main(["derive", "ising", "dialects", "--format", "html", "--out", str(tmp_path)]) == PASS
    pages = read_pages(tmp_path)
    assert {name for name in pages if name.startswith("book/")} == {"book/ising.html", "book/dialects.html"}
    assert ("gone.html" in pages, (tmp_path / "notes.txt").exists()) == (False, True)
    assert list(broken(tmp_path.resolve(), pages)) == []
    claims = {"claims/ising.html", *(f"claims/{name}.html" for name in catalog() if name.startswith("ising."))}
    assert {name for name in pages if name.startswith("claims/ising.")} == claims


def test_the_question_of_a_claim_can_be_asked():
    questions_of = {
        name: request for name, claim in [*catalog().items()][::3] if (request := questions.question(claim))
    }
    for name, request in questions_of.items():
        letters = {str(symbol) for symbol in read(request.line, request.cov, where=request.where).lhs.free_symbols}
        assert letters <= {param.symbol.name for param in catalog()[name].params}, name
    request = questions.question(catalog()["moment.threshold.slab"])
    assert judge(read(request.line, request.cov, where=request.where)).verdict == "proved"


@pytest.mark.slow
@pytest.mark.skipif(
    CHROMIUM is None or find_spec("playwright") is None, reason="this test needs playwright and a Chromium"
)
def test_from_the_disk_a_browser_searches_and_shows_formulas_and_loads_nothing_but_files(folder):
    from playwright.sync_api import sync_playwright

    faults = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 390, "height": 800})
        tab.on("pageerror", lambda error: faults.append(str(error)))
        tab.on("console", lambda message: message.type == "error" and faults.append(message.text))
        tab.on("request", lambda request: request.url.startswith(("file:", "data:")) or faults.append(request.url))
        tab.goto(f"file://{folder}/search.html?q=Sheppard+quadrant")
        tab.wait_for_selector("#search-results li a")
        links = tab.locator("#search-results li a").evaluate_all("links => links.map(link => link.href)")
        assert any("claims/gaussian.step_step.orthant.html" in link for link in links)
        for name in ("index", "book/small-bump-gate", "claims/moment.site_gate.xx", "manual/problem-file"):
            tab.goto(f"file://{folder}/{name}.html")
            assert tab.evaluate("document.documentElement.scrollWidth") <= 390, name
        tab.goto(f"file://{folder}/book/small-bump-gate.html")
        tab.evaluate("document.fonts.ready")
        assert tab.evaluate("document.fonts.check('16px \"Latin Modern Math\"')")
        assert tab.locator(".formula math").first.bounding_box()["height"] > 20
        browser.close()
    assert faults == []
