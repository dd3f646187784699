"""Declarations of observables, one file for each family; a new file in this folder is found without being listed."""

from theory.problem.discovery import declared
from theory.problem.observables.base import Observable

_FIRST = (
    "input-output-moment",
    "input-moment",
    "weights",
    "biases",
    "readout",
    "loss",
    "participation-ratio",
    "low-frequency-power",
    "field-norm",
    "gate-flips",
    "gate-flips-between",
    "open-together-between",
    "gate-overlap-between",
    "field-centre",
    "field-width",
    "spectral-peak",
    "spectral-peak-share",
    "weight-kurtosis",
    "preactivation-kurtosis",
    "weight-sizes",
    "path-strengths",
    "map-modes",
)
OBSERVABLES: dict[str, type[Observable]] = declared(__name__, __path__, Observable, "name", _FIRST)

# Shorter words, which claims and comparisons take too.
WORDS = {
    "weight": "weights",
    "bias": "biases",
    "centre": "field-centre",
    "width": "field-width",
    "norm": "field-norm",
    "spectral-share": "spectral-peak-share",
    "path-strength": "path-strengths",
    "map-mode": "map-modes",
}

__all__ = ["OBSERVABLES", "WORDS", "Observable"]
