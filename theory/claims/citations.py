"""Citations between claims: a cited claim must exist, state what is used, and not cite back; doubts are inherited."""

from collections.abc import Callable, Mapping

import sympy

from theory.claims.model import Claim, Standing
from theory.proof.derivation import Derivation

_IN_DOUBT = (Standing.FAILS, Standing.OPEN)


def citation_error(derivation: Derivation, claims: Mapping[str, Claim]) -> str:
    """Return the first fault of a derivation's citations, or an empty string.

    Each equation used must be an instance of the cited claim's statement: equal to it after expressions are substituted
    for its parameters.

    >>> from theory.proof.derivation import Step
    >>> cited = Step(sympy.Integer(1), "known", "cite", (sympy.Integer(1),), ("area.subject.fact",))
    >>> citation_error(Derivation("an.example.proof", sympy.true, (cited,)), {})
    'cites area.subject.fact, which is no claim'
    """
    for step in derivation.steps:
        for name, used in zip(step.cites, step.using, strict=False):
            if name not in claims:
                return f"cites {name}, which is no claim"
            if instance(claims[name], used) is None:
                return f"cites {name} for {used}, but that claim states {claims[name].statement}"
    return ""


def cited_by(claim: Claim) -> tuple[str, ...]:
    """Return the ids of the claims on which a claim depends: those it lists and those its derivation cites.

    >>> from theory.claims import catalog
    >>> cited_by(catalog()["flow.descent.weights"])
    ('flow.gradient.entry',)
    """
    steps = claim.derive().steps if claim.derive else ()
    return tuple(dict.fromkeys((*claim.cites, *(name for step in steps for name in step.cites))))


def order(claims: Mapping[str, Claim], cited: Callable[[Claim], tuple[str, ...]] = cited_by) -> tuple[Claim, ...]:
    """Return the claims, every cited one before those that cite it. Raises ValueError for a cycle of citations.

    `cited` returns the ids of the claims that a claim depends on, if they are known without its derivation.

    >>> from theory.claims.model import Kind
    >>> names = ("a.theorem.one", "a.lemma.one")
    >>> theorem, lemma = claims = [Claim(name, name, Kind.DEFINITION, sympy.true) for name in names]
    >>> found = order(dict(zip(names, claims)), lambda claim: (lemma.id,) if claim is theorem else ())
    >>> [claim.id for claim in found]
    ['a.lemma.one', 'a.theorem.one']
    """
    placed: dict[str, Claim] = {}

    def place(claim: Claim, path: tuple[str, ...]) -> None:
        if claim.id in path:
            raise ValueError(f"claims cite each other in a circle: {' -> '.join((*path, claim.id))}")
        if claim.id in placed:
            return
        for name in cited(claim):
            if name in claims:
                place(claims[name], (*path, claim.id))
        placed[claim.id] = claim

    for claim in claims.values():
        place(claim, ())
    return tuple(placed.values())


def inherited(own: Standing, cited: tuple[Standing, ...]) -> Standing:
    """Return the standing, given those of the cited claims: a claim that cites a false or open one is open at best.

    >>> inherited(Standing.HOLDS, (Standing.OPEN,)).value
    'OPEN'
    """
    if own is Standing.FAILS or not any(standing in _IN_DOUBT for standing in cited):
        return own
    return Standing.OPEN


def instance(claim: Claim, used: sympy.Basic) -> dict[sympy.Symbol, sympy.Basic] | None:
    """Return the values of the claim's parameters in `used`, or None if `used` is not an instance of its statement.

    >>> from theory.claims.model import Kind, Param
    >>> x, y, f = sympy.Symbol("x"), sympy.Symbol("y"), sympy.Function("f")
    >>> square = Claim("a.square.one", "f", Kind.EQUATION, sympy.Eq(f(x), x**2), (Param(x, sympy.Reals, "any number"),))
    >>> instance(square, sympy.Eq(f(y + 1), (y + 1) ** 2)), instance(square, sympy.Eq(f(y), y**3))
    ({x: y + 1}, None)
    """
    found: dict[sympy.Symbol, sympy.Basic] = {}
    symbols = {param.symbol for param in claim.params}
    return found if _unify(claim.statement, used, symbols, found) else None


def _unify(
    pattern: sympy.Basic, used: sympy.Basic, symbols: set[sympy.Symbol], found: dict[sympy.Symbol, sympy.Basic]
) -> bool:
    """Match the left sides argument by argument to learn the parameters, then require the whole statement to agree."""
    if isinstance(pattern, sympy.Eq) and isinstance(used, sympy.Eq):
        return _unify(pattern.lhs, used.lhs, symbols, found) and pattern.xreplace(found) == used
    if pattern in symbols:
        return found.setdefault(pattern, used) == used
    if pattern == used:
        return True
    same_shape = pattern.func == used.func and len(pattern.args) == len(used.args) and pattern.args
    return bool(same_shape) and all(
        _unify(one, other, symbols, found) for one, other in zip(pattern.args, used.args, strict=True)
    )
