"""The gradient flow in certified balls: the working precision is raised until every number has its digits."""

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from flint import arb, arb_mat, ctx

from theory.expressions.balls.precision import precision
from theory.flow.linear.certified_ring import relax_around
from theory.flow.linear.convention import Convention, convention
from theory.flow.linear.eigenballs import EigenBalls, eigenballs, frobenius
from theory.flow.linear.parameters import joined
from theory.flow.linear.relaxation import FlowNumbers
from theory.moments import FeatureMoments, moments_of
from theory.moments.arithmetic import certified
from theory.moments.fixed_biases import exact_start
from theory.moments.symmetric import Circulant
from theory.problem import OutOfReachError, Problem

GUARD_DIGITS = 30  # covers condition numbers to about 1e25 at once; beyond, the precision rises
GROWTH = 1.7
MOST_WORKING_DIGITS = 4000
EIGENBASIS_SECONDS = 0.3  # of 40 rows at 60 digits, on one core
MOST_SECONDS = 60


class Unresolved(ArithmeticError):
    """The working precision does not separate the kernel from a singular one."""


def certified_flow(problem: Problem, digits: int) -> tuple[FlowNumbers, int]:
    """The flow's numbers as balls that hold `digits` digits, and the working digits it took.

    A ball holds its digits when its radius is below 10^-(digits + 2) of its size; a number below 10^-digits of its
    array's scale (the largest weight or bias, <y^2>) needs only the absolute radius 10^-(2 digits) of that scale.

    With A = 1/2 and b = (1/2, -1/2) the weights are 1 - exp(-t/2):

    >>> from theory.problem import AlwaysGate, FiniteData, Network, NormalInitialisation, Training
    >>> law, network = FiniteData([[1, 0], [0, 1]], [1, -1]), Network("gated-linear", "mean", 1, (AlwaysGate(),))
    >>> problem = Problem(law, network, Training("half-mse", 1, NormalInitialisation(0, 0), (2,)))
    >>> numbers, working = certified_flow(problem, 30)
    >>> decimals(numbers.path[0], 30).tolist()
    ['0.632120558828557678404476229839', '-0.632120558828557678404476229839']
    """
    working = digits + GUARD_DIGITS
    while working <= MOST_WORKING_DIGITS:
        with precision(digits=working + 8):
            moments = moments_of(problem, certified())
            try:
                numbers = _flow(problem, moments, digits)
            except (Unresolved, ZeroDivisionError):
                numbers = None
            if numbers is not None and _all_hold(numbers, moments, digits):
                return numbers, working
        working = int(GROWTH * working)
    raise OutOfReachError(
        f"{MOST_WORKING_DIGITS} working digits did not give {digits} correct ones: the covariance is too close to "
        "singular.",
        "Shorten xi or raise the gain; for single pulses use a smaller n.",
    )


def _flow(problem: Problem, moments: FeatureMoments, digits: int) -> FlowNumbers:
    rules = convention(problem)
    start = _exact_start(problem)
    times = problem.training.elapsed
    theta = [start.copy() for _ in times]
    fixed, mse, values = start.copy(), moments.y2, []
    losses = [arb(0) for _ in times]
    for block in moments.blocks:
        copies, rows = block.rhs.shape[-2:]
        if isinstance(block.kernel, Circulant):
            starts = block.project(start)
            around = relax_around(block.kernel, block.scales, block.rhs, starts, rules, times)
            if around is None:
                raise Unresolved
            mse -= around.explained
            values += around.values
            losses = [loss + own for loss, own in zip(losses, around.losses, strict=True)]
            fixed[..., block.places] += block.embed(around.end - starts)
            for index in range(len(times)):
                theta[index][..., block.places] += block.embed(around.path[index] - starts)
            continue
        kernel = arb_mat(block.kernel.dense().tolist())
        # Cheap computations that lose as many digits as the eigenvalues come first, so that a failure costs little.
        forces = block.rhs.reshape(-1, copies, rows)
        optima = [[kernel.solve(_column(rhs)) for rhs in output] for output in forces]
        pulled = [[any(not x.contains(0) for x in rhs) for rhs in output] for output in forces]
        # Forces that may all be 0, as by symmetry, are left to the check of the final numbers.
        if not all(_holds_together(optima[o][a], digits) for o, a in zip(*np.nonzero(pulled), strict=True)):
            raise Unresolved
        _afford(rows)
        basis = eigenballs(kernel)
        if not (basis.values[0] > basis.error):
            raise Unresolved
        starts = block.project(start)
        begin, shape = starts.reshape(-1, copies, rows), starts.shape
        ends, moved = np.empty_like(begin), [np.empty_like(begin) for _ in times]
        values += [scale * arb(value, basis.error) for scale in block.scales for value in basis.values]
        for o, a in np.ndindex(len(forces), copies):
            scale, optimum = block.scales[a], optima[o][a]
            mse -= _dot(_column(forces[o, a]), optimum) / scale
            end = optimum * (1 / (scale * _ball(rules.s)))
            ends[o, a] = end.entries()
            away = _column(begin[o, a]) - end
            modes = basis.vectors.transpose() * away
            for index, t in enumerate(times):
                left = _decayed(basis, modes, away, _ball(rules.ell * rules.s**2 * t) * scale)
                losses[index] += _ball(rules.s) ** 2 * scale * _dot(left, kernel * left)
                moved[index][o, a] = (left + end).entries()
        fixed[..., block.places] += block.embed(ends.reshape(shape) - starts)
        for index in range(len(times)):
            theta[index][..., block.places] += block.embed(moved[index].reshape(shape) - starts)
    if times[0] == 0:
        theta[0] = start  # exactly, also where the balls of theta(inf) - theta(0) are wide
    return _collected(rules, mse, fixed, values, theta, losses)


def _afford(rows: int) -> None:
    """Raise OutOfReachError for an eigenbasis that would take minutes; the time grows as rows^3 and about as digits."""
    seconds = EIGENBASIS_SECONDS * (rows / 40) ** 3 * (ctx.dps / 60)
    if seconds > MOST_SECONDS:
        raise OutOfReachError(
            f"The eigenbasis of {rows} rows at the {ctx.dps} digits that this conditioning needs would take about "
            f"{seconds:.0f} seconds.",
            "Use a smaller n or fewer overlapping gates; or shorten xi, raise the gain.",
        )


def _decayed(basis: EigenBalls, modes: arb_mat, away: arb_mat, rate_time: arb) -> arb_mat:
    """Enclose exp(-rt K) away by the approximate eigenbasis and its proved error."""
    decayed = [(-rate_time * d).exp() * x for d, x in zip(basis.values, modes.entries(), strict=True)]
    radius = basis.decay_error(rate_time.upper()) * frobenius(away)
    return arb_mat([[x + arb(0, radius)] for x in (basis.vectors * _column(decayed)).entries()])


def _collected(
    rules: Convention, mse: arb, fixed: np.ndarray, values: list[arb], theta: list, losses: list
) -> FlowNumbers:
    """Collect balls in arrays; the i-th eigenvalue lies within the widest radius of the i-th smallest midpoint."""
    radius = max(value.rad() for value in values)
    ordered = [arb(mid, radius) for mid in sorted(value.mid() for value in values)]
    still = [arb(0)] * (fixed.shape[-1] - len(values))
    factor = _ball(rules.ell * rules.s**2)
    return FlowNumbers(
        mse=np.array(mse, dtype=object),
        end=fixed,
        rates=np.array(still + [factor * value for value in ordered], dtype=object),
        path=np.stack(theta),
        losses=np.array([mse + loss for loss in losses], dtype=object),
        condition=np.array(ordered[-1] / ordered[0], dtype=object),
    )


def _exact_start(problem: Problem) -> np.ndarray:
    """Return theta(0) exactly as the problem states it."""
    theta = joined(problem, exact_start(problem))
    balls = [_ball(entry) for entry in theta.ravel().tolist()]
    return np.array(balls, dtype=object).reshape(theta.shape)


def _all_hold(numbers: FlowNumbers, moments: FeatureMoments, digits: int) -> bool:
    learned = np.concatenate([numbers.path.ravel(), numbers.end.ravel()])
    largest = max(abs(x).upper() for x in learned)
    groups = (
        (learned, largest),
        (numbers.rates, arb(0)),
        (numbers.losses, moments.y2),
        (np.atleast_1d(numbers.mse), moments.y2),
        (np.atleast_1d(numbers.condition), arb(0)),
    )
    return all(_holds(x, scale, digits) for array, scale in groups for x in array.ravel())


def _holds(x: arb, scale: arb, digits: int) -> bool:
    small = arb(10) ** -digits
    if x.rad() <= small / 100 * abs(x).lower():
        return True
    return bool(abs(x) <= small * scale) and bool(x.rad() <= small**2 * scale)


def _holds_together(column: arb_mat, digits: int) -> bool:
    """Whether the largest radius is below 10^-digits of the largest entry."""
    largest = max(x.abs_lower() for x in column.entries())
    return bool(max(x.rad() for x in column.entries()) <= arb(10) ** -digits * largest)


def _ball(x: Fraction) -> arb:
    return arb(x.numerator) / x.denominator


def _column(entries) -> arb_mat:
    return arb_mat([[x] for x in entries])


def _dot(left: arb_mat, right: arb_mat) -> arb:
    return (left.transpose() * right)[0, 0]


def decimals(balls: np.ndarray, digits: int) -> np.ndarray:
    """Return decimal strings: the nearest with `digits` digits if the ball decides it, else its certain digits, or 0.

    >>> from flint import arb
    >>> decimals(np.array([arb(1) / 8, arb(0)]), 5).tolist()
    ['0.12500', '0']
    """
    strings = [_decimal(x, digits) for x in balls.ravel()]
    return np.array(strings, dtype=object).reshape(balls.shape)


def _decimal(x: arb, digits: int) -> str:
    if x.contains(0):
        return "0"
    if x.rad() > arb(10) ** -digits / 100 * abs(x).lower():
        return x.str(digits, radius=False)
    mantissa, _, exponent = x.mid_rad_10exp(digits + 5)
    with localcontext(prec=digits):
        return str(+Decimal(int(mantissa)).scaleb(int(exponent)))
