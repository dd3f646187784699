"""The photographs that scikit-image and scikit-learn ship, as grey levels of whole numbers."""

import hashlib
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

from derivations.answers.fetching.archives import members
from theory.problem import InputError, OutOfReachError
from theory.problem.datasets.idx import idx_content
from theory.problem.datasets.pictures import grey

_INSTALL = "Install the extra: pip install 'gdln-workbench[data]'."
_FOLDERS = {"skimage": "data", "sklearn": "datasets/images"}
# The name of each photograph, its package, its file there and the SHA-256 of that file.
PICTURES: Mapping[str, tuple[str, str, str]] = {
    "astronaut": ("skimage", "astronaut.png", "88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5"),
    "camera": ("skimage", "camera.png", "b0793d2adda0fa6ae899c03989482bff9a42d3d5690fc7e3648f2795d730c23a"),
    "chelsea": ("skimage", "chelsea.png", "596aa1e7cb875eb79f437e310381d26b338a81c2da23439704a73c4651e8c4bb"),
    "china": ("sklearn", "china.jpg", "8378025ad2519d649d02e32bd98990db4ab572357d9f09841c2fbfbb4fefad29"),
    "coffee": ("skimage", "coffee.png", "cc02f8ca188b167c775a7101b5d767d1e71792cf762c33d6fa15a4599b5a8de7"),
    "flower": ("sklearn", "flower.jpg", "a77f6ec41e353afdf8bdff2ea981b2955535d8d83294f8cfa49cf4e423dd5638"),
    "motorcycle": (
        "skimage",
        "motorcycle_left.png",
        "db18e9c4157617403c3537a6ba355dfeafe9a7eabb6b9b94cb33f6525dd49179",
    ),
    "rocket": ("skimage", "rocket.jpg", "c2dd0de7c538df8d111e479619b129464d0269d0ae5fd18ca91d33a7fdfea95c"),
    "brick": ("skimage", "brick.png", "7966caf324f6ba843118d98f7a07746d22f6a343430add0233eca5f6eaaa8fcf"),
    "grass": ("skimage", "grass.png", "b6b6022426b38936c43a4ac09635cd78af074e90f42ffa8227ac8b7452d39f89"),
    "gravel": ("skimage", "gravel.png", "c48615b451bf1e606fbd72c0aa9f8cc0f068ab7111ef7d93bb9b0f2586440c12"),
}


def grey_files(place: Path | None) -> Iterator[tuple[str, bytes]]:
    """Yield the name of each photograph and the content of its idx file.

    The pictures come from the folder or archive `place`, or from the installed packages where it is None. Raises
    OutOfReachError where a package is missing, InputError for a picture with another content.
    """
    places = {package: place or _installed(package) for package in _FOLDERS}
    for package, folder in places.items():
        names = {file: name for name, (of, file, _) in PICTURES.items() if of == package}
        for file, content in members(folder, names):
            _, _, expected = PICTURES[names[file]]
            if (digest := hashlib.sha256(content).hexdigest()) != expected:
                raise InputError(
                    f"{file} from {folder} is another picture: its SHA-256 is {digest}, not {expected}.",
                    "Install another version of the package: scikit-image 0.26.0 and scikit-learn 1.9.1 are known.",
                    "data",
                )
            yield names[file], idx_content(grey(content, file))


def _installed(package: str) -> Path:
    """Return the folder of the pictures of a package, found without importing it."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        name = {"skimage": "scikit-image", "sklearn": "scikit-learn"}[package]
        raise OutOfReachError(f"{name}, which ships some of the photographs, is not installed.", _INSTALL, "data")
    return Path(next(iter(spec.submodule_search_locations))) / _FOLDERS[package]
