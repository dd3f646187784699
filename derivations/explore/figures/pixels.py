"""Figures to pixels, fast enough to follow a hand: text that was drawn before is not drawn again.

Half of a figure's time goes into its letters, which are the same from one to the next. Each text is drawn once by
matplotlib on a sheet of its own, kept, and copied to where it stands, to whole pixels.
"""

import gc
import sys
import threading
from functools import lru_cache
from io import BytesIO
from typing import Any

import numpy as np
from jaxtyping import UInt8
from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from PIL import Image

_KEPT = 2048  # texts
_LOADED = {"modules": 0}
_LOCAL = threading.local()  # sessions draw in threads of their own, and a renderer is one sheet of paper


class _Renderer(RendererAgg):
    """Agg's renderer with the memory of texts."""

    def draw_text(
        self, gc: Any, x: float, y: float, s: str, prop: Any, angle: float, ismath: Any = False, mtext: Any = None
    ) -> None:
        """Copy the text to whole pixels; one with a formula or a clip is matplotlib's own."""
        if ismath or not gc.get_antialiased():
            super().draw_text(gc, x, y, s, prop, angle, ismath, mtext)
            return
        drawn, left, top = _text(s, prop.copy(), float(angle), (*gc.get_rgb()[:3], gc.get_alpha()), self.dpi)
        if drawn.size:
            bottom = self.height - (round(y) + top) - len(drawn)
            self._renderer.draw_image(gc, round(x) + left, bottom, drawn)


@lru_cache(maxsize=_KEPT)
def _text(
    s: str, prop: FontProperties, angle: float, colour: tuple[float, ...], dpi: float
) -> tuple[UInt8[np.ndarray, "h w 4"], int, int]:
    """The pixels of a text, and where their left upper corner lies from its anchor, to the right and down."""
    measure = RendererAgg(1, 1, dpi)
    width, height, _ = measure.get_text_width_height_descent(s, prop, False)
    reach = int(np.ceil(width + height)) + 2
    sheet = RendererAgg(2 * reach, 2 * reach, dpi)
    gc = sheet.new_gc()
    gc.set_foreground(colour[:3])
    gc.set_alpha(colour[3])
    sheet.draw_text(gc, reach, reach, s, prop, angle)
    pixels = np.asarray(sheet.buffer_rgba())
    rows, columns = (np.flatnonzero(pixels[..., 3].any(axis=axis)) for axis in (1, 0))
    if not len(rows):
        return np.zeros((0, 0, 4), np.uint8), 0, 0
    kept = pixels[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    upwards = np.ascontiguousarray(kept[::-1])  # as `draw_image` takes it
    return upwards, int(columns[0]) - reach, int(rows[0]) - reach


class _Canvas(FigureCanvasAgg):
    """A canvas on the thread's one sheet of its size, whose measures of texts stay known."""

    def get_renderer(self) -> _Renderer:
        """The renderer, cleared."""
        width, height = self.figure.bbox.size
        sheets = _LOCAL.__dict__.setdefault("sheets", {})
        key = (width, height, self.figure.dpi)
        if key not in sheets:
            sheets[key] = _Renderer(*key)
        self.renderer = sheets[key]
        return self.renderer

    def draw(self) -> None:
        """Draw the figure on the cleared sheet."""
        self.get_renderer().clear()
        self.figure.draw(self.renderer)


def settle() -> None:
    """Tell the collector of garbage to pass over what has been loaded since the last call.

    A full collection walks the caches of SymPy and torch, a quarter of a second in the middle of a drag.
    """
    if _LOADED["modules"] != len(sys.modules):
        _LOADED["modules"] = len(sys.modules)
        gc.collect()  # what is garbage now would never be found again
        gc.freeze()


def png(figure: Figure) -> bytes:
    """The figure as a PNG file, at its own resolution."""
    own = figure.canvas
    try:
        canvas = _Canvas(figure)
        canvas.draw()
        file = BytesIO()
        Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3]).save(file, "png", compress_level=1)
        return file.getvalue()
    finally:
        figure.set_canvas(own)  # what saves the figure to a file draws its texts where they belong
