"""The interface of reductions of a graph's flow; the folder `reductions` has one file for each reduction."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sympy.matrices.expressions import MatrixExpr

from theory.flow.graph import export
from theory.flow.graph.conditions import Condition
from theory.flow.graph.gradient_flow import GraphFlow
from theory.flow.graph.known import EPSILON, Known
from theory.problem import Problem
from theory.problem.discovery import modules
from theory.problem.errors import InputError, OutOfReachError
from theory.proof.derivation import Derivation


@dataclass(frozen=True)
class Formula:
    """An equation as plain text and as LaTeX."""

    plain: str
    latex: str


def formula(flow: GraphFlow, left: MatrixExpr, right: MatrixExpr) -> Formula:
    """Return the equation of two sums of products of matrices of a flow."""
    plain = f"{export.characters(left)} = {export.characters(right)}"
    return Formula(plain, f"{export.tex(flow, left)} = {export.tex(flow, right)}")


def listed(letter: str, values: Mapping[str, Sequence[float]], shown: int) -> tuple[Formula, ...]:
    """List rows of numbers by their index, equal rows together; numbers within rounding of the largest are omitted.

    >>> [row.plain for row in listed("D", {"1,1": (1.0, 0.5), "1,2": (0.0, 1e-17), "2,2": (1.0, 0.5)}, 6)]
    ['D[1,1] = D[2,2] = (1, 0.5)']
    """
    largest = max((abs(value) for row in values.values() for value in row), default=0.0)
    rows: dict[str, list[str]] = {}
    for index, row in values.items():
        kept = [value if abs(value) > len(row) * 1e3 * EPSILON * largest else 0.0 for value in row]
        if any(kept):
            more = ", ..." if len(kept) > shown else ""
            rows.setdefault(f"({', '.join(f'{value:.4g}' for value in kept[:shown])}{more})", []).append(index)
    return tuple(
        Formula(
            " = ".join([*(f"{letter}[{index}]" for index in indices), row]),
            " = ".join([*(f"{letter}_{{{index}}}" for index in indices), row]),
        )
        for row, indices in rows.items()
    )


@dataclass(frozen=True)
class Part:
    """A statement of a reduction on one part of the network: a sentence (Markdown) and its formulas."""

    says: str
    formulas: tuple[Formula, ...] = ()


@dataclass(frozen=True)
class Reduction:
    """A reduction that applies: a description (Markdown), its parts, its conditions, which all hold, and its proofs.

    start: conditions on the initial weights, under which the reduction is exact; another start may violate them. code:
    Python source of the reduced flow, "" if there is none. rounding: the error of float64, in words.
    """

    says: str
    conditions: tuple[Condition, ...]
    parts: tuple[Part, ...] = ()
    derivations: tuple[Derivation, ...] = ()
    start: tuple[Condition, ...] = ()
    code: str = ""
    rounding: str = ""


@dataclass(frozen=True)
class NotReduced:
    """A reduction that does not apply: the conditions that fail, or why they cannot be decided (Markdown)."""

    conditions: tuple[Condition, ...] = ()
    why: str = ""

    def __str__(self) -> str:
        failed = (f"it needs that {condition.says}; off by {condition.off}" for condition in self.conditions)
        return "; ".join([*failed, *([self.why] if self.why else [])])


Reduce = Callable[[Problem, GraphFlow, Known], Reduction | NotReduced]


def reducers() -> dict[str, Reduce]:
    """The function `reduce` of every file in the folder `reductions`, by the name of its file.

    Raises InputError for a file without it.

    >>> "conserved" in reducers()
    True
    """
    from theory.flow.graph import reductions

    found = {}
    for module in modules(reductions.__name__, reductions.__path__):
        name = module.__name__.rpartition(".")[2]
        if not callable(getattr(module, "reduce", None)):
            raise InputError(
                f"theory/flow/graph/reductions/{name}.py has no function `reduce`.",
                "Write reduce(problem, flow, known), which returns a Reduction or NotReduced.",
            )
        found[name] = module.reduce
    return found


def reductions_of(problem: Problem, flow: GraphFlow) -> dict[str, Reduction | NotReduced]:
    """Return every reduction by name: its result for a problem, or the reason why it does not apply.

    >>> from theory.flow.graph.data import flow_of
    >>> from theory.problem import FiniteData, Network, NormalInitialisation, SiteGate, Training
    >>> gates = SiteGate(0, lo=0, on="input"), SiteGate(0, hi=0, on="input")
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), (1,))
    >>> two = Problem(FiniteData([[1], [-1]], [1, 0]), Network("gated-linear", "mean", 2, gates), training)
    >>> print(reductions_of(two, flow_of(two))["exclusive"].parts[0].formulas[0].plain)
    E[1] = Syx[1] - 1/2 w.0 Sxx[1,1]
    """
    known, found = Known(problem, flow), {}
    for name, reduce in reducers().items():
        try:
            found[name] = reduce(problem, flow, known)
        except OutOfReachError as error:
            found[name] = NotReduced(why=str(error))
    return found
