"""Conditions of reductions and exact solutions of a graph's flow, each with a measure of its failure."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Condition:
    """A condition of a reduction or of a solution, with the decision for one problem.

    says: the condition, as Markdown. off: how much it fails, a number with its unit of comparison; "0" where it holds
    exactly. exact: whether exact arithmetic decided; otherwise float64 did, within a bound that `off` names.

    >>> says = r"$\\Sigma^{xx}(1, 2) = 0$"
    >>> Condition(says, holds=False, off="0.31 of the largest entry of its factors", exact=True).holds
    False
    """

    says: str
    holds: bool
    off: str
    exact: bool
