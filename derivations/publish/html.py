"""Markdown with TeX as the body of one HTML page: formulas as MathML, folded passages, no other HTML."""

import re
from functools import lru_cache
from html import escape

from derivations.publish.mathml import mathml

_ALLOWED = re.compile(r'<a id="[\w.-]+">|</a>|<details><summary>[^<>]*</summary>|</details>')
_VERDICT = re.compile(r"<(strong|td)>([A-Z]{4,})</\1>")


def body(markdown: str) -> str:
    """Return a text as HTML.

    >>> body("# Title")
    '<h1>Title</h1>\\n'
    """
    text = _markdown().render(markdown)
    text = _VERDICT.sub(r'<\1 class="verdict \2">\2</\1>', text)
    return text.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")


def fold(title: str, markdown: str) -> str:
    """Return Markdown that a page folds away under its title.

    >>> fold("1 < 2", "Text.")
    '<details><summary>1 &lt; 2</summary>\\n\\nText.\\n</details>\\n'
    """
    return f"<details><summary>{escape(title)}</summary>\n\n{markdown}\n</details>\n"


@lru_cache(maxsize=1)
def _markdown():
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    parser = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
    parser.use(dollarmath_plugin, allow_space=True, double_inline=False)
    parser.renderer.rules.update(
        math_inline=lambda tokens, at, *_: mathml(tokens[at].content),
        math_block=lambda tokens, at, *_: f'<div class="formula">{mathml(tokens[at].content.strip(), True)}</div>\n',
        html_inline=lambda tokens, at, *_: _allowed(tokens[at].content),
        html_block=lambda tokens, at, *_: _allowed(tokens[at].content),
    )
    return parser


def _allowed(markup: str) -> str:
    """Escape HTML in the text, except anchors and folds."""
    return markup if _ALLOWED.fullmatch(markup.strip()) else escape(markup)
