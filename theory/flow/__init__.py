"""Gated networks as gradient flows: exact solutions here, their symbolic derivations in `theory.flow.derive`."""

from theory.flow.descent import discrete, gradient_descent, mse_at
from theory.flow.parameters import Parameters
from theory.flow.solution import Solution, solve

__all__ = ["Parameters", "Solution", "discrete", "gradient_descent", "mse_at", "solve"]
