"""Rules for statements with cases and for finite sums: sign by sign, and by telescoping.

They decide by substitution and by `theory.expressions.algebra`; an undecided step does not pass.
"""

import sympy

from theory.proof.derivation import Step, StepError, rule
from theory.proof.rules.shared import pairs, require_equal, require_rewritten, require_same


@rule("cases")
def cases(before: sympy.Basic, step: Step) -> None:
    """Two expressions agree for every combination of signs (+, 0, -) of the real symbols in `using`.

    Max, Piecewise and indicators of a symbol become plain algebra once its sign is known.

    >>> x = sympy.Symbol("x", real=True)
    >>> cases(sympy.Max(x, 0), Step((x + sympy.Abs(x)) / 2, "by the sign of x", "cases", (x,)))
    """
    if not step.using or not all(symbol.is_Symbol and symbol.is_real for symbol in step.using):
        raise StepError("`using` must list the real symbols whose signs define the cases")
    _each_sign(before, step.expr, list(step.using), [])


def _each_sign(before: sympy.Basic, after: sympy.Basic, symbols: list[sympy.Symbol], said: list[str]) -> None:
    if not symbols:
        where = ", ".join(said)
        if isinstance(before, sympy.Eq) and before.lhs == after.lhs:
            before, after = before.rhs, after.rhs
        require_same(before, after, f"where {where}")
        return
    symbol, *rest = symbols
    size = sympy.Dummy(symbol.name, positive=True)
    for relation, value in ((">", size), ("=", sympy.S.Zero), ("<", -size)):
        now = [*said, f"{symbol} {relation} 0"]
        _each_sign(before.subs(symbol, value), after.subs(symbol, value), rest, now)


@rule("telescope")
def telescope(before: sympy.Basic, step: Step) -> None:
    """`using` holds pairs (Sum(f, (k, a, b)), F); F(k + 1) - F(k) = f is proved and the sum becomes F(b+1) - F(a).

    >>> k, n = sympy.symbols("k n", integer=True, positive=True)
    >>> total = sympy.Sum(k, (k, 1, n))
    >>> telescope(total, Step(n * (n + 1) / 2, "Gauss", "telescope", (sympy.Tuple(total, k * (k - 1) / 2),)))
    """
    replacements = {}
    for total, antidifference in pairs(step):
        if not isinstance(total, sympy.Sum) or len(total.limits) != 1:
            raise StepError(f"{total} is not a sum over one index")
        index, low, high = total.limits[0]
        difference = antidifference.subs(index, index + 1) - antidifference
        require_equal(difference, total.function, f"the difference with respect to {index}")
        replacements[total] = antidifference.subs(index, high + 1) - antidifference.subs(index, low)
    require_rewritten(before, step, replacements)
