"""Pictures in a folder that users name: PNG, JPEG and others of 8 or 16 bits, as grey levels of whole numbers."""

import hashlib
import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from jaxtyping import UInt

from theory.problem.errors import InputError
from theory.problem.user_files import MEBIBYTE, read_bytes

ENDINGS = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".pgm")
LARGEST = 256 * MEBIBYTE  # of a file
_MOST_PIXELS = 2**27  # of all pictures of a folder together
# The weights of red, green and blue in the luminance of ITU-R BT.709, in units of 1/10000.
_LUMINANCE = (2125, 7154, 721)
_CONVERTED = ("1", "P", "PA", "CMYK", "YCbCr")  # modes of Pillow whose numbers are no levels of light


@dataclass(frozen=True, eq=False)
class Pictures:
    """The grey levels of the pictures of a folder by the names of their files; `sha256` is that of all files."""

    levels: dict[str, UInt[np.ndarray, "height width"]]
    sha256: str


def read_pictures(folder: str | Path) -> Pictures:
    """Return the pictures of a folder, in the order of their names; other files are left out.

    Raises InputError for a folder without pictures, and for a file that is none.
    """
    folder = Path(folder)
    try:
        files = sorted(file for file in folder.iterdir() if file.suffix.lower() in ENDINGS)
    except OSError as error:
        raise InputError(f"{folder} cannot be read: {error.strerror or error}.", "Name a folder.", "file") from None
    if not files:
        raise InputError(
            f"{folder} has no pictures: no file in it ends with {', '.join(ENDINGS)}.",
            "Name a folder of pictures, or the file of an array.",
            "file",
        )
    return _read(tuple((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files))


@lru_cache(maxsize=4)
def _read(stamps: tuple[tuple[str, int, int], ...]) -> Pictures:
    """Return the pictures in these files; size and time tell whether they have changed since."""
    digest, levels, pixels = hashlib.sha256(), {}, 0
    for file, _, _ in stamps:
        content = read_bytes(file, LARGEST, "Name smaller pictures.")
        levels[Path(file).name] = grey(content, file)
        digest.update(hashlib.sha256(content).digest())
        pixels += levels[Path(file).name].size
        if pixels > _MOST_PIXELS:
            raise InputError(f"{Path(file).parent} has more than {_MOST_PIXELS} pixels.", "Use fewer pictures.", "file")
    if len({image.dtype for image in levels.values()}) > 1:
        raise InputError(
            f"{Path(file).parent} has pictures of 8 bits and of 16 bits: one grey level means two things.",
            "Save all with the same depth.",
            "file",
        )
    return Pictures(levels, digest.hexdigest())


def grey(content: bytes, file: str) -> UInt[np.ndarray, "height width"]:
    """Return the grey levels of a picture, 0 to 255 or to 65535: of a colour picture its luminance, rounded.

    Y = (2125 R + 7154 G + 721 B)/10000, of the numbers as they are stored (they are not linear in the light).
    Transparency is left out. Raises InputError, which names `file`, for what is no picture.
    """
    from PIL import Image, UnidentifiedImageError  # Matplotlib needs it too

    try:
        image = Image.open(io.BytesIO(content))
        pixels = np.asarray(image.convert("RGB") if image.mode in _CONVERTED else image)
    except Exception as error:  # decoders raise errors of a dozen kinds
        why = "of no known format" if isinstance(error, UnidentifiedImageError) else error
        raise InputError(f"{file} is no picture that can be decoded ({why}).", "Save it as PNG.", "file") from error
    if pixels.dtype.kind not in "iu" or pixels.max(initial=0) > np.iinfo(np.uint16).max:
        raise InputError(
            f"{file} has the mode {image.mode} of {pixels.dtype}, not grey levels or colours of 8 or 16 bits.",
            "Save it as PNG, or its numbers as an array (.npy).",
            "file",
        )
    if pixels.ndim == 3 and pixels.shape[2] >= 3:
        pixels = (pixels[..., :3].astype(np.int64) @ np.array(_LUMINANCE) + sum(_LUMINANCE) // 2) // sum(_LUMINANCE)
        return pixels.astype(np.uint8)
    pixels = pixels[..., 0] if pixels.ndim == 3 else pixels
    return pixels.astype(np.uint8 if pixels.dtype == np.uint8 else np.uint16)


def white(levels: UInt[np.ndarray, "height width"]) -> int:
    """Return the largest grey level that a picture may have, 255 or 65535.

    >>> white(np.zeros((1, 1), np.uint8))
    255
    """
    return int(np.iinfo(levels.dtype).max)
