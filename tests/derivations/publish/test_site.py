"""The book as a site: links, anchors, claims, folded passages; in a browser the filter, the search and the font."""

import re
import shutil
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from derivations import cli
from derivations.evidence.entries import entries
from derivations.markdown import plain, table
from derivations.output import PASS
from derivations.publish import book_figures, compose, law_tables, places, questions
from derivations.publish.gate_table import GATES
from theory.claims import catalog
from theory.conjecture import judge, read

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
LOADING = {"src", "href", "action"}
DIGITS = re.compile(r"\d\.\d{25,}")
LINE = (66, 75)  # characters
DESK, PHONE = 1280, 390
LEGIBLE = 600  # width below which the labels of two panels, drawn for 806, fall below 7 of their 9 points
WHITE = 255

pytestmark = pytest.mark.xdist_group("site")
in_a_browser = pytest.mark.skipif(
    CHROMIUM is None or find_spec("playwright") is None, reason="this test needs playwright and a Chromium"
)


class Content(HTMLParser):
    """The ids of a page, what it names in links and sources, its visible text, and the text that is not folded."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.named, self.tags, self.text, self.unfolded = [], [], Counter(), [], []
        self.folds, self.quoted = 0, 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
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
    """The whole site, as the command writes it, with the stored table of gates.

    To compute that table takes a third of the time; `gdln derive --check`, which test_derive.py runs, computes it.
    """
    made = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(law_tables.TABLES, "gates", stored_table_of_gates)
        assert cli.main(["derive", "--format", "html", "--out", str(made)]) == PASS
    return made


def stored_table_of_gates():
    """The table of gates as it stands in the stored book."""
    heading, _ = table(["law", *GATES], []).split("\n", 1)
    page = (compose.BOOK / "data-laws.md").read_text(encoding="utf-8")
    assert page.count(heading) == 1
    return page[page.index(heading) :].partition("\n\n")[0] + "\n"


@pytest.fixture(scope="module")
def pages(folder):
    """The content of every page by its path."""
    return read_pages(folder)


def read_pages(folder):
    found = sorted(folder.rglob("*.html"))
    return {str(path.relative_to(folder)): Content(path.read_text(encoding="utf-8")) for path in found}


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


def test_every_link_and_anchor_resolves_inside_the_site(folder, pages):
    assert list(broken(folder, pages)) == []
    assert {name: page.ids for name, page in pages.items() if len(set(page.ids)) < len(page.ids)} == {}


def test_planted_broken_links_are_found(tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html"></a><a href="#no"></a><img src="http://x.org/y.png"><p id="x">')
    assert [target for _, target in broken(tmp_path, read_pages(tmp_path))] == ["b.html", "#no", "http://x.org/y.png"]


def test_what_pages_load_names_no_other_place(folder):
    loaded = [path for path in (folder / "assets").iterdir() if path.suffix in (".js", ".css")]
    scripts = {"filter.js", "search.js", "search-index.js", "explorer.js"}
    assert {path.name for path in loaded} >= {"page.css", "site.css", *scripts}
    for path in loaded:
        text = "" if path.name == "search-index.js" else path.read_text(encoding="utf-8")  # the index is data
        assert not re.search(r"https?:|//[a-z]|fetch|import|XMLHttp", text), path
        assert all((path.parent / name).is_file() for name in re.findall(r'url\("([^"]+)"\)', text))


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


def test_a_claim_page_has_its_parts(folder):
    text = (folder / "claims/moment.site_gate.yx.html").read_text(encoding="utf-8")
    parts = re.findall(r'<h2 id="[^"]+">([^<]+)</h2>', text)
    assert parts == ["Sources", "Derivation", "Evidence", "Rejected forms", "In the book", "To check it"]
    assert "gdln validate moment.site_gate.yx" in text
    assert '<a href="../small-bump-gate.html#moment.site_gate.yx">' in text


def test_digits_and_ranges_are_folded(pages):
    assert {name: found for name, page in pages.items() if (found := DIGITS.findall(" ".join(page.unfolded)))} == {}
    assert DIGITS.search(" ".join(pages["small-bump-gate.html"].text))
    assert pages["claims/flow.gradient.small_bump.html"].tags["details"] == 4


def test_no_page_shows_raw_tex_or_marks_of_markdown(pages):
    for name, page in pages.items():
        if name != "search.html":
            assert not re.search(r"\$|\\[A-Za-z]|\*\*|\{ref|<!--|<a id", "".join(page.text)), name


def test_pages_lead_to_the_next_and_the_last_one(folder, pages):
    for first in ("index.html", "claims/amplifier.flat.growth.html"):
        seen, name = [], first
        while name:
            seen.append(name)
            found = re.search(r'rel="next" href="([^"]+)"', (folder / name).read_text(encoding="utf-8"))
            name = found and str(((folder / name).parent / found[1]).resolve().relative_to(folder.resolve()))
        assert len(set(seen)) == len(seen) == (len(places.sources()) if first == "index.html" else len(catalog()))


def test_a_site_of_two_chapters_links_to_nothing_else(tmp_path):
    cli.main(["derive", "ising", "errata", "--format", "html", "--out", str(tmp_path)])
    pages = read_pages(tmp_path)
    assert {name for name in pages if "/" not in name} == {"ising.html", "errata.html", "search.html"}
    assert list(broken(tmp_path, pages)) == []
    assert {name for name in pages if name.startswith("claims/")} == {
        "claims/index.html",
        *(f"claims/{name}.html" for name in catalog() if name.startswith("ising.")),
    }


ASKED = {name: asked for name, claim in catalog().items() if (asked := questions.question(claim))}


@pytest.mark.parametrize("name", ASKED)
def test_the_question_of_a_claim_can_be_asked(name):
    asked = ASKED[name]
    statement = read(asked.line, asked.cov, where=asked.where)
    assert {str(symbol) for symbol in statement.lhs.free_symbols} <= {
        param.symbol.name for param in catalog()[name].params
    }


@pytest.mark.parametrize("name", ["gaussian.step_step.orthant", "moment.threshold.slab", "gaussian.erf.smoothing"])
def test_the_question_of_a_claim_is_the_claim(name):
    asked = ASKED[name]
    assert judge(read(asked.line, asked.cov, where=asked.where)).verdict == "proved"


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def tab(browser):
    """A page that must neither fail nor load anything but files."""
    page = browser.new_page(viewport={"width": DESK, "height": 900})
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: message.type == "error" and faults.append(message.text))
    page.on("request", lambda request: request.url.startswith("file:") or faults.append(request.url))
    yield page
    assert faults == []
    page.close()


@in_a_browser
def test_the_filter_shows_the_rows_of_a_verdict_in_a_document(tab, folder):
    tab.goto(f"file://{folder}/claims/index.html")
    every = tab.locator("#claims tbody tr")
    assert every.count() == len(catalog())
    tab.select_option("select[name=verdict]", "CORRECTED")
    tab.select_option("select[name=document]", "small-bump-gate")
    wanted = {
        entry.claim.id
        for entry in entries(catalog().values())
        if (entry.verdict, entry.document) == ("CORRECTED", "small-bump-gate")
    }
    shown = tab.locator("#claims tbody tr:visible code").all_inner_texts()
    assert set(shown) == wanted
    assert tab.locator("#count").inner_text() == f"{len(wanted)} of {len(catalog())} claims"
    tab.reload()
    assert set(tab.locator("#claims tbody tr:visible code").all_inner_texts()) == wanted, "the address has the choice"
    tab.fill("input[name=text]", "no such words")
    assert tab.locator("#claims tbody tr:visible").count() == 0


@in_a_browser
def test_without_scripts_the_index_is_a_plain_table(browser, folder):
    page = browser.new_page(java_script_enabled=False)
    page.goto(f"file://{folder}/claims/index.html")
    assert page.locator("#claims tbody tr:visible").count() == len(catalog())
    assert not page.locator("#filter").is_visible()
    page.close()


@in_a_browser
def test_the_search_finds_sections_and_claims_from_every_page(tab, folder):
    tab.goto(f"file://{folder}/claims/moment.site_gate.yx.html")
    tab.fill("#contents input[name=q]", "orthant two steps")
    tab.press("#contents input[name=q]", "Enter")
    tab.wait_for_selector("#results li")
    links = tab.locator("#results a").evaluate_all("all => all.map((each) => each.getAttribute('href'))")
    assert links[:2] == ["claims/gaussian.step_step.orthant.html", "gaussian-averages.html#gaussian.step_step.orthant"]
    tab.fill("main input[name=q]", "moment.site_gate.yx")
    assert "claims/moment.site_gate.yx.html" in tab.locator("#results a").evaluate_all(
        "all => all.slice(0, 2).map((each) => each.getAttribute('href'))"
    )
    tab.fill("main input[name=q]", "zzzz")
    assert tab.locator("#count").inner_text() == "0 found"
    assert tab.locator("#results li").count() == 0


@in_a_browser
def test_formulas_are_set_in_the_font_of_the_site(tab, folder):
    tab.goto(f"file://{folder}/small-bump-gate.html")
    tab.evaluate("document.fonts.ready")
    assert tab.evaluate("[...document.fonts].map((face) => [face.family, face.status])") == [
        ["Latin Modern Math", "loaded"]
    ]
    assert tab.evaluate("document.fonts.check('16px \"Latin Modern Math\"')")
    assert tab.evaluate("getComputedStyle(document.querySelector('math')).fontFamily").startswith('"Latin Modern Math"')


@in_a_browser
def test_folded_passages_open_by_a_click(tab, folder):
    tab.goto(f"file://{folder}/claims/flow.gradient.small_bump.html")
    assert tab.locator("details[open]").count() == 0
    digits = tab.locator("details", has_text="Definition and formula").locator("table")
    assert not digits.is_visible()
    tab.locator("summary", has_text="Definition and formula").click()
    assert digits.is_visible()


def figures_of(folder):
    """The pages with figures that the house draws from data, each with the names of its figures."""
    for path in sorted(folder.glob("*.html")):
        if names := re.findall(r'src="figures/([\w-]+)\.svg"', path.read_text(encoding="utf-8")):
            yield path, names


def test_a_figure_has_its_caption_for_those_who_do_not_see_it(folder):
    found = 0
    shown = [(path, name) for path, names in figures_of(folder) for name in names]
    for path, name in shown:
        if name in book_figures.known():
            alt = re.search(rf'src="figures/{name}\.svg" alt="([^"]*)"', path.read_text(encoding="utf-8"))[1]
            assert unescape(alt) == plain(book_figures.known()[name].caption)
            found += 1
    assert found == len(book_figures.known())


@in_a_browser
def test_figures_follow_a_dark_page(browser, folder):
    from PIL import Image, ImageStat

    bright = {"light": {}, "dark": {}}
    for scheme, found in bright.items():
        page = browser.new_page(viewport={"width": DESK, "height": 900}, color_scheme=scheme)
        for path, names in figures_of(folder):
            page.goto(f"file://{path}")
            for name in names:
                picture = page.locator(f'img[src="figures/{name}.svg"]').screenshot()
                found[name] = ImageStat.Stat(Image.open(BytesIO(picture)).convert("L"))
        page.close()
    assert bright["light"].keys() == bright["dark"].keys() >= book_figures.known().keys()
    for name, light in bright["light"].items():
        dark = bright["dark"][name]
        assert light.mean[0] > WHITE / 2 > dark.mean[0], name
        assert dark.extrema[0][1] > WHITE / 2, f"{name}: ink as dark as the page"


@in_a_browser
def test_a_figure_of_two_panels_scrolls_on_a_phone(tab, folder):
    tab.set_viewport_size({"width": PHONE, "height": 900})
    tab.goto(f"file://{folder}/amplifier.html")
    shown = tab.locator("p:has(> img)").evaluate("each => [each.scrollWidth, each.clientWidth]")
    assert shown[0] > LEGIBLE >= shown[1]


def served(browser, folder, token):
    """A tab that reads the site where the explorer serves it, with or without the token of a session."""
    page = browser.new_page()

    def answer(route):
        path = urlsplit(route.request.url).path
        if path.startswith("/site/"):
            route.fulfill(path=folder / path.removeprefix("/site/"))
        else:
            route.fulfill(body="the explorer", content_type="text/html")

    page.route("**/*", answer)
    if token:
        page.add_init_script("sessionStorage.setItem('gdln-token', 'given')")
    return page


@in_a_browser
@pytest.mark.parametrize("token", [True, False])
def test_where_the_explorer_serves_the_site_a_claim_links_to_its_question(browser, folder, token):
    name = "gaussian.step_step.orthant"
    page = served(browser, folder, token)
    page.goto(f"http://127.0.0.1:8766/site/claims/{name}.html")
    link = page.get_by_role("link", name="Open this formula in the explorer")
    assert link.count() == token
    if token:
        link.click()
        assert page.url == f"http://127.0.0.1:8766/{ASKED[name].fragment}"
    page.close()


@in_a_browser
def test_from_the_disk_a_claim_names_the_command_that_opens_its_question(tab, folder):
    name = "gaussian.step_step.orthant"
    tab.goto(f"file://{folder}/claims/{name}.html")
    assert tab.get_by_role("link", name="explorer").count() == 0
    assert ASKED[name].opening in tab.locator("main").inner_text()


# The characters of each line of paragraphs in words: those whose boxes have the same top, blanks at the end left out.
LINES = """(paragraphs) => paragraphs.flatMap((p) => {
  if (p.querySelector("math, code")) return [];
  const range = document.createRange(), lines = [];
  const walk = document.createTreeWalker(p, NodeFilter.SHOW_TEXT);
  let top = null;
  for (let text = walk.nextNode(); text; text = walk.nextNode()) {
    for (let at = 0; at < text.length; at++) {
      range.setStart(text, at); range.setEnd(text, at + 1);
      const box = range.getBoundingClientRect();
      if (box.width && Math.abs(box.top - top) > 5) { lines.push(0); top = box.top; }
      if (box.width) lines[lines.length - 1]++;
    }
  }
  return lines.slice(0, -1);  // the last line is as long as the text happens to be
})"""


@in_a_browser
def test_lines_have_66_to_75_characters(tab, folder):
    lengths = []
    for name in ("index", "conventions", "gated-gradient-flow", "race", "relu-gates", "amplifier"):
        tab.goto(f"file://{folder}/{name}.html")
        lengths += tab.locator("main > p").evaluate_all(LINES)
    assert len(lengths) > 50
    mean = sum(lengths) / len(lengths)
    assert LINE[0] <= mean <= LINE[1], mean


@in_a_browser
def test_nothing_is_wider_than_the_page(tab, folder):
    claims = sorted(folder.glob("claims/*.html"))[::8]
    for path in (*sorted(Path(folder).glob("*.html")), *claims):
        tab.goto(f"file://{path}")
        for width in (DESK, PHONE):
            tab.set_viewport_size({"width": width, "height": 900})
            assert tab.evaluate("document.documentElement.scrollWidth") <= width, (path.name, width)
            if width == DESK:
                cut = tab.locator(".math").evaluate_all(
                    "all => all.filter((each) => each.scrollWidth > each.clientWidth + 1).length"
                )
                assert cut == 0, path.name
