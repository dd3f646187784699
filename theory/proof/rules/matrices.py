"""Rules for traces of products of matrices of any size: average over the data, gradient, and algebra.

A product is a word of letters, each a matrix symbol or its transpose, and a sum of products is a table from words to
coefficients. Products do not commute, so two sums of products are equal for matrices of every size if and only if their
tables are. Traces of words are equal where one word is a rotation of the other, or of its transpose.
"""

from collections.abc import Iterable
from functools import lru_cache
from operator import itemgetter

import sympy
from sympy.matrices.expressions import (
    Identity,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    Trace,
    Transpose,
    ZeroMatrix,
)

from theory.proof.derivation import Step, StepError, rule

Letter = tuple[MatrixSymbol, bool]  # a matrix symbol, and whether it is transposed
Word = tuple[Letter, ...]
Sum = dict[Word, sympy.Expr]

MEAN = sympy.Function("E")  # the average over the data


def transposed(word: Word, symmetric: frozenset[MatrixSymbol] = frozenset()) -> Word:
    """Return the transpose of a product: the transposes in the reverse order."""
    return tuple((symbol, not flag and symbol not in symmetric) for symbol, flag in reversed(word))


def products(expr: MatrixExpr, symmetric: frozenset[MatrixSymbol] = frozenset()) -> Sum:
    """Expand a matrix expression into products with their coefficients; `symmetric` are the matrices with S' = S.

    >>> A, B = MatrixSymbol("A", 2, 2), MatrixSymbol("B", 2, 2)
    >>> products((A + B) * B) == products(A * B + B * B), products(A * B) == products(B * A)
    (True, False)
    >>> products((A * B).T) == products(B.T * A.T)
    True
    """
    letter = _letter(expr, symmetric)
    if letter is not None:
        return {(letter,): sympy.S.One}
    if isinstance(expr, Identity):
        return {(): sympy.S.One}
    if isinstance(expr, ZeroMatrix):
        return {}
    if isinstance(expr, Transpose):
        return {transposed(word, symmetric): factor for word, factor in products(expr.arg, symmetric).items()}
    if isinstance(expr, MatAdd):
        return total(pair for term in expr.args for pair in products(term, symmetric).items())
    if isinstance(expr, MatPow) and expr.exp.is_Integer and expr.exp > 0:
        expr = MatMul(*[expr.base] * int(expr.exp), evaluate=False)
    if isinstance(expr, MatMul):
        expansion: Sum = {(): sympy.S.One}
        for factor in expr.args:
            letter = _letter(factor, symmetric)
            if letter is not None:  # different words stay different with one more letter: no terms to collect
                expansion = {(*word, letter): number for word, number in expansion.items()}
                continue
            each = products(factor, symmetric) if isinstance(factor, MatrixExpr) else {(): factor}
            expansion = total((a + b, x * y) for a, x in expansion.items() for b, y in each.items())
        return expansion
    raise StepError(f"{expr} is no sum of products of matrices")


def _letter(expr: sympy.Basic, symmetric: frozenset[MatrixSymbol]) -> Letter | None:
    """Return the letter of a matrix symbol or of its transpose; None for another expression."""
    if isinstance(expr, MatrixSymbol):
        return expr, False
    if isinstance(expr, Transpose) and isinstance(expr.arg, MatrixSymbol):
        return expr.arg, expr.arg not in symmetric
    return None


@lru_cache(maxsize=4)  # the steps of all weights start from the same loss
def traces(expr: sympy.Expr, symmetric: frozenset[MatrixSymbol] = frozenset()) -> Sum:
    """Expand a scalar into traces of products with their coefficients; one word represents all with the same trace.

    >>> A, B = MatrixSymbol("A", 2, 2), MatrixSymbol("B", 2, 2)
    >>> traces(Trace(A * B)) == traces(Trace(B * A)) == traces(Trace((A * B).T))
    True
    """
    parts = []
    for term in sympy.Add.make_args(expr):
        factor, trace = term.as_independent(Trace)
        if not isinstance(trace, Trace):
            raise StepError(f"{term} is no multiple of a trace")
        inside = products(trace.arg, symmetric)
        parts += [(_representative(word, symmetric), factor * each) for word, each in inside.items()]
    return total(parts)


@rule("matrix-algebra")
def matrix_algebra(before: sympy.Basic, step: Step) -> None:
    """Both statements are X = M with the same X, and the two M are sums of the same products.

    `using` lists the symmetric matrices.

    >>> A, B, X = (MatrixSymbol(name, 2, 2) for name in "ABX")
    >>> equation = lambda side: sympy.Eq(X, side, evaluate=False)
    >>> matrix_algebra(equation(A * (A + B)), Step(equation(A * A + A * B), "expanded", "matrix-algebra"))
    >>> matrix_algebra(equation(A * B), Step(equation(B * A), "exchanged", "matrix-algebra"))
    Traceback (most recent call last):
    theory.proof.derivation.StepError: the products A*B and B*A have different coefficients
    """
    if before.lhs != step.expr.lhs:
        raise StepError(f"{step.expr.lhs} is not {before.lhs}")
    symmetric = frozenset(step.using)
    same_products(products(before.rhs, symmetric), products(step.expr.rhs, symmetric))


@rule("matrix-substitute")
def matrix_substitute(before: sympy.Basic, step: Step) -> None:
    """X = M becomes X = M with matrices replaced by equal expressions; `using` holds pairs (matrix, expression).

    >>> A, B, X = (MatrixSymbol(name, 2, 2) for name in "ABX")
    >>> equation = lambda side: sympy.Eq(X, side, evaluate=False)
    >>> pair = sympy.Tuple(A, B.T)
    >>> matrix_substitute(equation(A * B), Step(equation(B.T * B), "A = B'", "matrix-substitute", (pair,)))
    """
    if before.lhs != step.expr.lhs:
        raise StepError(f"{step.expr.lhs} is not {before.lhs}")
    replaced = before.rhs.xreplace({old: new for old, new in step.using})
    same_products(products(replaced), products(step.expr.rhs))


@rule("matrix-gradient")
def matrix_gradient(before: sympy.Basic, step: Step) -> None:
    """L = a sum of traces becomes tau dW/dt = -dL/dW, with (dL/dW)_ij = dL/dW_ij.

    `using` is W, its velocity dW/dt, tau, then the symmetric matrices. Each occurrence of W contributes to the
    gradient: M' for the trace of W M, and M for the trace of W' M.

    >>> W, V, C, S = (MatrixSymbol(name, 2, 2) for name in "WVCS")
    >>> L, tau = sympy.symbols("L tau")
    >>> loss = sympy.Eq(L, Trace(W * S * W.T) / 2 - Trace(C.T * W), evaluate=False)
    >>> flow = lambda side: Step(sympy.Eq(tau * V, side, evaluate=False), "descent", "matrix-gradient", (W, V, tau, S))
    >>> matrix_gradient(loss, flow(C - W * S))
    >>> matrix_gradient(loss, flow(C - S * W))
    Traceback (most recent call last):
    theory.proof.derivation.StepError: the products S*W and W*S have different coefficients
    """
    weight, velocity, tau, *others = step.using
    if step.expr.lhs != tau * velocity:
        raise StepError(f"{step.expr.lhs} is not {tau * velocity}")
    symmetric = frozenset(others)
    if weight in symmetric:
        raise StepError(f"{weight} is declared symmetric, but the gradient needs independent entries")
    gradient = []
    for word, factor in traces(before.rhs, symmetric).items():
        if not factor.is_Number and before.lhs in factor.free_symbols:
            raise StepError(f"{before.lhs} occurs on both sides, so that the equation does not define it")
        for place, (symbol, flag) in enumerate(word):
            if symbol == weight:
                rest = word[place + 1 :] + word[:place]
                gradient.append((rest if flag else transposed(rest, symmetric), -factor))
    same_products(products(step.expr.rhs, symmetric), total(gradient))


@rule("matrix-average")
def matrix_average(before: sympy.Basic, step: Step) -> None:
    """L = a sum of averages E(trace) becomes a sum of traces of moments, as E is linear.

    `using` holds tuples (M, c, u, v) with M = E(c u v'): a matrix of moments, a number c and two columns
    that depend on the example (c may be a product of gates). Every other letter is the same for all examples.

    >>> x, y, g = MatrixSymbol("x", 3, 1), MatrixSymbol("y", 1, 1), sympy.Symbol("g")
    >>> W, C = MatrixSymbol("W", 1, 3), MatrixSymbol("C", 1, 3)
    >>> L = sympy.Symbol("L")
    >>> before = sympy.Eq(L, MEAN(g * Trace(y * x.T * W.T)), evaluate=False)
    >>> moments = (sympy.Tuple(C, g, y, x),)
    >>> averaged = sympy.Eq(L, Trace(C * W.T), evaluate=False)
    >>> matrix_average(before, Step(averaged, "averaged", "matrix-average", moments))
    """
    if before.lhs != step.expr.lhs:
        raise StepError(f"{step.expr.lhs} is not {before.lhs}")
    moments = {}
    for moment, factor, left, right in step.using:
        if (factor, left, right) in moments:
            raise StepError(f"two moments are given for {factor} {left} {right}'")
        moments[factor, left, right] = moment
    columns = frozenset(column for _, left, right in moments for column in (left, right))
    numbers = frozenset(symbol for factor, _, _ in moments for symbol in factor.free_symbols)
    symmetric = frozenset(moment for (_, left, right), moment in moments.items() if left == right)
    averages = []
    for term in sympy.Add.make_args(before.rhs):
        share, mean = term.as_independent(MEAN)
        if not isinstance(mean, MEAN) or share.free_symbols & numbers:
            raise StepError(f"{term} is no multiple of an average")
        for word, factor in traces(mean.args[0], symmetric).items():
            fixed, drawn = factor.as_independent(*numbers) if numbers else (factor, sympy.S.One)
            averages.append((_representative(_averaged(word, drawn, columns, moments), symmetric), share * fixed))
    same_products(traces(step.expr.rhs, symmetric), total(averages))


def _averaged(word: Word, drawn: sympy.Expr, columns: frozenset, moments: dict) -> Word:
    """Replace u v', the only part of the word that depends on the example, by its moment."""
    places = [place for place, (symbol, _) in enumerate(word) if symbol in columns]
    if len(places) == 2 and places[1] == places[0] + 1:
        (left, flipped), (right, flag) = word[places[0]], word[places[1]]
        rest = word[places[1] + 1 :] + word[: places[0]]
        if not flipped and flag and (drawn, left, right) in moments:
            return ((moments[drawn, left, right], False), *rest)
        if not flipped and flag and (drawn, right, left) in moments:
            return ((moments[drawn, right, left], True), *rest)
    said = "*".join(f"{symbol}'" if flag else str(symbol) for symbol, flag in word)
    raise StepError(f"no moment is given for {drawn}*{said}")


def _representative(word: Word, symmetric: frozenset[MatrixSymbol]) -> Word:
    """Return the first, in the order of names, of the words with the same trace."""
    rotations = []
    for each in (word, transposed(word, symmetric)):
        names = [(symbol.name, flag) for symbol, flag in each]
        rotations += [
            (names[place:] + names[:place], each[place:] + each[:place]) for place in range(max(len(each), 1))
        ]
    return min(rotations, key=itemgetter(0))[1]


def total(terms: Iterable[tuple[Word, sympy.Expr]]) -> Sum:
    """Add up products with their coefficients, without those whose coefficients cancel."""
    added: Sum = {}
    for word, factor in terms:
        added[word] = added[word] + factor if word in added else factor
    expanded = ((word, factor if factor.is_Number else sympy.expand(factor)) for word, factor in added.items())
    return {word: factor for word, factor in expanded if factor != 0}


def same_products(one: Sum, other: Sum) -> None:
    """Raise StepError, naming the products, where two tables differ."""
    only = [next((word for word in a if a[word] != b.get(word, 0)), None) for a, b in ((one, other), (other, one))]
    if only != [None, None]:
        said = sorted({"*".join(f"{s}'" if flag else str(s) for s, flag in word) for word in only if word is not None})
        raise StepError(f"the products {' and '.join(said)} have different coefficients")
