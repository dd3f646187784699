"""The pictures of the README's section on the explorer: `python -m tests.derivations.explore.pictures [VIEW ...]`.

Each view is shown with a problem of the workbench, once it has drawn its last answer, in 256 colours.
"""

import io
import sys
from pathlib import Path

from derivations.experiments.folders import problem_file
from tests.derivations.explore.browser import Page, explorer
from theory.problem import load

FOLDER = Path("derivations/explore/images")
SIZE = {"width": 1280, "height": 1100}
# The problem of each view, and an element that is there with its last answer.
PICTURES = {
    "data": ("small-bump", ".panel-figure figure:nth-of-type(6)"),
    "amplifier": ("relu-training", ".panel-figure figure:nth-of-type(6)"),
    "fields": ("relu-training", ".work[data-state=done]"),
    "compare": ("relu-training", ".work[data-state=done]"),
    "map": ("small-bump", ".work[data-state=done]"),
    "gates": ("small-bump", ".panel-figure figure:nth-of-type(2)"),
    "formula": ("small-bump", ".links h2"),
}


def file_of(view):
    """The file of a view's picture, from the root of the repository."""
    return FOLDER / f"explore-{view}.png"


def draw(views):
    """Write the pictures of these views, each of a tab of its own."""
    from PIL import Image

    with explorer() as running:
        for view in views:
            name, last = PICTURES[view]
            page = running.context.new_page()
            page.set_viewport_size(SIZE)
            Page(page, running.address).open(view, load(problem_file(name)))
            page.locator(last).first.wait_for()
            page.mouse.move(0, 0)
            page.wait_for_timeout(2000)  # samples are drawn once nothing has moved for a while
            shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
            shot.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(file_of(view), optimize=True)
            page.close()


if __name__ == "__main__":
    draw(sys.argv[1:] or PICTURES)
