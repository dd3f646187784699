"""The rules that check the laws in which a derivation ends: arcsines, Owen's T, Phi2 and Price's theorem.

A law is proved where it is used: its derivative in the correlation is four times the bivariate normal density
(Price), and for independent variables it is the product of the two means.
"""

from functools import cache
from itertools import combinations

import sympy

from theory.expressions.algebra import case_by_case, is_zero, region_of
from theory.expressions.balls.known_sign import known_sign
from theory.expressions.functions import OwensT, Phi2
from theory.expressions.normal_form import NormalForm
from theory.expressions.symbols import z
from theory.gaussian.derive.rules.replacements import domains_of, equal, expectation_rule, terms
from theory.gaussian.expectation import Expectation, derivative, marginal, variables
from theory.proof.derivation import Step, StepError, rule
from theory.proof.rules.shared import pairs, require_equal, require_rewritten, require_same


@rule("collect")
def collect(before: sympy.Basic, step: Step) -> None:
    """Both sides are the same polynomial in the functions, roots and integrals that occur, or equal by algebra.

    exp(u + v) is read as exp(u) exp(v), and sqrt(c u) as sqrt(c) sqrt(u) for a number c > 0; inside arguments too.

    >>> a, b = sympy.symbols("a b", positive=True)
    >>> collect(a * sympy.erf(b) + a, Step(a * (sympy.erf(b) + 1), "a in front", "collect"))
    """
    if not same_polynomial(before, step.expr):
        require_same(before, step.expr, "collecting terms")


def equal_by_algebra(a: sympy.Expr, b: sympy.Expr) -> bool:
    """Whether the rule "collect" proves that a and b are equal.

    >>> x = sympy.Symbol("x", positive=True)
    >>> equal_by_algebra((x**2 - 1) / (x + 1), x - 1)
    True
    """
    try:
        collect(a, Step(b, "", "collect"))
    except StepError:
        return False
    return True


def same_polynomial(a: sympy.Expr, b: sympy.Expr) -> bool:
    """Whether a and b are the same polynomial; a sum x in a denominator or under a root is (x^(1/2))^2.

    >>> r = sympy.Symbol("r")
    >>> same_polynomial((1 - r**2) / sympy.sqrt(1 - r**2), sympy.sqrt(1 - r**2))
    True
    """
    naming = _Naming(a, b)
    return naming.reduced(sympy.expand(naming.of(a) - naming.of(b))) == 0


class _Naming:
    """Expressions as polynomials in positive symbols, which replace functions, roots and integrals.

    The sums in denominators and under roots keep one name where they are factors, and are multiplied out elsewhere.
    """

    def __init__(self, *exprs: sympy.Expr) -> None:
        self.names: dict[sympy.Expr, sympy.Symbol] = {}
        powers = set().union(*(expr.atoms(sympy.Pow) for expr in exprs))
        self.radicands = {
            sympy.expand(power.base).primitive()[1]
            for power in powers
            if power.exp.is_Rational and not (power.exp.is_Integer and power.exp > 0)
        }

    def reduced(self, total: sympy.Expr) -> sympy.Expr:
        """Return a multiple of a polynomial, with sums in place of their names but for powers between 0 and 1."""
        for radicand in sorted(self.radicands & self.names.keys(), key=sympy.default_sort_key):
            name, parts = self.names[radicand], {}
            for term in sympy.Add.make_args(total):
                rest, power = term.as_independent(name)
                parts.setdefault(power.as_base_exp()[1] if power != 1 else sympy.Integer(0), []).append(rest)
            least = min(map(sympy.floor, parts))
            sums = (
                name ** (power % 1) * self.of(radicand) ** (sympy.floor(power) - least) * sympy.Add(*terms)
                for power, terms in parts.items()
            )
            total = sympy.expand(sympy.Add(*sums))
        return total

    def name(self, atom: sympy.Expr) -> sympy.Symbol:
        return self.names.setdefault(atom, sympy.Dummy(f"a{len(self.names)}", positive=True))

    def of(self, expr: sympy.Expr) -> sympy.Expr:
        if expr.is_Rational:
            return expr
        if expr.is_Mul:
            return sympy.Mul(*(self.factor(argument) for argument in expr.args))
        if expr.is_Add:
            return sympy.Add(*(self.of(argument) for argument in expr.args))
        if expr.is_Pow and expr.exp.is_Rational:
            return self.power(expr.base, expr.exp)
        if isinstance(expr, sympy.exp):
            exponent = expr.args[0]
            exponent = sympy.cancel(exponent) if exponent.is_rational_function() else self.of(exponent)
            parts = (part.as_coeff_Mul() for part in sympy.Add.make_args(sympy.expand(exponent)))
            return sympy.Mul(*(self.name(sympy.exp(rest, evaluate=False)) ** number for number, rest in parts))
        if isinstance(expr, sympy.Function):
            number, function = expr.func(*(sympy.expand(self.of(argument)) for argument in expr.args)).as_coeff_Mul()
            return number * self.name(function)
        return self.name(expr)

    def factor(self, expr: sympy.Expr) -> sympy.Expr:
        """A factor of a product: a sum that stands under a root elsewhere keeps the name it has there."""
        if expr.is_Add and self.radicands:
            content, primitive = sympy.expand(expr).primitive()
            if primitive in self.radicands:
                return content * self.name(primitive)
            if sympy.expand(-primitive) in self.radicands:
                return -content * self.name(sympy.expand(-primitive))
        return self.of(expr)

    def power(self, base: sympy.Expr, exponent: sympy.Rational) -> sympy.Expr:
        if exponent.is_Integer or base.is_Symbol or base.is_Rational:
            return self.factor(base) ** exponent
        content, primitive = sympy.expand(base).primitive()
        return content**exponent * self.name(primitive) ** exponent


@rule("arctan")
def arctan(before: sympy.Basic, step: Step) -> None:
    """asin x = atan y where y = x / sqrt(1 - x^2).

    >>> r = sympy.Symbol("r", real=True)
    >>> angle = sympy.atan(r / sympy.sqrt(1 - r**2))
    >>> arctan(2 * sympy.asin(r), Step(2 * angle, "tan = sin/cos", "arctan", (sympy.Tuple(sympy.asin(r), angle),)))
    """
    replacements = dict(pairs(step))
    for old, new in replacements.items():
        if not (isinstance(old, sympy.asin) and isinstance(new.as_coeff_Mul()[1], sympy.atan)):
            raise StepError(f"{old} -> {new} does not turn an arcsine into an arctangent")
        side, angle = new.as_coeff_Mul()
        if abs(side) != 1:
            raise StepError(f"{new} is not an arctangent")
        _same_angle(old.args[0], side * angle.args[0])
    require_rewritten(before, step, replacements)


def _same_angle(sine: sympy.Expr, tangent: sympy.Expr) -> None:
    """Raise StepError unless tan^2 (1 - sin^2) = sin^2 and tangent/sine is certified to be positive."""
    equal(tangent**2 * (1 - sine**2), sine**2, "the squared tangent of the angle")

    factors = sympy.Mul.make_args(tangent / sine) if sine != 0 else ()
    # Roots are positive where they are real.
    rest = sympy.Mul(*(f for f in factors if not (f.is_Pow and f.exp.is_Rational and not f.exp.is_Integer)))

    def positive(form: NormalForm) -> bool:
        return form.sign(form.of(rest)) > 0

    if not case_by_case(positive, region_of(rest, domains_of(rest)), [])[0]:
        raise StepError(f"{sine} and {tangent} are not the sine and the tangent of one angle")


@expectation_rule("price")
def price(old: Expectation, new: sympy.Expr) -> None:
    """The integrand is (1/2) sum_ab dR_ab/dt E[d2f/dz_a dz_b], R(t) linear from the start's covariance to the given.

    From independence, t = 0, to the correlation r, t = 1:

    >>> r, t = sympy.symbols("r t", real=True)
    >>> signs = sympy.sign(z(1)) * sympy.sign(z(2))
    >>> start = Expectation(signs, sympy.eye(2))
    >>> deltas = Expectation(sympy.DiracDelta(z(1)) * sympy.DiracDelta(z(2)), sympy.Matrix([[1, t * r], [t * r, 1]]))
    >>> price(Expectation(signs, sympy.Matrix([[1, r], [r, 1]])), start + sympy.Integral(4 * r * deltas, (t, 0, 1)))
    """
    integrals, starts = list(new.atoms(sympy.Integral)), [e for _, e in _terms_outside_integrals(new)]
    if len(integrals) != 1 or len(starts) != 1 or not sympy.expand(new - integrals[0] - starts[0]) == 0:
        raise StepError("Price's theorem gives one expectation at the start and one integral")
    (t, low, high), start = integrals[0].limits[0], starts[0]
    if (low, high) != (0, 1) or start.integrand != old.integrand:
        raise StepError("the path runs from t = 0 to t = 1 with the same integrand")
    path = sympy.Matrix(old.cov)
    size = path.rows
    for i in range(size):
        for j in range(size):
            path[i, j] = start.cov[i, j] + t * (old.cov[i, j] - start.cov[i, j])
    expected = sympy.Integer(0)
    for i, a in enumerate(old.bound_symbols):
        for j, b in enumerate(old.bound_symbols):
            speed = sympy.diff(path[i, j], t) / 2
            if speed != 0:
                expected += speed * marginal(derivative(derivative(old.integrand, a), b), path)
    equal(expected, integrals[0].function, "the derivative along the path")


def _terms_outside_integrals(expr: sympy.Expr) -> list[tuple[sympy.Expr, Expectation]]:
    outside = [term for term in sympy.Add.make_args(expr) if not term.has(sympy.Integral)]
    return [(c, e) for c, e in terms(sympy.Add(*outside)) if e is not None]


@expectation_rule("arcsine")
def arcsine(old: Expectation, new: sympy.Expr) -> None:
    """(2/pi) asin r is 0 at r = 0, and its derivative is four times the density at the origin; r is the correlation.

    >>> half = sympy.Rational(1, 2)
    >>> pair = Expectation(sympy.sign(z(1)) * sympy.sign(z(2)), sympy.Matrix([[1, half], [half, 1]]))
    >>> arcsine(pair, sympy.Rational(1, 3))
    >>> arcsine(pair, sympy.Rational(-1, 3))
    Traceback (most recent call last):
    theory.proof.derivation.StepError: the angle whose sine is the correlation: -pi/6 = pi/6 is false
    """
    if old.integrand != sympy.sign(z(1)) * sympy.sign(z(2)):
        raise StepError(f"{old.integrand} is not a product of two signs")
    r = sympy.Symbol("r", real=True)
    law = 2 / sympy.pi * sympy.asin(r)
    origin = 1 / (2 * sympy.pi * sympy.sqrt(1 - r**2))
    require_equal(law.diff(r), 4 * origin, "Price's theorem for two signs")
    require_equal(law.xreplace({r: sympy.Integer(0)}), sympy.Integer(0), "two independent signs")
    correlation = old.cov[0, 1] / sympy.sqrt(old.cov[0, 0] * old.cov[1, 1])
    side, angle = (new * sympy.pi / 2).as_coeff_Mul()
    if isinstance(angle, sympy.asin) and abs(side) == 1:
        equal(side * angle.args[0], correlation, "the correlation")
    else:
        equal(side * angle, sympy.asin(correlation), "the angle whose sine is the correlation")


def _signs(old: Expectation, count: int) -> list[sympy.Expr]:
    """Return the offsets c_k of prod_k sign(z_k + c_k) over all variables, in their order."""
    factors = sympy.Mul.make_args(old.integrand)
    if old.cov.rows != count or len(factors) != count or not all(isinstance(f, sympy.sign) for f in factors):
        raise StepError(f"{old.integrand} is not a product of {count} signs")
    offsets = {variables(f)[0]: sympy.expand(f.args[0] - z(variables(f)[0])) for f in factors}
    if sorted(offsets) != list(range(1, count + 1)) or any(variables(c) for c in offsets.values()):
        raise StepError(f"each sign in {old.integrand} must be that of a different variable plus a number")
    return [offsets[k] for k in range(1, count + 1)]


@expectation_rule("one-sign")
def one_sign(old: Expectation, new: sympy.Expr) -> None:
    """erf(c/sqrt(2 v)) is 0 at c = 0, and its derivative in c is twice the density at -c.

    >>> c = sympy.Symbol("c", real=True)
    >>> one_sign(Expectation(sympy.sign(z(1) + c), sympy.Matrix([[2]])), sympy.erf(c / 2))
    """
    (offset,) = _signs(old, 1)
    c, v = sympy.Symbol("c", real=True), sympy.Symbol("v", positive=True)
    law = sympy.erf(c / sympy.sqrt(2 * v))
    require_equal(law.diff(c), 2 * sympy.exp(-(c**2) / (2 * v)) / sympy.sqrt(2 * sympy.pi * v), "the derivative")
    require_equal(law.xreplace({c: sympy.Integer(0)}), sympy.Integer(0), "the value at c = 0")
    _same_law(new, law, {c: offset, v: old.cov[0, 0]})


@expectation_rule("two-signs")
def two_signs(old: Expectation, new: sympy.Expr) -> None:
    """The law's derivative in r is four times the density, and its value at r = 0 the product of two erfs.

    `new` must be that law at the h, k and r of the covariance.

    >>> h, r = sympy.Symbol("h", real=True), sympy.Rational(3, 5)
    >>> pair = Expectation(sympy.sign(z(1) + h) * sympy.sign(z(2)), sympy.Matrix([[1, r], [r, 1]]))
    >>> two_signs(pair, 4 * OwensT(h, sympy.Rational(3, 4)))
    """
    c, d = _signs(old, 2)
    v, w, cross = old.cov[0, 0], old.cov[1, 1], old.cov[0, 1]
    here = {"h": c / sympy.sqrt(v), "k": d / sympy.sqrt(w), "r": cross / (sympy.sqrt(v) * sympy.sqrt(w))}
    wrong = "no law fits"
    for law, symbols in _laws(c, d):
        _prove_law(law, *(symbols[name] for name in ("h", "k", "r")))
        try:
            _same_law(new, law, {symbols[name]: expr for name, expr in here.items()})
            return
        except StepError as error:
            wrong = str(error)
    raise StepError(wrong)


def _laws(c: sympy.Expr, d: sympy.Expr) -> list[tuple[sympy.Expr, dict[str, sympy.Expr]]]:
    """Return the candidate laws for these offsets, each in symbols h, k, r; the symbol of a zero offset is 0."""
    r = sympy.Symbol("r", real=True)
    root = sympy.sqrt(1 - r**2)
    if c == 0 or d == 0:
        h = sympy.Symbol("h", real=True)
        return [
            (
                4 * OwensT(h, r / root),
                {"h": h if d == 0 else sympy.Integer(0), "k": h if c == 0 else sympy.Integer(0), "r": r},
            )
        ]
    h, k = sympy.symbols("h k", real=True)
    smooth = 4 * Phi2(h, k, r) - 1 - sympy.erf(h / sympy.sqrt(2)) - sympy.erf(k / sympy.sqrt(2))
    laws = [(smooth, {"h": h, "k": k, "r": r})]
    ratio = sympy.cancel(d / c)
    side = known_sign(ratio)
    if side:
        h = sympy.Symbol("h", positive=True)
        k = sympy.Symbol("k", positive=True) if side > 0 else sympy.Symbol("k", negative=True)
        owen = side - 4 * OwensT(h, (k / h - r) / root) - 4 * OwensT(k, (h / k - r) / root)
        laws.append((owen, {"h": h, "k": k, "r": r}))
    return laws


@cache
def _prove_law(law: sympy.Expr, h: sympy.Expr, k: sympy.Expr, r: sympy.Symbol) -> None:
    """Prove d law/dr = 4 phi2(h, k; r), and law = erf(h/sqrt2) erf(k/sqrt2) at r = 0 (d/dk and the limit k = 0)."""
    root2 = sympy.sqrt(2)
    exponent = -(h**2 - 2 * r * h * k + k**2) / (2 * (1 - r**2))
    density = 1 / (2 * sympy.pi * sympy.sqrt(1 - r**2))
    equal(_front(law.diff(r), exponent), 4 * density, "Price's theorem for two signs")
    start, product_ = law.subs(r, 0), sympy.erf(h / root2) * sympy.erf(k / root2)
    if start == product_ or sympy.expand(start - product_) == 0:
        return
    scale = sympy.exp(k**2 / 2)
    equal(sympy.expand(start.diff(k) * scale), sympy.expand(product_.diff(k) * scale), "the law for independent signs")
    # As k tends to 0, the arguments of T tend to values at which T is known: T(h, 0) = 0, T(0, a) = atan(a)/(2 pi).
    limit = sympy.Integer(0)
    for term in sympy.Add.make_args(start):
        factor, function = term.as_independent(OwensT)
        if not isinstance(function, OwensT):
            limit += term
            continue
        at = [sympy.limit(argument, k, 0, "+" if k.is_positive else "-") for argument in function.args]
        limit += factor * OwensT(*at)
    equal(limit, sympy.Integer(0), "the law at k = 0, r = 0")


def _front(expr: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
    """Return C with expr = C exp(exponent); StepError where a term of the sum has another exponential."""
    total = sympy.Integer(0)
    for term in sympy.Add.make_args(sympy.expand_mul(expr)):
        factors = sympy.Mul.make_args(term)
        term_exponent = sympy.Add(*(f.args[0] for f in factors if isinstance(f, sympy.exp)))
        if sympy.cancel(sympy.together(term_exponent - exponent)) != 0:
            raise StepError(f"exp({term_exponent}) is not exp({exponent})")
        total += sympy.Mul(*(f for f in factors if not isinstance(f, sympy.exp)))
    return total


def _same_law(new: sympy.Expr, law: sympy.Expr, here: dict[sympy.Expr, sympy.Expr]) -> None:
    """Raise StepError unless `new` is the law at h, k, r: equal functions of equal arguments, equal coefficients."""
    expected = law.xreplace({symbol: expr for symbol, expr in here.items() if symbol.is_Symbol})
    if new == expected:
        return
    kinds = (OwensT, Phi2, sympy.erf)
    functions, wanted = (sorted(x.atoms(*kinds), key=sympy.default_sort_key) for x in (new, expected))
    table = {}
    vanishing = {other: sympy.Integer(0) for other in wanted if _is_odd_at_zero(other)}
    for function in functions:
        pairs_ = ((flip, other) for other in wanted for flip in (1, -1) if function.func is other.func)
        same = next((flip * other for flip, other in pairs_ if _same_arguments(function, other, flip)), None)
        if same is None:
            raise StepError(f"{new} is not {expected}")
        table[function] = same
    equal(new.xreplace(table), expected.xreplace(vanishing), "the law with its arguments")


def _is_odd_at_zero(function: sympy.Expr) -> bool:
    """Whether `function` is T(h, 0) = 0 or erf(0) = 0."""
    return not isinstance(function, Phi2) and is_zero(function.args[-1], domains_of(function)) is True


def _same_arguments(function: sympy.Expr, other: sympy.Expr, flip: int) -> bool:
    """Whether T(h, -a) = -T(h, a) = -T(-h, a) or erf(-x) = -erf(x) makes `function` flip times `other`."""
    if isinstance(function, Phi2):
        variants = [other.args] if flip == 1 else []
    elif isinstance(function, OwensT):
        h, a = other.args
        variants = [(h, flip * a), (-h, flip * a)]
    else:
        variants = [(flip * other.args[0],)]
    return any(all(map(_same_argument, function.args, variant)) for variant in variants)


def _same_argument(mine: sympy.Expr, theirs: sympy.Expr) -> bool:
    if same_polynomial(mine, theirs):
        return True
    try:
        equal(mine, theirs, "an argument")
    except StepError:
        return False
    return True


@expectation_rule("common-factor")
def common_factor(old: Expectation, new: sympy.Expr) -> None:
    """Signs of z_k = x + x_k: the mean given x is s = erf(x/sqrt 2), and E s^m is the integral of s^m/2 over (-1, 1).

    The variance of x_k is that of x, so that P(x_k < x) = Phi(x), which is uniform for a standard Gaussian x.

    >>> signs = sympy.prod([sympy.sign(z(k + 1)) for k in range(4)])
    >>> common_factor(Expectation(signs, (sympy.eye(4) + sympy.ones(4, 4)) / 2), sympy.Rational(1, 5))
    """
    factors = sympy.Mul.make_args(old.integrand)
    if set(factors) != {sympy.sign(symbol) for symbol in old.bound_symbols}:
        raise StepError(f"{old.integrand} is not a product of one sign of each variable")
    for i, j in combinations(range(old.cov.rows), 2):
        correlation = old.cov[i, j] / sympy.sqrt(old.cov[i, i] * old.cov[j, j])
        equal(correlation, sympy.Rational(1, 2), f"the correlation of z{i + 1} and z{j + 1}")
    s = sympy.Symbol("s", real=True)
    equal(sympy.integrate(s ** len(factors) / 2, (s, -1, 1)), new, "the moment of a uniform variable")
