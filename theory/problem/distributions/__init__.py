"""Definitions of the data laws, one file for each law; a new file in this folder is found without being listed."""

from theory.problem.discovery import declared
from theory.problem.distributions.base import Law

_FIRST = (
    *("nlgp", "nlgp-2d", "gaussian-clone", "gaussian", "nlgp-matrix", "gaussian-copula"),
    *("student-t", "elliptical", "mixture", "single-pulse", "pulses", "bars"),
    *("finite", "table"),
)
LAWS: dict[str, type[Law]] = declared(__name__, __path__, Law, "law", _FIRST)

__all__ = ["LAWS", "Law"]
