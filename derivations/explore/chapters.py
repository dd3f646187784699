"""Chapters of the book that a view points to: the page with the derivations behind its numbers."""

from functools import cache
from pathlib import Path

PAGES = Path(__file__).parents[1] / "publish" / "pages"


@cache
def chapter(page: str) -> dict[str, str]:
    """Return a chapter by the name of its page, with its title.

    >>> chapter("amplifier")
    {'page': 'amplifier', 'title': 'The localization amplifier'}
    """
    with (PAGES / f"{page}.md").open(encoding="utf-8") as file:
        return {"page": page, "title": file.readline().removeprefix("# ").strip()}
