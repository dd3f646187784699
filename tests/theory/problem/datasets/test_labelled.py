"""Images and categories of the labelled sets, against a loop over the bytes of their files."""

import hashlib
from dataclasses import replace

import pytest

from tests import miniatures
from theory.problem import InputError, OutOfReachError
from theory.problem.datasets.cifar import read_records
from theory.problem.datasets.folder import VARIABLE
from theory.problem.datasets.known import DATASETS
from theory.problem.datasets.labelled import LABELLED, PARTS, labelled_images

CONTENTS = miniatures.contents()
BATCHES = {"train": [f"data_batch_{number}.bin" for number in range(1, 6)], "test": ["test_batch.bin"]}
WHOLE = {"train": ["train.bin"], "test": ["test.bin"]}
# The set, its files of each part, the bytes of labels, and the byte of the category.
CIFAR = {
    "cifar-10": ("cifar-10", BATCHES, 1, 0),
    "cifar-100": ("cifar-100", WHOLE, 2, 1),
    "cifar-100-coarse": ("cifar-100", WHOLE, 2, 0),
}


@pytest.mark.parametrize("name", CIFAR)
@pytest.mark.parametrize("part", PARTS)
def test_records_of_cifar_byte_by_byte(name, part):
    folder, files, labels, column = CIFAR[name]
    images, categories = labelled_images(name, part)
    content = b"".join(CONTENTS[folder][file] for file in files[part])
    size = labels + 3 * 32 * 32
    assert len(images) == len(categories) == len(content) // size
    for number in (0, 1, len(images) - 1):
        record = content[number * size : (number + 1) * size]
        assert categories[number] == record[column]
        for channel, row, place in ((0, 0, 0), (0, 0, 31), (1, 5, 7), (2, 31, 31)):
            assert images[number, channel, row, place] == record[labels + 1024 * channel + 32 * row + place]


@pytest.mark.parametrize("length", [0, 3072, 3074])
def test_a_file_of_another_size_is_refused(length):
    with pytest.raises(InputError, match=f"its {length} bytes are no records of 3073"):
        read_records(bytes(length), "file", 1)


def replaced(tmp_path, monkeypatch, name, file, content):
    """Put another content in the place of a file, with its checksum in the table."""
    files = {**CONTENTS[name], file: content}
    miniatures.write(tmp_path, {name: files})
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    entry = replace(DATASETS[name].file(file), size=len(content), sha256=hashlib.sha256(content).hexdigest())
    entries = tuple(entry if each.name == file else each for each in DATASETS[name].files)
    monkeypatch.setitem(DATASETS, name, replace(DATASETS[name], files=entries))


@pytest.mark.parametrize(
    ("name", "folder", "byte", "value"),
    [("cifar-10", "cifar-10", 0, 10), ("cifar-100", "cifar-100", 1, 100), ("cifar-100-coarse", "cifar-100", 0, 20)],
)
def test_a_label_out_of_range_is_refused(name, folder, byte, value, tmp_path, monkeypatch):
    file = LABELLED[name].files["test"][0]
    content = bytearray(CONTENTS[folder][file])
    content[byte] = value
    replaced(tmp_path, monkeypatch, folder, file, bytes(content))
    with pytest.raises(OutOfReachError, match=rf"{file} has \d+ labels up to {value} .* are 0 to {value - 1}"):
        labelled_images(name, "test")
