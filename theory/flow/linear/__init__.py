"""The gradient flow of networks that are linear in their trained parameters; it depends on A, b and <y^2> only.

solve, Solution            the exact solution of a problem
discrete, gradient_descent, power_and_sum   the same in discrete steps
relax, Convention          the flow of given moments, mode by mode
mse_at, Parameters         the loss of any weights; weights and biases as one vector and part by part
"""

from theory.flow.linear.convention import Convention
from theory.flow.linear.descent import discrete, gradient_descent, mse_at, power_and_sum
from theory.flow.linear.parameters import Parameters
from theory.flow.linear.relaxation import relax
from theory.flow.linear.solution import Solution, solve

__all__ = [
    "Convention",
    "Parameters",
    "Solution",
    "discrete",
    "gradient_descent",
    "mse_at",
    "power_and_sum",
    "relax",
    "solve",
]
