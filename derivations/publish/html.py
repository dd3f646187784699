"""Markdown with TeX as HTML: mathematics as MathML, numbered formulas, anchors at headings, folded passages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape, unescape
from xml.etree import ElementTree

from derivations.publish.widths import widest

_ANCHOR = re.compile(r'<a id="[\w.-]+">|</a>|<a id="[\w.-]+"></a>')
_ANCHOR_LINE = re.compile(r'<a id="([\w.-]+)"></a>')
_FOLD = re.compile(r"<!-- fold: ([^<>]+) -->")
_FOLD_END = "<!-- end of fold -->"
# A minus after a relation, an arrow, a comma or an opening bracket is a sign; browsers space it as one if told so.
_SIGN = re.compile(
    r"((?:&#x0003D;|&#x0002C;|&#x00028;|&#x0007B;|&#x02208;|&#x02264;|&#x02192;|&#x0003C;|&#x0003E;)</mo>)<mo>(?=&#x02212;)"
)
_PUNCTUATED = re.compile(r'(<math display="inline">(?:(?!</math>).)*</math>)([.,;:)]+)')
_MATH = re.compile(r"<math.*?</math>", re.DOTALL)
_SIGNS = {"msup": "^", "msub": "_", "msubsup": "_^", "mover": "^", "munder": "_", "munderover": "_^"}
_ACCENTS = {"^": "\u0302", "~": "\u0303", "¯": "\u0304", "˙": "\u0307", "→": "\u20d7"}  # above a letter
_BETWEEN = {"mtable": "; ", "mtr": ", "}
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
# An operator or function before its argument without brackets, from which browsers do not keep it apart.
_OPERATOR = re.compile(
    r"(\\(?:arcsin|arctan|arccos|log|ln|sin|cos)\b|\\text\{[A-Za-z]{2,}\}|\\mathrm\{E\})\s*"
    r"(?=[A-Za-z0-9]|\\(?!left|right|big|Big|in\b|leq|geq|to\b|cdot|quad)[A-Za-z])"
)
_VERDICT = re.compile(r"<(strong|td)>([A-Z]{4,}|NOT [A-Z]+)</\1>")

_WIDE = 56  # characters from which on a formula is set smaller, to fit beside the contents of a site
_WIDER = 100  # and smaller still


@dataclass(frozen=True)
class Heading:
    """A heading of a page: its level, its anchor, and its text as HTML."""

    level: int
    anchor: str
    title: str


@dataclass(frozen=True)
class Body:
    """A text as HTML, without the document around it, and its headings in order."""

    html: str
    headings: tuple[Heading, ...]


def body(markdown: str, numbered: str | None = None) -> Body:
    """Return a text as HTML; display formulas are numbered with the prefix `numbered`, and not numbered if it is None.

    >>> body("# Title").html
    '<h1 id="title">Title</h1>\\n'
    """
    parser = _markdown()
    env = {"numbered": numbered, "formulas": 0}
    tokens = _with_anchors(parser.parse(markdown, env))
    headings = tuple(
        Heading(int(token.tag[1]), token.attrGet("id"), parser.renderer.render([tokens[at + 1]], parser.options, env))
        for at, token in enumerate(tokens)
        if token.type == "heading_open"
    )
    text = parser.renderer.render(tokens, parser.options, env)
    text = _PUNCTUATED.sub(r'<span class="joined">\1\2</span>', text)
    text = _VERDICT.sub(
        lambda found: f'<{found[1]} class="verdict {found[2].replace(" ", "-")}">{found[2]}</{found[1]}>', text
    )
    text = text.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
    return Body(text, headings)


def fold(title: str, markdown: str) -> str:
    """Return Markdown that pages in HTML fold away under its title; elsewhere the marks are not shown."""
    return f"<!-- fold: {title} -->\n\n{markdown}\n{_FOLD_END}\n"


def title_of(markdown: str) -> str:
    """Return the text of the first heading."""
    found = re.search(r"^# (.+)$", markdown, re.MULTILINE)
    return re.sub(r"[`$]", "", found[1]) if found else "gdln"


def words(html: str) -> str:
    r"""Return the text of HTML as a reader sees it, with formulas on one line.

    >>> words("<p>a &lt; <em>b</em></p>")
    'a < b'
    >>> words("the root " + mathml(r"\sqrt{2/\pi} a^{k+1}"))
    'the root √(2/π)a^(k+1)'
    """
    flat = _MATH.sub(lambda found: escape(_on_a_line(ElementTree.fromstring(found[0])).replace(" (", "(")), html)
    return " ".join(unescape(_TAG.sub("", flat)).split())


def _on_a_line(part: ElementTree.Element) -> str:
    """MathML as text: the root, powers, indices and fractions by signs that a line of text has."""
    inner = [_on_a_line(child) for child in part]
    if part.tag == "msqrt":
        return f"√{_grouped(''.join(inner))}"
    if part.tag == "mfrac":
        return "/".join(map(_grouped, inner))
    if part.tag in _BETWEEN:
        return _BETWEEN[part.tag].join(inner)
    if part.tag == "mover" and inner[1] in _ACCENTS:
        return inner[0] + _ACCENTS[inner[1]]
    if part.tag in _SIGNS:
        return inner[0] + "".join(sign + _grouped(text) for sign, text in zip(_SIGNS[part.tag], inner[1:], strict=True))
    text = unescape(part.text or "").strip()
    named = part.tag in ("mi", "mtext") and len(text) > 1  # a function such as log
    return f" {text} " if named else text + "".join(inner)


def _grouped(text: str) -> str:
    text = text.strip()
    return text if len(text) <= 1 or text.isdigit() else f"({text})"


@lru_cache(maxsize=16384)
def mathml(tex: str, display: bool = False) -> str:
    """TeX as MathML. Raises ValueError for an unknown command, which would otherwise be shown as text."""
    from latex2mathml.converter import convert

    known = re.sub(r"\\(begin|end)\{aligned\}", r"\\\1{align*}", tex)
    known = re.sub(r"\\(?:operatorname|mathrm)\{([A-Za-z]{2,})\}", r"\\text{\1}", known)
    known = known.replace(r"\lvert", r"\left\vert").replace(r"\rvert", r"\right\vert")  # bars set close
    known = known.replace(r"\mathbf{1}", "𝟏")  # browsers draw bold by the letter, not by an attribute
    known = re.sub(r"(?<=[\w})\]])\s*(?=\\(?:arcsin|arctan|arccos|log|text)\b)", r"\\, ", known)
    known = _OPERATOR.sub(r"\1\\, ", known)
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
    markup = markup.replace("<mi>&#x000B1;</mi>", "<mo>&#x000B1;</mo>")  # an operator keeps its distance
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
        math_block=lambda tokens, at, _options, env: _formula(tokens[at].content, env),
        html_inline=lambda tokens, at, *_: _allowed(tokens[at].content),
        html_block=lambda tokens, at, *_: _allowed(tokens[at].content),
    )
    return parser


def _with_anchors(tokens: Sequence) -> list:
    """The tokens with an id at every heading: that of the anchor before it, or one made of its words."""
    kept: list = []
    used: set[str] = set()
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            anchor = _anchor_before(kept)
            if anchor:
                del kept[-3:]
            else:
                anchor = _unused(_slug(tokens[at + 1].content), used)
            used.add(anchor)
            token.attrSet("id", anchor)
        kept.append(token)
    return kept


def _anchor_before(tokens: list) -> str | None:
    before = tokens[-2].content if len(tokens) > 2 and tokens[-1].type == "paragraph_close" else ""
    found = _ANCHOR_LINE.fullmatch(before)
    return found[1] if found else None


def _slug(title: str) -> str:
    return "-".join(re.findall(r"[a-z0-9]+", title.lower())) or "section"


def _unused(name: str, used: set[str]) -> str:
    return next(each for number in range(len(used) + 1) if (each := f"{name}-{number}" if number else name) not in used)


@lru_cache(maxsize=1)
def _faults() -> tuple[type[Exception], ...]:
    """The errors that the converter raises for TeX that it cannot read."""
    from latex2mathml import exceptions

    return tuple(item for item in vars(exceptions).values() if isinstance(item, type) and issubclass(item, Exception))


def _formula(tex: str, env: dict) -> str:
    size = widest(tex)
    wide = " wider" if size >= _WIDER else " wide" if size >= _WIDE else ""
    shown = f'<div class="math{wide}">{mathml(tex.strip(), display=True)}</div>'
    if env["numbered"] is None:
        return f'<div class="formula">{shown}</div>\n'
    env["formulas"] += 1
    number = env["formulas"]
    link = f'<a class="number" href="#eq-{number}">({env["numbered"]}{number})</a>'
    return f'<div class="formula" id="eq-{number}">{shown}{link}</div>\n'


def _allowed(markup: str) -> str:
    """Escape HTML in the text, except anchors and the marks of folded passages; comments are left out."""
    if found := _FOLD.fullmatch(markup.strip()):
        return f'<details class="fold"><summary>{escape(found[1])}</summary>\n'
    if markup.strip() == _FOLD_END:
        return "</details>\n"
    markup = _COMMENT.sub("", markup)
    return markup if _ANCHOR.fullmatch(markup.strip()) else escape(markup)
