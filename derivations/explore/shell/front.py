"""The first page: the problem's data, drawn at once by the library, while the browser loads the controls.

marimo's page takes seconds to load, most of them in the browser; it loads in a hidden frame, which is shown as soon as
its figure is there.
"""

from html import escape

from derivations.explore.data import numbers, theory_of
from derivations.explore.figures.axes import shown
from derivations.explore.figures.data import data_figure
from derivations.explore.shell import page
from derivations.explore.shell.shared_problem import attempt
from theory.problem import Problem

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>gdln explore</title>
<link rel="icon" href="data:,">
<style>
body {{ margin: 0; font: 15px/1.4 sans-serif; }}
#front {{ margin: 3.5rem 2rem 0 23rem; }}
#front img {{ max-width: 100%; height: auto; }}
#front td, #front th {{ padding: 0 3rem 0 0; text-align: left; }}
iframe {{ position: fixed; inset: 0; width: 100%; height: 100%; border: 0; opacity: 0; pointer-events: none; }}
.ready iframe {{ opacity: 1; pointer-events: auto; }}
.ready #front {{ display: none; }}
</style>
</head>
<body>
<main id="front"><p role="status">The data of the problem, exact. The controls are being loaded …</p>
{content}</main>
<iframe title="controls and figure" src="{address}"></iframe>
<script>
const frame = document.querySelector("iframe");
const seen = setInterval(() => {{
  const inside = frame.contentDocument;
  if (inside && inside.querySelector("img[alt], [role=alert]")) {{
    clearInterval(seen);
    document.body.className = "ready";
    frame.focus();
  }}
}}, 50);
</script>
</body>
</html>
"""


def content(problem: Problem) -> str:
    """The figure and the table of the data view without a sample, or the library's error, as HTML."""
    theory, refused = attempt(lambda: theory_of(problem.data))
    if refused is not None:  # `page.failure` is an element of marimo's page
        return f'<p role="alert">{escape(refused.message)}<br>{escape(refused.hint)}</p>'
    image = shown(data_figure(theory, None), "Covariance, spectrum and marginal of each class, exact.")
    return image + page.table(numbers(theory, None), "first-numbers").text


def whole(inner: str, address: str) -> str:
    """The page around what `content` gives; `address` is that of the view in the frame."""
    return _PAGE.format(content=inner, address=escape(address))
