"""Pixels of images of bytes as numbers from 0 to 1, and means over square blocks of them."""

import numpy as np
from jaxtyping import Float, UInt8

WHITE = 255


def block_means(images: UInt8[np.ndarray, "N height width"], side: int) -> Float[np.ndarray, "N rows columns"]:
    """Return the means of side x side pixels over 255; `side` divides height and width.

    >>> block_means(np.array([[[0, 255], [255, 255]]], dtype=np.uint8), 2).tolist()
    [[[0.75]]]
    """
    count, height, width = images.shape
    blocks = images.reshape(count, height // side, side, width // side, side)
    return blocks.sum(axis=(2, 4), dtype=np.uint32) / (WHITE * side**2)
