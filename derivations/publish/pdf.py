"""Markdown with TeX as PDF, by pandoc and typst; both come with the extra `docs` and need neither TeX nor a network."""

import json
import re
from pathlib import Path

from theory.problem import OutOfReachError

# Sizes, and the commands that pandoc's fragments use without definition.
_PREAMBLE = """
#set page(margin: 2.2cm)
#set text(size: 10.5pt)
#set par(justify: true)
#set table(inset: 3pt, stroke: 0.5pt)
#show table: set text(size: 7.5pt)
#show table: set par(justify: false)
#show table.cell.where(y: 0): set text(hyphenate: false)
#show raw: set text(size: 0.86em)
#show figure: set block(breakable: true)
#let horizontalrule = line(length: 100%)
"""
# Wider than every line of a table: else pandoc divides the page evenly among the columns, regardless of content.
_ARGUMENTS = ["--wrap=none", "--columns=100000"]
_MARKDOWN = "markdown-smart-citations+tex_math_dollars"


def write(markdown: str, title: str, path: Path, images: Path | None = None) -> None:
    """Write one page with the images of a folder. Raises OutOfReachError where the extra is not installed."""
    try:
        import pypandoc
        import typst
    except ModuleNotFoundError as error:
        raise OutOfReachError(
            f"PDF needs {error.name}, which is not installed.",
            "Install the extra: pip install -e '.[docs]'; or use --format html, which needs nothing more.",
        ) from error
    markdown = re.sub(r'<a id="([\w.-]+)"></a>\n+(#+ .+)', r"\2 {#\1}", markdown)
    markdown = re.sub(r"\]\(([\w-]+)\.md(?:#[^)]*)?\)", r"](\1.pdf)", markdown)
    markdown = re.sub(r"!\[[^\]]*\]\(", "![](", markdown)  # the caption stands below the image already
    text = pypandoc.convert_text(markdown, "typst", format=_MARKDOWN, extra_args=_ARGUMENTS)
    document = f"#set document(title: {json.dumps(title, ensure_ascii=False)})\n"
    path.write_bytes(typst.compile((document + _PREAMBLE + text).encode(), root=str(images) if images else None))
