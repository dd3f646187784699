"""Answers of `gdln` in a form that can be stored: rounded, without what is of the run or of the machine."""

import json
import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np
from syrupy.extensions.amber import AmberSnapshotExtension

from derivations import commands, output, pictures
from derivations.cli import main
from derivations.commands import check, moment
from tests.tolerances import SNAPSHOT_FIT, SNAPSHOT_FIT_ZERO, SNAPSHOT_RELATIVE, SNAPSHOT_ZERO

# Versions and hashes of versions, times of clocks, and places on the machine.
VOLATILE = {
    *("version", "versions", "python", "code", "cell", "sweep", "started", "finished"),  # a cell is named by its code
    *("seconds", "wall_seconds", "time_left"),
    *("device", "backend", "threads", "maker", "job", "folder"),
}
SECONDS = re.compile(r"\d+(\.\d+)? (s|min|h)\b")
LONGEST, LINES, DIGITS = 6, 40, 9
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.])")


class CloseSnapshot(AmberSnapshotExtension):
    """Stored answers that agree in every word, and in every number to a relative error."""

    relative, absolute = SNAPSHOT_RELATIVE, SNAPSHOT_ZERO

    def matches(self, *, serialized_data: Any, snapshot_data: Any) -> bool:
        """Compare the words, then the numbers between them."""
        new, old = str(serialized_data), str(snapshot_data)
        if new == old or NUMBER.split(new) != NUMBER.split(old):
            return new == old
        a, b = numbers_in(new), numbers_in(old)
        return bool((np.abs(a - b) <= self.relative * np.maximum(np.abs(a), np.abs(b)) + self.absolute).all())


class CloseFits(CloseSnapshot):
    """The same for parameters of least-squares fits, which the squares determine to half of the digits."""

    relative, absolute = SNAPSHOT_FIT, SNAPSHOT_FIT_ZERO


def numbers_in(text: str) -> np.ndarray:
    """Return the numbers of a text."""
    return np.array([float(number) for number in NUMBER.findall(text)])


def recorded(words: list[str], patch: Any, capsys: Any) -> dict[str, Any]:
    """Return the exit code of `gdln`, its JSON object, its text and what its picture shows, from one computation."""
    answer: dict[str, Any] = {}

    def emit(verb: str, payload: Mapping[str, Any], text: str, _as_json: bool) -> None:
        answer.update(json=json.loads(json.dumps(output.plain(payload), allow_nan=False)), text=text)

    def show(verb: str, shown: output.Answer, as_json: bool) -> None:
        emit(verb, shown.json(), shown.text(), as_json)

    for module in (output, commands):
        patch.setattr(module, "emit", emit)
    for module in (output, check, moment):
        patch.setattr(module, "show", show)
    patch.setattr(pictures, "write_picture", lambda figure, path: answer.update(picture=described(figure)))
    code = main([*words, "--json"])
    printed = capsys.readouterr().out
    if not answer:
        answer = {"error": json.loads(printed)["error"]}
        assert answer["error"].pop("hint")
    return {"code": code, **stored(answer)}


def described(figure: Any) -> list[dict[str, Any]]:
    """Return for each pair of axes its labels, lines, marks, images and words."""
    return [_axes(axes) for axes in figure.axes]


def _axes(axes: Any) -> dict[str, Any]:
    lines = [[line.get_label(), np.asarray(line.get_xydata(), float).T.tolist()] for line in axes.lines]
    marks = [np.ma.filled(mark.get_offsets().astype(float), 0.0).tolist() for mark in axes.collections]
    shapes = [patch.get_path().transformed(patch.get_patch_transform()).vertices.tolist() for patch in axes.patches]
    words = [text.get_text() for text in axes.texts]
    named = [axes.get_title(), axes.get_title("left"), axes.get_xlabel(), axes.get_ylabel()]
    scales = [axes.get_xscale(), axes.get_yscale()]
    images = [np.ma.filled(image.get_array().astype(float), 0.0).tolist() for image in axes.images]
    content = {"lines": lines, "marks": marks, "shapes": shapes, "words": words, "images": images}
    return {"labels": named, "scales": scales} | {name: value for name, value in content.items() if value}


def stored(value: Any) -> Any:
    """Return the value as it is stored.

    Floats are rounded; arrays are stored by shape, ends and sums, long lists by their first and last entry and by the
    words and the sums of the numbers in all of them.
    """
    if isinstance(value, Mapping):
        return {key: stored(entry) for key, entry in value.items() if key not in VOLATILE}
    if isinstance(value, list | tuple):
        return _stored_list(list(value))
    if isinstance(value, float):
        return _rounded(value)
    return _stored_text(value) if isinstance(value, str) else value


def _stored_list(value: list[Any]) -> Any:
    try:
        numbers = np.array(value, dtype=float) if not isinstance(value[0], str | bool) else np.array([])
    except (TypeError, ValueError, IndexError):
        numbers = np.array([])
    if numbers.size > LONGEST:
        return {"shape": list(numbers.shape), **_sums(numbers)}
    entries = [stored(entry) for entry in value]
    if len(entries) <= LONGEST:
        return entries
    return {"length": len(entries), "first": entries[0], "last": entries[-1], **_digest(json.dumps(entries))}


def _stored_text(text: str) -> Any:
    text = SECONDS.sub("SECONDS", text)
    lines = text.splitlines()
    if len(lines) <= LINES:
        return text
    return {"lines": len(lines), "first": "\n".join(lines[: LINES // 2]), **_digest(text)}


def _digest(text: str) -> dict[str, Any]:
    """Return a hash of the words, and sums of the numbers, which another machine may round differently."""
    words = sha256(NUMBER.sub("#", text).encode()).hexdigest()[:12]
    return {"words": words, **_sums(numbers_in(text))}


def _sums(numbers: np.ndarray) -> dict[str, Any]:
    """Return the ends, the sum of absolute values, and relative to it the sums of x_i and of i x_i/n."""
    flat = numbers.ravel()
    if not flat.size:
        return {}
    size = float(np.abs(flat).sum())
    places = np.arange(1, flat.size + 1) / flat.size
    shares = [0.0, 0.0] if size == 0 else [float(flat.sum() / size), float((places * flat).sum() / size)]
    ends = [_rounded(float(flat[0])), _rounded(float(flat[-1]))]
    return {"ends": ends, "size": _rounded(size), "shares": [round(share, DIGITS) for share in shares]}


def _rounded(value: float) -> float:
    return 0.0 if abs(value) < SNAPSHOT_ZERO else float(f"{value:.{DIGITS}g}")
