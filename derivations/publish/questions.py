"""The question that `gdln check` and the formula view of the explorer take, for a claim on a Gaussian expectation."""

import shlex
from dataclasses import dataclass
from urllib.parse import urlencode

import sympy

from theory.claims.model import Claim, Param
from theory.gaussian.expectation import Expectation
from theory.gaussian.moment import text


@dataclass(frozen=True)
class Question:
    """An equation with its covariance and the domains of its parameters, as they are typed."""

    line: str
    cov: str
    where: str

    @property
    def command(self) -> str:
        """The command that checks the equation, for a shell."""
        words = ["gdln", "check", self.line, "--cov", self.cov, *(["--where", self.where] if self.where else [])]
        return shlex.join(words)

    @property
    def opening(self) -> str:
        """The command that opens the question in the explorer, for a shell."""
        return shlex.join(["gdln", "explore", "--at", self.fragment])

    @property
    def fragment(self) -> str:
        """The part of the explorer's address that opens the question in its formula view."""
        return f"#/formula?{urlencode({'line': self.line, 'cov': self.cov, 'where': self.where})}"


def question(claim: Claim) -> Question | None:
    """Return the question of a claim E[...] = ...; None for other statements and for domains that cannot be typed.

    >>> from theory.claims import catalog
    >>> asked = question(catalog()["gaussian.step_step.orthant"])
    >>> asked.line, asked.where
    ('E[Heaviside(z1)*Heaviside(z2)] = asin(rho)/(2*pi) + 1/4', '-1<rho<1')
    """
    statement = claim.statement
    if not isinstance(statement, sympy.Eq) or not isinstance(statement.lhs, Expectation):
        return None
    typed = all(isinstance(param.domain, sympy.Interval) for param in claim.params)
    if not typed or any(isinstance(condition, sympy.Ne) for condition in claim.conditions):
        return None
    rows = ", ".join(f"[{', '.join(map(text, row))}]" for row in statement.lhs.cov.tolist())
    bounds = [_bounds(param) for param in claim.params]
    conditions = [_relation(condition) for condition in claim.conditions]
    line = f"E[{text(statement.lhs.integrand)}] = {text(statement.rhs)}"
    return Question(line, f"[{rows}]", ", ".join(bounds + conditions))


def _bounds(param: Param) -> str:
    domain, name = param.domain, param.symbol.name
    low, high = "<" if domain.left_open else "<=", "<" if domain.right_open else "<="
    if domain.end == sympy.oo and domain.start != -sympy.oo:
        return f"{name}{low.replace('<', '>')}{text(domain.start)}"
    return f"{text(domain.start)}{low}{name}{high}{text(domain.end)}"


def _relation(condition: sympy.core.relational.Relational) -> str:
    return f"{text(condition.lhs)}{condition.rel_op}{text(condition.rhs)}"
