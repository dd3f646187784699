"""Rules that check steps on sums over units, inputs and samples by writing the sums out at a small size.

Every sum runs over a full range 1..size, and each of its terms depends on its indices. Multiplied out, a statement is
a sum over patterns of coinciding indices in a monomial. The coefficient of each pattern is the same at all sizes. If
the size equals the largest number of indices of one range in a monomial, every pattern occurs, so that an identity at
this size holds at all sizes. Sizes outside the limits of sums remain symbols.
"""

from itertools import product

import sympy

from theory.proof.derivation import Step, StepError, rule

# The most indices of one range in a monomial for which sums are written out.
MOST_INDICES = 4


def sizes_of(exprs: tuple[sympy.Expr, ...], free: tuple[sympy.Symbol, ...]) -> dict[sympy.Symbol, int]:
    """Return for each range the size at which every pattern occurs: the most indices in a monomial, at least 2.

    `free` are indices outside of sums; each counts for the ranges of the summation indices in the same positions.
    """
    places: dict[tuple[sympy.Expr, int], sympy.Symbol] = {}
    for expr in exprs:
        for total in expr.atoms(sympy.Sum):
            highs = {index: high for index, _, high in total.limits}
            for part in total.function.atoms(sympy.Indexed):
                places |= {(part.base, k): highs[index] for k, index in enumerate(part.indices) if index in highs}
    ranges = {high for expr in exprs for total in expr.atoms(sympy.Sum) for _, _, high in total.limits}
    parts = {part for expr in exprs for part in expr.atoms(sympy.Indexed)}
    sizes = dict.fromkeys(ranges, 0)
    for index in free:
        at = {(part.base, k) for part in parts for k, other in enumerate(part.indices) if other == index}
        for high in {places[place] for place in at if place in places} or ranges:
            sizes[high] += 1
    counts = [_indices(expr) for expr in exprs]
    for high in ranges:
        sizes[high] = max(2, sizes[high] + max(count.get(high, 0) for count in counts))
        if sizes[high] > MOST_INDICES:
            raise StepError(f"a monomial may have {sizes[high]} indices of 1..{high}; the limit is {MOST_INDICES}")
    return sizes


def values_of(indices: tuple[sympy.Symbol, ...], sizes: dict[sympy.Symbol, int]) -> list[dict]:
    """Return every assignment of values to free indices, up to the largest size."""
    return _places(dict.fromkeys(indices, max(sizes.values(), default=2)))


def _indices(expr: sympy.Expr) -> dict[sympy.Symbol, int]:
    """Return the most indices of each range in a monomial: the maximum over terms, the sum over factors."""
    if isinstance(expr, sympy.Sum):
        counts = dict(_indices(expr.function))
        for _, _, high in expr.limits:
            counts[high] = counts.get(high, 0) + 1
        return counts
    parts = [_indices(argument) for argument in expr.args if isinstance(argument, sympy.Expr)]
    if expr.is_Pow and expr.exp.is_Integer and expr.exp > 0:
        return {size: count * int(expr.exp) for size, count in parts[0].items()}
    together = max if expr.is_Add else sum
    sizes = set().union(*parts)
    return {size: together([part.get(size, 0) for part in parts]) for size in sizes}


def written_out(expr: sympy.Expr, sizes: dict[sympy.Symbol, int]) -> sympy.Expr:
    """Return `expr` with every sum over a full range written out at its size; raises StepError for other sums."""
    if not expr.args:
        return expr
    if not isinstance(expr, sympy.Sum):
        if not expr.has(sympy.Sum):
            return expr
        return expr.func(*(written_out(argument, sizes) for argument in expr.args))
    inner = written_out(expr.function, sizes)
    ranges = {}
    for index, low, high in expr.limits:
        if low != 1 or not high.is_Symbol:
            raise StepError(f"{expr} does not run over a full range")
        if not all(term.has(index) for term in sympy.Add.make_args(sympy.expand(inner))):
            raise StepError(f"a term of {expr} does not depend on {index}: its sum depends on the size")
        ranges[index] = sizes[high]
    return sympy.Add(*(inner.xreplace(at) for at in _places(ranges)))


def _places(ranges: dict[sympy.Symbol, int]) -> list[dict[sympy.Symbol, sympy.Integer]]:
    """Return every assignment of values to the indices."""
    values = product(*(map(sympy.Integer, range(1, size + 1)) for size in ranges.values()))
    return [dict(zip(ranges, at, strict=True)) for at in values]


@rule("gradient")
def gradient(before: sympy.Basic, step: Step) -> None:
    """Eq(q, -dL/dw[k, i]) becomes Eq(q, f): L is written out and differentiated as a polynomial of the entries.

    `using` holds the entry w[k, i], or a symbol for a parameter without indices.

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
        raise StepError("the right side must contain one derivative of a loss, and the left sides must be equal")
    (derivative,) = derivatives
    if derivative.variables != (entry,):
        raise StepError(f"the derivative is by {derivative.variables}, not by {entry}")
    indices = getattr(entry, "indices", ())
    # A monomial of the derivative has no other indices than a monomial of the loss.
    sizes = sizes_of((derivative.expr,), ())
    for high, size in sizes_of((step.expr.rhs,), tuple(indices)).items():
        sizes[high] = max(size, sizes.get(high, 2))
    loss, claimed = written_out(derivative.expr, sizes), written_out(step.expr.rhs, sizes)
    for place in values_of(indices, sizes):
        variable = sympy.Dummy("w")
        exact = sympy.Poly(loss.xreplace({entry.xreplace(place): variable}), variable).diff(variable).as_expr()
        rest = before.rhs.xreplace({derivative: exact}) - claimed.xreplace(place)
        if sympy.expand(rest.xreplace({variable: entry.xreplace(place)})) != 0:
            raise StepError(f"the derivative by {entry.xreplace(place)} differs")


@rule("average")
def average(before: sympy.Basic, step: Step) -> None:
    """Name averages over samples; `using` holds pairs (name[indices] or a symbol, its definition).

    >>> m, P = sympy.symbols("m P", integer=True, positive=True)
    >>> x, S, w, q = sympy.IndexedBase("x"), *sympy.symbols("S w q")
    >>> before = sympy.Eq(q, sympy.Sum(w * x[m] ** 2, (m, 1, P)) / P)
    >>> definition = sympy.Tuple(S, sympy.Sum(x[m] ** 2, (m, 1, P)) / P)
    >>> average(before, Step(sympy.Eq(q, w * S), "S is the mean square", "average", (definition,)))
    """
    sides = [statement.lhs - statement.rhs for statement in (before, step.expr)]
    free = sorted(
        {s for s in step.expr.rhs.free_symbols for name, _ in step.using if s in getattr(name, "indices", ())},
        key=sympy.default_sort_key,
    )
    unfolded = sides[1]
    for name, definition in step.using:
        unfolded = unfolded.replace(lambda part, name=name: _is_named(part, name), lambda _, d=definition: d)
    indices = {index for name, _ in step.using for index in getattr(name, "indices", ())}
    sizes = sizes_of((sides[0], unfolded), tuple(indices))
    names = {}
    for name, definition in step.using:
        whole = written_out(definition, sizes)
        for place in values_of(getattr(name, "indices", ()), sizes):
            names[name.xreplace(place)] = whole.xreplace(place)
    written = [written_out(side, sizes) for side in sides]
    for place in values_of(tuple(free), sizes):
        if sympy.expand(written[0].xreplace(place) - written[1].xreplace(place).xreplace(names)) != 0:
            raise StepError(f"the named averages give another equation at {place}")


def _is_named(part: sympy.Basic, name: sympy.Expr) -> bool:
    return (
        part.base == name.base if isinstance(part, sympy.Indexed) and isinstance(name, sympy.Indexed) else part == name
    )


@rule("name")
def name_parts(before: sympy.Basic, step: Step) -> None:
    """Give parts of a statement names that do not occur in it; `using` holds pairs (part, name).

    >>> x, y, a = sympy.symbols("x y a")
    >>> name_parts(sympy.Eq(y, (x + 1) ** 2), Step(sympy.Eq(y, a**2), "a = x + 1", "name", (sympy.Tuple(x + 1, a),)))
    """
    for part, name in step.using:
        if not before.has(part):
            raise StepError(f"{part} does not occur in the previous step")
        if before.has(name):
            raise StepError(f"the name {name} is already taken")
    if before.xreplace(dict(tuple(pair) for pair in step.using)) != step.expr:
        raise StepError("the statement differs from the previous one with these names")
