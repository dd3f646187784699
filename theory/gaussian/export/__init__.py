"""Closed forms as code that stands alone, in NumPy, torch and C, and as LaTeX."""

from theory.gaussian.export.code import export

__all__ = ["export"]
