"""Claims of the book on an average that a reader asks for: where the book states and derives it."""

from typing import Any

import sympy

from derivations.explore.bar import marked
from derivations.publish.places import placed, sources
from theory.claims import catalog
from theory.claims.model import Claim
from theory.conjecture import read
from theory.conjecture.statement import in_steps
from theory.expressions.symbols import z
from theory.gaussian.expectation import Expectation


def claims_on(line: str, cov: str, mean: str, where: str) -> list[dict[str, Any]]:
    """Return id, title and page of each claim whose statement has the average, or one of those of an equation.

    A claim counts where names or values in place of its parameters turn its average into the one asked for.

    >>> [claim["id"] for claim in claims_on("Heaviside(z1)*Heaviside(z2)", "[[1, 1/3], [1/3, 1]]", "", "")]
    ['gaussian.step_step.orthant', 'ntk.fixed_gates.kernel', 'ntk.recursion.value']
    """
    equation = line if "=" in line else f"E[{line}] = 0"
    expectations = read(equation, cov or None, mean or None, where or None).expectations
    claims = catalog()
    pages = placed(claims, sources())
    return [
        {"id": name, "title": marked(claim.title), "page": pages[name].page}
        for name, claim in claims.items()
        if any(_covers(stated, one, claim) for stated in claim.statement.atoms(Expectation) for one in expectations)
    ]


def _covers(stated: Expectation, expectation: Expectation, claim: Claim) -> bool:
    """Whether values of the claim's parameters, numbers inside of their domains, make both averages equal."""
    if stated.cov.shape != expectation.cov.shape:
        return False
    domains = {param.symbol: param.domain for param in claim.params}
    variables = [z(place + 1) for place in range(stated.cov.rows)]
    blanks = {symbol: sympy.Wild(symbol.name, exclude=variables) for symbol in domains}
    target = sympy.Tuple(expectation.integrand, *expectation.cov)
    pattern = sympy.Tuple(in_steps(stated.integrand), *stated.cov).xreplace(blanks)
    match = target.match(pattern)
    if match is None or pattern.xreplace(match) != target:
        return False
    values = {symbol: match[blank] for symbol, blank in blanks.items() if blank in match}
    return all(domains[symbol].contains(value) != sympy.false for symbol, value in values.items() if value.is_number)
