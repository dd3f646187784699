"""The format idx of arrays of bytes, in which MNIST is published."""

from math import prod

import numpy as np
from jaxtyping import UInt8

from theory.problem.errors import InputError

_BYTES = b"\x00\x00\x08"  # two zeros, then the code of unsigned bytes
_MOST_AXES = 3


def read_idx(content: bytes, where: str) -> UInt8[np.ndarray, "*shape"]:
    """Return the array of bytes, with up to three axes, in the content of an idx file; `where` names it in errors.

    Raises InputError for another content.

    >>> read_idx(idx_content(np.array([[1, 2], [3, 4]], dtype=np.uint8)), "file").tolist()
    [[1, 2], [3, 4]]
    """
    axes = content[3] if len(content) > 3 else 0
    header = 4 + 4 * axes
    if content[:3] != _BYTES or not 1 <= axes <= _MOST_AXES or len(content) < header:
        raise _refusal(where, "it does not begin as an idx file of bytes does")
    shape = tuple(np.frombuffer(content, ">u4", axes, offset=4).tolist())
    if len(content) != header + prod(shape):
        raise _refusal(where, f"its header announces {prod(shape)} bytes, and {len(content) - header} follow")
    return np.frombuffer(content, np.uint8, offset=header).reshape(shape)


def idx_content(array: UInt8[np.ndarray, "*shape"]) -> bytes:
    """Return the content of the idx file of an array of bytes.

    >>> idx_content(np.array([7, 8], dtype=np.uint8)).hex(" ")
    '00 00 08 01 00 00 00 02 07 08'
    """
    return _BYTES + bytes([array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.tobytes()


def _refusal(where: str, what: str) -> InputError:
    return InputError(f"{where} is no idx file: {what}.", "Get it again.", "file")
