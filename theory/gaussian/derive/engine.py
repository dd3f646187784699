"""Rewrite E[...] move by move until no expectation remains, recording every move as a step with its rule."""

from collections.abc import Callable, Sequence
from functools import lru_cache

import sympy

import theory.gaussian.derive.rules  # noqa: F401 - it registers the checkers of the moves
from theory.gaussian.derive import four_signs, laws, lines, moves, powers, quadratic, waves
from theory.gaussian.derive.factors import atoms
from theory.gaussian.derive.integrand import check_reach, expand
from theory.gaussian.derive.rules.laws import same_polynomial
from theory.gaussian.expectation import Expectation, Quadrature
from theory.problem.errors import OutOfReachError
from theory.proof.derivation import Derivation, Step
from theory.proof.rules.shared import replaced

# Every move removes a factor, a power, a variable or an expectation; a power of 64 takes about as many steps.
MAX_STEPS = 300
WHY = {**moves.WHY, **powers.WHY, **laws.WHY, **waves.WHY, **quadratic.WHY, **lines.WHY}
# Few powers are removed one at a time, because the longer proof is easier to follow.
LEAST_POWERS = 6
AT_ONCE = {name: move for name, move in moves.MOVES.items() if name != "stein"} | powers.MOVES
AT_ONCE["stein"] = moves.stein  # where it declines

# Expectations of up to this many signs have a closed law or reduce to a one-dimensional integral.
MOST_SIGNS = 4
# The most operations of an expression that is multiplied out.
MOST_EXPANDED = 1000
HALF = sympy.Rational(1, 2)

Move = Callable[[Expectation], sympy.Expr | None]


def derive(expr: sympy.Expr, cov: sympy.MatrixBase, factored: bool = True) -> Derivation:
    """Return the proof of E[expr] = closed form for z ~ N(0, cov), as a chain of equal expressions.

    Common factors are put in front at the end, if `factored`. What the moves do not reach is averaged along one line
    (`lines`) where it depends on one linear form only. Raises OutOfReachError for anything else.

    >>> from theory.expressions.symbols import z
    >>> [step.rule for step in derive(sympy.erf(z(1)) * z(2), sympy.eye(2)).steps]
    ['definition', 'noisy-sign', 'independence', 'parity']
    """
    chain = _Chain(Expectation(expr, cov))
    try:
        _reduce(chain)
    except OutOfReachError as refusal:
        chain = _along_lines(chain.start, refusal)
        _reduce(chain)
    chain.integrate()
    if factored:
        chain.tidy()
    return chain.derivation()


def _reduce(chain: "_Chain") -> None:
    """Apply moves until no expectation is left."""
    _start(chain)
    # The arcsine law is derived where it is the result, and cited as a lemma inside longer derivations.
    if chain.expectations() and all(map(laws.pair_of_signs, chain.expectations())):
        chain.move("price", laws.price)
    while chain.expectations():
        if not chain.move_by_first_applicable():
            raise _out_of_reach(chain.hardest()[0], chain.start)
        if len(chain.steps) > MAX_STEPS:
            raise OutOfReachError(
                f"The derivation takes more than {MAX_STEPS} steps: the powers are too high.", "Use lower powers."
            )


def _along_lines(start: Expectation, refusal: OutOfReachError) -> "_Chain":
    """Return a chain whose expectations are within reach of the moves; the others are integrals over one variable."""
    chain = _Chain(start)
    for name, move in lines.MOVES.items():
        while chain.move(name, move):
            pass
    beyond = [e for e in chain.expectations() if e == start or not _within_reach(e)]
    for e in beyond:  # before any average is found to be 0, as a factor
        lines.require_integrable(e, refusal)
    chain.move("symmetry", lambda e: lines.symmetry(e) if e in beyond else None)
    chain.move("quadrature", lambda e: lines.quadrature(e, refusal) if e in beyond else None)
    return chain


@lru_cache(maxsize=256)
def _within_reach(e: Expectation) -> bool:
    try:
        _reduce(_Chain(e))
    except OutOfReachError:
        return False
    return True


def _out_of_reach(left: Expectation, whole: Expectation) -> OutOfReachError:
    return OutOfReachError(
        f"{len(atoms(left.integrand))} dependent steps, signs or erfs remain in the expectation of {whole.integrand}.",
        "Five and more have a value where all their correlations are 1/2, or where they are functions of one linear "
        "form without parameters.",
    )


def _start(chain: "_Chain") -> None:
    """Expand sums, make every argument a variable, and apply the moves that need no integral."""
    for e in chain.expectations():
        check_reach(expand(e.integrand))
    chain.move("mehler", moves.mehler)
    chain.move("linearity", moves.linearity)
    chain.move("quadratic-tilt", quadratic.quadratic_tilt)  # refuses infinite means, which parity would call 0
    chain.move("parity", moves.parity)
    if chain.move("exponential-tilt", moves.exponential_tilt):
        chain.move("linearity", moves.linearity)
    if chain.move("characteristic-function", waves.characteristic_function):
        chain.move("linearity", moves.linearity)
    chain.move("noisy-sign", moves.noisy_sign)
    chain.move("linearity", moves.linearity_of_sums)
    while any(chain.move(name, moves.MOVES[name]) for name in ("parity", "collinear-signs", "independence")):
        pass


def value_form(expr: sympy.Expr, cov: sympy.MatrixBase) -> sympy.Expr:
    """Return an equal expression for numerical evaluation.

    Expectations of two signs with thresholds, and of three or four signs, remain in it. A ReLU becomes
    z (1 + sign z)/2, and powers are integrated out: E relu(z) = 1/sqrt(2 pi). Averages that the moves do not reach
    remain as `Quadrature`.

    >>> from theory.expressions.functions import Relu
    >>> from theory.expressions.symbols import z
    >>> value_form(Relu(z(1)), sympy.eye(1))
    sqrt(2)/(2*sqrt(pi))
    """
    chain = _Chain(Expectation(expr, cov))
    try:
        _start(chain)
        return evaluated(chain.now)
    except OutOfReachError as refusal:
        chain = _along_lines(chain.start, refusal)
        _start(chain)
        return evaluated(chain.now)


def evaluated(form: sympy.Expr) -> sympy.Expr:
    """Apply moves to every expectation of `form` until none applies; expectations of two to four signs may remain.

    >>> from theory.expressions.symbols import z
    >>> evaluated(3 * Expectation(sympy.sign(z(1)) * z(1), sympy.eye(1)))
    3*sqrt(2)/sqrt(pi)
    """
    while True:
        replacements = {e: _evaluated(e) for e in form.atoms(Expectation)}
        replacements = {old: new for old, new in replacements.items() if new is not None}
        if not replacements:
            return form
        form = replaced(form, replacements)


def _evaluated(e: Expectation) -> sympy.Expr | None:
    """Return the result of the first move that applies, or None for two to four signs to which no move applies."""
    each = (*AT_ONCE.values(), four_signs.dependence, laws.one_sign, laws.arcsine, laws.common_factor)
    new = next((new for move in each if (new := move(e)) is not None), None)
    if new is None and e.cov.rows > MOST_SIGNS:
        raise _out_of_reach(e, e)
    return new


@lru_cache(maxsize=1)  # each attempted move needs the expectations of the same form
def _expectations(form: sympy.Expr) -> tuple[Expectation, ...]:
    """Return the expectations of a form in a fixed order."""
    return tuple(sorted(form.atoms(Expectation), key=sympy.default_sort_key))


class _Chain:
    """A derivation under construction: its start and the steps recorded so far."""

    def __init__(self, start: Expectation) -> None:
        self.start = start
        self.steps = [Step(start, "the expectation asked for", "definition")]
        self.at_once = False

    @property
    def now(self) -> sympy.Expr:
        return self.steps[-1].expr

    def expectations(self) -> tuple[Expectation, ...]:
        return _expectations(self.now)

    def hardest(self) -> Sequence[Expectation]:
        """Return all expectations, or only those with the most signs where these are too many for a law."""
        expectations = self.expectations()
        signs = [sum(isinstance(factor, sympy.sign) for factor in atoms(e.integrand)) for e in expectations]
        most = max(signs, default=0)
        # No move adds signs, so the expectations with the most signs decide first whether a result is within reach.
        if most <= MOST_SIGNS:
            return expectations
        return [e for e, count in zip(expectations, signs, strict=True) if count == most]

    def move(self, name: str, move: Move) -> bool:
        """Apply a move to every expectation to which it applies."""
        return self._move(name, move, self.expectations())

    def _move(self, name: str, move: Move, expectations: Sequence[Expectation]) -> bool:
        moved = {e: move(e) for e in expectations}
        replacements = {old: new for old, new in moved.items() if new is not None}
        if not replacements:
            return False
        using = tuple(sympy.Tuple(old, new) for old, new in replacements.items())
        self.steps.append(Step(replaced(self.now, replacements), WHY[name], name, using))
        return True

    def move_by_first_applicable(self) -> bool:
        hardest = self.hardest()
        self.at_once |= any(sum(f.is_Symbol for f in atoms(e.integrand)) >= LEAST_POWERS for e in hardest)
        table = (AT_ONCE if self.at_once else moves.MOVES) | laws.LAWS
        return any(self._move(name, move, hardest) for name, move in table.items())

    def integrate(self) -> None:
        """Replace integrals of c r / sqrt(v - t^2 r^2) by c asin(t r / sqrt v); others remain."""
        antiderivatives = {i: antiderivative(i) for i in self.now.atoms(sympy.Integral)}
        known = {i: f for i, f in antiderivatives.items() if f is not None}
        if not known:
            return
        t = next(iter(known)).limits[0][0]
        values = {i: f.xreplace({t: sympy.Integer(1)}) - f.xreplace({t: sympy.Integer(0)}) for i, f in known.items()}
        using = tuple(sympy.Tuple(i, f) for i, f in known.items())
        why = r"the derivative of $\arcsin(t r)$ is $r / \sqrt{1 - t^2 r^2}$"
        self.steps.append(Step(self.now.xreplace(values), why, "integrate", using))

    def tidy(self) -> None:
        """Move common factors to the front and shorten, unless there are too many terms; integrals remain unchanged."""
        if self.now.count_ops() > MOST_EXPANDED:
            return
        integrals = self.now.atoms(sympy.Integral, Quadrature)
        names = {integral: sympy.Dummy(f"integral{k}") for k, integral in enumerate(integrals)}
        back = {name: integral for integral, name in names.items()}
        tidied = shortest(self.now.xreplace(names)).xreplace(back)
        if tidied != self.now:
            self.steps.append(Step(tidied, "common factors in front", "collect"))

    def derivation(self) -> Derivation:
        return Derivation("gaussian.expectation", sympy.Eq(self.start, self.now, evaluate=False), tuple(self.steps))


def shortest(expr: sympy.Expr) -> sympy.Expr:
    """Return the shortest of some forms that are proved equal: factors in front, multiplied out, roots divided out.

    Forms with fewer roots in denominators, which may vanish, come first.

    >>> r = sympy.Symbol("r", real=True)
    >>> shortest(sympy.sqrt(1 - r) - (r - 1) / sympy.sqrt(1 - r))
    2*sqrt(1 - r)
    """
    expr = expr.xreplace({f: sympy.factor_terms(f) for f in expr.atoms(sympy.Function)})
    plain = sympy.factor_terms(sympy.expand(expr, deep=False))
    names = {f: sympy.Dummy(real=True) for f in (expr + plain).atoms(sympy.Function)}
    back = {name: function for function, name in names.items()}
    named = [form.xreplace(names) for form in (expr, plain)]
    forms = [sympy.factor_terms(form).xreplace(back) for form in (*map(sympy.expand, named), _divided(named[0]))]
    for form in sorted(forms, key=_length):
        if _length(form) < _length(plain) and same_polynomial(plain, form):
            return form
    return plain


def _length(form: sympy.Expr) -> tuple[int, int]:
    """Return the number of roots of sums in denominators outside of functions, and the number of operations."""
    outside = form.xreplace({f: sympy.Dummy() for f in form.atoms(sympy.Function)})
    return sum(bool(power.exp < 0) for power in _powers(outside) if not power.exp.is_Integer), form.count_ops()


def _powers(expr: sympy.Expr) -> set[sympy.Pow]:
    """Return the roots of sums, and the sums in denominators."""
    powers = {power for power in expr.atoms(sympy.Pow) if power.base.is_Add and power.exp.is_Rational}
    return {power for power in powers if power.exp.q == 2 or power.exp < 0}


def _divided(total: sympy.Expr) -> sympy.Expr:
    """Return a sum with Q sqrt(B) in place of N/sqrt(B) where N = Q B are polynomials.

    >>> r = sympy.Symbol("r", real=True)
    >>> _divided((1 - r**4) / sympy.sqrt(1 - r**2))
    sqrt(1 - r**2)*(r**2 + 1)
    """
    contents = {power: sympy.expand(power.base).primitive() for power in _powers(total)}
    contents = {power: (c, base) for power, (c, base) in contents.items() if base.is_polynomial()}
    roots = {base: sympy.Dummy(positive=True) for _, base in contents.values()}
    total = total.xreplace({p: c**p.exp * roots[base] ** (2 * p.exp) for p, (c, base) in contents.items()})
    kept, total = total.as_independent(*roots.values(), as_Add=True)
    for base, root in sorted(roots.items(), key=lambda item: sympy.default_sort_key(item[0])):
        terms = [(term, term.as_powers_dict().get(root, 0)) for term in sympy.Add.make_args(sympy.expand(total))]
        total = sympy.Integer(0)
        for parity in (0, 1):
            least = min((power for _, power in terms if power % 2 == parity), default=0)
            parts = ((term / root**power, power - least) for term, power in terms if power % 2 == parity)
            top = sympy.expand(sympy.Add(*(rest * base ** (power / 2) for rest, power in parts)))
            while least < 0:
                try:
                    quotient, rest = sympy.div(top, base, *sorted(base.free_symbols, key=str))
                except sympy.PolynomialError:  # a factor under another root or in a denominator
                    break
                if rest != 0:
                    break
                top, least = quotient, least + 2
            content, top = top.primitive()
            total += content * root**least * top
    return kept + total.xreplace({root: sympy.sqrt(base) for base, root in roots.items()})


def antiderivative(integral: sympy.Integral) -> sympy.Expr | None:
    """Return c asin(t r / sqrt v) for the integrand c r / sqrt(v - t^2 r^2) with c > 0, else None.

    >>> t, r = sympy.symbols("t r", positive=True)
    >>> antiderivative(sympy.Integral(r / sympy.sqrt(1 - t**2 * r**2), (t, 0, 1)))
    asin(r*t)
    """
    t = integral.limits[0][0]
    half = -sympy.Rational(1, 2)
    roots = [f for f in sympy.Mul.make_args(integral.function) if f.is_Pow and f.exp == half and f.has(t)]
    if len(roots) != 1:
        return None
    front, inside = integral.function / roots[0], roots[0].base
    start = inside.xreplace({t: sympy.Integer(0)})
    square = start - inside.xreplace({t: sympy.Integer(1)})
    if front.has(t) or sympy.expand(inside - start + t**2 * square) != 0:
        return None
    # r carries the sign of the factor in front: c r = front and r^2 = square.
    ratio = sympy.sqrt(sympy.cancel(square / front**2))
    return sympy.asin(t * front * ratio / sympy.sqrt(start)) / ratio if ratio.is_positive else None


def arctangents(expr: sympy.Expr) -> Derivation | None:
    """Return the proof that `expr` equals its form with asin x = atan(x / sqrt(1 - x^2)); None without an arcsine.

    >>> arctangents(sympy.asin(sympy.Rational(3, 5))).proves.rhs
    atan(3/4)
    """
    replacements = {angle: _arctangent(angle.args[0]) for angle in expr.atoms(sympy.asin)}
    if not replacements:
        return None
    after = expr.xreplace(replacements)
    using = tuple(sympy.Tuple(old, new) for old, new in sorted(replacements.items(), key=str))
    steps = (
        Step(expr, "the arcsine form", "definition"),
        Step(after, r"$\arcsin x = \arctan(x / \sqrt{1 - x^2})$ for $\lvert x \rvert < 1$", "arctan", using),
    )
    return Derivation("gaussian.arctan-form", sympy.Eq(expr, after, evaluate=False), steps)


def _arctangent(x: sympy.Expr) -> sympy.Expr:
    """Return asin x as atan(n / sqrt(d^2 - n^2)) for x = n/d with d known to be positive, else with x unsplit."""
    numerator, denominator = sympy.fraction(x)
    if not denominator.is_positive:
        return sympy.atan(x / sympy.sqrt(1 - x**2))
    return sympy.atan(numerator / sympy.sqrt(sympy.expand(denominator**2 - numerator**2)))
