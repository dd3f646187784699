"""One HTML file that stands alone: its style, its font and its images are inside."""

import base64
import re
from html import escape
from pathlib import Path

from derivations import fonts

_STYLE = Path(__file__).with_name("assets") / "page.css"


def document(body: str, title: str, folder: Path | None = None) -> str:
    """Return a whole document around `body`, whose images are read from `folder`."""
    body = re.sub(r'<img src="([^"]+)"', lambda found: f'<img src="{_inside(found[1], folder)}"', body)
    face = f'@font-face {{ font-family: "{fonts.FAMILY}"; src: url({_data("font/woff2", fonts.FILE)}); }}'
    style = _STYLE.read_text(encoding="utf-8")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>\n{face}\n{style}</style>\n</head>\n<body>\n<main>\n{body}</main>\n</body>\n</html>\n"
    )


def _inside(path: str, folder: Path | None) -> str:
    if folder is None or path.startswith("data:"):
        return path
    file = folder / path
    return _data(f"image/{'svg+xml' if file.suffix == '.svg' else file.suffix.removeprefix('.')}", file)


def _data(kind: str, file: Path) -> str:
    return f"data:{kind};base64,{base64.b64encode(file.read_bytes()).decode()}"
