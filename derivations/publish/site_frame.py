"""The frame of a page of the site: header, contents, and links to the pages before and after."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from derivations.publish.html import Heading, words

CLAIMS = "claims"  # the folder of the pages of claims
LOADED = "assets"  # the folder of what pages load
TITLE = "Gated linear networks and localization"


@dataclass(frozen=True)
class Page:
    """A page of the site: its path from the root, its title and body as HTML, and its headings.

    `number` is that of a chapter, `chapter` the path of the chapter to which another page belongs, and `scripts` are
    the files that the page runs.
    """

    path: str
    title: str
    body: str
    headings: Sequence[Heading] = ()
    number: int | None = None
    chapter: str = ""
    scripts: Sequence[str] = ()

    @property
    def root(self) -> str:
        """The way from the folder of the page to the root of the site."""
        return "../" * self.path.count("/")

    @property
    def label(self) -> str:
        """The title with the number of the chapter."""
        return f"{self.number}. {self.title}" if self.number else self.title


def framed(page: Page, chapters: Sequence[Page], beside: tuple[Page | None, Page | None]) -> str:
    """Return the whole document of a page; `beside` are the pages before and after it, where there are any."""
    root = page.root
    scripts = "".join(f'<script defer src="{root}{LOADED}/{name}"></script>\n' for name in page.scripts)
    styles = "".join(f'<link rel="stylesheet" href="{root}{LOADED}/{name}">\n' for name in ("page.css", "site.css"))
    home = chapters[0].path
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(words(page.title))}</title>\n{styles}{scripts}</head>\n<body>\n"
        '<a class="skip" href="#main">To the text</a>\n'
        f'<header><strong><a href="{root}{home}">{TITLE}</a></strong>'
        f'<a class="to-contents" href="#contents">Contents</a><a href="{root}{CLAIMS}/index.html">Claims</a>'
        f'<a href="{root}search.html">Search</a></header>\n'
        f'<main id="main">\n{page.body}{_turn(page, beside)}</main>\n{_contents(page, chapters)}</body>\n</html>\n'
    )


def _turn(page: Page, beside: tuple[Page | None, Page | None]) -> str:
    links = [
        f'<a rel="{rel}" href="{page.root}{other.path}">{shown}</a>'
        for other, rel, shown in (
            (beside[0], "prev", f"← {beside[0].label}" if beside[0] else ""),
            (beside[1], "next", f"{beside[1].label} →" if beside[1] else ""),
        )
        if other
    ]
    return f'<nav class="turn" aria-label="Previous and next">{"".join(links)}</nav>\n' if links else ""


def _contents(page: Page, chapters: Sequence[Page]) -> str:
    root = page.root
    items = []
    for chapter in chapters:
        here = chapter.path in (page.path, page.chapter)
        current = ' aria-current="page"' if chapter.path == page.path else ' aria-current="true"' if here else ""
        inside = _sections(page) if chapter.path == page.path else ""
        items.append(f'<li><a href="{root}{chapter.path}"{current}>{chapter.label}</a>{inside}</li>\n')
    current = ' aria-current="page"' if page.path == f"{CLAIMS}/index.html" else ""
    items.append(f'<li><a href="{root}{CLAIMS}/index.html"{current}>Index of claims</a></li>\n')
    return (
        f'<nav id="contents" aria-label="Contents">\n<form action="{root}search.html" role="search">'
        '<input name="q" type="search" aria-label="Words to search for" placeholder="Search">'
        f"<button>Go</button></form>\n<ol>\n{''.join(items)}</ol>\n</nav>\n"
    )


def _sections(page: Page) -> str:
    sections = [heading for heading in page.headings if heading.level == 2]
    links = "".join(f'<li><a href="#{heading.anchor}">{heading.title}</a></li>' for heading in sections)
    return f"<ul>{links}</ul>" if links else ""
