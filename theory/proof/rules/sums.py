"""Rules that check steps on sums over units, inputs and samples by writing the sums out at a small size.

Every sum runs over a full range 1..size, and a monomial of what is compared mentions at most two units, two inputs
and one sample. Its coefficient depends only on which of these indices coincide, so two values of each index show
every case: an identity at size 2 is an identity at all sizes. Sizes outside the limits of sums stay symbols.
"""

from itertools import product

import sympy

from theory.proof.derivation import Step, StepError, rule

_SIZE = 2


def written_out(expr: sympy.Expr) -> sympy.Expr:
    """`expr` with every sum of full range 1..size written out at size 2; raises StepError for other ranges."""
    if not expr.args:
        return expr
    if not isinstance(expr, sympy.Sum):
        return expr.func(*(written_out(argument) for argument in expr.args)) if expr.has(sympy.Sum) else expr
    for _, low, high in expr.limits:
        if low != 1 or not high.is_Symbol:
            raise StepError(f"{expr} does not run over a full range")
    inner = written_out(expr.function)
    indices = [index for index, _, _ in expr.limits]
    return sympy.Add(*(inner.xreplace(dict(zip(indices, at, strict=True))) for at in _tuples(len(indices))))


def _tuples(count: int) -> list[tuple[sympy.Integer, ...]]:
    return list(product([sympy.Integer(value) for value in range(1, _SIZE + 1)], repeat=count))


@rule("gradient")
def gradient(before: sympy.Basic, step: Step) -> None:
    """Eq(q, -dL/dw[k, i]) becomes Eq(q, f): L is written out and differentiated as a polynomial of the entries.

    `using` holds the entry w[k, i]; one without indices is a symbol.

    >>> i, N = sympy.symbols("i N", integer=True, positive=True)
    >>> w, x, q = sympy.IndexedBase("w"), sympy.IndexedBase("x"), sympy.Symbol("q")
    >>> j = sympy.Symbol("j", integer=True, positive=True)
    >>> loss = sympy.Sum(w[i] * x[i], (i, 1, N)) ** 2 / 2
    >>> before = sympy.Eq(q, -sympy.Derivative(loss, w[j], evaluate=False), evaluate=False)
    >>> after = sympy.Eq(q, -x[j] * sympy.Sum(w[i] * x[i], (i, 1, N)), evaluate=False)
    >>> gradient(before, Step(after, "the chain rule", "gradient", (w[j],)))
    """
    (entry,) = step.using
    derivatives = before.rhs.atoms(sympy.Derivative)
    if len(derivatives) != 1 or step.expr.lhs != before.lhs:
        raise StepError("one derivative of a loss is expected on the right, and the same left side")
    (derivative,) = derivatives
    if derivative.variables != (entry,):
        raise StepError(f"the derivative is by {derivative.variables}, not by {entry}")
    loss = written_out(derivative.expr)
    indices = getattr(entry, "indices", ())
    for at in _tuples(len(indices)):
        place = dict(zip(indices, at, strict=True))
        variable = sympy.Dummy("w")
        exact = sympy.Poly(loss.xreplace({entry.xreplace(place): variable}), variable).diff(variable).as_expr()
        claimed = written_out(step.expr.rhs).xreplace(place)
        rest = before.rhs.xreplace({derivative: exact}) - claimed
        if sympy.expand(rest.xreplace({variable: entry.xreplace(place)})) != 0:
            raise StepError(f"the derivative by {entry.xreplace(place)} differs")


@rule("average")
def average(before: sympy.Basic, step: Step) -> None:
    """Averages over samples get names; `using` holds pairs (name[indices] or a symbol, its definition).

    >>> m, P = sympy.symbols("m P", integer=True, positive=True)
    >>> x, S, w, q = sympy.IndexedBase("x"), *sympy.symbols("S w q")
    >>> before = sympy.Eq(q, sympy.Sum(w * x[m] ** 2, (m, 1, P)) / P)
    >>> definition = sympy.Tuple(S, sympy.Sum(x[m] ** 2, (m, 1, P)) / P)
    >>> average(before, Step(sympy.Eq(q, w * S), "S is the mean square", "average", (definition,)))
    """
    names = {}
    for name, definition in step.using:
        indices = getattr(name, "indices", ())
        for at in _tuples(len(indices)):
            place = dict(zip(indices, at, strict=True))
            names[name.xreplace(place)] = written_out(definition).xreplace(place)
    free = sorted(
        {s for s in step.expr.rhs.free_symbols for name, _ in step.using if s in getattr(name, "indices", ())},
        key=sympy.default_sort_key,
    )
    for at in _tuples(len(free)):
        place = dict(zip(free, at, strict=True))
        sides = [written_out(statement.lhs - statement.rhs).xreplace(place) for statement in (before, step.expr)]
        if sympy.expand(sides[0] - sides[1].xreplace(names)) != 0:
            raise StepError(f"the named averages give another equation at {place}")


@rule("name")
def name_parts(before: sympy.Basic, step: Step) -> None:
    """Parts of a statement get names that do not occur in it; `using` holds pairs (part, name).

    >>> x, y, a = sympy.symbols("x y a")
    >>> name_parts(sympy.Eq(y, (x + 1) ** 2), Step(sympy.Eq(y, a**2), "a = x + 1", "name", (sympy.Tuple(x + 1, a),)))
    """
    for part, name in step.using:
        if not before.has(part):
            raise StepError(f"{part} does not occur in what came before")
        if before.has(name):
            raise StepError(f"the name {name} is already taken")
    if before.xreplace(dict(tuple(pair) for pair in step.using)) != step.expr:
        raise StepError("the statement with these names is another one")
