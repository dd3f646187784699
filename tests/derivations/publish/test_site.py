"""The book as a site: links, anchors, claims and folded passages; in a browser the filter, the search and the font."""

import re
import shutil
from html.parser import HTMLParser
from importlib.util import find_spec
from urllib.parse import unquote, urlsplit

import pytest

from derivations import cli
from derivations.evidence.entries import entries
from derivations.output import PASS
from derivations.publish import compose, questions
from theory.claims import catalog
from theory.conjecture import judge, read

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
LOADING = {"src", "href", "action"}


class Content(HTMLParser):
    """The ids of a page, what it names in links and sources, its visible text, and the text that is not folded."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.named, self.text, self.unfolded = [], [], [], []
        self.folds, self.quoted = 0, 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.ids += [value for name, value in attrs if name == "id"]
        self.named += [value for name, value in attrs if name in LOADING]
        assert not any(name == "open" or name.startswith("on") for name, _ in attrs)
        self.folds += tag == "details"
        self.quoted += tag in ("code", "script")

    def handle_endtag(self, tag):
        self.folds -= tag == "details"
        self.quoted -= tag in ("code", "script")

    def handle_data(self, data):
        if not self.quoted:
            self.text.append(data)
        if not self.folds:
            self.unfolded.append(data)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The whole site from the stored pages, which `gdln derive --check` compares with the rendered ones."""
    site = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compose.Book, "render", lambda _book, page: (compose.BOOK / f"{page}.md").read_text("utf-8"))
        patch.setattr(compose.Book, "figures", lambda _book, _page: {})
        patch.setattr(compose.Book, "drawings", lambda _book, _page: {})
        shutil.copytree(compose.BOOK / "figures", site / "figures")
        assert cli.main(["derive", "--format", "html", "--out", str(site)]) == PASS
    return site


@pytest.fixture(scope="module")
def pages(folder):
    """The content of every page by its path."""
    return read_pages(folder)


def read_pages(folder):
    result = sorted(folder.rglob("*.html"))
    return {str(path.relative_to(folder)): Content(path.read_text(encoding="utf-8")) for path in result}


def broken(folder, pages):
    """The links and sources that lead nowhere, or out of the site."""
    for name, page in pages.items():
        for target in page.named:
            parts = urlsplit(target)
            path = (folder / name).parent / unquote(parts.path) if parts.path else folder / name
            inside = path.resolve().is_relative_to(folder.resolve()) and path.is_file()
            known = pages.get(str(path.resolve().relative_to(folder.resolve()))) if inside else None
            if parts.scheme or parts.netloc or not inside or (parts.fragment and parts.fragment not in known.ids):
                yield name, target


@pytest.mark.slow
def test_every_link_and_anchor_resolves_inside_the_site(folder, pages):
    assert list(broken(folder, pages)) == []
    assert {name: page.ids for name, page in pages.items() if len(set(page.ids)) < len(page.ids)} == {}


@pytest.mark.slow
def test_every_claim_has_its_page_and_its_row(pages, folder):
    claims = catalog()
    assert {name for name in pages if name.startswith("claims/")} == {
        "claims/index.html",
        *(f"claims/{name}.html" for name in claims),
    }
    index = (folder / "claims/index.html").read_text(encoding="utf-8")
    rows = {name: keys for keys, name in re.findall(r'<tr data-entries="([^"]*)"><td><a href="([\w.]+)\.html"', index)}
    stated = {name: set() for name in claims}
    for entry in entries(claims.values()):
        stated[entry.claim.id].add(f"{entry.document or 'none'}:{entry.verdict}")
    assert {name: set(keys.split()) for name, keys in rows.items()} == stated
    for name in claims:
        assert name in " ".join(pages[f"claims/{name}.html"].unfolded)


@pytest.mark.slow
def test_no_page_shows_raw_tex_or_marks_of_markdown(pages):
    for name, page in pages.items():
        if name != "search.html":
            assert not re.search(r"\$|\\[A-Za-z]|\*\*|\{ref|<!--|<a id", "".join(page.text)), name


def test_a_site_of_two_chapters_links_to_nothing_else(tmp_path):
    cli.main(["derive", "ising", "errata", "--format", "html", "--out", str(tmp_path)])
    pages = read_pages(tmp_path)
    assert {name for name in pages if "/" not in name} == {"ising.html", "errata.html", "search.html"}
    assert list(broken(tmp_path, pages)) == []
    assert {name for name in pages if name.startswith("claims/")} == {
        "claims/index.html",
        *(f"claims/{name}.html" for name in catalog() if name.startswith("ising.")),
    }


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
def test_in_a_browser_the_site_filters_searches_and_unfolds_and_loads_nothing_but_files(folder):
    from playwright.sync_api import sync_playwright

    faults = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.on("pageerror", lambda error: faults.append(str(error)))
        tab.on("console", lambda message: message.type == "error" and faults.append(message.text))
        tab.on("request", lambda request: request.url.startswith("file:") or faults.append(request.url))
        tab.goto(f"file://{folder}/claims/index.html")
        assert tab.locator("#claims tbody tr").count() == len(catalog())
        tab.select_option("select[name=verdict]", "CORRECTED")
        tab.select_option("select[name=document]", "small-bump-gate")
        place = ("CORRECTED", "small-bump-gate")
        wanted = {one.claim.id for one in entries(catalog().values()) if (one.verdict, one.document) == place}
        assert set(tab.locator("#claims tbody tr:visible code").all_inner_texts()) == wanted
        tab.goto(f"file://{folder}/claims/flow.gradient.small_bump.html")
        tab.fill("#contents input[name=q]", "orthant two steps")
        tab.press("#contents input[name=q]", "Enter")
        tab.wait_for_selector("#results li")
        first = tab.locator("#results a").first.get_attribute("href")
        assert first == "claims/gaussian.step_step.orthant.html"
        tab.goto(f"file://{folder}/claims/flow.gradient.small_bump.html")
        digits = tab.locator("details", has_text="Definition and formula").locator("table")
        assert not digits.is_visible()
        tab.locator("summary", has_text="Definition and formula").click()
        assert digits.is_visible()
        tab.goto(f"file://{folder}/small-bump-gate.html")
        tab.evaluate("document.fonts.ready")
        assert tab.evaluate("document.fonts.check('16px \"Latin Modern Math\"')")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 1280
        browser.close()
    assert faults == []
