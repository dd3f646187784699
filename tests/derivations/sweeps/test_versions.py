"""Versions of the code in a store: which are known, which a look shows, and how little is read for it."""

from collections import Counter
from importlib.metadata import version

from derivations.sweeps import cells, making
from sim.training.backends import names


def test_the_version_of_a_package_is_read_once_in_a_process(monkeypatch):
    """Every cell names them, and reading them took as long as half of its own files."""
    read = Counter()

    def counted(package):
        read[package] += 1
        return version(package)

    monkeypatch.setattr("importlib.metadata.version", counted)
    names.version_of.cache_clear()
    for _ in range(3):
        making._versions("reference")
        cells.code_version("cpu")
    assert read["torch"] == 1
    assert set(read.values()) == {1}
