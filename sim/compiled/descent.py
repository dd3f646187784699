"""Compiled inputs, gates and steps: what `sim.sample`, `sim.gating`, `sim.network` say, in loops without temporaries.

Letters as in `sim.network`, for one network: w (K, n), biases (K + 1) or empty, x (B, n), y (B), gate (K, B).
"""

import math

import numpy as np
from numba import njit

from sim.compiled.numbers import FAST, float32_of

# Sums are taken in any order, so that they run on many lanes.
_SUMS = FAST | {"fastmath": {"contract", "nsz", "reassoc"}}
_PART = _SUMS | {"forceinline": True}
GATED, LEAKY, ERF, SIGMOID = range(4)
_f32 = np.float32
_ROOT_HALF, _STEEPNESS = math.sqrt(0.5), math.sqrt(2 / math.pi)

# erf in float32 to one unit of the last place: z + z P(z^2) for |z| < 0.93, else 1 - exp(-|z| - |z| Q(|z|)), both by
# least-maximum polynomials (N. Juffa's coefficients); from |z| = 4 on it rounds to 1.
_SPLIT, _FLAT = _f32(0.927734375), _f32(4)
_P = tuple(
    _f32(c) for c in (1.28379166e-1, -3.76125336e-1, 1.12819925e-1, -2.67681349e-2, 4.99119423e-3, -5.96761703e-4)
)
_Q = tuple(
    _f32(c)
    for c in (1.28717512e-1, 6.34846687e-1, 1.06777877e-1, -2.42546219e-2, 3.88396438e-3, -3.83197126e-4, 1.72853470e-5)
)
_LOG2E, _LN2_HIGH, _LN2_LOW = _f32(1 / math.log(2)), _f32(0.693359375), _f32(math.log(2) - 0.693359375)
_E = tuple(_f32(1 / math.factorial(k)) for k in range(8))


@njit(**FAST)
def inputs32(z, gain, normaliser, out):
    """x = erf(gain z)/Z in float32, entry by entry of flat arrays."""
    over = _f32(1) / normaliser
    for j in range(z.size):
        a = gain * z[j]
        t = min(abs(a), _FLAT)
        s = t * t
        low = t + t * (_P[0] + s * (_P[1] + s * (_P[2] + s * (_P[3] + s * (_P[4] + s * _P[5])))))
        q = _Q[0] + t * (_Q[1] + t * (_Q[2] + t * (_Q[3] + t * (_Q[4] + t * (_Q[5] + t * _Q[6])))))
        r = -t - t * q
        k = np.int32(r * _LOG2E - _f32(0.5))
        f = (r - _f32(k) * _LN2_HIGH) - _f32(k) * _LN2_LOW
        e = _E[2] + f * (_E[3] + f * (_E[4] + f * (_E[5] + f * (_E[6] + f * _E[7]))))
        e = _E[0] + f * (_E[1] + f * e)
        high = _f32(1) - e * float32_of(np.int32(np.int32(k + np.int32(127)) << np.int32(23)))
        out[j] = math.copysign(low if t < _SPLIT else high, a) * over


@njit(**FAST)
def open_gates(seen, site, low, high, gate, unit):
    """1[low <= seen_site < high] of one unit for every row; a site below 0 is a gate that is always open."""
    for r in range(seen.shape[0]):
        gate[unit, r] = site < 0 or low <= seen[r, site] < high


@njit(**_PART)
def _curved(model, h):
    return math.erf(h * _ROOT_HALF) if model == ERF else 1 / (1 + math.exp(-h))


@njit(**_PART)
def _tilt(model, h, value):
    return _STEEPNESS * math.exp(-h * h / 2) if model == ERF else value * (1 - value)


@njit(**_PART)
def _residual(yhat, y, r, entropy):
    seen = 1 / (1 + math.exp(-yhat)) if entropy else yhat
    return y.dtype.type(seen) - y[r]


@njit(**_PART)
def _add_outputs(model, leak, h, k, gate, at, total):
    """f_k of every example onto `total`."""
    if model == GATED:
        for r in range(total.size):
            total[r] += h[k, r] * gate[k, at + r]
    elif model == LEAKY:
        for r in range(total.size):
            total[r] += h[k, r] * (h.dtype.type(1) if h[k, r] > 0 else leak)
    else:
        for r in range(total.size):
            total[r] += _curved(model, h[k, r])


@njit(**_PART)
def _times_slopes(model, leak, h, k, gate, at, pull):
    """`pull` times f_k' in the place of the fields h_k."""
    if model == GATED:
        for r in range(pull.size):
            h[k, r] = pull[r] * gate[k, at + r]
    elif model == LEAKY:
        for r in range(pull.size):
            h[k, r] = pull[r] * (h.dtype.type(1) if h[k, r] > 0 else leak)
    else:
        for r in range(pull.size):
            h[k, r] = pull[r] * _tilt(model, h[k, r], _curved(model, h[k, r]))


@njit(**_SUMS)
def pulls(network, biases, h, gate, y, at, residual, slope_biases):
    """h (K, B) without biases becomes (yhat - y) f_k'(h_k) times the shares of the gradient; the biases' gradient.

    `network` is (model, leak, scale s, share of one example, cross-entropy or not); the examples stand in y and in the
    columns of the gates from `at` on. `residual` (B) is scratch.
    """
    model, leak, scale, share, entropy = network
    biased = biases.size > 0
    units, rows = h.shape
    residual[:] = 0
    for k in range(units):
        if biased:
            for r in range(rows):
                h[k, r] += biases[k]
        _add_outputs(model, leak, h, k, gate, at, residual)
    constant = biases[units] if biased else h.dtype.type(0)
    for r in range(rows):
        residual[r] = _residual(residual[r] * scale + constant, y, at + r, entropy) * share
    if biased:
        slope_biases[units] = residual.sum()
    for r in range(rows):
        residual[r] *= scale
    for k in range(units):
        _times_slopes(model, leak, h, k, gate, at, residual)
        if biased:
            slope_biases[k] = h[k].sum()


@njit(**_PART)
def _within(theta, limit):
    """Whether every number is below the limit; a NaN is not."""
    beyond = 0
    for j in range(theta.size):
        beyond += 0 if abs(theta[j]) < limit else 1
    return beyond == 0


@njit(**_SUMS)
def move(theta, slope, first, second, moved, optimiser, rate, done, limit):
    """One step of the optimiser, unless it leads beyond `limit`: whether it was taken.

    `optimiser` is (decay and share of the mean slope, decay of the mean square or -1, epsilon, corrected or not); the
    means are kept in `first` and `second`.
    """
    keep, take, square, epsilon, corrected = optimiser
    unbias, unsquare = 1.0, 1.0
    if corrected:
        unbias, unsquare = 1 / (1 - keep ** (done + 1)), 1 / (1 - square ** (done + 1))
    if keep == 0 and square < 0:
        for j in range(theta.size):
            moved[j] = theta[j] - rate * slope[j]
    else:
        for j in range(theta.size):
            first[j] = keep * first[j] + take * slope[j]
            step = first[j] * unbias
            if square >= 0:
                second[j] = square * second[j] + (1 - square) * slope[j] * slope[j]
                step /= math.sqrt(second[j] * unsquare) + epsilon
            moved[j] = theta[j] - rate * step
    if not _within(moved, limit):
        return False
    theta[:] = moved
    return True


@njit(**_PART)
def _forward(network, w, biases, x, gate, r, field, slopes):
    """yhat and the slopes of the example in row r; the field behind a closed gate is left out."""
    model, leak, scale, _, _ = network
    units = w.shape[0]
    biased = biases.size > 0
    for k in range(units):
        h = biases[k] if biased else x.dtype.type(0)
        if model != GATED or gate[k, r] != 0:
            for j in range(x.shape[1]):
                h += w[k, j] * x[r, j]
        field[k] = h
    total = x.dtype.type(0)
    for k in range(units):
        if model == GATED:
            slopes[k] = gate[k, r]
            value = field[k] * gate[k, r]
        elif model == LEAKY:
            slopes[k] = x.dtype.type(1) if field[k] > 0 else leak
            value = field[k] * slopes[k]
        else:
            value = x.dtype.type(_curved(model, field[k]))
            slopes[k] = _tilt(model, field[k], value)
        total += value
    return total * scale + biases[units] if biased else total * scale


@njit(**_SUMS)
def steps(network, theta, units, x, y, gate, row, batch, room, optimiser, rate, done, limit):
    """As many steps as `row` (steps * batch) has batches, for few units: how many were taken before diverging.

    `row` gives the row of each example; `room` is scratch (slope, first, second, moved) like theta, and two rows of K.
    """
    _, _, scale, share, entropy = network
    slope, first, second, moved, field, slopes = room
    n = x.shape[1]
    w, biases = theta[: units * n].reshape(units, n), theta[units * n :]
    dw, dbiases = slope[: units * n].reshape(units, n), slope[units * n :]
    for step in range(row.size // batch):
        slope[:] = 0
        for e in range(step * batch, (step + 1) * batch):
            r = row[e]
            yhat = _forward(network, w, biases, x, gate, r, field, slopes)
            residual = _residual(yhat, y, r, entropy) * share
            for k in range(units):
                if slopes[k] != 0:
                    pull = residual * scale * slopes[k]
                    for j in range(n):
                        dw[k, j] += pull * x[r, j]
                    if biases.size > 0:
                        dbiases[k] += pull
            if biases.size > 0:
                dbiases[units] += residual
        if not move(theta, slope, first, second, moved, optimiser, rate, done + step, limit):
            return step
    return row.size // batch


@njit(**_SUMS)
def single_steps(network, theta, units, x, y, gate, row, room, rate, limit):
    """As `steps` for a batch of one and plain descent: each step moves the weights at once.

    No number grows by more than rate |pull| max(|x|, 1) in a step. The numbers are looked at only where the sum of
    these bounds reaches the limit.
    """
    _, _, scale, share, entropy = network
    moved, field, slopes = room
    n = x.shape[1]
    w, biases = theta[: units * n].reshape(units, n), theta[units * n :]
    reach = np.inf
    for step in range(row.size):
        r = row[step]
        yhat = _forward(network, w, biases, x, gate, r, field, slopes)
        residual = _residual(yhat, y, r, entropy) * share * rate
        largest, steepest = theta.dtype.type(1), theta.dtype.type(0)
        for j in range(n):
            largest = max(largest, abs(x[r, j]))
        for k in range(units):
            steepest = max(steepest, abs(scale * slopes[k]))
        growth = abs(residual) * max(steepest, 1) * largest
        safe = reach + growth < limit
        if not safe:
            moved[:] = theta
        for k in range(units):
            if slopes[k] != 0:
                pull = residual * scale * slopes[k]
                for j in range(n):
                    w[k, j] -= pull * x[r, j]
                if biases.size > 0:
                    biases[k] -= pull
        if biases.size > 0:
            biases[units] -= residual
        reach += growth
        if not safe:
            if not _within(theta, limit):
                theta[:] = moved
                return step
            reach = np.abs(theta).max()
    return row.size
