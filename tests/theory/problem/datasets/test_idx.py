"""The format idx: arrays of bytes as they are published, and every other content refused by name."""

import struct

import numpy as np

from tests.theory.problem.refusals import not_refused
from theory.problem.datasets.idx import idx_content, read_idx

ARRAY = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
# The published layout, written out: two zeros, 8 for unsigned bytes, the number of axes, then big-endian lengths.
CONTENT = bytes([0, 0, 8, 3]) + struct.pack(">3I", 2, 3, 4) + bytes(range(24))


def test_the_published_layout():
    assert np.array_equal(read_idx(CONTENT, "file"), ARRAY)
    assert idx_content(ARRAY) == CONTENT
    assert not read_idx(CONTENT, "file").flags.writeable


def test_another_content_is_refused():
    cases = [
        (b"", "does not begin"),
        (b"\x1f\x8b" + CONTENT, "does not begin"),
        (bytes([0, 0, 13, 3]) + CONTENT[4:], "does not begin"),
        (bytes([0, 0, 8, 0]), "does not begin"),
        (bytes([0, 0, 8, 4]) + CONTENT[4:], "does not begin"),
        (CONTENT[:10], "does not begin"),
        (CONTENT[:-1], "announces 24 bytes, and 23 follow"),
        (CONTENT + b"\0", "announces 24 bytes, and 25 follow"),
        (bytes([0, 0, 8, 3]) + b"\xff" * 12, "and 0 follow"),
    ]
    assert not_refused(lambda content: read_idx(content, "the-file"), cases) == []
