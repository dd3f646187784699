"""Chapters in Markdown as one PDF, by pandoc and typst, which come with the extra `docs` and need no network."""

import json
import re
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from derivations.publish.places import by_part
from theory.problem import OutOfReachError

# Sizes, contents and numbers of pages, what stays together, and the commands that pandoc uses without definition.
_PREAMBLE = """
#set page(paper: "a4", margin: (x: 2.2cm, y: 2.4cm), numbering: "1", header: context {
  let begun = query(heading.where(level: 1)).filter(it => it.location().page() <= here().page())
  let begins = begun.len() > 0 and begun.last().location().page() == here().page()
  if begun.len() > 0 and not begins and counter(page).get().first() > 1 {
    align(right, text(size: 8.5pt, fill: luma(90), begun.last().body))
  }
})
#set text(size: 10.5pt, lang: "en")
#set par(justify: true)
#set table(inset: 3pt, stroke: (x: none, y: 0.4pt + luma(170)))
#show table: set text(size: 7.5pt)
#show table: set par(justify: false)
#show table: set align(left)
#show table: it => layout(size => { // digits cannot be broken: a table of many columns of them is set smaller
  let columns = if type(it.columns) == int { it.columns } else { it.columns.len() }
  let width = measure(it).width
  if columns > 8 and width > size.width { text(size: 1em * (size.width / width), it) } else { it }
})
#show table.cell.where(y: 0): set text(hyphenate: false, weight: "bold")
#set table.cell(breakable: false)
#show raw: set text(size: 0.86em)
#show figure: set block(breakable: true)
#show figure.where(kind: table): it => layout(size => { // a table that fits well on a page leaves no row on the next
  block(breakable: measure(width: size.width, it).height > 0.6 * size.height, width: 100%, it)
})
#show heading: set block(sticky: true, above: 1.6em, below: 0.9em)
#show heading: set par(justify: false)
#show heading.where(level: 1): set text(size: 1.25em)
#show math.equation.where(block: true): set block(breakable: false)
#show math.equation.where(block: true): it => layout(size => {
  let beside = (8em).to-absolute() // room for the number, on both sides
  let width = measure(math.equation(math.display(it.body))).width + beside
  if width > size.width { text(size: 1em * (size.width / width), it) } else { it }
})
#show link: set text(fill: rgb("#0b57b0"))
#let horizontalrule = line(length: 100%)
"""
# Wider than every line of a table: else pandoc divides the page evenly among the columns, regardless of content.
_ARGUMENTS = ["--wrap=none", "--columns=100000"]
# Pandoc writes symbols by names that newer versions of typst do not have.
_RENAMED = {"times.circle": "⊗", "dot.circle": "⊙"}
_OLD_NAMES = re.compile(rf"\b(?:{'|'.join(map(re.escape, _RENAMED))})\b")
# The line before a formula, with the mark of its step; both stay on one page.
_LEADING = re.compile(r"^( *\+ |)(\S.*)$(?=\n\n *\$ )", re.MULTILINE)
# A caption above its table, and an image above its caption; both stay on one page.
_CAPTIONED = re.compile(r"^(#emph\[.*\](?=\n\n#figure\()|#box\(image\(.*\)\)(?=\n\n#emph\[))$", re.MULTILINE)
_MARKDOWN = "markdown-smart-citations+tex_math_dollars"


def write(chapters: Mapping[str, str], numbers: Mapping[str, int], title: str, path: Path, images: Path) -> None:
    """Write chapters by name as one book with contents; formulas carry the number of their chapter in `numbers`.

    Images are read from a folder. Raises OutOfReachError where the extra is not installed.
    """
    try:
        import pypandoc
        import typst
    except ModuleNotFoundError as error:
        raise OutOfReachError(
            f"PDF needs {error.name}, which is not installed.",
            "Install the extra: pip install -e '.[docs]'; or use --format html, which needs nothing more.",
        ) from error
    parts = [f"#set document(title: {_text(title)}, date: none)", _PREAMBLE, _front(title)]
    for part, names in by_part(chapters).items():
        parts += [_part(part)] if part and len(chapters) > len(names) else []
        for name in names:
            linked = _linked(chapters[name], name, chapters)
            body = pypandoc.convert_text(linked, "typst", format=_MARKDOWN, extra_args=_ARGUMENTS)
            body = _LEADING.sub(r"\1#block(sticky: true)[\2]", _OLD_NAMES.sub(lambda name: _RENAMED[name[0]], body))
            parts += [_numbered(numbers[name]), _CAPTIONED.sub(r"#block(sticky: true)[\1]", body)]
    path.write_bytes(typst.compile("\n".join(parts).encode(), root=str(images)))


def _front(title: str) -> str:
    """The title page and the contents; chapters begin on new pages."""
    return (
        f'#page(numbering: none, align(center + horizon)[#text(size: 2.2em, weight: "bold", {_text(title)})\n\n'
        f"The gdln workbench, version {version('gdln-workbench')}])\n"
        "#outline(depth: 2)\n"
        "#show heading.where(level: 1): it => { pagebreak(weak: true)\n"
        "  if it.supplement == [Part] { v(1fr); align(center, text(size: 1.5em, it.body)); v(2fr) } else { it } }\n"
    )


def _part(title: str) -> str:
    """The page that begins a part, and its line in the contents."""
    return f"#heading(level: 1, numbering: none, supplement: [Part], strong({_text(f'Part {title}')}))\n"


def _numbered(number: int) -> str:
    """The settings of a chapter: its number stands before it and before the numbers of its formulas."""
    prefix = f"{number}." if number else ""
    return (
        f"#set math.equation(numbering: n => [({prefix}#n)])\n#counter(math.equation).update(0)\n"
        f"#show heading.where(level: 1): set heading(numbering: {f'n => [{number}.]' if number else 'none'})"
    )


def _linked(markdown: str, name: str, chapters: Mapping[str, str]) -> str:
    """The Markdown with anchors at its headings, and with links into the book; other pages are not linked."""

    def target(found: re.Match[str]) -> str:
        shown, page, anchor = found.groups()
        if page and page not in chapters:
            return shown
        return f"[{shown}](#{anchor or f'chapter-{page}'})"

    markdown = re.sub(r'<a id="([\w.-]+)"></a>\n+(#+ .+)', r"\2 {#\1}", markdown)
    markdown = re.sub(r"^(# .+)$", rf"\1 {{#chapter-{name}}}", markdown, count=1, flags=re.MULTILINE)
    markdown = re.sub(r"(?<!!)\[([^\[\]]+)\]\((?:([\w-]+)\.md)?(?:#([^)]*))?\)", target, markdown)
    return re.sub(r"!\[[^\]]*\]\(", "![](", markdown)  # the caption stands below the image already


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
