"""The images and the categories of the labelled data sets, as the files have them."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64, UInt8

from theory.problem.datasets.cifar import IMAGE
from theory.problem.datasets.folder import place_of, read_file
from theory.problem.datasets.known import DATASETS
from theory.problem.errors import OutOfReachError

PARTS = ("train", "test")


@dataclass(frozen=True)
class Labelling:
    """The number of categories of a data set, and the files of its parts.

    An idx set has a file of images and one of labels for each part. CIFAR has files of records, in which byte `column`
    is the label.
    """

    categories: int
    files: Mapping[str, tuple[str, ...]]
    column: int | None = None


_IDX = {
    "train": ("train-images-idx3-ubyte", "train-labels-idx1-ubyte"),
    "test": ("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"),
}
_BATCHES = {"train": tuple(f"data_batch_{number}.bin" for number in range(1, 6)), "test": ("test_batch.bin",)}
_FILES_OF_100 = {"train": ("train.bin",), "test": ("test.bin",)}
# The categories of CIFAR-100 are its 100 fine ones; "cifar-100-coarse" has the same images with the 20 coarse ones.
LABELLED: Mapping[str, Labelling] = {
    "mnist": Labelling(10, _IDX),
    "fashion-mnist": Labelling(10, _IDX),
    "cifar-10": Labelling(10, _BATCHES, 0),
    "cifar-100": Labelling(100, _FILES_OF_100, 1),
    "cifar-100-coarse": Labelling(20, _FILES_OF_100, 0),
}


def labelled_images(
    name: str, part: str
) -> tuple[UInt8[np.ndarray, "N channels rows columns"], Int64[np.ndarray, " N"]]:
    """Return the images of the part "train" or "test" of a set of LABELLED, grey levels 0 to 255, and their categories.

    Grey images have one channel, those of CIFAR red, green and blue. Raises OutOfReachError where the set is not on the
    machine, is damaged, or has a label that is no category; KeyError for other names.

    >>> labelled_images("photographs", "train")
    Traceback (most recent call last):
    ...
    KeyError: 'photographs'
    """
    labelling = LABELLED[name]
    folder = name.removesuffix("-coarse")
    arrays = [read_file(folder, file) for file in labelling.files[part]]
    if labelling.column is None:
        images, labels = arrays
        images = images[:, None]
    else:
        records = np.concatenate(arrays)
        images = records[:, -IMAGE[0] * IMAGE[1] * IMAGE[2] :].reshape(-1, *IMAGE)
        labels = records[:, labelling.column]
    if len(labels) != len(images) or labels.max() >= labelling.categories:
        dataset = DATASETS[folder]
        where = place_of(dataset, dataset.file(labelling.files[part][-1]))
        raise OutOfReachError(
            f"{where} has {len(labels)} labels up to {labels.max()} for {len(images)} images; the categories of {name} "
            f"are 0 to {labelling.categories - 1}.",
            f"Run `{dataset.command}`.",
            "data",
        )
    return images, labels.astype(np.int64)
