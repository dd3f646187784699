"""The field of an expression: rational functions of parameters and generators, modulo the relations between these.

An element that is zero in the field vanishes at every point of the region. A ball at one point shows that an element is
not zero.
"""

from dataclasses import dataclass, field

import sympy
from flint import arb
from sympy.polys.fields import FracElement, FracField

from theory.expressions.balls.precision import precision
from theory.expressions.balls.real import Undecided, Undefined, enclose
from theory.expressions.region import Open, Region

# Precisions, in bits, of the balls that may show that a number is not zero.
BITS = (128, 1024, 4096)
# The most points at which an element is evaluated to show that it is not zero.
LOOKS = 3

Point = dict[sympy.Expr, object]


class Void(Exception):
    """A part of the expression is not real at any point of the region."""


class NoForm(Exception):
    """The kernel has no normal form; nothing is proved."""


@dataclass
class Names:
    """One generator for each function, the same on all regions of one question.

    `meaning` maps a generator to the function it stands for, written in parameters and earlier generators.
    """

    generators: dict[sympy.Expr, sympy.Dummy] = field(default_factory=dict)
    meaning: dict[sympy.Dummy, sympy.Expr] = field(default_factory=dict)

    def of(self, key: sympy.Expr, letter: str) -> sympy.Dummy:
        """Return the generator that stands for `key`."""
        if key not in self.generators:
            dummy = sympy.Dummy(f"{letter}{len(self.generators):03d}", real=True)
            self.generators[key] = dummy
            self.meaning[dummy] = key
        return self.generators[key]

    def parameters(self, element: sympy.Expr) -> set[sympy.Symbol]:
        """Return the parameters on which an element depends, directly or through its generators."""
        parameters = set()
        for symbol in element.free_symbols:
            parameters |= self.parameters(self.meaning[symbol]) if symbol in self.meaning else {symbol}
        return parameters

    def ball(self, element: sympy.Expr, point: Point) -> arb:
        """Return a ball that contains the element at a point; raises Undefined or Undecided as `enclose` does."""
        known = {
            symbol: self.ball(self.meaning[symbol], point) for symbol in element.free_symbols & self.meaning.keys()
        }
        return enclose(element, {**point, **known})


class Field:
    """The field on one region, with some points of the region at which the expression is real.

    `relations[w] = (q, p)` means w^q = p; `substituted` maps a parameter to the square of the generator of its root.
    """

    def __init__(self, region: Region, names: Names, points: list[Point]) -> None:
        self.region, self.names, self.points = region, names, points
        self.relations: dict[sympy.Dummy, tuple[int, sympy.Expr]] = {}
        self.substituted: dict[sympy.Symbol, sympy.Expr] = {}

    def generator(self, key: sympy.Expr, letter: str, values: sympy.Interval) -> sympy.Dummy:
        """Return the generator for `key`, whose values all lie in the open interval `values`."""
        dummy = self.names.of(key, letter)
        self.region.box[dummy] = values
        return dummy

    def is_zero(self, element: sympy.Expr) -> bool:
        """Whether an element of the field is zero modulo the relations."""
        if element.is_Rational:
            return element == 0
        if self._differs_from_zero(element):
            return False
        numerator, _ = self.over(element)
        return numerator == 0 or self._conjugates_vanish(numerator)

    def over(self, element: sympy.Expr, roots: bool = False) -> tuple[sympy.Expr, sympy.Expr]:
        """Return numerator and denominator, reduced modulo the relations and without a common factor.

        With `roots`, a parameter a whose root occurs is written as sqrt(a)^2, so that squares of polynomials in sqrt(a)
        are recognised.
        """
        element = element.xreplace(self.substituted) if roots else element
        kept = {power.base for power in self.substituted.values()} if roots else set()
        symbols = element.free_symbols
        for w in reversed(self.relations):
            if w in symbols:
                symbols = symbols | self.relations[w][1].free_symbols
        ordered = sorted(symbols, key=lambda symbol: symbol.name)
        if not ordered:
            return sympy.fraction(sympy.cancel(element))
        field_ = FracField(ordered, sympy.QQ, sympy.lex)
        fraction = _element(field_, element)
        above, below = field_.field_new(fraction.numer), field_.field_new(fraction.denom)
        for w in reversed(self.relations):
            if w in symbols - kept:
                above, below = (self._reduced(field_, part, w) for part in (above, below))
        if below == 0:
            raise NoForm("a denominator vanishes")
        quotient = above / below
        return quotient.numer.as_expr(), quotient.denom.as_expr()

    def _reduced(self, field_: FracField, element, w: sympy.Dummy):
        """Reduce the powers of w in the numerator of an element by w^q = radicand."""
        degree, radicand = self.relations[w]
        index, replacement = field_.symbols.index(w), field_.from_expr(radicand)
        result = field_.zero
        for exponents, coefficient in element.numer.terms():
            high, low = divmod(exponents[index], degree)
            monomial = field_.ring.from_dict({(*exponents[:index], low, *exponents[index + 1 :]): coefficient})
            result += field_.field_new(monomial) * replacement**high
        return result / field_.field_new(element.denom)

    def _conjugates_vanish(self, numerator: sympy.Expr) -> bool:
        """Whether products of conjugates prove a numerator zero: if A^2 - B^2 w^2 = 0 and A - B w != 0, A + B w = 0.

        This decides elements with dependent (nested) square roots, which the relations alone do not reduce to zero.
        """
        conjugates = []
        for w, (degree, radicand) in reversed(self.relations.items()):
            if numerator != 0 and degree == 2 and w in numerator.free_symbols:
                even, odd = (sympy.Poly(numerator, w).coeff_monomial(w**k) for k in (0, 1))
                conjugates.append(even - odd * w)
                numerator, _ = self.over(even**2 - odd**2 * radicand)
        return numerator == 0 and all(self._is_nowhere_zero(conjugate) for conjugate in conjugates)

    def _is_nowhere_zero(self, element: sympy.Expr) -> bool:
        """Whether an element is certainly not zero.

        If a product of two analytic functions vanishes on a connected box, then one of them does. On a box it is
        therefore enough that the element differs from zero at one point.
        """
        if self.region.is_box and self._is_algebraic(element) and self._differs_from_zero(element):
            return True
        try:
            return self.sign(element) != 0
        except (Open, NoForm):
            return False

    def _is_algebraic(self, element: sympy.Expr) -> bool:
        """Whether the element is a polynomial in parameters, numbers and square roots of such polynomials."""
        generators = element.free_symbols & self.names.meaning.keys()
        roots = [self.relations.get(w, (0, w)) for w in generators if self.parameters(w)]
        return all(degree == 2 and self._is_algebraic(radicand) for degree, radicand in roots)

    def _value(self, element: sympy.Expr, point: Point) -> arb | None:
        """Return a ball that contains the element at a point, or None where there is none."""
        try:
            return self.names.ball(element, point)
        except (Undefined, Undecided):
            return None

    def _differs_from_zero(self, element: sympy.Expr) -> bool:
        """Whether a ball excludes zero, at a point of the region unless the element is a number."""
        parameters = self.parameters(element)
        for point in self.points[:LOOKS] if parameters else [{}]:
            for bits in BITS[:1] if parameters else BITS:
                with precision(bits):
                    ball = self._value(element, point)
                    if ball is not None and not ball.contains(0):
                        return True
        return False

    def parameters(self, element: sympy.Expr) -> set[sympy.Symbol]:
        """Return the parameters on which an element depends."""
        return self.names.parameters(element)

    def sign(self, element: sympy.Expr) -> int:
        """Return the sign of an element on the region, 0 if it vanishes identically; Open where it is not known."""
        if element.is_Rational:
            return int(sympy.sign(element))
        if not self.parameters(element):
            return self._sign_of_number(element)
        number, factors = self.factors(element)
        result = int(sympy.sign(number))
        for factor, power in factors:
            try:
                result *= self.sign_of_factor(factor) ** power
            except Open:
                if power % 2:
                    raise
        return int(result)

    def _sign_of_number(self, element: sympy.Expr) -> int:
        for bits in BITS:
            with precision(bits):
                ball = self._value(element, {})
                if ball is not None and not ball.contains(0):
                    return 1 if ball > 0 else -1
        numerator, _ = self.over(element)
        if numerator == 0 or self._conjugates_vanish(numerator):
            return 0
        raise NoForm(f"the sign of {element} is not known")

    def sign_of_factor(self, factor: sympy.Expr) -> int:
        """Return the sign of an irreducible polynomial; Open where it is not known, NoForm where it may vanish."""
        if not self.parameters(factor):
            return self._sign_of_number(factor)
        try:
            return self.region.sign(factor)
        except Open:
            # A split into cases by its sign is possible only if the factor does not vanish everywhere.
            if factor.free_symbols & self.names.meaning.keys() and not self._differs_from_zero(factor):
                raise NoForm(f"{factor} may be zero") from None
            raise

    def factors(self, element: sympy.Expr) -> tuple[sympy.Rational, list[tuple[sympy.Expr, int]]]:
        """Return a number and irreducible polynomials whose product is the element times its denominator squared."""
        _, _, number, factors = self.factored(element)
        return number, factors

    def factored(
        self, element: sympy.Expr
    ) -> tuple[sympy.Expr, sympy.Expr, sympy.Rational, list[tuple[sympy.Expr, int]]]:
        """Return numerator and denominator of an element, and the number and irreducible factors of their product.

        A parameter is written as the square of its root only if this produces a square: a - c**2 stays one factor,
        because the signs of sqrt(a) - c and sqrt(a) + c are not known.
        """
        numerator, denominator = self.over(element, roots=True)
        number, factors = sympy.factor_list(numerator * denominator)
        roots = {square.base for square in self.substituted.values()}
        if roots and all(power == 1 or factor in roots for factor, power in factors):
            numerator, denominator = self.over(element)
            number, factors = sympy.factor_list(numerator * denominator)
        return numerator, denominator, number, factors

    def require_positive(self, number: sympy.Rational, factors: list[tuple[sympy.Expr, int]]) -> None:
        """Require a product to be positive, because the expression would not be real otherwise; Void where it is not.

        If exactly one factor has an unknown sign, that sign is deduced and restricts the region.
        """
        sign, unknown = int(sympy.sign(number)), []
        for factor, power in factors:
            if power % 2:
                try:
                    sign *= self.sign_of_factor(factor)
                except Open:
                    unknown.append(factor)
        if len(unknown) > 1:
            raise Open(unknown[0])
        if unknown:
            self.region.deduced[unknown[0]] = sign
        elif sign < 0:
            raise Void


def _element(field_: FracField, expr: sympy.Expr) -> FracElement:
    """Return the element of an expression; the terms of a sum are added by denominators, which many of them share."""
    numerators: dict[sympy.Expr, list[sympy.Expr]] = {}
    for term in sympy.Add.make_args(expr):
        above, below = sympy.fraction(term)
        numerators.setdefault(below, []).append(above)
    total = field_.zero
    for below, parts in numerators.items():
        above = sympy.Add(*parts)
        if above.is_polynomial(*field_.symbols):
            monomials = sympy.Poly(above, *field_.symbols, domain=sympy.QQ).rep.to_dict()
            total += field_.field_new(field_.ring.from_dict(monomials)) / field_.from_expr(below)
        else:
            total += field_.from_expr(above) / field_.from_expr(below)
    return total
