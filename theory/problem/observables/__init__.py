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

__all__ = ["OBSERVABLES", "Observable"]
