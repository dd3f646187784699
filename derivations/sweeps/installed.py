"""The versions of installed packages, each read once in a process: reading one takes as long as a small file."""

from functools import cache
from importlib.metadata import version

from sim.training.backends.names import versions


@cache
def version_of(package: str) -> str:
    """Return the version of an installed package. Raises PackageNotFoundError."""
    return version(package)


@cache
def versions_of(backend: str) -> dict[str, str]:
    """Return the versions of the packages that compute a back end's numbers; the caller does not change them."""
    return versions(backend)
