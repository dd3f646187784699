"""A claim: a statement as data, its sources, and the definitions and predictions used at each level of checking."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Any

import mpmath
import sympy

from theory.claims.sources import Source
from theory.expressions.balls.precision import decimals
from theory.problem import Observable, Problem
from theory.proof.derivation import Derivation

Point = Mapping[sympy.Symbol, sympy.Rational]  # exact parameter values
Oracle = Callable[[Point, int], mpmath.mpf]  # (point, digits) -> the defining integral, sum or ODE


class Kind(StrEnum):
    """The kind of statement that a claim makes, which determines the evidence it needs.

    A definition, and a sentence that an experiment decides, needs no oracle:

    >>> from theory.claims import reasons
    >>> [kind.value for kind in reasons.OF_KIND]
    ['definition', 'empirical']
    """

    DEFINITION = "definition"
    EQUATION = "equation"
    INEQUALITY = "inequality"
    EQUIVALENCE = "equivalence"
    ASYMPTOTIC = "asymptotic"
    EMPIRICAL = "empirical"


class Level(StrEnum):
    """The independent levels of checking, in the order in which they are run.

    >>> from theory.claims.judge import applicable
    >>> claim = Claim("an.example.equation", "x", Kind.EQUATION, sympy.true, oracle=lambda point, digits: mpmath.mpf(1))
    >>> [level.value for level in applicable(claim)]
    ['precise', 'negative control']
    """

    SYMBOLIC = "symbolic"
    EXACT = "exact"
    PRECISE = "precise"
    FLOATING = "floating"
    SIMULATED = "simulated"
    NEGATIVE_CONTROL = "negative control"


class Outcome(StrEnum):
    """The outcome of one level of checking.

    An inconclusive level does not pass:

    >>> from theory.claims.judge import standing
    >>> claim = Claim("an.example.equation", "x", Kind.EQUATION, sympy.true)
    >>> standing(claim, (CheckResult(claim.id, Level.SYMBOLIC, Outcome.INCONCLUSIVE),)).value
    'OPEN'
    """

    PASS = "PASS"
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"
    SKIPPED = "SKIPPED"


class Standing(StrEnum):
    """The outcome of all checks of a claim's own statement, independent of the forms that its sources print.

    >>> from theory.claims.judge import standing
    >>> from theory.claims import catalog
    >>> standing(catalog()["model.network.definition"], ()).value
    'DEFINITION'
    """

    DEFINITION = "DEFINITION"
    HOLDS = "HOLDS"
    FAILS = "FAILS"
    OPEN = "OPEN"


@dataclass(frozen=True)
class Param:
    """A parameter of a statement: its symbol, its domain (a SymPy set), and points that must be tried.

    `likely` is the part of the domain from which random points are drawn, if the oracle does not reach its relative
    accuracy on the whole domain; the statement is claimed for the whole domain.

    >>> gain = Param(sympy.Symbol("g", positive=True), sympy.Interval.open(0, sympy.oo), "gain")
    >>> 100 in gain.domain, 0 in gain.domain
    (True, False)
    """

    symbol: sympy.Symbol
    domain: sympy.Set
    doc: str
    interesting: tuple[sympy.Rational, ...] = ()
    likely: sympy.Set | None = None


@dataclass(frozen=True)
class Alternative:
    """A wrong form that an experiment must be able to reject: its name and its prediction for a problem."""

    name: str
    predict: Callable[[Problem], Any]


@dataclass(frozen=True)
class Registration:
    """An experiment fixed before it is run.

    `observable` is measured, `predict(problem)` gives the theory's array of the same shape; the estimate passes
    when it is not rejected at `level` (family-wise) and equivalent within `margin` x max|prediction|.
    `prepare(problem)` returns the problem with the values that the theory must supply before training, such as w(0).

    The margin and the level are those of every exact law unless a registration says otherwise:

    >>> from theory.problem import WeightsAtTimes
    >>> plan = Registration(("small-bump",), WeightsAtTimes(), predict=lambda problem: None)
    >>> str(plan.margin), str(plan.level)
    ('1/100', '1/100')
    """

    problems: tuple[str, ...]  # names of problem files below derivations/experiments
    observable: Observable
    predict: Callable[[Problem], Any]
    prepare: Callable[[Problem], Problem] | None = None
    margin: Fraction = Fraction(1, 100)
    level: Fraction = Fraction(1, 100)
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True)
class Claim:
    """A statement with everything needed to judge it. Ids read `area.subject.fact` and are never reused.

    `title` is a short name; `protocol` is the whole sentence, with the setting in which an experiment decides it, where
    the name does not say it.
    `statement` is an Eq whose right-hand side is evaluated at points; `oracle` computes the left-hand side from its
    definition and shares no code with the right-hand side; `exact` does the same in fractions, where the definition is
    rational; `numeric` is the library's float64 path, called with the parameters by name. `conditions` are relations
    among the parameters (a determinant > 0) that points drawn from the domains must meet; `assumptions` are prose that
    no point can test. `drawn` random points are tried beside the interesting ones (fewer where the oracle takes
    seconds). `settled_by` names the evidence that would decide a claim that its source leaves undecidable. `unchecked`
    gives the reason for each level that does not apply. `known` names the literature, beyond the sources, that has the
    statement or a part of it (`theory.claims.literature`).

    >>> from theory.claims import catalog
    >>> claim = catalog()["gaussian.step_step.orthant"]
    >>> claim.statement.rhs, [str(param.domain) for param in claim.params]
    (asin(rho)/(2*pi) + 1/4, ['Interval.open(-1, 1)'])
    """

    id: str
    title: str
    kind: Kind
    statement: sympy.Basic
    params: tuple[Param, ...] = ()
    assumptions: tuple[str, ...] = ()
    conditions: tuple[sympy.Basic, ...] = ()
    sources: tuple[Source, ...] = ()
    oracle: Oracle | None = None
    exact: Callable[[Point], Fraction] | None = None
    derive: Callable[[], Derivation] | None = None
    numeric: Callable[..., Any] | None = None
    registration: Registration | None = None
    cites: tuple[str, ...] = ()
    drawn: int = 6
    settled_by: str = ""
    unchecked: Mapping[Level, str] = field(default_factory=dict)
    protocol: str = ""
    known: str = ""

    @property
    def sentence(self) -> str:
        """What the claim says, as one sentence of Markdown without a full stop."""
        return self.protocol or self.title

    def __post_init__(self) -> None:
        # Oracles set the precision of mpmath, which all threads share: one at a time.
        if self.oracle is not None:
            object.__setattr__(self, "oracle", decimals()(self.oracle))


@dataclass(frozen=True)
class CheckResult:
    """The outcome of one level for one claim: the worst deviation seen, its tolerance, and where it was seen.

    >>> from theory.claims import catalog
    >>> from theory.claims.levels import exact
    >>> result = exact(catalog()["model.relu.gating"])
    >>> result.outcome.value, result.worst, result.tolerance  # exact numbers differ by nothing
    ('PASS', 0.0, 0.0)
    """

    claim: str
    level: Level
    outcome: Outcome
    worst: float | None = None
    tolerance: float | None = None
    where: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
