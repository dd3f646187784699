"""The index of claims, with its filter, and the search: its page and the index that it reads."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from derivations.evidence.entries import STALE, verdict_on_claim
from derivations.publish.compose import Book
from derivations.publish.html import words
from derivations.publish.site_frame import CLAIMS, Page

_SECTION = re.compile(r'(?=<h[1-6] id=")')
_ANCHOR = re.compile(r'<h\d id="([^"]+)"')
_NONE = "none"  # the document of a claim that no document states


def claim_index(book: Book, pages: Sequence[Page], chapters: Mapping[str, Page]) -> Page:
    """Return the table of all claims, one row each with its verdict, its sources and its chapter."""
    rows = [_row(book, page, chapters[page.chapter]) for page in pages]
    entries = [entry for page in pages for entry in book.entries_of(book.claims[_id(page)])]
    verdicts = sorted({entry.verdict for entry in entries})
    documents = sorted({entry.document or _NONE for entry in entries})
    body = (
        "<h1>Index of claims</h1>\n<p>Every statement of the book has a page under its permanent id. "
        "The verdict is that on the claim; a source with another verdict shows it in parentheses.</p>\n"
        f'<form id="filter" hidden>{_menu("verdict", "Verdict", verdicts)}{_menu("document", "Document", documents)}'
        '<label>Words <input name="text" type="search"></label><output id="count"></output></form>\n'
        '<div class="table"><table id="claims"><thead><tr><th>claim</th><th>verdict</th><th>sources</th>'
        f"<th>chapter</th></tr></thead>\n<tbody>\n{''.join(rows)}</tbody></table></div>\n"
    )
    return Page(f"{CLAIMS}/index.html", "Index of claims", body, scripts=("filter.js",))


def _id(page: Page) -> str:
    return page.path.removeprefix(f"{CLAIMS}/").removesuffix(".html")


def _row(book: Book, page: Page, chapter: Page) -> str:
    """A row of the index; its data have every document of the claim with the verdict on the claim there."""
    name = _id(page)
    claim, evidence = book.claims[name], book.evidence[name]
    verdict = verdict_on_claim(claim, evidence).value if evidence else STALE
    labels: dict[tuple[str, str], list[str]] = {}
    for entry in book.entries_of(claim):
        label = [entry.source.label] if entry.source else []
        labels.setdefault((entry.document or _NONE, entry.verdict), []).extend(label)
    keys = " ".join(f"{document}:{found}" for document, found in labels)
    sources = [
        f"{document} {escape(', '.join(own))}{'' if found == verdict else f' ({found})'}"
        for (document, found), own in labels.items()
        if document != _NONE
    ]
    return (
        f'<tr data-entries="{keys}"><td><a href="{name}.html">{page.title}</a><br><code>{name}</code></td>'
        f'<td class="verdict {verdict}">{verdict}</td><td>{"<br>".join(sources) or "–"}</td>'
        f'<td><a href="../{chapter.path}#{name}">{chapter.label}</a></td></tr>\n'
    )


def _menu(name: str, label: str, values: Sequence[str]) -> str:
    shown = {"": "all", **{value: "no document" if value == _NONE else value for value in values}}
    options = "".join(f'<option value="{value}">{text}</option>' for value, text in shown.items())
    return f'<label>{label} <select name="{name}">{options}</select></label>'


def search_page() -> Page:
    """Return the page that shows the passages with the words of a question."""
    body = (
        '<h1>Search</h1>\n<form action="search.html" role="search"><input name="q" type="search" size="40" '
        'aria-label="Words to search for" autofocus></form>\n<p><output id="count"></output></p>\n'
        '<ol id="results"></ol>\n<noscript><p>The search needs JavaScript. The '
        f'<a href="{CLAIMS}/index.html">index of claims</a> lists every claim without it.</p></noscript>\n'
    )
    return Page("search.html", "Search", body, scripts=("search-index.js", "search.js"))


def search_entries(chapters: Sequence[Page], claims: Sequence[Page]) -> list[dict[str, str]]:
    """Return the passages that the search finds: the sections of the chapters, and the statements of the claims."""
    found = [
        {"title": title, "page": words(chapter.label), "url": f"{chapter.path}#{anchor}", "text": text}
        for chapter in chapters
        for anchor, title, text in _sections(chapter)
    ]
    for claim in claims:
        _, title, text = next(_sections(claim))
        found.append({"title": title, "page": f"claim {_id(claim)}", "url": claim.path, "text": text})
    return found


def script(entries: Sequence[Mapping[str, str]]) -> str:
    """Return the entries as a script, which a page may load without a server.

    >>> script([{"title": "</script>"}])
    'window.GDLN_INDEX = [{"title": "<\\\\/script>"}];\\n'
    """
    text = json.dumps(list(entries), ensure_ascii=False).replace("</", "<\\/")
    return f"window.GDLN_INDEX = {text};\n"


def _sections(page: Page) -> Iterator[tuple[str, str, str]]:
    """Yield anchor, title and text of every section."""
    titles = {heading.anchor: words(heading.title) for heading in page.headings}
    for piece in _SECTION.split(page.body):
        if found := _ANCHOR.match(piece):
            title = titles[found[1]]
            yield found[1], title, words(piece).removeprefix(title).strip()
