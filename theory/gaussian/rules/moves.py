"""The rules that check what the Gaussian engine claims, each by its own calculation.

A step's `using` holds pairs (expectation, what it is replaced by); a checker recomputes what the right side must be
from the left side alone and raises `StepError` unless the two are proved equal.
"""

from collections.abc import Callable, Iterator
from itertools import permutations, product
from math import factorial

import sympy

from theory.expressions.functions import Phi, Relu
from theory.expressions.symbols import path, path_, z
from theory.gaussian.certified.sides import known_sign
from theory.gaussian.expectation import Expectation, marginal, slope, variables
from theory.proof.derivation import Step, StepError, rule
from theory.proof.rules.shared import pairs, require_equal, require_rewritten

UNIT = sympy.Interval(0, 1)
# So many signs are given both values one by one; of more, each power is reduced.
MOST_SIDES = 4
PairChecker = Callable[[Expectation, sympy.Expr], None]


def expectation_rule(name: str) -> Callable[[PairChecker], PairChecker]:
    """Register a checker of single replacements under `name`; the whole step is `before` with them made."""

    def register(checker: PairChecker) -> PairChecker:
        def check_step(before: sympy.Basic, step: Step) -> None:
            replacements = dict(pairs(step))
            for old, new in replacements.items():
                if not isinstance(old, Expectation):
                    raise StepError(f"{old} is not an expectation")
                checker(old, new)
            require_rewritten(before, step, replacements)

        check_step.__doc__ = checker.__doc__
        rule(name)(check_step)
        return checker

    return register


def domains_of(*exprs: sympy.Expr) -> dict[sympy.Symbol, sympy.Interval]:
    """The interpolation parameter lies in [0, 1]."""
    return {symbol: UNIT for expr in exprs for symbol in (path, path_) if symbol in expr.free_symbols}


def equal(a: sympy.Expr, b: sympy.Expr, what: str) -> None:
    """Raise StepError unless a = b is proved, the path parameter lying in [0, 1]."""
    require_equal(a, b, what, domains_of(a, b))


def terms(expr: sympy.Expr) -> list[tuple[sympy.Expr, Expectation | None]]:
    """coefficient and expectation of each term of a sum."""
    result = []
    for term in sympy.Add.make_args(expr):
        found = list(term.atoms(Expectation))
        if len(found) > 1:
            raise StepError(f"{term} is not a multiple of one expectation")
        result.append((term / found[0], found[0]) if found else (term, None))
    return result


def _term(expr: sympy.Expr) -> tuple[sympy.Expr, Expectation | None]:
    """The coefficient and the expectation of a sum of one term."""
    found = terms(expr)
    if len(found) != 1:
        raise StepError(f"{expr} is not a multiple of one expectation")
    return found[0]


@expectation_rule("linearity")
def linearity(old: Expectation, new: sympy.Expr) -> None:
    """Both integrands agree for every choice of their signs, every other factor being a free symbol."""
    total = sympy.Integer(0)
    for coefficient, part in terms(new):
        if part is not None and part.cov != old.cov:
            raise StepError("linearity does not change the covariance")
        total += coefficient * (part.integrand if part is not None else 1)
    difference = _by_definition(old.integrand - total)
    names: dict[sympy.Expr, sympy.Symbol] = {}
    table = {}
    for function in sorted(difference.atoms(sympy.sign, sympy.Heaviside), key=sympy.default_sort_key):
        argument = function.args[0]
        same = next((other for other in names if _positive_ratio(argument, other)), argument)
        name = names.setdefault(same, sympy.Dummy(f"s{len(names)}"))
        signed = (_positive_ratio(argument, same) or 1) * name
        table[function] = signed if isinstance(function, sympy.sign) else (1 + signed) / 2
    for rest in _by_sides(difference, table, list(names.values())):
        if rest != 0:
            equal(rest, sympy.Integer(0), "the integrands")


def _by_sides(difference: sympy.Expr, table: dict, names: list[sympy.Symbol]) -> Iterator[sympy.Expr]:
    """What vanishes if `difference` does for signs of square one: its value for all choices of few signs.

    A choice leaves one power where a power of a sum with a sign would multiply out to thousands of products.
    """
    if len(names) <= MOST_SIDES:
        for sides in product((1, -1), repeat=len(names)):
            chosen = dict(zip(names, map(sympy.Integer, sides), strict=True))
            yield sympy.expand(difference.xreplace({f: signed.xreplace(chosen) for f, signed in table.items()}))
        return
    rest = sympy.expand(difference.xreplace(table))
    for name in names:
        rest = sympy.expand(rest.replace(lambda x, s=name: x.is_Pow and x.base == s, lambda x: x.base ** (x.exp % 2)))
    yield rest


def _by_definition(expr: sympy.Expr) -> sympy.Expr:
    """relu, |.|, Phi, erfc, max and min by what defines them: steps, signs and erf."""

    def larger(side: int, *arguments: sympy.Expr) -> sympy.Expr:
        constant = [a for a in arguments if not variables(a)]
        if len(constant) > 1:
            arguments = ((sympy.Max if side > 0 else sympy.Min)(*constant), *(a for a in arguments if variables(a)))
        if len(arguments) != 2:
            raise StepError(f"the extreme of {len(arguments)} arguments")
        a, b = arguments
        return (a + b + side * (a - b) * sympy.sign(a - b)) / 2

    def moving(function: type) -> Callable[[sympy.Expr], bool]:
        return lambda x: isinstance(x, function) and bool(variables(x))

    definitions = (
        (Relu, lambda x: x.args[0] * sympy.Heaviside(x.args[0])),
        (sympy.Abs, lambda x: x.args[0] * sympy.sign(x.args[0])),
        (Phi, lambda x: (1 + sympy.erf(x.args[0] / sympy.sqrt(2))) / 2),
        (sympy.erfc, lambda x: 1 - sympy.erf(x.args[0])),
        (sympy.Max, lambda x: larger(1, *x.args)),
        (sympy.Min, lambda x: larger(-1, *x.args)),
    )
    for function, definition in definitions:
        expr = expr.replace(moving(function), definition)
    return expr


def _positive_ratio(a: sympy.Expr, b: sympy.Expr) -> int:
    """The sign of a/b if that is a constant of known sign, else 0."""
    ratio = sympy.cancel(a / b)
    return 0 if variables(ratio) else known_sign(ratio) or 0


@expectation_rule("marginal")
def fewer(old: Expectation, new: sympy.Expr) -> None:
    """The variables of `old` that occur, in their order, with their covariances."""
    used = [symbol for symbol in old.bound_symbols if old.integrand.has(symbol)]
    names = {symbol: z(k + 1) for k, symbol in enumerate(used)}
    rows = [old.bound_symbols.index(symbol) for symbol in used]
    number, integrand = old.integrand.xreplace(names).as_coeff_Mul()
    if new != number * Expectation(integrand, old.cov.extract(rows, rows)):
        raise StepError(f"{new} is not the expectation over {used}")


@expectation_rule("mehler")
def mehler(old: Expectation, new: sympy.Expr) -> None:
    """Monomial by monomial: E z_a^i z_b^j = sum_m i! j! c^m v^p w^q/(m! p! q! 2^(p+q)), m + 2p = i, m + 2q = j."""
    used = variables(old.integrand)
    if len(used) != 2:
        raise StepError("two variables are expected")
    a, b = (index - 1 for index in used)
    total = sympy.Integer(0)
    for (i, j), coefficient in sympy.Poly(sympy.expand(old.integrand), z(a + 1), z(b + 1)).terms():
        if (i + j) % 2:
            continue
        for m in range(i % 2, min(i, j) + 1, 2):
            p, q = (i - m) // 2, (j - m) // 2
            ways = sympy.Rational(
                factorial(i) * factorial(j), factorial(m) * factorial(p) * factorial(q) * 2 ** (p + q)
            )
            total += coefficient * ways * old.cov[a, b] ** m * old.cov[a, a] ** p * old.cov[b, b] ** q
    equal(sympy.expand(total), sympy.expand(new), "the sum over monomials")


@expectation_rule("isserlis")
def isserlis(old: Expectation, new: sympy.Expr) -> None:
    """The sum over how many pairs n_ij the variables form: prod p_i!/prod(n_ij! 2^n_ii) prod c_ij^n_ij."""
    powers = old.integrand.as_powers_dict()
    if not all(base.is_Symbol and exponent.is_Integer and exponent > 0 for base, exponent in powers.items()):
        raise StepError(f"{old.integrand} is not a monomial")
    rows = [variables(base)[0] - 1 for base in powers]
    exponents = [int(exponent) for exponent in powers.values()]
    total = sympy.Integer(0)
    for pairs_formed in pairings(tuple(exponents)):
        ways, product_ = sympy.Rational(1), sympy.Integer(1)
        for exponent in exponents:
            ways *= factorial(exponent)
        for (i, j), count in pairs_formed.items():
            ways /= factorial(count) * (2**count if i == j else 1)
            product_ *= old.cov[rows[i], rows[j]] ** count
        total += ways * product_
    equal(sympy.expand(total), sympy.expand(new), "the sum over pairings")


def pairings(left: tuple[int, ...], first: int = 0) -> list[dict[tuple[int, int], int]]:
    """Every table of pair counts n_ij, i <= j, in which variable i occurs left[i] times."""
    if first == len(left):
        return [{}]
    found = []
    partners = range(first + 1, len(left))
    for taken in product(*(range(min(left[first], left[j]) + 1) for j in partners)):
        alone = left[first] - sum(taken)
        if alone < 0 or alone % 2:
            continue
        rest = list(left)
        for j, count in zip(partners, taken, strict=True):
            rest[j] -= count
        own = {(first, j): count for j, count in zip(partners, taken, strict=True) if count}
        own |= {(first, first): alone // 2} if alone else {}
        found += [{**own, **table} for table in pairings(tuple(rest), first + 1)]
    return found


@expectation_rule("tilt")
def tilt(old: Expectation, new: sympy.Expr) -> None:
    """Completing the square: exp(a.z) times the density is exp(a.C a/2) times the density with mean C a."""
    factors = sympy.Mul.make_args(old.integrand)
    exponents = [factor.args[0] for factor in factors if isinstance(factor, sympy.exp)]
    if len(exponents) != 1:
        raise StepError("one exponential is expected")
    a = sympy.Matrix([exponents[0].diff(symbol) for symbol in old.bound_symbols])
    if sympy.expand(exponents[0] - sum(c * s for c, s in zip(a, old.bound_symbols, strict=True))) != 0:
        raise StepError(f"{exponents[0]} is not linear")
    mean = old.cov * a
    rest = sympy.Mul(*(factor for factor in factors if not isinstance(factor, sympy.exp)))
    shifted = rest.subs({s: s + m for s, m in zip(old.bound_symbols, mean, strict=True)}, simultaneous=True)
    coefficient, inner = _term(new)
    equal(sympy.log(coefficient), (a.T * mean)[0, 0] / 2, "the exponent in front")
    found = inner.integrand if inner is not None else sympy.Integer(1)
    if inner is not None and inner.cov != old.cov:
        raise StepError("a tilt does not change the covariance")
    if found != shifted:
        equal(found, shifted, "the shifted integrand")


@expectation_rule("parity")
def parity(old: Expectation, new: sympy.Expr) -> None:
    """f(-z) + f(z) = 0 and the expectation is replaced by zero."""
    if new != 0:
        raise StepError(f"parity makes an expectation zero, not {new}")
    flipped = old.integrand.subs({symbol: -symbol for symbol in old.bound_symbols}, simultaneous=True)
    if sympy.expand(flipped + old.integrand) != 0:
        raise StepError(f"{old.integrand} is not odd")


@expectation_rule("smear")
def smear(old: Expectation, new: sympy.Expr) -> None:
    """Some order of the factors matches: gradients of the arguments, times sqrt 2 and plus unit noise for an erf."""
    if not isinstance(new, Expectation):
        raise StepError(f"{new} is not an expectation")
    factors = []
    for factor in sympy.Mul.make_args(old.integrand):
        base, exponent = factor.as_base_exp()
        factors += [factor] if base.is_Symbol else [base] * int(exponent)
    targets = sorted(sympy.Mul.make_args(new.integrand), key=variables)
    if len(targets) != len(factors) or [variables(f) for f in targets] != [[k + 1] for k in range(len(factors))]:
        raise StepError("each factor becomes a function of one variable of its own")
    _match(_Smeared(old, factors), targets, new.cov, ())


class _Smeared:
    """Factors f(u): the kinds and powers of their targets; root u + noise = gradient . z + offset + noise."""

    def __init__(self, old: Expectation, factors: list[sympy.Expr]) -> None:
        self.factors = factors
        bases, self.powers = zip(*((f, 1) if f.is_Function else f.as_base_exp() for f in factors), strict=True)
        self.kinds = [sympy.sign if isinstance(base, sympy.erf) else base.func for base in bases]
        arguments = [base if base.is_Symbol else base.args[0] for base in bases]
        roots = [sympy.sqrt(2) if isinstance(base, sympy.erf) else sympy.Integer(1) for base in bases]
        noise = sympy.diag(*(1 if isinstance(base, sympy.erf) else 0 for base in bases))
        at_zero = dict.fromkeys(old.bound_symbols, sympy.Integer(0))
        self.offsets = [root * argument.xreplace(at_zero) for root, argument in zip(roots, arguments, strict=True)]
        gradient = sympy.Matrix(
            [[r * a.diff(s) for s in old.bound_symbols] for r, a in zip(roots, arguments, strict=True)]
        )
        self.cov = (gradient * old.cov * gradient.T + noise).applyfunc(sympy.expand)

    def unit(self, k: int, variance: sympy.Expr) -> sympy.Expr:
        """What the Gaussian is divided by to have the target's variance; a sign does not see it, a power would."""
        alike = self.kinds[k] is not sympy.sign or self.cov[k, k] == variance
        return sympy.Integer(1) if alike else sympy.sqrt(self.cov[k, k] / variance)

    def require(self, k: int, target: sympy.Expr, cov: sympy.MatrixBase, before: tuple[int, ...]) -> None:
        """Raise StepError unless factor k becomes `target`, in the row of `cov` after those `before` it."""
        row = len(before)
        base, power = (target, 1) if target.is_Function else target.as_base_exp()
        if power != self.powers[k] or base.func is not self.kinds[k]:
            raise StepError(f"{self.factors[k]} does not become {target}")
        unit = self.unit(k, cov[row, row])
        if target.is_Function:
            equal(self.offsets[k], offset_of(target)[1] * unit, f"the offset of factor {row + 1}")
        for column, other in enumerate((*before, k)):
            scaled = cov[row, column] * unit * self.unit(other, cov[column, column])
            equal(self.cov[k, other], scaled, f"the covariance of factors {row + 1} and {column + 1}")


def _match(smeared: _Smeared, targets: list[sympy.Expr], cov: sympy.MatrixBase, order: tuple[int, ...]) -> None:
    """Raise StepError unless `order` can be continued to one in which the factors become the targets."""
    if len(order) == len(targets):
        return
    wrong = None
    for k in range(len(targets)):
        try:
            if k not in order:
                smeared.require(k, targets[len(order)], cov, order)
                _match(smeared, targets, cov, (*order, k))
                return
        except StepError as error:
            wrong = wrong or error
    raise wrong


@expectation_rule("coincidence")
def coincidence(old: Expectation, new: sympy.Expr) -> None:
    """Two signs of one variable u: sign(u + c) sign(u + d) = 1 + sign(u + lower) - sign(u + upper) in every region."""
    for below, above in ((1, 1), (-1, 1), (-1, -1)):  # sign(u + lower) <= sign(u + upper)
        if below * above != 1 + below - above:
            raise StepError("the identity for two signs on a line is wrong")
    signs = [f for f in sympy.Mul.make_args(old.integrand) if isinstance(f, sympy.sign)]
    for second, first in permutations(signs, 2):
        (a, c), (b, d) = (offset_of(f) for f in (first, second))
        correlation = old.cov[a, b] / sympy.sqrt(old.cov[a, a] * old.cov[b, b])
        rest = old.integrand / (first * second)
        for side in (1, -1):
            other = side * d * sympy.sqrt(old.cov[a, a] / old.cov[b, b])
            expected = [side * marginal(rest, old.cov)]
            if c != 0 or d != 0:
                pieces = [marginal(rest * sympy.sign(z(a + 1) + sympy.expand(x)), old.cov) for x in (c, other)]
                orders = ((known_sign(other - c), pieces), (known_sign(c - other), pieces[::-1]))
                expected += [side * (marginal(rest, old.cov) + lo - hi) for gap, (lo, hi) in orders if gap == 1]
                expected = expected if sympy.expand(c - other) == 0 else expected[1:]
            if any(new == form or sympy.expand(new - form) == 0 for form in expected):
                equal(correlation, sympy.Integer(side), "the correlation")
                return
    raise StepError(f"{new} is not the expectation without two coinciding signs")


def offset_of(factor: sympy.Expr) -> tuple[int, sympy.Expr]:
    """The row and the value of the argument at z = 0 of a function of z_row + c."""
    found = variables(factor)
    if len(found) != 1:
        raise StepError(f"{factor} is not a function of one variable")
    (index,), argument = found, factor.args[0]
    if sympy.expand(argument.diff(z(index))) != 1:
        raise StepError(f"{argument} is not a variable plus a number")
    return index - 1, argument.xreplace({z(index): sympy.Integer(0)})


@expectation_rule("independence")
def independence(old: Expectation, new: sympy.Expr) -> None:
    """Some split of the variables into two groups without covariance gives the product (all splits are tried)."""
    used = variables(old.integrand)
    factors = sympy.Mul.make_args(old.integrand)
    for chosen in product((0, 1), repeat=len(used) - 1):
        groups: tuple[list[int], list[int]] = ([used[0]], [])
        for index, side in zip(used[1:], chosen, strict=True):
            groups[side].append(index)
        parts = [sympy.Mul(*(f for f in factors if set(variables(f)) <= set(group))) for group in groups]
        if not groups[1] or sympy.Mul(*parts) != old.integrand:
            continue
        if new == sympy.Mul(*(marginal(part, old.cov) for part in parts)):
            for i, j in product(*groups):
                equal(old.cov[i - 1, j - 1], sympy.Integer(0), f"the covariance of z{i} and z{j}")
            return
    raise StepError(f"{new} is not a product over two groups of variables")


@expectation_rule("stein")
def stein(old: Expectation, new: sympy.Expr) -> None:
    """E[z_b f] = sum_a Cov(z_b, z_a) E[df/dz_a] for one of the linear factors z_b."""
    wrong = f"{old.integrand} has no factor z"
    for power in sympy.Mul.make_args(old.integrand):
        factor = power.base if power.is_Pow else power
        if not factor.is_Symbol:
            continue
        rest = old.integrand / factor
        column = old.cov.col(variables(factor)[0] - 1)
        parts = (column[i] * marginal(slope(rest, s), old.cov) for i, s in enumerate(old.bound_symbols))
        try:
            equal(sum(parts, sympy.Integer(0)), new, "integration by parts")
            return
        except StepError as error:
            wrong = str(error)
    raise StepError(wrong)


@expectation_rule("density")
def density(old: Expectation, new: sympy.Expr) -> None:
    """Density of the held variables at -c; conditional mean and Schur complement, for signs in another unit."""
    factors = sympy.Mul.make_args(old.integrand)
    at = [offset_of(f) for f in factors if isinstance(f, sympy.DiracDelta)]
    if not at:
        raise StepError("there is no Dirac factor")
    held, values = [row for row, _ in at], -sympy.Matrix([c for _, c in at])
    rest = [f for f in factors if not isinstance(f, sympy.DiracDelta)]
    block = old.cov.extract(held, held)
    determinant = block.det()
    weights = block.adjugate() / determinant
    coefficient, inner = _term(new)
    exponent = sympy.Add(*(f.args[0] for f in sympy.Mul.make_args(coefficient) if isinstance(f, sympy.exp)))
    front = sympy.Mul(*(f for f in sympy.Mul.make_args(coefficient) if not isinstance(f, sympy.exp)))
    equal(front, 1 / sympy.sqrt((2 * sympy.pi) ** len(held) * determinant), "the density's factor")
    equal(exponent, -(values.T * weights * values)[0, 0] / 2, "the density's exponent")
    free = sorted({index - 1 for f in rest for index in variables(f)})
    if not free or inner is None:
        if free or inner is not None:
            raise StepError("what is left to average does not fit")
        return
    cross = old.cov.extract(free, held)
    mean = cross * weights * values
    schur = old.cov.extract(free, free) - cross * weights * cross.T
    only_signs = all(isinstance(f, sympy.sign) for f in rest)
    units = (sympy.sqrt(determinant), determinant, sympy.Integer(1)) if only_signs else (sympy.Integer(1),)
    wrong = ""
    for unit in units:
        try:
            _conditional(rest, free, mean, schur, unit, inner)
            return
        except StepError as error:
            wrong = str(error)
    raise StepError(wrong)


def _conditional(
    rest: list, free: list[int], mean: sympy.MatrixBase, schur: sympy.MatrixBase, unit: sympy.Expr, inner: Expectation
) -> None:
    """`inner` is the expectation of `rest` under the conditional law, signs in multiples of `unit`."""
    if inner.cov.rows != len(free):
        raise StepError(f"{len(free)} variables are left, not {inner.cov.rows}")
    for i in range(len(free)):
        for j in range(i + 1):
            equal(schur[i, j] * unit**2, inner.cov[i, j], f"the conditional covariance {i + 1}, {j + 1}")
    for i, row in enumerate(free):
        own = [f for f in rest if variables(f) == [row + 1]]
        found = [f for f in sympy.Mul.make_args(inner.integrand) if variables(f) == [i + 1]]
        if len(own) == len(found) == 1 and isinstance(own[0], sympy.sign) and isinstance(found[0], sympy.sign):
            equal((offset_of(own[0])[1] + mean[i]) * unit, offset_of(found[0])[1], f"the offset of z{i + 1}")
        elif any(f.has(sympy.sign) for f in (*own, *found)):
            raise StepError(f"{found} does not come from {own}")
        else:
            shifted = sympy.Mul(*own).xreplace({z(row + 1): z(i + 1) + mean[i]})
            equal(shifted, sympy.Mul(*found), f"the factor in z{i + 1}")
    if any(len(variables(f)) != 1 for f in sympy.Mul.make_args(inner.integrand)):
        raise StepError("each factor is a function of one variable")
