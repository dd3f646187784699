"""Data laws, by definition only: one file a law. A law is picked up by its file being here."""

from theory.problem.discovery import declared
from theory.problem.distributions.base import Law

_FIRST = ("nlgp", "nlgp-2d", "gaussian-clone", "single-pulse", "finite", "table")
LAWS: dict[str, type[Law]] = declared(__name__, __path__, Law, "law", _FIRST)

__all__ = ["LAWS", "Law"]
