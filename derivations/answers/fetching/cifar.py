"""The binary files of CIFAR-10 and CIFAR-100 in a folder or archive of the user.

The Python version of these sets has the same images in pickles. To read a pickle is to run what it says, so it is
refused.
"""

from collections.abc import Iterator
from pathlib import Path

from derivations.answers.fetching.archives import members
from theory.problem import InputError
from theory.problem.datasets.known import Dataset

_PICKLE = b"\x80"  # the first byte of a pickle of protocol 2 or later


def binary_files(dataset: Dataset, place: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the content of each file of a set. Raises InputError for the Python version."""
    missing = {file.name for file in dataset.files}
    for name, content in members(place, sorted(missing)):
        missing.discard(name)
        yield name, content
    for name, content in members(place, [name.removesuffix(".bin") for name in sorted(missing)]):
        if content.startswith(_PICKLE):
            raise InputError(
                f"{place} has the Python version of {dataset.name}: {name} is a pickle, and reading one can run "
                "any program. Nothing of it was read.",
                f"Download the binary version, {dataset.archive}, and run `{dataset.command}`.",
                "data",
            )
