"""The book as PDF: contents with pages, numbers of pages and formulas, links, and fonts inside the file."""

import re
from importlib.util import find_spec

import pytest

from derivations import cli
from derivations.output import OUT_OF_REACH, PASS
from derivations.publish import compose, html, places

CHAPTERS = ("small-bump-gate", "single-pulse", "ising")
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


@pytest.mark.slow
def test_formulas_have_the_numbers_of_the_site(book):
    text = "\n".join(page.extract_text() for page in book.pages)
    number = {name: at for at, name in enumerate(places.sources())}
    for name in CHAPTERS:
        markdown = (compose.BOOK / f"{name}.md").read_text(encoding="utf-8")
        count = html.body(markdown, numbered="").html.count('class="formula"')
        result = {int(each) for each in re.findall(rf"\({number[name]}\.(\d+)\)", text)}
        assert result == set(range(1, count + 1))
