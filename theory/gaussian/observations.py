"""Conditioning on linear observations A z = b: the conditional law of a Gaussian, and expectations under it.

With K = C A^T and S = A C A^T, the law of z ~ N(m, C) given A z = b is again Gaussian, with

    mean m + K y, where S y = b - A m,    covariance C - K W K^T, where W is symmetric and K W S = K.

W is the inverse of S where S has one. The observations are taken one after the other, so that those that follow from
earlier ones are left out, and those that contradict them are errors. An observation with noise is one of a sum, whose
second term is a further variable with the variance of the noise.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import sympy

from theory.expressions.algebra import is_zero
from theory.expressions.balls.known_sign import known_sign
from theory.expressions.balls.precision import decimals
from theory.expressions.symbols import z
from theory.gaussian.covariance import covariance, exact, is_real, means
from theory.gaussian.derive.integrand import affine, linear
from theory.gaussian.expectation import Expectation, GivenExpectation, variables
from theory.gaussian.text import typed
from theory.problem.errors import InputError, OutOfReachError
from theory.proof.derivation import Step

ZERO = sympy.Integer(0)
WHY = (
    "a Gaussian given linear observations is Gaussian: its mean is the regression on the observed values, and the "
    "residual of the regression has its covariance"
)
LINEAR = "Observations are equations such as z1 - 2*z2 = 1."


@dataclass(frozen=True)
class ConditionalLaw:
    """The law N(mean, cov) of z given A z = b, with y and W of the formulas above.

    `relations` are the variables that the observations express by others, up to the mean: each with that linear form.
    `innovations` are the variances of what each observation adds to the earlier ones; the law holds where none is 0.
    """

    mean: sympy.ImmutableDenseMatrix
    cov: sympy.ImmutableDenseMatrix
    y: sympy.ImmutableDenseMatrix
    W: sympy.ImmutableDenseMatrix
    relations: dict[sympy.Symbol, sympy.Expr] = field(default_factory=dict)
    innovations: tuple[sympy.Expr, ...] = ()


@decimals()
def conditional_law(
    given: object, cov: object, mean: object = None, where: str | None = None
) -> tuple[sympy.ImmutableDenseMatrix, sympy.ImmutableDenseMatrix]:
    """Return mean and covariance of z ~ N(mean, cov) given linear observations, in exact numbers and symbols.

    `given` is text such as "z1 + z2 = 1, z3 = b", or pairs of a form in z and its value; the rest is as for `expect`.
    The mean is m + C A^T (A C A^T)^-1 (b - A m), the covariance C - C A^T (A C A^T)^-1 A C (Rasmussen and Williams,
    Gaussian Processes for Machine Learning, (A.6)); they hold wherever no denominator is zero. Observations may depend
    on each other. Raises InputError where they contradict each other or the covariance, and OutOfReachError for
    observations that are not linear.

    Given z1 + z2 = 1, independent variables have the mean 1/2, and their sum has no variance:

    >>> mean, cov = conditional_law("z1 + z2 = 1", "[[1, 0], [0, 1]]")
    >>> list(mean), cov
    ([1/2, 1/2], Matrix([
    [ 1/2, -1/2],
    [-1/2,  1/2]]))

    An observation of z1 with noise of variance s is one of the sum z1 + z2:

    >>> mean, cov = conditional_law("z1 + z2 = b", "[[1, 0], [0, s]]", where="s>0")
    >>> mean[0], cov[0, 0]
    (b/(s + 1), s/(s + 1))
    """
    _, rows, middle, pairs = typed(ZERO, cov, mean, where, given)
    matrix = covariance(rows)
    start = sympy.zeros(matrix.rows, 1) if middle is None else means(middle, matrix.rows)
    law = law_given(observed(ZERO, matrix, start, pairs))
    return (start + law.mean).applyfunc(_simple).as_immutable(), law.cov


def observed(
    integrand: sympy.Expr, cov: sympy.ImmutableDenseMatrix, mean: sympy.MatrixBase, observations: object
) -> GivenExpectation:
    """Return E[integrand | observations], both in variables without mean, for pairs of a form in z and its value.

    >>> observed(z(1), sympy.eye(2), sympy.Matrix([0, 3]), [(z(1) + z(2), 1)])
    E[z1 | z1 + z2 = -2; cov=[[1, 0], [0, 1]]]
    """
    pairs = list(observations) if isinstance(observations, Sequence) and not isinstance(observations, str) else []
    if not pairs or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in pairs):
        raise InputError(
            f"{observations!r} are no observations.", 'Give text, "z1 + z2 = 1", or pairs, [(z(1) + z(2), 1)].'
        )
    rows, values = [], []
    for left, right in pairs:
        left, right = exact(left), exact(right)
        if (left - right).has(sympy.I, sympy.zoo, sympy.nan, sympy.oo, -sympy.oo):
            raise InputError(f"{left} = {right} is not an equation of real numbers.", LINEAR)
        try:
            form, offset = affine(left - right)
        except OutOfReachError as error:
            raise OutOfReachError(f"{left} = {right} is not linear in the Gaussian variables.", LINEAR) from error
        if not form:
            raise InputError(f"{left} = {right} contains no Gaussian variable.", LINEAR)
        if max(form) > cov.rows:
            raise InputError(
                f"z{max(form)} is observed, but the covariance matrix is {cov.rows} x {cov.rows}.",
                f"Use z1 to z{cov.rows}, or give a larger matrix.",
            )
        if not all(map(is_real, (*form.values(), offset))):
            raise InputError(f"{left} = {right} is not an equation of real numbers.", LINEAR)
        rows.append([form.get(k + 1, ZERO) for k in range(cov.rows)])
        values.append(-offset)
    A = sympy.ImmutableDenseMatrix(rows)
    return GivenExpectation(integrand, cov, A, sympy.Matrix(values) - A * mean)


def law_given(e: GivenExpectation) -> ConditionalLaw:
    """Return the conditional law of the variables of E[f | A z = b]; InputError where the observations contradict.

    Each observation is judged by its innovation, what the earlier ones do not predict of it: one without variance says
    nothing new, or a value that cannot occur.

    >>> law = law_given(GivenExpectation(z(1), sympy.eye(1), sympy.Matrix([[1], [2]]), sympy.Matrix([3, 6])))
    >>> list(law.mean), list(law.cov), law.relations
    ([3], [0], {z1: 0})
    """
    A, values, size, equations = e.A, e.values, e.A.rows, e.equations()
    gain = e.cov * A.T
    gram = A * gain
    y, W = sympy.zeros(size, 1), sympy.zeros(size, size)
    relations: dict[sympy.Symbol, sympy.Expr] = {}
    innovations = []
    for i in range(size):
        u = (sympy.eye(size)[:, i] - W * gram[:, i]).applyfunc(_simple)
        variance = _simple((gram[i, :] * u)[0])
        gap = _simple(values[i] - (gram[i, :] * y)[0])
        if _vanishes(variance, equations[i]):
            if not _vanishes(gap, equations[i]):
                raise _contradiction(e, i, gap)
            continue
        innovations.append(variance)
        y = (y + u * gap / variance).applyfunc(_simple)
        W = (W + u * u.T / variance).applyfunc(_simple)
        _relate(relations, sympy.Add(*(a * z(k + 1) for k, a in enumerate(A[i, :]))))
    mean = (gain * y).applyfunc(_simple)
    cov = e.cov - gain * W * gain.T
    # Equal entries are written once, because two different routes to them may be written differently.
    cov = sympy.ImmutableDenseMatrix(*cov.shape, lambda i, j: _simple(cov[max(i, j), min(i, j)]))
    return ConditionalLaw(mean.as_immutable(), cov, y.as_immutable(), W.as_immutable(), relations, tuple(innovations))


def _simple(entry: sympy.Expr) -> sympy.Expr:
    """Return a fraction in lowest terms, without roots in the denominator where there are no symbols."""
    if entry.is_Rational:
        return entry
    return sympy.factor_terms(sympy.cancel(entry)) if entry.free_symbols else sympy.radsimp(entry)


def _vanishes(entry: sympy.Expr, equation: str) -> bool:
    zero = is_zero(entry)
    if zero is None:
        raise OutOfReachError(
            f"Whether {entry} is zero is not decided, so {equation} cannot be observed.",
            "Write its numbers in a simpler form.",
        )
    return zero


def _contradiction(e: GivenExpectation, index: int, gap: sympy.Expr) -> InputError:
    *earlier, equation = e.equations()[: index + 1]
    before = f" given {', '.join(earlier)}" if earlier else ""
    form, _, value = equation.partition(" = ")
    certain = sympy.expand(e.values[index] - gap)
    apart = f" It is {value} only where {gap} = 0." if gap.free_symbols else ""
    return InputError(
        f"{equation} cannot be observed: in variables without mean, {form} is certainly {certain}{before}.{apart}",
        "Correct the value, or leave the equation out.",
    )


def _relate(relations: dict[sympy.Symbol, sympy.Expr], form: sympy.Expr) -> None:
    """Add the variable that form = 0 determines, if a coefficient is known not to be zero: rational ones come first."""
    coefficients, _ = affine(form.xreplace(relations))
    known = [k for k, c in coefficients.items() if known_sign(c)]
    if not known:
        return
    last = max(known, key=lambda k: (bool(coefficients[k].is_Rational), k))
    rest = {k: _simple(-c / coefficients[last]) for k, c in coefficients.items() if k != last}
    for symbol, other in relations.items():
        relations[symbol] = sympy.expand(other.xreplace({z(last): linear(rest)}))
    relations[z(last)] = linear(rest)


def conditioned(e: GivenExpectation) -> tuple[Expectation, ConditionalLaw]:
    """Return E[f | A z = b] as an expectation of f(mean + z) under the conditional covariance, with the law.

    Raises OutOfReachError for a step whose argument is observed to be zero, besides the errors of `law_given`.

    >>> r = sympy.Symbol("r", real=True)
    >>> pair = sympy.Matrix([[1, r], [r, 1]])
    >>> conditioned(GivenExpectation(sympy.sign(z(1)), pair, sympy.Matrix([[0, 1]]), sympy.Matrix([2])))[0]
    E[sign(2*r + z1); cov=[[1 - r**2, 0], [0, 0]]]
    """
    law = law_given(e)
    table = {s: m + law.relations.get(s, s) for s, m in zip(e.bound_symbols, law.mean, strict=True)}
    for step in e.integrand.atoms(sympy.sign, sympy.Heaviside):
        if variables(step) and _collected(step.args[0].xreplace(table)) == 0:
            raise OutOfReachError(
                f"The argument of {step} is observed to be zero, where the value of a step is a convention.",
                "Replace that factor by its value.",
            )
    integrand = e.integrand.xreplace(table)
    return Expectation(integrand.replace(_has_parts, _collected), law.cov), law


def _has_parts(expr: sympy.Expr) -> bool:
    return expr.is_Add and bool(variables(expr))


def _collected(expr: sympy.Expr) -> sympy.Expr:
    """Return an affine form with coefficients in lowest terms; any other expression unchanged."""
    try:
        form, offset = affine(expr)
    except OutOfReachError:
        return expr
    return linear({k: _simple(c) for k, c in form.items()}) + _simple(offset)


def opening(e: GivenExpectation, after: Expectation, law: ConditionalLaw) -> tuple[Step, Step]:
    """Return the first two lines of a derivation: the expectation asked for, and `after`, under the conditional law.

    >>> asked = GivenExpectation(z(1), sympy.eye(2), sympy.Matrix([[1, 1]]), sympy.Matrix([1]))
    >>> [str(step.expr) for step in opening(asked, *conditioned(asked))]
    ['E[z1 | z1 + z2 = 1; cov=[[1, 0], [0, 1]]]', 'E[z1 + 1/2; cov=[[1/2, -1/2], [-1/2, 1/2]]]']
    """
    relations = sympy.Tuple(*(sympy.Tuple(*pair) for pair in law.relations.items()))
    using = (sympy.Tuple(e, after), law.y, law.W, relations)
    return Step(e, "the expectation asked for", "definition"), Step(after, WHY, "observations", using)
