"""The book as a site that works from the disk: chapters, a page for every claim, the index of claims, and a search.

The pages load nothing but their own files: a style, the font of the formulas, and scripts for the filter, the
search and the link to the explorer.
"""

import re
import shutil
from collections.abc import Mapping, Sequence
from functools import cached_property
from html import escape
from pathlib import Path

from derivations import fonts
from derivations.atomic import write_text
from derivations.publish import blocks, claim_pages, html, site_index
from derivations.publish.compose import Book
from derivations.publish.document import ASSETS
from derivations.publish.questions import question
from derivations.publish.site_frame import CLAIMS, LOADED, Page, framed

_MENTION = re.compile(r"\]\((?:[\w-]+\.md)?#([\w.]+)\)")
_LINK = re.compile(r'<a href="([\w-]+)\.md(#[^"]*)?">(.*?)</a>', re.DOTALL)
_CODE = re.compile(r"(<a [^>]*>)?<code>([\w.]+)</code>")


class Site:
    """The pages of the chapters chosen, of the claims that they state, the index of claims and the search.

    Links to chapters and claims that are not among them are left as text.
    """

    def __init__(self, book: Book, chosen: Sequence[str]) -> None:
        self.book = book
        self.texts = {name: book.render(name) for name in chosen}
        self.claims = [name for name, place in book.where.items() if place.page in self.texts]

    @cached_property
    def chapters(self) -> list[Page]:
        """The chapters in the order of reading; formulas carry the number of their chapter in the whole book."""
        found = []
        for number, name in enumerate(self.book.pages):
            if name in self.texts:
                body = html.body(self.texts[name], numbered=f"{number}." if number else "")
                found.append(Page(f"{name}.html", body.headings[0].title, body.html, body.headings, number or None))
        return found

    @cached_property
    def claim_pages(self) -> list[Page]:
        """The page of every claim, in the order of the catalog."""
        return [self._claim_page(name) for name in self.book.claims if name in self.claims]

    def _claim_page(self, name: str) -> Page:
        claim, where = self.book.claims[name], self.book.where[name].page
        mentioned = [page for page in self.texts if page != where and name in self._mentions[page]]
        places = claim_pages.Places(
            self._chapter(where, name),
            [self._chapter(page) for page in mentioned],
            [_code(other) for other in self.claims if name in self._cited[other]],
        )
        text = claim_pages.markdown(
            claim, self.book.evidence[name], self.book.entries_of(claim), places, _code, self.book.names.get(name, "")
        )
        body = html.body(text, numbered="")
        asked = question(claim)
        link = f'<p id="in-explorer" data-question="{escape(asked.fragment)}" hidden></p>\n' if asked else ""
        return Page(
            f"{CLAIMS}/{name}.html",
            body.headings[0].title,
            body.html + link,
            body.headings,
            chapter=f"{where}.html",
            scripts=("explorer.js",) if asked else (),
        )

    @cached_property
    def _mentions(self) -> Mapping[str, set[str]]:
        return {name: set(_MENTION.findall(text)) for name, text in self.texts.items()}

    @cached_property
    def _cited(self) -> Mapping[str, tuple[str, ...]]:
        return {name: blocks.cited(self.book.claims[name]) for name in self.claims}

    def _chapter(self, name: str, anchor: str = "") -> str:
        return f"[{html.title_of(self.texts[name])}]({name}.md{f'#{anchor}' if anchor else ''})"

    def write(self, folder: Path) -> None:
        """Write all pages and what they load into a folder, beside the figures that the book has written there."""
        (folder / LOADED).mkdir(exist_ok=True)
        (folder / CLAIMS).mkdir(exist_ok=True)
        for file in (*ASSETS.iterdir(), fonts.FILE, fonts.LICENCE):
            shutil.copyfile(file, folder / LOADED / file.name)
        entries = site_index.search_entries(self.chapters, self.claim_pages)
        write_text(folder / LOADED / "search-index.js", site_index.script(entries))
        index = site_index.claim_index(self.book, self.claim_pages, {page.path: page for page in self.chapters})
        for pages in (self.chapters, [index], self.claim_pages, [site_index.search_page()]):
            for at, page in enumerate(pages):
                beside = (pages[at - 1] if at else None, pages[at + 1] if at + 1 < len(pages) else None)
                text = framed(page, self.chapters, beside)
                write_text(folder / page.path, self._linked(text, page))

    def _linked(self, text: str, page: Page) -> str:
        """The page with links to files of the site; what is not in the site is not linked."""

        def chapter(found: re.Match[str]) -> str:
            name, anchor, shown = found.groups()
            return f'<a href="{page.root}{name}.html{anchor or ""}">{shown}</a>' if name in self.texts else shown

        def claim(found: re.Match[str]) -> str:
            linked, name = found.groups()
            known = not linked and name in self.book.claims and self.book.where[name].page in self.texts
            if not known or page.path == f"{CLAIMS}/{name}.html":
                return found[0]
            return f'<a href="{page.root}{CLAIMS}/{name}.html"><code>{name}</code></a>'

        return _CODE.sub(claim, _LINK.sub(chapter, text))


def _code(name: str) -> str:
    return f"`{name}`"
