"""The site: the book, the manual, a page for every claim and the API reference, made by Sphinx with MyST and furo.

The pages are the Markdown of the book and of `derivations/manual/`, staged in a folder beside those made here. They
load nothing but files of the site, so that it works from the disk.
"""

import io
import posixpath
import re
import shutil
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from derivations import fonts
from derivations.atomic import write_text
from derivations.evidence.entries import STALE, verdict_on_claim
from derivations.markdown import table
from derivations.publish import api_pages, blocks, claim_pages, files
from derivations.publish.compose import Book
from derivations.publish.places import by_part
from theory.problem import OutOfReachError

TITLE = "Gated linear networks and localization"
MANUAL = Path(__file__).parents[1] / "manual"
CLAIMS = "claims"  # the folder of the pages of claims
_STATIC = Path(__file__).with_name("static")
_IMAGES = "explore/images"  # of the manual
_FRONT = Path(__file__).with_name("front.md")
# The pages of the manual in the order of reading.
MANUAL_PAGES = (
    "index",
    "problem-file",
    "training",
    "graphs",
    "deep-networks",
    "averages",
    "claims",
    "notes",
    "data",
    "explorer",
    "sweeps",
    "clusters",
    "python",
    "benchmarks",
)
_MENTION = re.compile(r"\]\((?:[\w-]+\.md)?#([\w.]+)\)")
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\(([\w./-]+\.md)(#[^)]*)?\)")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_SETTINGS = {
    "project": TITLE,
    "html_title": "The gdln workbench",
    "extensions": ["myst_parser", "sphinx.ext.autodoc", "derivations.publish.extension"],
    "myst_enable_extensions": ["dollarmath"],
    "myst_heading_anchors": 4,
    "html_theme": "furo",
    "html_math_renderer": "mathml",
    "html_static_path": [str(_STATIC), str(fonts.FILE), str(fonts.LICENCE)],
    "html_css_files": ["site.css"],
    "html_js_files": ["site.js"],
    "html_copy_source": False,
    "html_show_sourcelink": False,
    "html_show_copyright": False,
    "html_domain_indices": False,
    "autodoc_typehints_format": "fully-qualified",
    "autodoc_member_order": "bysource",
    "python_use_unqualified_type_names": True,
    "add_module_names": False,
}


class Site:
    """The pages of chapters and of the claims that they state; of the whole book also the manual and the API.

    Links to chapters that are not among them are left as text.
    """

    def __init__(self, book: Book, made: files.Files) -> None:
        self.book = book
        self.texts = {name: made.texts[f"{name}.md"] for name in book.pages if f"{name}.md" in made.texts}
        self.claims = [name for name in book.claims if book.where[name].page in self.texts]
        self.is_whole = len(self.texts) == len(book.pages)
        self.numbers = {name: number for number, name in enumerate(book.pages) if number}

    def pages(self) -> dict[str, str]:
        """Return the Markdown of every page by its path without the ending, in the order of reading."""
        pages = {"index": self._front()}
        for name, text in self.texts.items():
            number = self.numbers.get(name)
            pages[f"book/{name}"] = (
                re.sub(r"^# ", f"# {number}. ", text, count=1, flags=re.MULTILINE) if number else text
            )
        if self.is_whole:
            for name in MANUAL_PAGES:
                pages[f"manual/{name}"] = (MANUAL / f"{name}.md").read_text(encoding="utf-8")
            pages |= api_pages.pages()
        pages |= self._claim_pages()
        return {path: self._linked(text, path, pages) for path, text in pages.items()}

    def _front(self) -> str:
        text = _FRONT.read_text(encoding="utf-8") if self.is_whole else f"# {TITLE}\n"
        for part, names in by_part(self.texts).items():
            text += _contents([f"book/{name}" for name in names], part or "The book")
        if self.is_whole:
            text += _contents([f"manual/{name}" for name in MANUAL_PAGES], "Manual")
        return text + _contents([f"{CLAIMS}/index", *(["api/index"] if self.is_whole else [])], "Reference")

    def _claim_pages(self) -> dict[str, str]:
        """The index, the page of every area, and the page of every claim."""
        areas: dict[str, list[str]] = {}
        for name in self.claims:
            areas.setdefault(name.partition(".")[0], []).append(name)
        index = (
            "# Claims\n\nEvery statement of the book has a page under its permanent id, with its sources, its "
            "derivation, its evidence and the forms that its checks reject.\n\n"
        )
        rows = [(f"[{area}]({area}.md)", str(len(names))) for area, names in areas.items()]
        pages = {f"{CLAIMS}/index": index + table(("area", "claims"), rows) + _contents(list(areas))}
        for area, names in areas.items():
            rows = [self._row(name) for name in names]
            shown = table(("claim", "verdict", "sources"), rows)
            pages[f"{CLAIMS}/{area}"] = f"# Claims: {area}\n\n{shown}" + _contents(names)
            pages |= {f"{CLAIMS}/{name}": self._claim_page(name) for name in names}
        return pages

    def _row(self, name: str) -> tuple[str, str, str]:
        """A row of the table of an area: the claim, the verdict on it, its sources with theirs where they differ."""
        claim, evidence = self.book.claims[name], self.book.evidence[name]
        verdict = verdict_on_claim(claim, evidence).value if evidence else STALE
        labels: dict[tuple[str, str], list[str]] = {}
        for entry in self.book.entries_of(claim):
            if entry.source:
                labels.setdefault((entry.document, entry.verdict), []).append(entry.source.label)
        sources = [
            f"{document} {', '.join(own)}{'' if other == verdict else f' ({other})'}"
            for (document, other), own in labels.items()
        ]
        return f"[{claim.title}]({name}.md)<br>`{name}`", verdict, "; ".join(sources) or "–"

    def _claim_page(self, name: str) -> str:
        claim, where = self.book.claims[name], self.book.where[name].page
        mentioned = [page for page in self.texts if page != where and name in self._mentions[page]]
        places = claim_pages.Places(
            self._chapter(where, name),
            [self._chapter(page) for page in mentioned],
            [_code(other) for other in self.claims if name in self._cited[other]],
        )
        return claim_pages.markdown(
            claim, self.book.evidence[name], self.book.entries_of(claim), places, _code, self.book.names.get(name, "")
        )

    @cached_property
    def _mentions(self) -> Mapping[str, set[str]]:
        return {name: set(_MENTION.findall(text)) for name, text in self.texts.items()}

    @cached_property
    def _cited(self) -> Mapping[str, tuple[str, ...]]:
        return {name: blocks.cited(self.book.claims[name]) for name in self.claims}

    def _chapter(self, name: str, anchor: str = "") -> str:
        title = re.search(r"^# (.+)$", self.texts[name], re.MULTILINE)[1]
        return f"[{title}](../book/{name}.md{f'#{anchor}' if anchor else ''})"

    def _linked(self, text: str, path: str, pages: Mapping[str, str]) -> str:
        """The page without the links that lead out of the site."""

        def kept(link: re.Match[str]) -> str:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link[2]))
            return link[0] if target.removesuffix(".md") in pages else link[1]

        return _LINK.sub(kept, text)


def _contents(paths: Iterable[str], caption: str = "") -> str:
    """A tree of contents for the sidebar, and for the pages before and after."""
    if not (paths := list(paths)):
        return ""
    lines = ["", "```{toctree}", ":hidden:", *([f":caption: {caption}"] if caption else []), "", *paths, "```", ""]
    return "\n".join(lines)


def _code(name: str) -> str:
    return f"`{name}`"


def write(book: Book, made: files.Files, folder: Path) -> list[str]:
    """Write the site of chapters and their figures into a folder and return the warnings of Sphinx.

    Pages of a site that stood in the folder before are removed where this one has none of their name.

    Raises OutOfReachError where the extra `docs` is not installed.
    """
    try:
        import furo  # noqa: F401
        import myst_parser  # noqa: F401
        from sphinx.application import Sphinx
        from sphinx.util.docutils import docutils_namespace, patch_docutils
    except ModuleNotFoundError as error:
        raise OutOfReachError(
            f"The site needs {error.name}, which is not installed.",
            "Install the extra: pip install -e '.[docs]'; or use --format md, which needs nothing more.",
        ) from error
    site, warnings = Site(book, made), io.StringIO()
    # Pages that a site made here before has and this one may not have.
    older = {file: file.stat().st_mtime_ns for file in folder.rglob("*.html") if (folder / ".buildinfo").is_file()}
    with TemporaryDirectory() as work, docutils_namespace(), patch_docutils():
        source = Path(work, "source")
        (source / "book").mkdir(parents=True)
        files.write(made, source / "book")
        for path, text in site.pages().items():
            (source / path).parent.mkdir(parents=True, exist_ok=True)
            write_text(source / f"{path}.md", text)
        shutil.copytree(MANUAL.parent / _IMAGES, source / _IMAGES)
        settings = _SETTINGS | {
            "gdln_chapters": {f"book/{name}": number for name, number in site.numbers.items()},
            "gdln_claims": tuple(site.claims),
        }
        app = Sphinx(
            str(source), None, str(folder), f"{work}/doctrees", "html", settings, None, warnings, freshenv=True
        )
        with redirect_stdout(io.StringIO()):
            app.build(force_all=True)
    for file, written in older.items():
        if file.stat().st_mtime_ns == written:
            file.unlink()
    return [line for line in _COLOUR.sub("", warnings.getvalue()).splitlines() if line]
