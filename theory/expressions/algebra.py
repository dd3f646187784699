"""Deciding whether an expression is identically zero.

Algebraic functions (rational functions and roots): every root becomes a generator w with w^q = radicand, roots
are split into primes and irreducible factors, and the numerator is reduced modulo these relations; where roots
are nested, (A + B w)(A - B w) = A^2 - B^2 w^2 removes them one by one. Inverse trigonometric functions: all
derivatives vanish and so does the value at one point. Exponentials: exp(sum c_j m_j) = prod exp(m_j/N)^(N c_j).
The signs of roots and the values of constants are those of a piece on which all is analytic;
`theory.expressions.pieces` has a point of every piece that it finds.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import lcm

import sympy
from sympy.polys.fields import FracField

from theory.expressions.balls.precision import decimals
from theory.expressions.pieces import Domains, Point, candidates
from theory.expressions.precise import (
    CONTEXT,
    Opaque,
    OutsideDomain,
    as_mpf,
    each_sample_point,
    is_free_function,
    opaque_atoms,
    rational,
    scale,
    value,
    value_and_scale,
    written_digits,
)

# Values are computed to 60 digits. A term of size 1 that survives above 1e-30 refutes an identity; one below
# 1e-45 is taken for zero (60 digits less the 15 that cancellation may cost).
REFUTES = CONTEXT.mpf(10) ** -30
VANISHES = CONTEXT.mpf(10) ** -45
DEPTH = 6
POINTS = 6
PRIME_LIMIT = 2**15
# The most cases into which the signs of factors may divide the domain.
CASES = 16
# A constant is compared with 0 to as many digits beyond 60 as its numbers are written with.
MOST_WRITTEN = 1000
WITH_PIECES = (sympy.Abs, sympy.asin, sympy.acos, sympy.atan, sympy.atan2, sympy.log, sympy.erf, sympy.erfc)


class _UndecidedError(Exception):
    """The procedure does not apply."""


class _SignChangeError(Exception):
    """A factor that matters has these signs at the points: each side is a case of its own."""

    def __init__(self, signs: list[int]) -> None:
        super().__init__(signs)
        self.signs = signs


def prove_equal(a: sympy.Expr, b: sympy.Expr, domains: Domains | None = None) -> bool | None:
    """Whether a = b on the symbols' domains: True (proved), False (refuted by a value), None (undecided).

    >>> a = sympy.Symbol("a", positive=True)
    >>> prove_equal(sympy.atan(a) + sympy.atan(1 / a), sympy.pi / 2)
    True
    >>> prove_equal(sympy.atan(a) + sympy.atan(a), sympy.pi / 2)
    False
    """
    return is_zero(a - b, domains)


def is_zero(expr: sympy.Expr, domains: Domains | None = None) -> bool | None:
    """Whether `expr` vanishes identically: True (proved), False (refuted by a value), None (undecided).

    The domain is what the symbols' assumptions and `domains` (symbol to interval) allow, where all roots, inverse
    functions and logarithms are real. Roots are resolved with the signs their factors have at sample points of the
    domain and in its pieces; where a factor that matters changes sign each side is a case of its own.

    >>> r = sympy.Symbol("r", real=True)
    >>> is_zero(sympy.asin(r) - sympy.atan(r / sympy.sqrt(1 - r**2)))
    True
    >>> is_zero(sympy.sqrt(1 - r**2) - 1 + r**2 / 2)
    False
    """
    if expr == 0:
        return True
    atoms = sorted(opaque_atoms(expr), key=sympy.default_sort_key)
    names: dict[sympy.Expr, sympy.Symbol] = {}
    for atom in atoms:
        same = next((name for other, name in names.items() if _same_function(atom, other, domains)), None)
        names[atom] = same or sympy.Dummy(f"atom{len(names)}", real=True)
    verdict = _decide(expr.xreplace(names), domains or {}, DEPTH)
    if verdict is False and not all(is_free_function(atom) for atom in atoms):
        return None
    return verdict


def _same_function(atom: sympy.Expr, other: sympy.Expr, domains: Domains | None) -> bool:
    """Whether two unknown values are one: the same function, of several arguments, at arguments proved equal."""
    if atom.func is not other.func or not isinstance(atom, sympy.Function) or is_free_function(atom):
        return False
    if not all(isinstance(argument, sympy.Expr) for argument in (*atom.args, *other.args)):
        return False  # the pieces of a Piecewise
    return all(is_zero(a - b, domains) is True for a, b in zip(atom.args, other.args, strict=True))


def _decide(
    expr: sympy.Expr, domains: Domains, depth: int, merge: bool = True, seen: list[Point] | None = None
) -> bool | None:
    """`seen` are points in the pieces of a larger expression, where they are known."""
    if expr == 0:
        return True
    try:
        points = _where_small(expr, domains, seen)
    except Opaque:
        return None
    if not points:
        return None if points is None else False
    if _cases_vanish(expr, points, domains, merge, CASES):
        return True
    if depth and expr.has(sympy.asin, sympy.acos, sympy.atan, sympy.log, sympy.erf, sympy.erfc):
        return _by_derivatives(expr, domains, points, depth)
    return None


def _where_small(expr: sympy.Expr, domains: Domains, seen: list[Point] | None) -> list[Point] | None:
    """Points of the domain, all of which `expr` is small at: none where it is not, None where the domain is empty."""
    points = []
    for point in each_sample_point((expr,), domains, POINTS):
        if not _is_small(expr, point):
            return []
        points.append(point)
    if not points:
        return None
    if seen is None:
        seen = list(candidates((expr,), domains, points)) if _has_pieces(expr) else []
    for point in seen:
        try:
            if not _is_small(expr, point):
                return []
        except (OutsideDomain, ZeroDivisionError, OverflowError):
            continue
        points.append(point)
    return points


def _cases_vanish(expr: sympy.Expr, points: list[Point], domains: Domains, merge: bool, cases: int) -> bool:
    """Whether the algebra proves that `expr` vanishes, case by case where the sign of a factor varies."""
    try:
        return _Algebra(points, domains, merge).vanishes(expr)
    except _SignChangeError as change:
        sides = [[p for p, s in zip(points, change.signs, strict=True) if s == side] for side in (1, -1)]
        return cases > 1 and all(_cases_vanish(expr, side, domains, merge, cases // 2) for side in sides)
    except (_UndecidedError, OutsideDomain):
        return False


def _is_small(expr: sympy.Expr, point: Point) -> bool:
    number, size = value_and_scale(expr, as_mpf(point))
    return abs(number) <= REFUTES * size


def _has_pieces(expr: sympy.Expr) -> bool:
    """Whether signs or constants of integration decide; a rational function is one analytic function."""
    powers = (power for power in expr.atoms(sympy.Pow) if power.free_symbols)
    return expr.has(*WITH_PIECES) or any(not power.exp.is_Integer for power in powers)


def _by_derivatives(expr: sympy.Expr, domains: Domains, points: list, depth: int) -> bool | None:
    """True if every first derivative vanishes identically and so does the value at a point of each piece.

    The values are constants; 60 digits beyond those that the expression is written with tell them from 0.
    """
    symbols = sorted(expr.free_symbols, key=lambda symbol: symbol.name)
    if not symbols:
        return True if _vanishing_angle(expr) else None
    for symbol in symbols:
        if _decide(expr.diff(symbol), domains, depth - 1, seen=points) is not True:
            return None
    written = written_digits(expr)
    if written > MOST_WRITTEN:
        return None
    with decimals(), CONTEXT.workdps(CONTEXT.dps + written):
        found = [value_and_scale(expr, as_mpf(point)) for point in points]
        sizes = [abs(number) / size for number, size in found]
    if any(size > REFUTES / CONTEXT.mpf(10) ** written for size in sizes):
        return False
    return True if all(size < VANISHES / CONTEXT.mpf(10) ** written for size in sizes) else None


def _vanishing_angle(expr: sympy.Expr) -> bool:
    """Exact proof that a rational combination of pi and inverse functions of algebraic numbers is zero.

    The product of the unit numbers exp(i angle)^n equals 1, so that the sum is a multiple of 2 pi, and the sum is
    small.
    """
    for factor in (sympy.Integer(1), sympy.pi, sympy.pi**2):
        terms = [term.as_coeff_Mul() for term in sympy.Add.make_args((expr * factor).expand())]
        if not all(angle.func in _UNIT or angle is sympy.pi for _, angle in terms):
            continue
        common = lcm(*(int(number.q) for number, _ in terms))
        turns = [(int(number.p) * (common // int(number.q)), angle) for number, angle in terms]
        if sum(abs(n) for n, angle in turns if angle is not sympy.pi) > 24:
            return False
        if abs(common * value(expr * factor, {})) > 1:
            return False
        product = sympy.Integer(1)
        for n, angle in turns:
            unit = sympy.Integer((-1) ** n) if angle is sympy.pi else _UNIT[angle.func](*angle.args) ** abs(n)
            product *= unit if n > 0 or angle is sympy.pi else unit.subs(_I, -_I)
        remainder = sympy.Poly(product, _I).rem(sympy.Poly(_I**2 + 1, _I))
        real, imaginary = remainder.coeff_monomial(1), remainder.coeff_monomial(_I)
        return _decide(real - 1, {}, 0) is True and _decide(imaginary, {}, 0) is True
    return False


_I = sympy.Dummy("i")
_UNIT = {
    sympy.asin: lambda x: sympy.sqrt(1 - x**2) + _I * x,
    sympy.acos: lambda x: x + _I * sympy.sqrt(1 - x**2),
    sympy.atan: lambda x: (1 + _I * x) / sympy.sqrt(1 + x**2),
}


def _certain_sign(expr: sympy.Expr, at: Mapping) -> int:
    """The sign of a value; 0 where rounding could have made it."""
    number, size = value_and_scale(expr, at)
    return int(CONTEXT.sign(number)) if abs(number) > VANISHES * size else 0


class _Algebra:
    """Rewrites an expression as a rational function of generators and reduces it modulo their relations."""

    def __init__(self, points: list[dict[sympy.Symbol, Fraction]], domains: Domains, merge: bool) -> None:
        self.seen = points
        self.points = [as_mpf(point) for point in points]
        self.domains = domains
        self.merge = merge
        self.generators: dict[sympy.Expr, sympy.Dummy] = {}
        self.relations: list[tuple[sympy.Dummy, int, sympy.Expr]] = []

    def vanishes(self, expr: sympy.Expr) -> bool:
        rewritten = self._rewrite(expr)
        if rewritten == 0:
            return True
        symbols = sorted(rewritten.free_symbols | self._relation_symbols(), key=lambda symbol: symbol.name)
        if not symbols:
            return False
        field = FracField(symbols, sympy.QQ, sympy.lex)
        remainder = field.from_expr(rewritten)
        for generator, degree, radicand in reversed(self.relations):
            remainder = self._reduce(field, remainder, generator, degree, field.from_expr(radicand))
        return remainder == 0 or self._conjugates_vanish(field, remainder)

    def _relation_symbols(self) -> set[sympy.Symbol]:
        return set().union(*(radicand.free_symbols | {w} for w, _, radicand in self.relations), set())

    def _rewrite(self, expr: sympy.Expr) -> sympy.Expr:
        if expr.is_Rational or expr.is_Symbol:
            return expr
        if expr.is_Add or expr.is_Mul:
            return expr.func(*(self._rewrite(argument) for argument in expr.args))
        if expr.is_Pow and expr.exp.is_Integer:
            return self._rewrite(expr.base) ** expr.exp
        if expr.is_Pow and expr.exp.is_Rational:
            base = self._rewrite(expr.base)
            root = self._square_root(base) if expr.exp.q == 2 else self._generator(base, int(expr.exp.q))
            return root**expr.exp.p
        if isinstance(expr, sympy.exp) or expr is sympy.E:
            return self._exponential(expr.exp if expr is not sympy.E else sympy.Integer(1))
        if isinstance(expr, sympy.sinh | sympy.cosh | sympy.tanh):
            return self._rewrite(expr.rewrite(sympy.exp))
        if isinstance(expr, sympy.Abs):
            return self._sign(self._rewrite(expr.args[0])) * self._rewrite(expr.args[0])
        return self._transcendental(expr)

    def _transcendental(self, atom: sympy.Expr) -> sympy.Expr:
        """A generator without a relation, or plus or minus an earlier one that is proved to be the same function."""
        if atom in self.generators:
            return self.generators[atom]
        numbers = [value(atom, point) for point in self.points]
        same = self._earlier(atom, numbers) if self.merge else None
        if same is not None:
            self.generators[atom] = same
            return same
        generator = sympy.Dummy(f"f{len(self.generators):03d}", real=True)
        self.generators[atom] = generator
        for point, number in zip(self.points, numbers, strict=True):
            point[generator] = number
        return generator

    def _earlier(self, atom: sympy.Expr, numbers: list) -> sympy.Expr | None:
        for other, generator in self.generators.items():
            if other.is_Pow or not generator.is_Symbol:
                continue
            for sign in (1, -1):
                distances = [abs(x - sign * p[generator]) for x, p in zip(numbers, self.points, strict=True)]
                if max(distances) < VANISHES and self._same(atom, other, sign):
                    return sign * generator
        return None

    def _same(self, atom: sympy.Expr, other: sympy.Expr, sign: int) -> bool:
        """Whether atom = sign * other, first by the arguments of an odd function, then by derivatives."""
        odd = atom.func is other.func and atom.func in (sympy.asin, sympy.atan, sympy.erf)
        if odd and _decide(atom.args[0] - sign * other.args[0], self.domains, 2, False, self.seen) is True:
            return True
        return _decide(atom - sign * other, self.domains, 2, False, self.seen) is True

    def _exponential(self, exponent: sympy.Expr) -> sympy.Expr:
        product = sympy.Integer(1)
        terms = sympy.expand(exponent)
        if any(power.exp.is_Integer and power.base.is_Add for power in terms.atoms(sympy.Pow)):
            # Terms over one denominator in lowest terms, so that equal rational exponents have the same ones.
            above, below = sympy.fraction(sympy.cancel(exponent))
            terms = sympy.Add(*(term / below for term in sympy.Add.make_args(sympy.expand(above))))
        for term in sympy.Add.make_args(terms):
            number, monomial = term.as_coeff_Mul()
            # exp(m/12) is the generator, so that the fractions met in practice become integer powers of it.
            power = number * 12
            if power.is_Integer and abs(power) <= 12 * 64:
                product *= self._transcendental(sympy.exp(monomial / 12)) ** power
            else:
                product *= self._transcendental(sympy.exp(term))
        return product

    def _generator(self, base: sympy.Expr, degree: int) -> sympy.Dummy:
        key = sympy.Pow(base, sympy.Rational(1, degree), evaluate=False)
        if key not in self.generators:
            generator = sympy.Dummy(f"w{len(self.generators):03d}", positive=True)
            self.generators[key] = generator
            self.relations.append((generator, degree, base))
            for point in self.points:
                number = value(base, point)
                if number < 0:
                    raise _UndecidedError("a root of a negative number")
                point[generator] = CONTEXT.root(number, degree)
        return self.generators[key]

    def _sign(self, expr: sympy.Expr) -> int:
        """The sign `expr` has at all points."""
        signs = [_certain_sign(expr, point) for point in self.points]
        if 0 in signs:
            raise _UndecidedError(f"{expr} has no certain sign")
        if len(set(signs)) > 1:
            raise _SignChangeError(signs)
        return signs[0]

    def _square_root(self, base: sympy.Expr) -> sympy.Expr:
        """sqrt(N/D) = sqrt(N D)/|D|, with N D split into primes and irreducible factors."""
        numerator, denominator = sympy.fraction(sympy.cancel(base))
        number, factors = sympy.factor_list(numerator * denominator)
        if not number.is_Rational:
            return self._generator(base, 2)
        result = self._root_of_number(abs(number)) / (self._sign(denominator) * denominator)
        sign = 1 if number > 0 else -1
        for factor, power in factors:
            # A factor to the first power is positive wherever the root is real; only then may its sign vary.
            alone = len(factors) == 1 and power == 1
            positive = factor * (sign if alone else self._sign(factor))
            sign *= 1 if alone else self._sign(factor) ** power
            result *= positive ** (power // 2) * (self._generator(positive, 2) if power % 2 else 1)
            sign = 1 if alone else sign
        if sign < 0:
            raise _UndecidedError("a root of a negative expression")
        return result

    def _root_of_number(self, number: sympy.Rational) -> sympy.Expr:
        fraction = rational(number)
        result = sympy.Rational(1, fraction.denominator)
        for prime, power in sympy.factorint(fraction.numerator * fraction.denominator, limit=PRIME_LIMIT).items():
            prime = sympy.Integer(prime)
            result *= prime ** (power // 2) * (self._generator(prime, 2) if power % 2 else 1)
        return result

    @staticmethod
    def _reduce(field: FracField, element, generator: sympy.Dummy, degree: int, radicand):
        """The numerator of `element` modulo generator^degree = radicand (the denominator never vanishes)."""
        index = field.symbols.index(generator)
        result = field.zero
        for exponents, coefficient in element.numer.terms():
            high, low = divmod(exponents[index], degree)
            monomial = field.ring.from_dict({(*exponents[:index], low, *exponents[index + 1 :]): coefficient})
            result += field.field_new(monomial) * radicand**high
        return result

    def _conjugates_vanish(self, field: FracField, remainder) -> bool:
        """Removes dependent (nested) square roots: if A^2 - B^2 f = 0 identically and A - B w is not zero, A + B w is.

        Products of two analytic functions vanish only if one factor does.
        """
        for generator, degree, radicand in reversed(self.relations):
            if degree != 2 or generator not in remainder.as_expr().free_symbols:
                continue
            index = field.symbols.index(generator)
            even, odd = field.ring.zero, field.ring.zero
            for exponents, coefficient in remainder.numer.terms():
                rest = field.ring.from_dict({(*exponents[:index], 0, *exponents[index + 1 :]): coefficient})
                even, odd = (even + rest, odd) if exponents[index] == 0 else (even, odd + rest)
            conjugate = even.as_expr() - odd.as_expr() * generator
            if any(abs(value(conjugate, at)) / scale(conjugate, at) < REFUTES for at in self.points):
                return False
            norm = field.field_new(even) ** 2 - field.field_new(odd) ** 2 * field.from_expr(radicand)
            for inner, inner_degree, inner_radicand in reversed(self.relations):
                norm = self._reduce(field, norm, inner, inner_degree, field.from_expr(inner_radicand))
            if norm == 0:
                return True
            remainder = norm
        return False
