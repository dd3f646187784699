"""The prose of the book's pages in the order of reading, the directives on them, and where each claim stands."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from theory.claims.model import Claim

PAGES = Path(__file__).parent / "pages"
# The parts of the book and their pages in the order of reading; a page that is not named comes after these.
PARTS = {
    "": ("index", "conventions"),
    "I Localization": (
        "small-bump-gate",
        "single-pulse",
        "ising",
        "relu-gates",
        "amplifier",
        "localization-sweep",
        "replayed-gates",
    ),
    "II Flow": (
        "gated-gradient-flow",
        "exclusive-and-redundant-gates",
        "dft",
        "gated-graphs",
        "race",
        "deep-linear",
    ),
    "III Gaussian averages": ("gaussian-averages", "expectations", "correlations", "data-laws"),
    "IV Paths and kernels": (
        "path-view",
        "half-spaces",
        "mixtures-of-experts",
        "depth-and-width",
        "whitening",
        "learned-gates-and-pooling",
        "neural-path-kernel",
    ),
    "V Record of the sources": ("errata", "scoreboard", "further-statements", "dialects"),
}
DIRECTIVE = re.compile(r"\{([a-z]+)((?: [^{}]*(?:\{[^{}]*\}[^{}]*)*)?)\}")
PLACES = ("claim", "whole")  # the directives that state a claim


def sources(folder: Path = PAGES) -> dict[str, str]:
    """The prose of every page by its name, in the order of reading."""
    found = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    known = {name: number for number, name in enumerate(chain(*PARTS.values()))}
    return dict(sorted(found.items(), key=lambda item: (known.get(item[0], len(known)), item[0])))


def by_part(pages: Iterable[str]) -> dict[str, list[str]]:
    """Return the pages of each part that has one of them; a page that no part names belongs to the last.

    >>> by_part(["race", "errata"])
    {'II Flow': ['race'], 'V Record of the sources': ['errata']}
    """
    of = {name: part for part, names in PARTS.items() for name in names}
    parts: dict[str, list[str]] = {part: [] for part in PARTS}
    for page in pages:
        parts[of.get(page, [*PARTS][-1])].append(page)
    return {part: names for part, names in parts.items() if names}


def directives(text: str) -> Iterator[tuple[int, str, str]]:
    """The directives of a page: number of the line, name, argument."""
    for number, line in enumerate(text.splitlines(), start=1):
        if found := DIRECTIVE.fullmatch(line.strip()):
            yield number, found[1], found[2].strip()


@dataclass(frozen=True)
class Place:
    """The page that shows a claim; `rest` is the prefix that placed it there, None where the page names it."""

    page: str
    rest: str | None = None


def placed(claims: Mapping[str, Claim], pages: Mapping[str, str]) -> dict[str, Place]:
    """Return the page of each claim: the page that names it, else the page with the longest fitting `{rest}`."""
    where: dict[str, Place] = {}
    rests: dict[str, str] = {}
    for page, text in pages.items():
        for _, name, argument in directives(text):
            if name in PLACES:
                where.setdefault(argument.partition(" as ")[0], Place(page))
            elif name == "rest":
                rests.update({prefix: page for prefix in argument.split() or [""]})
    for name in claims:
        fitting = [prefix for prefix in rests if not prefix or name.startswith(f"{prefix}.")]
        if name not in where and fitting:
            longest = max(fitting, key=len)
            where[name] = Place(rests[longest], longest)
    return where


def places(claims: Mapping[str, Claim]) -> dict[str, str]:
    """Return the page and the anchor at which the book derives each claim."""
    return {name: f"{place.page}#{name}" for name, place in placed(claims, sources()).items()}
