"""The format of the binary versions of CIFAR-10 and CIFAR-100: records of label bytes, then the pixels of an image.

CIFAR-10 has one label byte, the class. CIFAR-100 has two, the coarse class and the fine one. The 3072 bytes after them
are the red, the green and the blue levels of 32 x 32 pixels, each colour row by row.
"""

from math import prod

import numpy as np
from jaxtyping import UInt8

from theory.problem.errors import InputError

IMAGE = (3, 32, 32)  # channels, rows, columns


def read_records(content: bytes, where: str, label_bytes: int) -> UInt8[np.ndarray, "N bytes"]:
    """Return the records in the content of a file, a row for each image; `where` names the file in errors.

    Raises InputError for a content that is not a whole number of records, or empty.

    >>> read_records(bytes(2 * 3073), "file", 1).shape
    (2, 3073)
    """
    size = label_bytes + prod(IMAGE)
    if not content or len(content) % size:
        raise InputError(
            f"{where} is no binary file of CIFAR: its {len(content)} bytes are no records of {size}.",
            "Take the file of the binary version.",
            "file",
        )
    return np.frombuffer(content, np.uint8).reshape(-1, size)
