"""Figures to pixels, fast enough to follow a slider.

The sheets are reused (`sheets`), so that the garbage collector does not visit thousands of new artists during a drag;
matplotlib draws them.
"""

import gc
import sys
from io import BytesIO

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

_LOADED = {"modules": 0}


def settle() -> None:
    """Exclude the objects loaded since the last call from garbage collection.

    A full collection walks the caches of SymPy and torch, a quarter of a second during a drag.
    """
    if _LOADED["modules"] != len(sys.modules):
        _LOADED["modules"] = len(sys.modules)
        gc.collect()  # garbage that exists now would never be collected later
        gc.freeze()


def png(figure: Figure) -> bytes:
    """The figure as a PNG file, at its own resolution."""
    own = figure.canvas
    try:
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        file = BytesIO()
        Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3]).save(file, "png", compress_level=1)
        return file.getvalue()
    finally:
        figure.set_canvas(own)
