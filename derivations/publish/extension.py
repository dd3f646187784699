"""The extension of Sphinx that the site needs: formulas as MathML with numbers, ids of claims, colours of verdicts."""

import re
from contextlib import suppress
from posixpath import dirname, relpath
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from derivations.markdown import on_a_line
from derivations.publish.api_pages import restructured
from derivations.publish.mathml import mathml

_ANCHOR = re.compile(r'<a id="([\w.-]+)"></a>')
_VERDICT = re.compile(r"[A-Z]{4,}|NOT [A-Z]+")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer of formulas, the transforms and the short sidebar."""
    app.add_config_value("gdln_chapters", {}, "env")  # the number of each chapter, which its formulas carry
    app.add_config_value("gdln_claims", (), "env")  # the ids of the claims that have a page
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None), block_renderers=(_block, None))
    app.add_transform(_Anchors)
    app.add_transform(_Formulas)
    app.add_transform(_Verdicts)
    app.add_transform(_Claims)
    app.connect("autodoc-process-docstring", lambda *arguments: restructured(arguments[-1]))
    app.connect("html-page-context", _short_sidebar, priority=100)  # before the theme draws it
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(mathml(_tex(node)))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    number = node.get("number")
    link = f'<a class="number" href="#{node["ids"][0]}">({number})</a>' if number else ""
    box = f"<div>{mathml(_tex(node), display=True)}</div>"
    writer.body.append(f"{writer.starttag(node, 'div', CLASS='formula')}{box}{link}</div>\n")
    raise nodes.SkipNode


def _tex(node: nodes.Element) -> str:
    return node.get("tex", node.astext()).strip()


class _Anchors(SphinxTransform):
    """Gives a heading the id of the anchor before it, whose dots reStructuredText would replace."""

    default_priority = 800

    def apply(self, **_: Any) -> None:
        for paragraph in [*self.document.findall(nodes.paragraph)]:
            anchor = _ANCHOR.fullmatch(paragraph.rawsource.strip())
            if anchor:
                section = paragraph.next_node(nodes.section, descend=False, siblings=True, ascend=True)
                section["ids"].insert(0, anchor[1])
                self.document.myst_slugs[anchor[1]] = (section.line, anchor[1], section[0].astext())
                self.env.metadata[self.env.docname]["myst_slugs"] = self.document.myst_slugs
                paragraph.parent.remove(paragraph)


class _Formulas(SphinxTransform):
    """Numbers the display formulas of a chapter; titles and the search get a formula in a line as Unicode."""

    default_priority = 800

    def apply(self, **_: Any) -> None:
        chapter = self.config.gdln_chapters.get(self.env.docname)
        for count, node in enumerate(self.document.findall(nodes.math_block), start=1):
            node["tex"] = node.astext()
            node.clear()
            if chapter:
                node["number"] = f"{chapter}.{count}"
                node["ids"].append(f"eq-{count}")
        for node in self.document.findall(nodes.math):
            node["tex"] = node.astext()
            with suppress(ValueError):  # outside of the vocabulary of one line
                shown = nodes.Text(on_a_line(node["tex"]))
                node.clear()
                node += shown


class _Verdicts(SphinxTransform):
    """Marks verdicts, bold or alone in a cell, with a class of their name."""

    default_priority = 800

    def apply(self, **_: Any) -> None:
        for node in self.document.findall(lambda node: isinstance(node, nodes.strong | nodes.entry)):
            if _VERDICT.fullmatch(text := node.astext()):
                node["classes"] += ["verdict", text.replace(" ", "-")]


class _Claims(SphinxTransform):
    """Links the id of a claim, written as code, to its page."""

    default_priority = 800

    def apply(self, **_: Any) -> None:
        for literal in [*self.document.findall(nodes.literal)]:
            name = literal.astext()
            if name in self.config.gdln_claims and not _linked(literal) and self.env.docname != f"claims/{name}":
                uri = relpath(f"/claims/{name}.html", dirname(f"/{self.env.docname}"))
                literal.replace_self(nodes.reference("", "", literal.deepcopy(), internal=True, refuri=uri))


def _linked(node: nodes.Node) -> bool:
    """Whether a node stands in a link or in a title."""
    while (node := node.parent) is not None:
        if isinstance(node, nodes.reference | nodes.title | addnodes.pending_xref):
            return True
    return False


def _short_sidebar(_app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Unfold in the sidebar the branch of the page alone: the theme would list every claim on every page."""
    if whole := context.get("toctree"):
        context["toctree"] = lambda **settings: whole(**{**settings, "collapse": True})
