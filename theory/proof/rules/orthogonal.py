"""Rules for products with orthogonal and with diagonal matrices of any size; products as in `matrices`."""

import sympy
from sympy.matrices.expressions import MatrixExpr, MatrixSymbol

from theory.proof.derivation import Step, StepError, rule
from theory.proof.rules.matrices import Sum, Word, products, same_products, total


def cancelled(expr: MatrixExpr, orthogonal: frozenset[MatrixSymbol]) -> Sum:
    """Return the products of a matrix expression after Q'Q = QQ' = I for each orthogonal Q.

    >>> Q, A = MatrixSymbol("Q", 2, 2), MatrixSymbol("A", 2, 2)
    >>> cancelled(Q * Q.T * A, frozenset([Q])) == products(A)
    True
    """
    return total((_reduced(word, orthogonal), factor) for word, factor in products(expr).items())


def _reduced(word: Word, orthogonal: frozenset[MatrixSymbol]) -> Word:
    kept: list = []
    for symbol, flag in word:
        if kept and symbol in orthogonal and kept[-1] == (symbol, not flag):
            kept.pop()
        else:
            kept.append((symbol, flag))
    return tuple(kept)


@rule("matrix-orthogonal")
def matrix_orthogonal(before: sympy.Basic, step: Step) -> None:
    """Both statements are X = M with the same X, and the two M are sums of the same products once Q'Q = QQ' = I.

    `using` lists the orthogonal matrices Q.

    >>> Q, A, X = (MatrixSymbol(name, 2, 2) for name in "QAX")
    >>> equation = lambda side: sympy.Eq(X, side, evaluate=False)
    >>> matrix_orthogonal(equation(Q.T * Q * A), Step(equation(A), "Q'Q = I", "matrix-orthogonal", (Q,)))
    >>> matrix_orthogonal(equation(Q * A * Q.T), Step(equation(A), "Q'Q = I", "matrix-orthogonal", (Q,)))
    Traceback (most recent call last):
    theory.proof.derivation.StepError: the products A and Q*A*Q' have different coefficients
    """
    if before.lhs != step.expr.lhs:
        raise StepError(f"{step.expr.lhs} is not {before.lhs}")
    orthogonal = frozenset(step.using)
    for matrix in orthogonal:
        if matrix.shape[0] != matrix.shape[1]:
            raise StepError(f"{matrix} is not square")
    same_products(cancelled(before.rhs, orthogonal), cancelled(step.expr.rhs, orthogonal))


@rule("matrix-diagonal")
def matrix_diagonal(before: sympy.Basic, step: Step) -> None:
    """X = M becomes x = m for one diagonal entry, where every letter of both sides is a diagonal matrix.

    `using` holds pairs (diagonal matrix, its entry). An r x c matrix is diagonal if it is 0 off its diagonal; entries
    beyond its last row or column count as 0. A diagonal entry of a product is then the product of the entries.

    >>> A, B, X = MatrixSymbol("A", 2, 3), MatrixSymbol("B", 2, 3), MatrixSymbol("X", 2, 2)
    >>> a, b, x = sympy.symbols("a b x")
    >>> pairs = sympy.Tuple(A, a), sympy.Tuple(B, b), sympy.Tuple(X, x)
    >>> matrix = sympy.Eq(X, 2 * A * B.T, evaluate=False)
    >>> matrix_diagonal(matrix, Step(sympy.Eq(x, 2 * a * b, evaluate=False), "an entry", "matrix-diagonal", pairs))
    >>> matrix_diagonal(matrix, Step(sympy.Eq(x, a * b, evaluate=False), "an entry", "matrix-diagonal", pairs))
    Traceback (most recent call last):
    theory.proof.derivation.StepError: an entry of the right side is 2*a*b, not a*b
    """
    entries = {matrix: entry for matrix, entry in step.using}
    sides = ("left", before.lhs, step.expr.lhs), ("right", before.rhs, step.expr.rhs)
    for place, side, stated in sides:
        entry = sympy.S.Zero
        for word, factor in products(side).items():
            for symbol, _ in word:
                if symbol not in entries:
                    raise StepError(f"`using` does not list {symbol} as diagonal")
            entry += sympy.Mul(factor, *(entries[symbol] for symbol, _ in word))
        if sympy.expand(entry - stated) != 0:
            raise StepError(f"an entry of the {place} side is {entry}, not {stated}")
