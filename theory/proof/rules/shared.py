"""The rules of derivation that all packages share: identity, integrate, substitute, cite.

Each checker decides by its own calculation (`theory.expressions.algebra`) and raises `StepError` unless the step is
proved; an undecided step does not pass. A chain starts with a "definition" or a "premise", which have no checker.
"""

import sympy

from theory.expressions.algebra import Domains, is_zero
from theory.expressions.pieces import Kind, decisive
from theory.expressions.real_algebra import RealSet, within
from theory.expressions.region import interval_of
from theory.proof.derivation import Step, StepError, rule


def require_equal(a: sympy.Expr, b: sympy.Expr, what: str, domains: Domains | None = None) -> None:
    """Raise `StepError` unless a = b is proved on the domains."""
    verdict = True if a == b else is_zero(a - b, domains)
    if verdict is not True:
        how = "is false" if verdict is False else "could not be proved"
        raise StepError(f"{what}: {a} = {b} {how}")


def require_same(before: sympy.Basic, after: sympy.Basic, what: str) -> None:
    """Raise `StepError` unless two expressions, or the differences of the sides of two equations, are proved equal."""
    if before == after:
        return
    if not (isinstance(before, sympy.Eq) and isinstance(after, sympy.Eq)):
        if isinstance(before, sympy.Eq) or isinstance(after, sympy.Eq):
            raise StepError(f"{what}: an equation and an expression are compared")
        require_equal(before, after, what)
        return
    require_equal(before.lhs - before.rhs, after.lhs - after.rhs, what)


def pairs(step: Step) -> list[tuple[sympy.Basic, sympy.Basic]]:
    """Return the (old, new) pairs in `step.using`, given as tuples or equations."""
    if not step.using:
        raise StepError(f"`using` must list the replacements of the rule {step.rule!r}")
    for item in step.using:
        if not isinstance(item, sympy.Tuple | sympy.Eq) or len(item.args) != 2:
            raise StepError(f"{item} is not a pair")
    return [(item.args[0], item.args[1]) for item in step.using]


def replaced(expr: sympy.Basic, replacements: dict[sympy.Basic, sympy.Basic]) -> sympy.Basic:
    """Return `expr` with the replacements made and integrals of zero removed."""
    after = expr.xreplace(replacements)
    empty = {integral: sympy.S.Zero for integral in after.atoms(sympy.Integral) if integral.function == 0}
    return after.xreplace(empty)


def require_rewritten(before: sympy.Basic, step: Step, replacements: dict[sympy.Basic, sympy.Basic]) -> None:
    """Raise unless the step is `before` with the replacements made (up to algebra)."""
    for old in replacements:
        if not before.has(old):
            raise StepError(f"{old} does not occur in the previous step")
    require_same(replaced(before, replacements), step.expr, "after the replacement")


@rule("identity")
def identity(before: sympy.Basic, step: Step) -> None:
    """The two statements are equal by algebra and the functional identities of `theory.expressions.algebra`.

    >>> x = sympy.Symbol("x", real=True)
    >>> identity(sympy.cosh(x), Step((sympy.exp(x) + sympy.exp(-x)) / 2, "by definition of cosh", "identity"))
    >>> identity(sympy.sin(x), Step(x, "wrong", "identity"))
    Traceback (most recent call last):
    theory.proof.derivation.StepError: identity: sin(x) = x is false
    """
    require_same(before, step.expr, "identity")


@rule("integrate")
def integrate(before: sympy.Basic, step: Step) -> None:
    """`using` holds pairs (Integral(f, (x, a, b)), F); F' = f is proved and the integral replaced by F(b) - F(a).

    >>> x, a = sympy.symbols("x a", positive=True)
    >>> area = sympy.Integral(x**2, (x, 0, a))
    >>> integrate(1 + area, Step(1 + a**3 / 3, "x^3/3", "integrate", (sympy.Tuple(area, x**3 / 3),)))
    """
    replacements = {}
    for integral, antiderivative in pairs(step):
        if not isinstance(integral, sympy.Integral) or len(integral.limits) != 1 or len(integral.limits[0]) != 3:
            raise StepError(f"{integral} is not a definite integral over one variable")
        x, low, high = integral.limits[0]
        require_equal(antiderivative.diff(x), integral.function, f"the derivative with respect to {x}")
        difference = antiderivative.xreplace({x: high}) - antiderivative.xreplace({x: low})
        if difference.has(sympy.oo, -sympy.oo, sympy.zoo, sympy.nan):
            raise StepError(f"the antiderivative {antiderivative} has no finite values at {low} and {high}")
        _require_continuous(antiderivative, integral, difference)
        replacements[integral] = difference
    require_rewritten(before, step, replacements)


def _require_continuous(antiderivative: sympy.Expr, integral: sympy.Integral, difference: sympy.Expr) -> None:
    """Raise unless F and f are continuous between the ends, in either order: no pole or root there, no jump up to them.

    The solver may use that F(b) - F(a) is real. Of an infinite end the direction counts.
    """
    x, low, high = integral.limits[0]
    y = sympy.Dummy("y", real=True)
    kinds = [item for part in (antiderivative, integral.function) for item in decisive(part)]
    functions = {(f.xreplace({x: y}), kind) for f, kind in kinds if kind is not Kind.KINK and f.has(x)}
    after, before = (sympy.sign(end) if end.is_infinite else end - y for end in (high, low))
    symbols = sympy.Tuple(difference, low, high, *(f for f, _ in functions)).free_symbols - {y}
    box = within({symbol: interval_of(symbol, {}) for symbol in symbols})
    points = RealSet((*box, (difference, "real")))
    for function, kind in sorted(functions, key=str):
        if not points.empty((after * before, "<=" if kind is Kind.JUMP else "<"), (function, "==")):
            raise StepError(f"{antiderivative} may jump between {low} and {high}: {function} may vanish there")


@rule("substitute")
def substitute(before: sympy.Basic, step: Step) -> None:
    """Substitute a value for a free symbol of an equation, or an expression proved equal for a part of an expression.

    >>> x, y = sympy.symbols("x y", real=True)
    >>> line = sympy.Eq(y, 2 * x + 1)
    >>> substitute(line, Step(sympy.Eq(y, 7), "x = 3", "substitute", (sympy.Tuple(x, 3),)))
    """
    replacements = dict(pairs(step))
    for old, new in replacements.items():
        if not (isinstance(before, sympy.Eq) and old.is_Symbol):
            require_equal(old, new, "substitution")
    after = before.subs(list(replacements.items()), simultaneous=True)
    require_same(after, step.expr, "after the substitution")


@rule("cite")
def cite(before: sympy.Basic, step: Step) -> None:
    """Replace left sides by right sides of the equations in `using`, or state one; `cites` names the claim of each.

    The catalog (`theory.claims`) checks that the claims exist, have these statements and hold.

    >>> x, y = sympy.symbols("x y", real=True)
    >>> known = sympy.Eq(sympy.Function("f")(x), x**2)
    >>> cite(known.lhs + y, Step(x**2 + y, "f is known", "cite", (known,), ("area.f",)))
    """
    if not step.cites or len(step.cites) != len(step.using):
        raise StepError("`cites` must name one claim for each equation in `using`")
    if step.expr in step.using:
        return
    require_rewritten(before, step, dict(pairs(step)))
