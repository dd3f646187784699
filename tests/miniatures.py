"""Small data sets in the real formats, with a table of their checksums in the place of the real one."""

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np

from theory.problem.datasets.folder import data_folder
from theory.problem.datasets.idx import idx_content
from theory.problem.datasets.known import DATASETS, Dataset

REAL = dict(DATASETS)
REAL_FOLDER = data_folder()


def images_of_28(seed: int) -> dict[str, np.ndarray]:
    """60 images to train and 20 to test, each category a bar at its own height, with noise; categories in turn."""
    rng = np.random.default_rng(seed)
    arrays = {}
    for part, count in (("train", 60), ("t10k", 20)):
        labels = (np.arange(count) % 10).astype(np.uint8)
        bars = np.abs(np.arange(28) - 2.5 * labels[:, None] - 2) < 3
        images = rng.integers(0, 80, (count, 28, 28)) + 150 * bars[:, :, None]
        arrays |= {f"{part}-images-idx3-ubyte": images.astype(np.uint8), f"{part}-labels-idx1-ubyte": labels}
    return arrays


def records(seed: int, count: int, classes: tuple[int, ...]) -> bytes:
    """`count` records of CIFAR's binary version, categories in turn, each a colour of its own with noise."""
    rng = np.random.default_rng(seed)
    categories = np.arange(count) % classes[-1]
    labels = np.stack([categories * number // classes[-1] for number in classes], axis=1)
    colours = 20 * (categories[:, None] % 10) + 15 * np.arange(3)
    images = rng.integers(0, 30, (count, 3, 32 * 32)) + colours[:, :, None]
    return np.concatenate([labels, images.reshape(count, -1)], axis=1).astype(np.uint8).tobytes()


def photograph(seed: int) -> np.ndarray:
    """A smooth random image with sparse edges, of at least 20 x 24 pixels."""
    rng = np.random.default_rng(seed)
    rough = rng.standard_t(3, (20 + seed % 3, 24 + seed % 5))
    smooth = sum(np.roll(rough, (down, across), (0, 1)) for down in range(3) for across in range(3))
    return np.clip(128 + 20 * smooth, 0, 255).astype(np.uint8)


def contents() -> dict[str, dict[str, bytes]]:
    """The files of each set."""
    arrays = {
        "mnist": images_of_28(1),
        "fashion-mnist": images_of_28(2),
        "photographs": {file.name: photograph(seed) for seed, file in enumerate(REAL["photographs"].files)},
    }
    sets = {name: {file: idx_content(array) for file, array in files.items()} for name, files in arrays.items()}
    batches = [file.name for file in REAL["cifar-10"].files]
    sets["cifar-10"] = {file: records(seed, 20, (10,)) for seed, file in enumerate(batches)}
    sets["cifar-100"] = {"train.bin": records(1, 200, (20, 100)), "test.bin": records(2, 100, (20, 100))}
    return sets


def table(sets: dict[str, dict[str, bytes]]) -> dict[str, Dataset]:
    """The table of these files."""
    return {
        name: replace(
            REAL[name],
            files=tuple(
                replace(REAL[name].file(file), size=len(content), sha256=hashlib.sha256(content).hexdigest())
                for file, content in files.items()
            ),
        )
        for name, files in sets.items()
    }


def write(folder: Path, sets: dict[str, dict[str, bytes]]) -> None:
    """Write the files of the sets into a folder as `gdln data get` leaves them."""
    for name, files in sets.items():
        (folder / name).mkdir(parents=True)
        for file, content in files.items():
            (folder / name / file).write_bytes(content)


def listed_patches(images: Iterable[np.ndarray], side: int) -> np.ndarray:
    """All patches of images, pixels 0 to 1, by loops over their corners."""
    return np.array(
        [
            image[row : row + side, column : column + side].ravel() / 255
            for image in images
            for row in range(image.shape[0] - side + 1)
            for column in range(image.shape[1] - side + 1)
        ]
    )


def photographs_named(names: Iterable[str]) -> list[np.ndarray]:
    """The small photographs in the place of these."""
    every = [file.name for file in REAL["photographs"].files]
    return [photograph(every.index(name)) for name in names]
