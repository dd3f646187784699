"""Markdown with TeX as one self-contained HTML file: mathematics as MathML, images inside the file, no network."""

import base64
import re
from functools import lru_cache
from html import escape
from pathlib import Path

_ANCHOR = re.compile(r'<a id="[\w.-]+">|</a>|<a id="[\w.-]+"></a>')
# A minus after a relation, a comma or an opening bracket is a sign; browsers space it as one if told so.
_SIGN = re.compile(
    r"((?:&#x0003D;|&#x0002C;|&#x00028;|&#x0007B;|&#x02208;|&#x02264;|&#x0003C;|&#x0003E;)</mo>)<mo>(?=&#x02212;)"
)
_PUNCTUATED = re.compile(r'(<math display="inline">(?:(?!</math>).)*</math>)([.,;:)]+)')
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CSS = """
:root { color-scheme: light dark; --line: #c9ced6; --soft: #f4f6f8; --ink: #1b1f24; --paper: #fff; --link: #0b57b0; }
@media (prefers-color-scheme: dark) {
  :root { --line: #3d444d; --soft: #1d2229; --ink: #e6e8eb; --paper: #14171b; --link: #7fb4ff; }
}
body { font: 17px/1.6 "Source Serif 4", Charter, Georgia, "DejaVu Serif", serif; color: var(--ink);
  background: var(--paper); margin: 0 auto; max-width: 62rem; padding: 2rem 1.25rem 4rem; overflow-wrap: break-word; }
h1, h2, h3, h4 { font-family: "Source Sans 3", "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; line-height: 1.25; }
h1 { font-size: 1.9rem; } h2 { font-size: 1.4rem; margin-top: 2.4rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.12rem; margin-top: 2rem; } h4 { font-size: 1rem; }
a { color: var(--link); }
code { font: 0.84em "DejaVu Sans Mono", Menlo, Consolas, monospace; background: var(--soft); padding: 0.1em 0.2em; }
pre { background: var(--soft); padding: 0.8rem; overflow-x: auto; } pre code { padding: 0; }
blockquote { margin: 1rem 0; padding: 0.1rem 1rem; border-left: 4px solid var(--line); background: var(--soft); }
.formula, .table { overflow-x: auto; overflow-y: hidden; max-width: 100%; }
.formula { padding: 0.45rem 0; margin: 0.5rem 0; }
.table { margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.8rem; }
th, td { border: 1px solid var(--line); padding: 0.35rem 0.4rem; vertical-align: top; text-align: left; }
td { min-width: 3rem; overflow-wrap: normal; } th { background: var(--soft); }
math { font-family: "STIX Two Math", "Latin Modern Math", "Cambria Math", math; font-size: 1.08em; }
math[display="block"] { margin: 0 auto; }
.joined { white-space: nowrap; }
math[display="block"] mfrac > * { math-style: normal; }
mtd { padding: 0.18em 0.3em; }
img { max-width: 100%; height: auto; background: #fff; }
li > p { margin: 0.35rem 0; }
@media print { body { max-width: none; font-size: 11pt; } .formula, .table { overflow: visible; }
  table { font-size: 6.5pt; } th, td { padding: 0.2rem; } }
"""


def page(markdown: str, title: str, folder: Path | None = None) -> str:
    """A whole HTML document; images are read from `folder`, links to `x.md` become links to `x.html`."""
    body = _markdown().render(markdown)
    body = re.sub(r'<img src="([^"]+)"', lambda found: f'<img src="{_inside(found[1], folder)}"', body)
    body = _PUNCTUATED.sub(r'<span class="joined">\1\2</span>', body)
    body = re.sub(r'href="([\w-]+)\.md(#[^"]*)?"', r'href="\1.html\2"', body)
    body = body.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>{_CSS}</style>\n</head>\n<body>\n{body}</body>\n</html>\n"
    )


def title_of(markdown: str) -> str:
    """The text of the first heading."""
    found = re.search(r"^# (.+)$", markdown, re.MULTILINE)
    return re.sub(r"[`$]", "", found[1]) if found else "gdln"


@lru_cache(maxsize=4096)
def mathml(tex: str, display: bool = False) -> str:
    """TeX as MathML. Raises ValueError for an unknown command, which would otherwise be shown as text."""
    from latex2mathml.converter import convert

    known = re.sub(r"\\(begin|end)\{aligned\}", r"\\\1{align*}", tex)
    known = re.sub(r"\\(?:operatorname|mathrm)\{([A-Za-z]{2,})\}", r"\\text{\1}", known)
    known = known.replace(r"\lvert", r"\left\vert").replace(r"\rvert", r"\right\vert")  # bars set close
    known = known.replace(r"\mathbf{1}", "𝟏")  # browsers draw bold by the letter, not by an attribute
    known = re.sub(r"(?<=[\w})\]])\s*(?=\\(?:arcsin|arctan|arccos|log|text)\b)", r"\\, ", known)
    try:
        markup = convert(known, display="block" if display else "inline")
    except _faults() as error:
        raise ValueError(f"{type(error).__name__} in {tex}") from error
    unknown = re.search(r"\\[A-Za-z]+", markup)
    if unknown or ">&<" in markup:
        raise ValueError(f"{unknown[0] if unknown else 'an alignment mark'} is not known in {tex}")
    # Browsers ignore columnalign and follow the style.
    markup = re.sub(r'columnalign="(left|right|center)"', r'style="text-align: \1"', markup)
    markup = re.sub(r'(form="(?:prefix|postfix)")', r'\1 lspace="0em" rspace="0em"', markup)
    markup = _SIGN.sub(r'\1<mo form="prefix">', markup)
    markup = markup.replace("<mo>&#x0221E;</mo>", "<mi>&#x0221E;</mi>")
    return markup.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")


@lru_cache(maxsize=1)
def _markdown():
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    parser = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
    parser.use(dollarmath_plugin, allow_space=True, double_inline=False)
    parser.renderer.rules.update(
        math_inline=lambda tokens, at, *_: mathml(tokens[at].content),
        math_block=lambda tokens, at, *_: _formula(tokens[at].content),
        html_inline=lambda tokens, at, *_: _only_anchors(tokens[at].content),
        html_block=lambda tokens, at, *_: _only_anchors(tokens[at].content),
    )
    return parser


@lru_cache(maxsize=1)
def _faults() -> tuple[type[Exception], ...]:
    """The errors that the converter raises for TeX that it cannot read."""
    from latex2mathml import exceptions

    return tuple(item for item in vars(exceptions).values() if isinstance(item, type) and issubclass(item, Exception))


def _formula(tex: str) -> str:
    return f'<div class="formula">{mathml(tex.strip(), display=True)}</div>\n'


def _only_anchors(markup: str) -> str:
    """Escape HTML in the text, except the anchors that pages put before a statement."""
    markup = _COMMENT.sub("", markup)
    return markup if _ANCHOR.fullmatch(markup.strip()) else escape(markup)


def _inside(path: str, folder: Path | None) -> str:
    if folder is None or path.startswith("data:"):
        return path
    file = folder / path
    kind = "svg+xml" if file.suffix == ".svg" else file.suffix.removeprefix(".")
    return f"data:image/{kind};base64,{base64.b64encode(file.read_bytes()).decode()}"
