"""The book as PDF: contents with pages, numbers of pages and formulas, links, and fonts inside the file."""

import re
from importlib.util import find_spec

import pytest

from derivations import cli
from derivations.output import OUT_OF_REACH, PASS
from derivations.publish import compose, html, pdf, places

pytestmark = pytest.mark.xdist_group("site")
CHAPTERS = ("small-bump-gate", "single-pulse", "ising")
MARGIN = 2.2 / 2.54 * 72  # points
FOOT, LINE = 2.4 / 2.54 * 72, 14  # points: the lower margin, a line with its distance to the next
MISSING = [name for name in ("pypandoc", "typst", "pypdf") if find_spec(name) is None]


def test_pdf_without_the_extra_says_how_to_get_it(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(__import__("sys").modules, "pypandoc", None)
    assert cli.main(["derive", "conventions", "--format", "pdf", "--out", str(tmp_path)]) == OUT_OF_REACH
    assert "docs" in capsys.readouterr().err


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """Three chapters as one book."""
    if MISSING:
        pytest.skip(f"not installed: {', '.join(MISSING)}")
    import pypdf

    folder = tmp_path_factory.mktemp("pdf")
    assert cli.main(["derive", *CHAPTERS, "--format", "pdf", "--out", str(folder)]) == PASS
    assert [path.name for path in folder.iterdir()] == ["book.pdf"]
    return pypdf.PdfReader(folder / "book.pdf")


def test_every_formula_of_the_book_is_set(tmp_path):
    """Typst ends at a symbol that it does not know; the chapters above do not have all of them."""
    if MISSING:
        pytest.skip(f"not installed: {', '.join(MISSING)}")
    pages = [path.read_text(encoding="utf-8") for path in compose.BOOK.glob("*.md")]
    text = re.sub(r"```.*?```|`[^`\n]*`", "", "\n\n".join(pages), flags=re.DOTALL)
    formulas = sorted({found.strip() for found in re.findall(r"\$\$?([^$]+)\$\$?", text)})
    assert {r"\odot" in formula for formula in formulas} == {True, False}
    pdf.write(
        {"formulas": "\n\n".join(f"${one}$" for one in formulas)}, {"formulas": 0}, "all", tmp_path / "a", tmp_path
    )
    assert (tmp_path / "a").read_bytes().startswith(b"%PDF")


def bookmarks(outline, depth=0):
    """The bookmarks with their depth, in order."""
    for item in outline:
        if isinstance(item, list):
            yield from bookmarks(item, depth + 1)
        else:
            yield depth, item


def chapters_of(book):
    """The titles of the chapters with the pages on which they begin."""
    return [
        (item.title, book.get_destination_page_number(item)) for depth, item in bookmarks(book.outline) if depth == 0
    ]


def test_contents_name_chapters_with_their_pages(book):
    contents = " ".join(book.pages[0].extract_text().split())
    stored = {name: html.title_of((compose.BOOK / f"{name}.md").read_text(encoding="utf-8")) for name in CHAPTERS}
    number = {name: at for at, name in enumerate(places.sources())}
    chapters = chapters_of(book)
    assert [title for title, _ in chapters] == [f"{number[name]}. {stored[name]}" for name in CHAPTERS]
    for title, page in chapters:
        assert re.search(rf"{re.escape(title)}[ .]+{page + 1}\b", contents), contents
        assert title.split(". ")[1] in book.pages[page].extract_text()


def test_no_heading_is_the_last_line_of_a_page(book):
    lowest = [float(item.top) for _, item in bookmarks(book.outline)]
    assert len(lowest) > 30
    assert min(lowest) > FOOT + 2 * LINE


def test_every_page_has_its_number(book):
    assert len(book.pages) > 2 * len(CHAPTERS)
    for number, page in enumerate(book.pages, start=1):
        assert page.extract_text().split()[-1] == str(number)


def test_formulas_have_the_numbers_of_the_site(book):
    text = "\n".join(page.extract_text() for page in book.pages)
    number = {name: at for at, name in enumerate(places.sources())}
    for name in CHAPTERS:
        markdown = (compose.BOOK / f"{name}.md").read_text(encoding="utf-8")
        count = html.body(markdown, numbered="").html.count('class="formula"')
        found = {int(each) for each in re.findall(rf"\({number[name]}\.(\d+)\)", text)}
        assert found == set(range(1, count + 1))


def test_links_between_chapters_stay_inside(book):
    kinds = {note["/A"]["/S"] for page in book.pages for note in page.get("/Annots") or () if "/A" in note}
    inside = [note for page in book.pages for note in page.get("/Annots") or () if "/Dest" in note]
    assert kinds <= {"/GoTo"}
    assert inside or kinds


def test_every_font_is_inside(book):
    fonts = [font for page in book.pages for font in (page["/Resources"].get("/Font") or {}).values()]
    for font in fonts:
        described = font.get("/DescendantFonts", [font])[0].get_object()["/FontDescriptor"]
        assert {"/FontFile", "/FontFile2", "/FontFile3"} & set(described), font["/BaseFont"]
    assert any("Math" in font["/BaseFont"] for font in fonts)


def test_figures_are_inside(book):
    """They are drawings: each paints many paths, and no page beside those of figures has as many."""
    chosen = [(compose.BOOK / f"{name}.md").read_text(encoding="utf-8") for name in CHAPTERS]
    figures = sum(text.count("](figures/") for text in chosen)
    painted = sorted(page.get_contents().get_data().count(b" c\n") for page in book.pages)
    assert figures > 0
    assert painted[-figures] > 10 * max(1, painted[-figures - 1])


def test_the_running_head_names_the_chapter_of_its_page(book):
    title = {page: title for title, page in chapters_of(book)}
    begun = ""
    for number, page in enumerate(book.pages[1:], start=1):
        first = " ".join(page.extract_text().split("\n")[0].split())
        if number in title:
            assert first == title[number], "no head above the title of a chapter"
            begun = first.partition(". ")[2]
        elif begun:
            assert first == begun


def test_no_text_begins_outside_the_margins(book):
    """Formulas are runs of a few letters, so that one wider than the page begins some of them beyond a margin."""
    outside = []
    for number, page in enumerate(book.pages, start=1):
        right = float(page.mediabox.right) - MARGIN

        def seen(text, outer, inner, *_rest, number=number, right=right):
            x = inner[4] * outer[0] + inner[5] * outer[2] + outer[4]
            if text.strip() and not MARGIN - 1 < x < right:
                outside.append((number, x, text))

        page.extract_text(visitor_text=seen)
    assert outside == []
