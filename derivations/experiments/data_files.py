"""Small files in the formats of the data sets, so that laws which read files are judged on every machine.

The claims on these laws are about reading, drawing and summing the examples of such files, not about the data sets
themselves. The images are made by formulas: bars whose height on the image is that of their category, and waves with
an edge in the place of photographs.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from jaxtyping import UInt8

from derivations.processes import environment
from theory.problem.datasets.folder import VARIABLE
from theory.problem.datasets.idx import idx_content
from theory.problem.datasets.known import DATASETS, DataFile, Dataset
from theory.problem.datasets.patches import patch_moments

_SIDE, _CATEGORIES, _IMAGES = 28, 10, 60
_HEIGHT, _WIDTH = 40, 48  # of a photograph


@contextmanager
def small_data_sets() -> Iterator[None]:
    """Put small files in the place of the data sets, for laws that are made and used in the block.

    What the block reads is forgotten at its end, but for samplers: they are kept by their law, so a problem that is
    used in the block must have parameters of its own.
    """
    before, contents = dict(DATASETS), _contents()
    with TemporaryDirectory() as folder, environment({VARIABLE: folder}):
        try:
            for name, files in contents.items():
                (Path(folder) / name).mkdir()
                for file, content in files.items():
                    (Path(folder) / name / file).write_bytes(content)
                DATASETS[name] = Dataset(name, before[name].title, tuple(map(_entry, files, files.values())))
            patch_moments.cache_clear()
            yield
        finally:
            DATASETS.update(before)
            patch_moments.cache_clear()


def _entry(file: str, content: bytes) -> DataFile:
    return DataFile(file, len(content), hashlib.sha256(content).hexdigest())


def _contents() -> dict[str, dict[str, bytes]]:
    """The files of each data set by name."""
    photographs = (file.name for file in DATASETS["photographs"].files)
    arrays = {
        "mnist": _images_of_28(1),
        "fashion-mnist": _images_of_28(2),
        "photographs": {name: _photograph(index) for index, name in enumerate(photographs)},
    }
    return {name: {file: idx_content(array) for file, array in files.items()} for name, files in arrays.items()}


def _images_of_28(kind: int) -> dict[str, UInt8[np.ndarray, "..."]]:
    """Images to train and to test, their categories in turn: a bar of `kind` + 2 rows, and levels without a pattern."""
    index, row, column = np.meshgrid(np.arange(_IMAGES), np.arange(_SIDE), np.arange(_SIDE), indexing="ij")
    category = np.arange(_IMAGES) % _CATEGORIES
    bar = abs(row - 2.5 * category[:, None, None] - 2) < (kind + 2) / 2 + 0.5
    images = ((31 * row * column + 17 * index * (row + 1) + 7 * index * column) % 80 + 150 * bar).astype(np.uint8)
    return {
        f"{part}-{name}": array
        for part in ("train", "t10k")
        for name, array in (("images-idx3-ubyte", images), ("labels-idx1-ubyte", category.astype(np.uint8)))
    }


def _photograph(index: int) -> UInt8[np.ndarray, "height width"]:
    """Two waves, an edge, and levels without a pattern."""
    row, column = np.meshgrid(np.arange(_HEIGHT), np.arange(_WIDTH), indexing="ij")
    waves = 40 * np.sin((index + 2) * row / 11) + 30 * np.sin((index + 3) * column / 13)
    edge = 50 * (2 * row + (index + 1) * column > 90)
    return (80 + waves + edge + (37 * row * column + 11 * (index + 1) * row + 5 * column) % 24).astype(np.uint8)
