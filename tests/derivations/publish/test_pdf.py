"""The book as PDF: contents with pages, numbers of pages and formulas, links, and fonts inside the file."""

import re
from importlib.util import find_spec

import pytest

from derivations import cli
from derivations.output import PASS
from derivations.publish import compose, places

MISSING = [name for name in ("pypandoc", "typst", "pypdf") if find_spec(name) is None]


@pytest.mark.slow
@pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")
def test_formulas_have_the_numbers_of_the_site(tmp_path):
    import pypdf

    chapters = ("single-pulse", "ising", "dialects")
    assert cli.main(["derive", *chapters, "--format", "pdf", "--out", str(tmp_path)]) == PASS
    assert [path.name for path in tmp_path.iterdir()] == ["book.pdf"]
    text = "\n".join(page.extract_text() for page in pypdf.PdfReader(tmp_path / "book.pdf").pages)
    assert text.count("Part I Localization") == 2  # in the contents and on its page
    number = {name: at for at, name in enumerate(places.sources())}
    for name in chapters:
        markdown = (compose.BOOK / f"{name}.md").read_text(encoding="utf-8")
        count = len(re.findall(r"^ *\$\$$", markdown, re.MULTILINE)) // 2
        numbers = {int(each) for each in re.findall(rf"\({number[name]}\.(\d+)\)", text)}
        assert numbers == set(range(1, count + 1))
