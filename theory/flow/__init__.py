"""Gated networks as gradient flows: exact solutions. Their derivations are claims, `theory.claims.areas.flow`.

solve(problem or file, digits=None, times=None)   the solution of gradient flow, as a Solution
Solution           fixed_point, rates, weights and losses at the times; at(t), plot()
discrete(problem)  the law of gradient descent with steps of the problem's learning rate, as Parameters
gradient_descent   the same by its steps, of given moments
mse_at             the loss <(y - yhat)^2> of any weights
Parameters         weights and biases as one vector and part by part
"""

from theory.flow.linear import Parameters, Solution, discrete, gradient_descent, mse_at, solve

__all__ = [
    "Parameters",
    "Solution",
    "discrete",
    "gradient_descent",
    "mse_at",
    "solve",
]
