"""Square patches of pictures: drawn at uniform positions, and their exact mean and second moments over all of these.

A position is a place of the upper left corner at which the patch lies inside the photograph; the positions of several
photographs are taken together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Float, UInt
from numpy.lib.stride_tricks import sliding_window_view

from theory.problem.datasets.folder import read_file
from theory.problem.datasets.pictures import read_pictures, white

_ROWS = 16  # of positions at a time, some ten thousand patches

Images = tuple[UInt[np.ndarray, "height width"], ...]


@dataclass(frozen=True)
class PatchMoments:
    """The mean m and the covariance of the p^2 pixels of a patch, row by row, over all positions; pixels are 0 to 1."""

    mean: Float[np.ndarray, " n"]
    covariance: Float[np.ndarray, "n n"]


@dataclass(frozen=True)
class Source:
    """Pictures by name: of the data set "photographs", or of a `folder`, whose files have the SHA-256 `sha256`."""

    names: tuple[str, ...]
    folder: str = ""
    sha256: str = ""

    @property
    def images(self) -> Images:
        """The grey levels. Raises OutOfReachError where the set is not on the machine."""
        if not self.folder:
            return tuple(read_file("photographs", name) for name in self.names)
        return tuple(read_pictures(self.folder).levels[name] for name in self.names)


def positions(images: Images, side: int) -> list[int]:
    """Return the number of positions of a patch of side x side pixels in each photograph.

    >>> positions((np.zeros((3, 5), dtype=np.uint8),), 2)
    [8]
    """
    return [(height - side + 1) * (width - side + 1) for height, width in (image.shape for image in images)]


def drawn_patches(
    images: Images, side: int, generator: np.random.Generator, count: int
) -> Float[np.ndarray, "{count} n"]:
    """Draw patches at independent uniform positions, with pixels from 0 to 1.

    >>> image = np.array([[0, 51, 102]], dtype=np.uint8)
    >>> sorted(set(drawn_patches((image,), 1, np.random.default_rng(0), 50).ravel().tolist()))
    [0.0, 0.2, 0.4]
    """
    ends = np.cumsum(positions(images, side))
    position = generator.integers(0, ends[-1], count)
    which = np.searchsorted(ends, position, side="right")
    patches = np.empty((count, side * side))
    for index, image in enumerate(images):
        mine = which == index
        windows = sliding_window_view(image, (side, side))
        rows, columns = np.divmod(position[mine] - ends[index] + windows.shape[0] * windows.shape[1], windows.shape[1])
        patches[mine] = windows[rows, columns].reshape(-1, side * side)
    return patches / white(images[0])


def all_patches(source: Source, side: int) -> Iterator[Float[np.ndarray, "B n"]]:
    """Yield the patches at all positions of pictures, those of some rows at a time, pixels 0 to 1.

    Raises OutOfReachError where the data set is not on the machine.
    """
    for image in source.images:
        windows = sliding_window_view(image, (side, side))
        for first in range(0, len(windows), _ROWS):
            yield windows[first : first + _ROWS].reshape(-1, side * side) / white(image)


@lru_cache(maxsize=16)
def patch_moments(source: Source, side: int) -> PatchMoments:
    """Return the mean and the covariance of the patches of pictures.

    Raises OutOfReachError where the data set is not on the machine.
    """
    return moments_of_patches(source.images, side)


def moments_of_patches(images: Images, side: int) -> PatchMoments:
    """Return the mean and the covariance over all positions, from sums that are exact in float64.

    >>> found = moments_of_patches((np.array([[0, 255, 0]], dtype=np.uint8),), 1)
    >>> found.mean.round(12).tolist(), found.covariance.round(12).tolist()
    ([0.333333333333], [[0.222222222222]])
    """
    n, count = side * side, sum(positions(images, side))
    first, second = np.zeros(n), np.zeros((n, n))
    for image in images:
        first += _sums(image, side)
        second += _sums_of_products(image, side)
    mean = first / (count * (scale := white(images[0])))
    return PatchMoments(mean, second / (count * scale**2) - np.outer(mean, mean))


def _sums(image: UInt[np.ndarray, "height width"], side: int) -> Float[np.ndarray, " n"]:
    """Return the sum of each pixel of the patch over its positions."""
    down, across = image.shape[0] - side + 1, image.shape[1] - side + 1
    return sliding_window_view(image, (down, across)).sum(axis=(2, 3), dtype=np.int64).ravel().astype(float)


def _sums_of_products(image: UInt[np.ndarray, "height width"], side: int) -> Float[np.ndarray, "n n"]:
    """Return the sums of products of two pixels of the patch over its positions.

    Rows a and a + d of a patch that begins at row y are the rows y + a and y + a + d of the image, so the products of
    two rows of the image, summed over the columns, serve all patches: one matrix product for each pair of rows. All
    numbers are whole, and below 2^53 for pictures of 8 bits.
    """
    height = image.shape[0]
    down = height - side + 1
    windows = sliding_window_view(image, side, axis=1).astype(float)
    sums = np.empty((side, side, side, side))  # row, column of the one pixel, row, column of the other
    for d in range(side):
        products = windows[: height - d].transpose(0, 2, 1) @ windows[d:]
        up_to = np.concatenate([np.zeros((1, side, side)), np.cumsum(products, axis=0)])
        for a in range(side - d):
            sums[a, :, a + d, :] = up_to[a + down] - up_to[a]
            sums[a + d, :, a, :] = sums[a, :, a + d, :].T
    return sums.reshape(side * side, side * side)
