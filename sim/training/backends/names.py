"""The names of the back ends and the packages that determine their numbers; this module imports neither of them."""

from importlib.util import find_spec

PACKAGES = {"reference": ("torch",), "compiled": ("torch", "numba")}
BACKENDS = ("auto", *PACKAGES)


def numba_is_installed() -> bool:
    """Whether the extra `speed` is installed."""
    return find_spec("numba") is not None


def preferred(device: str) -> str:
    """Return the back end that "auto" tries first on a kind of device, "cpu" or "cuda".

    >>> preferred("cuda")
    'reference'
    """
    return "compiled" if device == "cpu" and numba_is_installed() else "reference"


def versions(name: str) -> dict[str, str]:
    """Return the versions of the packages that determine a back end's numbers. Raises InputError for another name.

    >>> sorted(versions("reference"))
    ['torch']
    """
    from importlib.metadata import version

    from theory.problem import InputError

    if name not in PACKAGES:
        raise InputError(f"backend = {name!r} has no packages.", f"Choose one of: {', '.join(PACKAGES)}.")
    return {package: version(package) for package in PACKAGES[name]}
