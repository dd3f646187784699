"""Compiled gates and steps: the gates and networks of `sim` a second time, in loops without temporaries.

The letters are those of `sim.networks.one_hidden_layer`, for one network: w (K, n), biases (K + 1) or empty, readout a
(K) or empty, x (B, n), y (B), gate (K, B). theta is the concatenation of w, the biases and the readout weights.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from sim.training.backends.compiled.numbers import FAST, INNER

# Sums may be reordered, so that the compiler can vectorise them.
_SUMS = FAST | {"fastmath": {"contract", "nsz", "reassoc"}}
_PART = _SUMS | INNER | {"forceinline": True}
GATED, LEAKY, ERF, SIGMOID = range(4)
MODELS = {
    "gated-linear": GATED,
    "relu": LEAKY,
    "leaky-relu": LEAKY,
    "erf": ERF,
    "sigmoid": SIGMOID,
}
# Whether the residual is that of the cross-entropy.
LOSSES = {"half-mse": False, "mse": False, "cross-entropy": True}


class Form(NamedTuple):
    """A network in numbers, and the weight of one example in its gradient.

    `leak` is the slope of LEAKY for h <= 0, `scale` the readout scale s, `share` the factor of an example's residual in
    the gradient. `entropy` selects the residual of the cross-entropy; `biased` means that there are biases, and `fixed`
    that they are not trained.
    """

    model: int
    leak: float
    scale: float
    share: float
    entropy: bool
    biased: bool
    fixed: bool

    def typed(self) -> tuple:
        """Return the form for `pulls`: the leak and the curve instead of the model, None for those that do not apply.

        None is a separate type: numba compiles the loops of the given model and loss only.
        """
        leak = self.leak if self.model == LEAKY else None
        curve = self.model if self.model in (ERF, SIGMOID) else None
        return leak, curve, self.scale, self.share, self.entropy or None, self.biased, self.fixed


_ROOT_HALF, _STEEPNESS = math.sqrt(0.5), math.sqrt(2 / math.pi)


@njit(**_PART)
def _clear(numbers):
    """Set all numbers to zero; an assignment to a slice would take numba half a second to compile at each use."""
    for j in range(numbers.size):
        numbers[j] = 0


@njit(**_PART)
def _copy(source, target):
    for j in range(target.size):
        target[j] = source[j]


@njit(**_PART)
def _total(numbers):
    total = numbers.dtype.type(0)
    for j in range(numbers.size):
        total += numbers[j]
    return total


@njit(**_PART)
def _largest(numbers):
    largest = numbers.dtype.type(0)
    for j in range(numbers.size):
        largest = max(largest, abs(numbers[j]))
    return largest


@njit(**_SUMS | INNER)
def _dot(first, second):
    total = first.dtype.type(0)
    for r in range(first.size):
        total += first[r] * second[r]
    return total


@njit(**FAST)
def open_gates(v, low, high, gate):
    """Write 1[low <= v < high] into `gate`, for every row."""
    for r in range(v.size):
        gate[r] = low <= v[r] < high


@njit(**_SUMS)
def soften_gates(v, low, high, sharpness, gate):
    """Write Phi(sharpness (v - low)) - Phi(sharpness (v - high)) into `gate`, for every row."""
    steepness = -sharpness * _ROOT_HALF
    for r in range(v.size):
        gate[r] = (math.erfc(steepness * (v[r] - low)) - math.erfc(steepness * (v[r] - high))) / 2


@njit(**_PART)
def _activation(curve, h):
    return math.erf(h * _ROOT_HALF) if curve == ERF else 1 / (1 + math.exp(-h))


@njit(**_PART)
def _derivative(curve, h, value):
    return _STEEPNESS * math.exp(-h * h / 2) if curve == ERF else value * (1 - value)


@njit(**_PART)
def _biases_and_readout(theta, units, n, biased):
    """Return views of the biases and the readout weights in theta."""
    first = units * n
    second = first + (units + 1 if biased else 0)
    return theta[first:second], theta[second:]


@njit(**_PART)
def _residual(yhat, y, r, entropy):
    if entropy:
        return -y[r] / (y.dtype.type(1) + math.exp(y[r] * yhat))
    return yhat - y[r]


@njit(**_PART)
def _add_outputs(leak, curve, h, k, gate, at, weight, total):
    """Add `weight` times f_k of every example to `total`."""
    if curve is not None:
        for r in range(total.size):
            total[r] += weight * _activation(curve, h[k, r])
    elif leak is not None:
        for r in range(total.size):
            total[r] += weight * (h[k, r] * (h.dtype.type(1) if h[k, r] > 0 else leak))
    else:
        for r in range(total.size):
            total[r] += weight * (h[k, r] * gate[k, at + r])


@njit(**_PART)
def _times_slopes(leak, curve, h, k, gate, at, weight, pull):
    """Replace the pre-activations h_k by `weight` times `pull` times f_k'."""
    if curve is not None:
        for r in range(pull.size):
            h[k, r] = weight * pull[r] * _derivative(curve, h[k, r], _activation(curve, h[k, r]))
    elif leak is not None:
        for r in range(pull.size):
            h[k, r] = weight * pull[r] * (h.dtype.type(1) if h[k, r] > 0 else leak)
    else:
        for r in range(pull.size):
            h[k, r] = weight * pull[r] * gate[k, at + r]


@njit(**_PART)
def _shares(entropy, outputs, scale, constant, y, at, share):
    """Replace the sums of the units' outputs by the residual of every example times its share."""
    for r in range(outputs.size):
        outputs[r] = _residual(outputs[r] * scale + constant, y, at + r, entropy is not None) * share


@njit(**_SUMS | INNER)
def _pulls(form, theta, gradient, n, h, gate, y, at, residual, value):
    """Do the work of `pulls` for compiled callers, which need no code that converts Python objects."""
    leak, curve, scale, share, entropy, biased, fixed = form
    units, rows = h.shape
    biases, readout = _biases_and_readout(theta, units, n, biased)
    d_biases, d_readout = _biases_and_readout(gradient, units, n, biased)
    one = h.dtype.type(1)
    weighted = readout.size > 0
    _clear(residual)
    for k in range(units):
        if biased:
            for r in range(rows):
                h[k, r] += biases[k]
        _add_outputs(leak, curve, h, k, gate, at, readout[k] if weighted else one, residual)
    _shares(entropy, residual, scale, biases[units] if biased else h.dtype.type(0), y, at, share)
    if biased:
        d_biases[units] = 0 if fixed else _total(residual)
    for r in range(rows):
        residual[r] *= scale
    for k in range(units):
        if weighted:
            _clear(value)
            _add_outputs(leak, curve, h, k, gate, at, one, value)
            d_readout[k] = _dot(value, residual)
        _times_slopes(leak, curve, h, k, gate, at, readout[k] if weighted else one, residual)
        if biased:
            d_biases[k] = 0 if fixed else _total(h[k])


@njit(**_SUMS)
def pulls(form, theta, gradient, n, h, gate, y, at, residual, value):
    """Replace h (K, B) = w.x by s a_k f_k'(h_k) times the residuals of the examples and their share in the gradient.

    The gradient by the biases and readout weights is written into `gradient`; that by w is then h x. The examples begin
    at `at` in y and in the columns of the gates. `residual` and `value` (B) are scratch, `form` is `Form.typed()`.
    """
    _pulls(form, theta, gradient, n, h, gate, y, at, residual, value)


@njit(**_PART)
def _within(theta, limit):
    """Whether the absolute value of every number is below the limit; False for NaN."""
    beyond = 0
    for j in range(theta.size):
        beyond += 0 if abs(theta[j]) < limit else 1
    return beyond == 0


@njit(**_SUMS | INNER)
def _move(theta, gradient, first, second, moved, optimiser, rate, done, limit):
    """Do the work of `move` for compiled callers."""
    if optimiser is None:
        for j in range(theta.size):
            moved[j] = theta[j] - rate * gradient[j]
    else:
        keep, take, square, epsilon, corrected = optimiser
        unbias, unsquare = 1.0, 1.0
        if corrected:
            unbias, unsquare = 1 / (1 - keep ** (done + 1)), 1 / (1 - square ** (done + 1))
        for j in range(theta.size):
            first[j] = keep * first[j] + take * gradient[j]
            step = first[j] * unbias
            if square >= 0:
                second[j] = square * second[j] + (1 - square) * gradient[j] * gradient[j]
                step /= math.sqrt(second[j] * unsquare) + epsilon
            moved[j] = theta[j] - rate * step
    if not _within(moved, limit):
        return False
    _copy(moved, theta)
    return True


@njit(**_SUMS)
def move(theta, gradient, first, second, moved, optimiser, rate, done, limit):
    """Take one step of the optimiser unless it exceeds `limit`; return whether it was taken.

    `optimiser` is (decay and share of the mean gradient, decay of the mean square or -1, epsilon, corrected or not);
    the means are stored in `first` and `second`. For plain descent it is None, a type for which numba compiles no loops
    with memory.
    """
    return _move(theta, gradient, first, second, moved, optimiser, rate, done, limit)


@njit(**_SUMS | INNER)
def _onto(v, w, x, j, low, first, second):
    """Add v_0 x_j + ... + v_3 x_{j+3} to `first` and the same with w to `second`, for the examples from `low` on."""
    x0, x1, x2, x3 = x[j, low:], x[j + 1, low:], x[j + 2, low:], x[j + 3, low:]
    v0, v1, v2, v3 = v[0], v[1], v[2], v[3]
    w0, w1, w2, w3 = w[0], w[1], w[2], w[3]
    for r in range(first.size):
        first[r] += v0 * x0[r] + v1 * x1[r] + v2 * x2[r] + v3 * x3[r]
        second[r] += w0 * x0[r] + w1 * x1[r] + w2 * x2[r] + w3 * x3[r]


@njit(**_SUMS | INNER)
def _dots(g, h, x, j, low, dv, dw):
    """Write g.x_j to g.x_{j+3} into dv and h.x_j to h.x_{j+3} into dw, over the examples from `low` on."""
    x0, x1, x2, x3 = x[j, low:], x[j + 1, low:], x[j + 2, low:], x[j + 3, low:]
    zero = h.dtype.type(0)
    a0, a1, a2, a3, b0, b1, b2, b3 = zero, zero, zero, zero, zero, zero, zero, zero
    for r in range(h.size):
        a0 += g[r] * x0[r]
        a1 += g[r] * x1[r]
        a2 += g[r] * x2[r]
        a3 += g[r] * x3[r]
        b0 += h[r] * x0[r]
        b1 += h[r] * x1[r]
        b2 += h[r] * x2[r]
        b3 += h[r] * x3[r]
    dv[0], dv[1], dv[2], dv[3] = a0, a1, a2, a3
    dw[0], dw[1], dw[2], dw[3] = b0, b1, b2, b3


@njit(**_SUMS | INNER)
def _onto_one(weight, x, total):
    for r in range(total.size):
        total[r] += weight * x[r]


@njit(**_SUMS)
def wide_steps(form, theta, units, x, y, gate, batch, room, optimiser, rate, done, limit):
    """Take steps of `batch` examples, the columns of x (n, B); return how many were taken before divergence.

    These loops serve few units, for which a matrix product is no faster. `form` is `Form.typed()`; `room` is scratch: h
    (K, batch), residuals and values (batch), then gradient, first, second, moved like theta.
    """
    h, residual, value, gradient, first, second, moved = room
    n = x.shape[0]
    fours, pairs = n - n % 4, units - units % 2  # sites in groups of four, units in pairs
    for step in range(y.size // batch):
        low, high = step * batch, (step + 1) * batch
        for k in range(units):
            _clear(h[k])
        for j in range(0, fours, 4):  # the loop over sites is outside, so that all units read them from the cache
            for k in range(0, pairs, 2):
                _onto(theta[k * n + j :], theta[(k + 1) * n + j :], x, j, low, h[k], h[k + 1])
        for k in range(units):
            for j in range(fours if k < pairs else 0, n):
                _onto_one(theta[k * n + j], x[j, low:high], h[k])
        _pulls(form, theta, gradient, n, h, gate, y, low, residual, value)
        for j in range(0, fours, 4):
            for k in range(0, pairs, 2):
                _dots(h[k], h[k + 1], x, j, low, gradient[k * n + j :], gradient[(k + 1) * n + j :])
        for k in range(units):
            for j in range(fours if k < pairs else 0, n):
                gradient[k * n + j] = _dot(h[k], x[j, low:high])
        if not _move(theta, gradient, first, second, moved, optimiser, rate, done + step, limit):
            return step
    return y.size // batch


@njit(**_PART)
def _forward(form, w, biases, readout, x, gate, r, value, slopes):
    """Return yhat of the example in row r, and write its values f_k and slopes a_k f_k', which are 0 if a gate is 0."""
    model, leak = form.model, form.leak
    weighted = readout.size > 0
    total = x.dtype.type(0)
    for k in range(w.shape[0]):
        h = biases[k] if form.biased else x.dtype.type(0)
        if model != GATED or gate[k, r] != 0:
            for j in range(x.shape[1]):
                h += w[k, j] * x[r, j]
        value[k] = h
    for k in range(w.shape[0]):
        if model == GATED:
            slopes[k] = gate[k, r]
            value[k] *= gate[k, r]
        elif model == LEAKY:
            slopes[k] = x.dtype.type(1) if value[k] > 0 else leak
            value[k] *= slopes[k]
        else:
            h = value[k]
            value[k] = _activation(model, h)
            slopes[k] = _derivative(model, h, value[k])
        if weighted:
            slopes[k] *= readout[k]
            total += readout[k] * value[k]
        else:
            total += value[k]
    return total * form.scale + biases[w.shape[0]] if form.biased else total * form.scale


@njit(**_SUMS)
def steps(form, theta, units, x, y, gate, row, batch, room, optimiser, rate, done, limit):
    """Take as many steps as `row` (steps * batch) has batches; return how many were taken before divergence.

    The loops serve small batches. `row` is the row of each example; `room` is scratch: gradient, first, second, moved
    like theta, then two rows of K.
    """
    gradient, first, second, moved, value, slopes = room
    n = x.shape[1]
    w = theta[: units * n].reshape(units, n)
    biases, readout = _biases_and_readout(theta, units, n, form.biased)
    dw = gradient[: units * n].reshape(units, n)
    dbiases, dreadout = _biases_and_readout(gradient, units, n, form.biased)
    learns_biases, weighted = form.biased and not form.fixed, readout.size > 0
    for step in range(row.size // batch):
        _clear(gradient)
        for e in range(step * batch, (step + 1) * batch):
            r = row[e]
            yhat = _forward(form, w, biases, readout, x, gate, r, value, slopes)
            residual = _residual(yhat, y, r, form.entropy) * form.share
            for k in range(units):
                if slopes[k] != 0:
                    pull = residual * form.scale * slopes[k]
                    for j in range(n):
                        dw[k, j] += pull * x[r, j]
                    if learns_biases:
                        dbiases[k] += pull
            if weighted:
                for k in range(units):
                    dreadout[k] += residual * form.scale * value[k]
            if learns_biases:
                dbiases[units] += residual
        if not _move(theta, gradient, first, second, moved, optimiser, rate, done + step, limit):
            return step
    return row.size // batch


@njit(**_PART)
def _reach(form, weighted, x, r, value, slopes):
    """Return a bound on the derivatives of yhat by all trained numbers: s a_k f_k' x_j, s a_k f_k', 1 and s f_k.

    It uses the length of (1, x) instead of its largest entry, because sums are vectorised.
    """
    square, steepest, highest = x.dtype.type(1), x.dtype.type(1), x.dtype.type(0)
    for j in range(x.shape[1]):
        square += x[r, j] * x[r, j]
    for k in range(slopes.size):
        steepest = max(steepest, abs(form.scale * slopes[k]))
        if weighted:
            highest = max(highest, abs(form.scale * value[k]))
    return max(steepest * math.sqrt(square), highest)


@njit(**_SUMS)
def single_steps(form, theta, units, x, y, gate, row, room, rate, limit):
    """Take steps as `steps` does for a batch of one and plain descent, each directly on theta.

    In a step no number grows by more than rate |residual| times the largest derivative of yhat. The numbers are checked
    only when the sum of these bounds reaches the limit.
    """
    moved, value, slopes = room
    n = x.shape[1]
    w = theta[: units * n].reshape(units, n)
    biases, readout = _biases_and_readout(theta, units, n, form.biased)
    learns_biases, weighted = form.biased and not form.fixed, readout.size > 0
    reach = np.inf
    for step in range(row.size):
        r = row[step]
        yhat = _forward(form, w, biases, readout, x, gate, r, value, slopes)
        residual = _residual(yhat, y, r, form.entropy) * form.share * rate
        growth = abs(residual) * _reach(form, weighted, x, r, value, slopes)
        safe = reach + growth < limit
        if not safe:
            _copy(theta, moved)
        for k in range(units):
            if slopes[k] != 0:
                pull = residual * form.scale * slopes[k]
                for j in range(n):
                    w[k, j] -= pull * x[r, j]
                if learns_biases:
                    biases[k] -= pull
            if weighted:
                readout[k] -= residual * form.scale * value[k]
        if learns_biases:
            biases[units] -= residual
        reach += growth
        if not safe:
            if not _within(theta, limit):
                _copy(moved, theta)
                return step
            reach = _largest(theta)
    return row.size
