"""The rule that applies a statement about matrices of any size to matrices whose entries are given."""

import sympy

from theory.proof.derivation import Step, StepError, rule
from theory.proof.rules.modes import require_zero


@rule("components")
def components(before: sympy.Basic, step: Step) -> None:
    """Eq(L, m), m a polynomial of A, A+, b and b' as in "complete-square", becomes Eq(L, f) in their entries.

    `using` is (A, A+), (b, b'), a pair of matrices for the first two, a column for b, then pairs (number, its value).
    The matrices must satisfy the assumptions that are made in any dimension: A is symmetric, A+ is its pseudo-inverse
    (the four equations of Penrose), and b lies in its range.

    >>> A, A_plus, b, b_row = sympy.symbols("A A_plus b b_row", commutative=False)
    >>> c, L = sympy.symbols("c L")
    >>> singular = sympy.ImmutableMatrix([[1, 1], [1, 1]])
    >>> entries = (sympy.Tuple(singular, singular / 4), sympy.ImmutableMatrix([c, c]))
    >>> using = (sympy.Tuple(A, A_plus), sympy.Tuple(b, b_row), *entries)
    >>> before = sympy.Eq(L, 1 - b_row * A_plus * b)
    >>> components(before, Step(sympy.Eq(L, 1 - c**2), "two equal components", "components", using))
    """
    (matrix, inverse), (force, force_row), (entries, inverse_entries), column, *numbers = step.using
    across, back = entries * inverse_entries, inverse_entries * entries
    for side, other, fact in (
        (entries, entries.T, "A is symmetric"),
        (across * entries, entries, "A A+ A = A"),
        (back * inverse_entries, inverse_entries, "A+ A A+ = A+"),
        (across, across.T, "A A+ is symmetric"),
        (back, back.T, "A+ A is symmetric"),
        (across * column, column, "b lies in the range of A"),
    ):
        for difference in side - other:
            require_zero(difference, f"the entries violate that {fact}")
    known = {matrix: entries, inverse: inverse_entries, force: column, force_row: column.T}
    total = sympy.S.Zero
    for term in sympy.Add.make_args(sympy.expand(before.rhs)):
        numeric, symbols = term.args_cnc()
        product = sympy.eye(1)
        for position, symbol in enumerate(symbols):
            if symbol not in known:
                raise StepError(f"{symbol} has no entries")
            product = product * known[symbol] if position else known[symbol]
        if product.shape != (1, 1):
            raise StepError(f"{term} is not a scalar")
        total += sympy.Mul(*numeric) * product[0, 0]
    if step.expr.lhs != before.lhs:
        raise StepError(f"{step.expr} is about {step.expr.lhs}, not about {before.lhs}")
    require_zero(total.subs(dict(tuple(pair) for pair in numbers)) - step.expr.rhs, "the components differ")
