"""The result for one expectation: closed form, class, proof, LaTeX, and certified digits on demand."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import sympy

from theory.expressions.algebra import is_zero
from theory.expressions.balls.precision import decimals
from theory.expressions.functions import OwensT, Phi2
from theory.expressions.printer import Printer
from theory.expressions.symbols import z
from theory.gaussian.certified.digits import FLOAT64_DIGITS, Certified, certified, certified_form, with_numbers
from theory.gaussian.covariance import covariance, exact, means
from theory.gaussian.derive.engine import arctangents, derive, value_form
from theory.gaussian.derive.integrand import affine, expand
from theory.gaussian.derive.moves import covariance_of
from theory.gaussian.expectation import Expectation, GivenExpectation, Quadrature, variables
from theory.gaussian.observations import ConditionalLaw, conditioned, observed, opening
from theory.gaussian.text import typed
from theory.problem.errors import InputError, OutOfReachError
from theory.proof.derivation import Derivation

MAX_DIGITS = 1000
MOST_BITS = 2_000  # the bits of a product of three numbers of 200 digits, the longest that text may contain
PAIR = 2
NO_ELEMENTARY_FORM = (
    "No elementary form is known in general: four signs are a spherical tetrahedron's volume (Schlaefli), and this "
    "one-dimensional integral of elementary functions is what Price's theorem leaves."
)
NO_KNOWN_FORM = "The engine has no closed form: the integral over the density is the result."


@dataclass(frozen=True)
class Moment:
    """E[expr] for z ~ N(mean, cov): `closed_form` is an expression, possibly with one-dimensional integrals.

    `expr` is in the centred variables: the user's z_i is z_i + mean_i there. `given` is the expectation asked for where
    there are observations; `expr`, `cov` and the mean are then those of the conditional law.

    >>> rho = sympy.Symbol("rho", real=True)
    >>> pair = expect(sympy.sign(z(1)) * sympy.sign(z(2)), [[1, rho], [rho, 1]])
    >>> pair.closed_form, pair.kind
    (2*asin(rho)/pi, 'elementary')
    >>> all(check.passed for check in pair.derivation.check())
    True
    """

    expr: sympy.Expr
    cov: sympy.ImmutableDenseMatrix
    derivation: Derivation
    given: GivenExpectation | None = None

    @property
    def expectation(self) -> Expectation | GivenExpectation:
        """The expectation asked for, in the centred variables."""
        return Expectation(self.expr, self.cov) if self.given is None else self.given

    @property
    def closed_form(self) -> sympy.Expr:
        """The result, with arcsines."""
        return self.derivation.proves.rhs

    @property
    def kind(self) -> str:
        """The class: "elementary" (powers, exp, asin, erf), "special" (Owen's T, Phi2) or "integral"."""
        if self.closed_form.has(sympy.Integral, Quadrature):
            return "integral"
        return "special" if self.closed_form.has(OwensT, Phi2) else "elementary"

    @property
    def dimension(self) -> int:
        """The number of integrations in the closed form."""
        averages = self.closed_form.atoms(Quadrature)
        return max([1, *(e.cov.rows for e in averages)]) if self.kind == "integral" else 0

    @property
    def integrand(self) -> str:
        """The class of the integrand: "elementary" or "special" (Owen's T, Phi2); empty without an integral."""
        averages = self.closed_form.atoms(Quadrature)
        integrals = [*(i.function for i in self.closed_form.atoms(sympy.Integral)), *(q.integrand for q in averages)]
        special = any(function.has(OwensT, Phi2) for function in integrals)
        return "" if not integrals else "special" if special else "elementary"

    @property
    def remark(self) -> str:
        """A sentence on simpler forms where the closed form has an integral; else empty."""
        if self.closed_form.has(Quadrature):
            return NO_KNOWN_FORM
        return NO_ELEMENTARY_FORM if self.kind == "integral" else ""

    @cached_property
    def arctan_derivation(self) -> Derivation | None:
        """The proof that the arctangent form equals the closed form; None where there is no arcsine."""
        return arctangents(self.closed_form)

    @property
    def arctan_form(self) -> sympy.Expr:
        """The result with asin x = atan(x / sqrt(1 - x^2)) throughout (valid for |x| < 1).

        >>> rho = sympy.Symbol("rho", real=True)
        >>> expect(sympy.sign(z(1)) * sympy.sign(z(2)), [[1, rho], [rho, 1]]).arctan_form
        2*atan(rho/sqrt(1 - rho**2))/pi
        """
        proof = self.arctan_derivation
        return proof.proves.rhs if proof is not None else self.closed_form

    @property
    def latex(self) -> str:
        """The closed form in LaTeX."""
        return sympy.latex(self.closed_form, order=_order(self.closed_form))

    @property
    def parameters(self) -> set[sympy.Symbol]:
        """The symbols that `evaluate` needs values for; empty where none occurs in the result."""
        return self.expectation.free_symbols if self.closed_form.free_symbols else set()

    @decimals()
    def evaluate(self, digits: int = 30, **values: object) -> Certified:
        """Return `digits` correct significant digits, parameters given by name (floats as their decimals).

        Values are put in before the derivation, which then also covers degenerate ones such as a correlation of 1.
        Raises InputError for a missing, unknown or inadmissible value, and OutOfReachError where seconds of work do
        not give the digits: fewer are never returned.

        >>> rho = sympy.Symbol("rho", real=True)
        >>> pair = expect(sympy.sign(z(1)) * sympy.sign(z(2)), [[1, rho], [rho, 1]])
        >>> pair.evaluate(10, rho="1/2").value
        '0.333333333333'
        >>> pair.evaluate(10, rho=1)
        Certified(value='1', radius='0', digits=10, method='exact')
        """
        if isinstance(digits, bool) or not isinstance(digits, int) or not 1 <= digits <= MAX_DIGITS:
            raise InputError(f"digits={digits!r} is not between 1 and {MAX_DIGITS}.", "Ask for 30, say.")
        point = self._point(values)
        if self.kind == "elementary" and not point:
            return certified_form(self.closed_form, digits)
        if self.given is not None:
            expr, cov, _ = _law_of(self.given.xreplace(point))
            return certified(expr, cov, digits)
        return certified(self.expr.xreplace(point), covariance(self.cov.xreplace(point)), digits)

    @decimals()
    def numeric(self, **values: Any) -> Any:
        """Return the value in float64 for arrays of parameters: NumPy, or torch with gradients; shapes broadcast.

        Expectations of two to four signs take as many quadrature nodes as the parameters require:
        the absolute error stays below 1e-12 for gains 0.01 to 100 and correlations up to 0.999999. The value is taken
        from certified balls of the parameters as given, at 0.02 to 1 s each, where cancellation leaves fewer than six
        digits, as in the tails of thresholds, and where three or four signs are so close to rank one that their error
        may exceed 1e-11. Parameters that drop out of the result are optional. Raises InputError for missing, unknown
        or inadmissible values, and OutOfReachError where too many values would have to be certified, or one takes too
        much work.

        >>> g, rho = sympy.Symbol("g", positive=True), sympy.Symbol("rho", real=True)
        >>> step = expect(sympy.Heaviside(z(1)) * sympy.erf(g * z(2)), [[1, rho], [rho, 1]])
        >>> step.numeric(g=1.0, rho=[0.0, 0.6]).round(6).tolist()
        [0.0, 0.162966]
        """
        # Importing SciPy takes a third of the time of `gdln moment`, which does not call this method.
        from theory.gaussian.float64.closed_form import terms
        from theory.gaussian.float64.tails import sharpened

        dropped = {symbol.name: symbol for symbol in self.expectation.free_symbols}
        value, size, ill = terms(self._value_form, values, dropped)
        return sharpened(self._decimal, value, size, values, ill)

    def _decimal(self, point: Mapping[str, float]) -> float:
        """Return the certified value at a point, rounded to float64."""
        known = {symbol.name for symbol in self.parameters}
        return float(self.evaluate(FLOAT64_DIGITS, **{name: x for name, x in point.items() if name in known}).value)

    @cached_property
    def _value_form(self) -> sympy.Expr:
        return with_numbers(value_form(self.expr, self.cov))

    def _point(self, values: Mapping[str, object]) -> dict[sympy.Symbol, sympy.Expr]:
        names = {symbol.name: symbol for symbol in self.parameters}
        for name in values.keys() - names.keys():
            raise InputError(
                f"There is no parameter {name!r}.", f"The parameters are: {', '.join(sorted(names)) or 'none'}."
            )
        for name in sorted(names.keys() - values.keys()):
            raise InputError(f"The parameter {name} has no value.", f"Give evaluate({name}=...).")
        point = {names[name]: exact(number) for name, number in values.items()}
        for symbol, number in point.items():
            if (symbol.is_positive and not number.is_positive) or (symbol.is_nonnegative and number.is_negative):
                raise InputError(f"{symbol} = {number} lies outside the domain of {symbol}.", "It is positive.")
        return point


@decimals()
def expect(expr: object, cov: object, mean: object = None, where: str | None = None, given: object = None) -> Moment:
    """E[expr] for z = (z1, ..., zm) ~ N(mean, cov), derived step by step; E[expr | given] where there is `given`.

    `expr` is a SymPy expression in z1, z2, ...: sums of products of Heaviside(u), sign(u), erf(u), erfc(u), Phi(u),
    relu(u), Abs(u), max, min, exp(u), sin(u), cos(u) and powers of u, each u affine in z, with up to four steps, signs
    and erfs that depend on each other, and none that correlates with the u of a sine or cosine. `cov` is an m x m
    matrix, `mean` m entries, of numbers or real symbols. Each may be text, as `gdln moment` takes it, with the domains
    of its parameters in `where`; names of the mean and of `given` that have no domain are real. `given` is linear
    observations, text or pairs of a form and its value, as for `conditional_law`. Raises OutOfReachError at once for
    anything else, InputError for a covariance that is not real, symmetric and positive semidefinite, and for
    observations that contradict each other.

    >>> g, rho = sympy.Symbol("g", positive=True), sympy.Symbol("rho", real=True)
    >>> expect(sympy.Heaviside(z(1)) * sympy.erf(g * z(2)), [[1, rho], [rho, 1]]).closed_form
    asin(sqrt(2)*g*rho/sqrt(2*g**2 + 1))/pi
    >>> expect("Heaviside(z1)*erf(z2)", "[[1, 1/2], [1/2, 1]]").closed_form
    asin(sqrt(6)/6)/pi
    >>> expect("Heaviside(z1)*erf(g*z2)", "[[1, rho], [rho, 1]]", where="g>0, -1<rho<1").evaluate(8, g=1, rho=0.5).value
    '0.1338602364'
    >>> expect("relu(z1)", "[[1]]", "[m]").closed_form
    (m*erf(sqrt(2)*m/2) + m + sqrt(2)*exp(-m**2/2)/sqrt(pi))/2
    >>> expect("z1**2", "[[1, rho], [rho, 1]]", where="-1<rho<1", given="z2 = b").closed_form
    b**2*rho**2 - rho**2 + 1
    """
    expr, cov, mean, given = typed(expr, cov, mean, where, given)
    integrand, matrix = prepared(expr, cov, mean)
    if given is None:
        return Moment(integrand, matrix, derive(integrand, matrix))
    conditional = observed(integrand, matrix, means(mean, matrix.rows), given)
    integrand, matrix, law = _law_of(conditional)
    # To multiply out many fractions with sums below them takes minutes.
    rest = derive(integrand, matrix, factored=not any(sympy.denom(entry).is_Add for entry in (*law.mean, *matrix)))
    steps = (*opening(conditional, Expectation(integrand, matrix), law), *rest.steps[1:])
    proves = sympy.Eq(conditional, rest.proves.rhs, evaluate=False)
    return Moment(integrand, matrix, Derivation(rest.id, proves, steps), conditional)


def _law_of(conditional: GivenExpectation) -> tuple[sympy.Expr, sympy.ImmutableDenseMatrix, ConditionalLaw]:
    """Return the integrand and the covariance under the conditional law, validated, and that law."""
    covariance(conditional.cov)
    after, law = conditioned(conditional)
    integrand, matrix = prepared(after.integrand, after.cov)
    dependent = _dependent(matrix)
    relations = {symbol: form.xreplace(dependent) for symbol, form in law.relations.items()}
    return integrand, matrix, replace(law, relations=dependent | relations)


def prepared(expr: object, cov: object, mean: object = None) -> tuple[sympy.Expr, sympy.ImmutableDenseMatrix]:
    """Return the integrand in centred variables and the covariance, both exact and validated; errors as `expect`.

    >>> prepared(sympy.sign(z(1)), [[1]], [2])[0]
    sign(z1 + 2)
    """
    matrix = covariance(cov)
    integrand = exact(expr)
    integrand = integrand.xreplace({s: z(int(s.name[1:])) for s in integrand.free_symbols if variables(s)})
    integrand = integrand.xreplace(centred(mean, matrix.rows))
    if integrand.has(sympy.I, sympy.zoo, sympy.nan, sympy.oo):
        raise InputError(f"{integrand} is not a real function.", "Check for divisions by zero and even roots.")
    for symbol in integrand.free_symbols:
        if not symbol.is_extended_real:
            raise InputError(f"The symbol {symbol} is not declared real.", f'Use Symbol("{symbol}", real=True).')
    _require_bounded_numbers(integrand, matrix)
    beyond = [index for index in variables(integrand) if index > matrix.rows]
    if beyond:
        raise InputError(
            f"z{beyond[0]} occurs, but the covariance matrix is {matrix.rows} x {matrix.rows}.",
            f"Use z1 to z{matrix.rows}, or give a larger matrix.",
        )
    _require_spread(integrand, matrix)
    return integrand.xreplace(_dependent(matrix)), matrix


def _require_bounded_numbers(integrand: sympy.Expr, cov: sympy.MatrixBase) -> None:
    """Raise OutOfReachError for numbers beyond float64 unless the integrand is a polynomial: laws take their roots."""
    if integrand.is_polynomial():
        return
    for number in sorted(integrand.atoms(sympy.Rational) | cov.atoms(sympy.Rational)):
        if (bits := max(int(number.p).bit_length(), int(number.q).bit_length())) > MOST_BITS:
            raise OutOfReachError(
                f"A number has {bits} bits; roots of numbers with more than {MOST_BITS} take too long.",
                "Rescale the variables, or put a gain in its place and take its limit: --limit 'g->oo'.",
            )


def _dependent(cov: sympy.MatrixBase) -> dict[sympy.Symbol, sympy.Expr]:
    """Return the variables that are almost surely linear combinations of earlier ones, for covariances in numbers.

    sum_k v_k z_k has variance v.C v: it is 0 for every v in the null space of C.
    """
    table: dict[sympy.Symbol, sympy.Expr] = {}
    for first in range(cov.rows):
        group: list[int] = []
        for k in range(first, cov.rows):
            # Sums of many roots take long, so groups of three or more require rational covariances.
            numeric = all(cov[k, j].is_Rational or (cov[k, j].is_number and len(group) < PAIR) for j in (*group, k))
            if z(k + 1) not in table and numeric:
                group.append(k)
        reduced, kept = cov.extract(group, group).rref()
        for column, k in enumerate(group):
            if column not in kept:
                parts = (reduced[row, column] * z(group[pivot] + 1) for row, pivot in enumerate(kept))
                table[z(k + 1)] = sympy.Add(*parts)
    return table


def _require_spread(integrand: sympy.Expr, cov: sympy.MatrixBase) -> None:
    """Raise OutOfReachError for a step or sign whose argument is a constant."""
    dependent = _dependent(cov)
    for step in integrand.atoms(sympy.sign, sympy.Heaviside):
        try:
            signs = {atom for key in expand(step) for atom in key if isinstance(atom, sympy.sign)}
            forms = [affine(sign.args[0])[0] for sign in signs]
            constant = any(is_zero(covariance_of(form, form, cov)) is True for form in forms)
        except OutOfReachError:  # not of a linear form
            constant = not variables(step.args[0].xreplace(dependent))
        if constant:
            raise OutOfReachError(
                f"The argument of {step} has variance zero, and at zero the value of a step is a convention.",
                "Replace that factor by its value.",
            )


def centred(mean: object, size: int) -> dict[sympy.Symbol, sympy.Expr]:
    """z_i -> z_i + mean_i for the entries that are not zero.

    >>> centred([0, 0.5], 2)
    {z2: z2 + 1/2}
    """
    return {z(k + 1): z(k + 1) + entry for k, entry in enumerate(means(mean, size)) if entry != 0}


def _order(expr: sympy.Expr) -> str | None:
    """Return "none" (unsorted terms) where sorting would make SymPy evaluate integrals without parameters."""
    return "none" if any(not integral.free_symbols for integral in expr.atoms(sympy.Integral)) else None


def text(expr: sympy.Expr) -> str:
    """Return `expr` as SymPy prints it, without evaluating integrals.

    >>> x = sympy.Symbol("x")
    >>> text(sympy.Integral(sympy.exp(-(x**2)), (x, 0, 1)))
    'Integral(exp(-x**2), (x, 0, 1))'
    """
    return Printer({"order": _order(expr)}).doprint(expr)
