"""The book: pages of prose in `pages/` with directives, filled from the claims and the stored evidence into `book/`.

A directive stands alone on a line. `{claim ID}` states a claim, `{claim ID as TEX}` with the paper's name for its left
side; `{derivation ID}`, `{numbers ID}` and `{printed ID}` give its steps, its numbers and what its sources print;
`{whole ID}` gives all four. `{rest PREFIX ...}` gives the claims with these beginnings of ids that no page places,
prefix by prefix (`{rest}`: every other one). `{errata DOCUMENT}` lists what a source prints wrong, `{table DOCUMENT}`
all it says, `{contents}` the pages, `{gallery GROUP}` expectations of the gallery, `{measured NAME TABLE}` a table of a
stored run (`{measured NAME}` where it has one), `{dialects NAME}` a table of conventions, `{laws NAME}` one of data
laws, `{duals}` the averages of activations, `{regions NAME}` a table of regions of paths, `{scoreboard}` the
verdicts on the experiments of the sources. `{figure NAME}` shows a
figure, `{drawing NAME}` the graph of a starter problem, and `{flow NAME PART}` a part of its gradient flow. `{summary
TEXT}` is what the contents say of a page. Within a line `{ref ID}` links to a claim, and `{verdict ID}` is its verdict;
the directives that give the numbers of the prose are those of `derivations/publish/numbers.py`.
"""

import re
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from derivations.evidence import stored
from derivations.evidence.entries import STALE, Entry, entries, verdict_on_claim
from derivations.experiments.folders import problem_named
from derivations.publish import (
    blocks,
    book_figures,
    dialect_tables,
    flows,
    html,
    law_tables,
    region_table,
    reproduction_figure,
)
from derivations.publish.dual_formulas import dual_formulas
from derivations.publish.errata import errata
from derivations.publish.gallery import gallery
from derivations.publish.graph_drawing import drawing
from derivations.publish.numbers import INLINE, number, refuse_typed
from derivations.publish.places import DIRECTIVE, PLACES, Place, by_part, directives, placed
from derivations.publish.stored_runs import stored_table
from theory.claims.model import Claim
from theory.claims.rows import Verdict
from theory.problem import InputError

BOOK = Path(__file__).parents[1] / "book"
_INLINE = re.compile(r"\{(ref|verdict) ([\w.]+)\}")
_TABLES = {"dialects": dialect_tables.TABLES, "laws": law_tables.TABLES, "regions": region_table.TABLES}
_MADE = "<!-- Made by gdln derive from derivations/publish/pages/{name}.md; edit that file. -->"


class Book:
    """The pages rendered from claims, evidence and prose."""

    def __init__(
        self,
        claims: Mapping[str, Claim],
        pages: Mapping[str, str],
        evidence: Path = stored.FOLDER,
    ) -> None:
        self.claims, self.pages = claims, pages
        self.entries = entries(claims.values(), evidence)
        self.evidence = {name: stored.read(claim, evidence) for name, claim in claims.items()}
        self.folder = evidence
        self.where = placed(claims, pages)

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of the left-hand sides of claims on the pages, in TeX."""
        named = (argument for text in self.pages.values() for _, name, argument in directives(text) if name in PLACES)
        return {claim: tex for claim, _, tex in (argument.partition(" as ") for argument in named) if tex}

    @cached_property
    def stale(self) -> list[str]:
        """The claims without current evidence."""
        return [name for name, evidence in self.evidence.items() if evidence is None]

    def figures(self, page: str) -> dict[str, book_figures.Data]:
        """The data of the figures on one page, by name."""
        shown = []
        for line, name, argument in directives(self.pages[page]):
            if name == "figure":
                shown.append((line, argument))
            elif name == "scoreboard":
                shown += [(line, reproduction_figure.figure_of(one)) for one in reproduction_figure.names()]
        return {
            name: book_figures.figure(name, f"{page}.md, line {line}").data(self.claims, self.folder)
            for line, name in shown
        }

    def drawings(self, page: str) -> dict[str, str]:
        """The drawings of graphs on one page, as SVG, by the name of the problem."""
        names = [argument for _, name, argument in directives(self.pages[page]) if name == "drawing"]
        return {name: drawing(problem_named(name).graph) for name in names}

    def render(self, page: str) -> str:
        """The Markdown of one page. Raises InputError for a directive or a claim that does not exist."""
        lines = [_MADE.format(name=page), ""]
        displayed = False  # within a formula of its own lines
        for position, line in enumerate(self.pages[page].splitlines(), start=1):
            here = f"{page}.md, line {position}"
            directive = DIRECTIVE.fullmatch(line.strip())
            displayed ^= line.strip() == "$$"
            if directive and directive[1] not in ("ref", "verdict"):
                lines.append(self._directive(page, directive[1], directive[2].strip(), here).rstrip("\n"))
                continue
            if not displayed:
                refuse_typed(line, here)
            text = INLINE.sub(lambda item, at=here: number(item[1], item[2], self.evidence, at), line)
            lines.append(_INLINE.sub(lambda item, at=here: self._inline(page, item[1], item[2], at), text))
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"

    def _directive(self, page: str, name: str, argument: str, here: str) -> str:
        def link(claim: str) -> str:
            return self._link(page, claim, here)

        makers: dict[str, Callable[[], str]] = {
            "claim": lambda: self._statement(argument, link, here),
            "derivation": lambda: blocks.derivation(self._claim(argument, here), link),
            "numbers": lambda: blocks.numbers(self._claim(argument, here), self.evidence[argument]),
            "printed": lambda: self._printed(argument, here),
            "whole": lambda: self._whole(argument, link, here),
            "rest": lambda: self._rest(page, argument.split() or [""], link, here),
            "errata": lambda: self._errata(argument, link, here),
            "table": lambda: self._table(argument, link, here),
            "contents": lambda: self._contents(page),
            "summary": lambda: "",
            "gallery": lambda: gallery(argument, here),
            "figure": lambda: book_figures.markdown(argument, here),
            **{kind: lambda kind=kind: _computed(kind, argument, here) for kind in _TABLES},
            "duals": dual_formulas,
            "drawing": lambda: f"![The graph of the problem {argument}]({book_figures.FOLDER}/{argument}.svg)\n",
            "flow": lambda: flows.section(argument, here),
            "measured": lambda: stored_table(argument, here),
            "scoreboard": lambda: _scoreboard(here),
        }
        if name not in makers:
            raise InputError(
                f"{here}: there is no directive {{{name}}}.", f"Known: {', '.join(makers)}; within a line ref, verdict."
            )
        return makers[name]()

    def _claim(self, name: str, here: str) -> Claim:
        if name not in self.claims:
            raise InputError(f"{here}: no claim is called {name!r}.", f"Known: {', '.join(self.claims)}.")
        return self.claims[name]

    def _inline(self, page: str, name: str, claim: str, here: str) -> str:
        if name == "ref":
            return self._link(page, claim, here)
        self._claim(claim, here)
        evidence = self.evidence[claim]
        return verdict_on_claim(self.claims[claim], evidence).value if evidence else STALE

    def _link(self, page: str, claim: str, here: str) -> str:
        self._claim(claim, here)
        if claim not in self.where:
            return f"`{claim}`"
        target = self.where[claim].page
        return f"[`{claim}`]({'' if target == page else f'{target}.md'}#{claim})"

    def _printed(self, argument: str, here: str) -> str:
        name, _, tex = argument.partition(" as ")
        return blocks.printed(self.entries_of(self._claim(name, here)), tex or self.names.get(name, ""))

    def entries_of(self, claim: Claim) -> list[Entry]:
        """Return the entries of the ledger on a claim: one for each source, or one without a source."""
        return [entry for entry in self.entries if entry.claim.id == claim.id]

    def _statement(self, argument: str, link: blocks.Link, here: str) -> str:
        name, _, tex = argument.partition(" as ")
        return blocks.statement(self._claim(name, here), self.evidence[name], link, tex)

    def _whole(self, argument: str, link: blocks.Link, here: str) -> str:
        name = argument.partition(" as ")[0]
        claim = self._claim(name, here)
        parts = (
            self._statement(argument, link, here),
            blocks.derivation(claim, link),
            blocks.numbers(claim, self.evidence[name]),
            self._printed(argument, here),
        )
        return "\n".join(part for part in parts if part)

    def _rest(self, page: str, prefixes: list[str], link: blocks.Link, here: str) -> str:
        here_by_rest = [n for prefix in prefixes for n, place in self.where.items() if place == Place(page, prefix)]
        return "\n".join(self._whole(name, link, here) for name in here_by_rest)

    def _of_document(self, document: str, here: str) -> list[Entry]:
        known = sorted({entry.document for entry in self.entries if entry.document})
        if document not in known:
            raise InputError(f"{here}: no claim has the source {document!r}.", f"Known: {', '.join(known)}.")
        return [entry for entry in self.entries if entry.document == document]

    def _errata(self, document: str, link: blocks.Link, here: str) -> str:
        return errata(self._of_document(document, here), link, self.names)

    def _table(self, document: str, link: blocks.Link, here: str) -> str:
        rows = ["| label | verdict | statement | derived in |", "|---|---|---|---|"]
        for entry in self._of_document(document, here):
            said = f"“{entry.source.words}”" if entry.verdict == Verdict.REFUTED else entry.claim.sentence
            label = entry.source.label.replace(" ", "\u00a0")
            rows.append(f"| {label} | {entry.verdict} | {said} | {link(entry.claim.id)} |")
        return "\n".join(rows) + "\n"

    def _contents(self, page: str) -> str:
        listed = by_part(name for name in self.pages if name != page)
        return (
            "\n\n".join(
                "\n".join(
                    [f"**{part}**\n" if part else "", *(_entry(name, self.pages[name]) for name in names)]
                ).lstrip()
                for part, names in listed.items()
            )
            + "\n"
        )


def _computed(kind: str, name: str, here: str) -> str:
    """The table of a directive such as {laws NAME}. Raises InputError for a name without one."""
    if name not in _TABLES[kind]:
        raise InputError(f"{here}: there is no table {name!r} of {kind}.", f"Known: {', '.join(_TABLES[kind])}.")
    return _TABLES[kind][name]()


def _scoreboard(here: str) -> str:
    from derivations.reproductions.scoreboard_page import page  # loads torch, which no other page needs

    return page(lambda name: book_figures.markdown(reproduction_figure.figure_of(name), here), html.fold)


def _entry(name: str, text: str) -> str:
    """The line of a page in the contents: its title, and its summary where it has one."""
    summary = next((argument for _, kind, argument in directives(text) if kind == "summary"), "")
    return f"- [{_title(text)}]({name}.md)" + (f": {summary}" if summary else "")


def _title(text: str) -> str:
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found[1] if found else ""


def select(names: list[str], pages: Mapping[str, str]) -> list[str]:
    """The pages asked for, all of them where none is named. Raises InputError for one that does not exist."""
    for name in names:
        if name.removesuffix(".md") not in pages:
            raise InputError(f"There is no page {name!r}.", f"Pages: {', '.join(pages)}.")
    return [name.removesuffix(".md") for name in names] or list(pages)
