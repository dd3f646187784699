"""Gated networks as gradient flows: exact solutions. Their derivations are claims, `theory.claims.areas.flow`."""

from theory.flow.linear.descent import discrete, gradient_descent, mse_at
from theory.flow.linear.parameters import Parameters
from theory.flow.linear.solution import Solution, solve

__all__ = ["Parameters", "Solution", "discrete", "gradient_descent", "mse_at", "solve"]
