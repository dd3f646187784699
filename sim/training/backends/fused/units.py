"""Units and losses in a kernel: values, slopes and residuals, products with the weights, biases and readout weights."""

import math

import triton
import triton.language as tl

from sim.training.backends.fused.examples import product
from sim.training.backends.fused.sizes import LEAST

GATED, LEAKY, ERF, SIGMOID = range(4)
MODELS = {"gated-linear": GATED, "relu": LEAKY, "leaky-relu": LEAKY, "erf": ERF, "sigmoid": SIGMOID}
# Whether the residual is that of the cross-entropy.
LOSSES = {"half-mse": False, "mse": False, "cross-entropy": True}
_GATED, _LEAKY, _ERF = (tl.constexpr(model) for model in (GATED, LEAKY, ERF))
_LEAST = tl.constexpr(LEAST)
_ROOT_HALF, _STEEPNESS = tl.constexpr(math.sqrt(0.5)), tl.constexpr(math.sqrt(2 / math.pi))


@triton.jit
def values_and_slopes(h, gate, leak, MODEL: tl.constexpr):
    """Return f_k(h) and df_k/dh of units with the pre-activations h; `gate` has their gates where they are given."""
    if MODEL == _GATED:
        value, slope = h * gate, gate
    elif MODEL == _LEAKY:
        slope = tl.where(h > 0, 1.0, leak).to(h.dtype)
        value = h * slope
    elif MODEL == _ERF:
        value, slope = tl.erf(h * _ROOT_HALF), _STEEPNESS * tl.exp(-0.5 * h * h)
    else:
        value = 1 / (1 + tl.exp(-h))
        slope = value * (1 - value)
    return value, slope


@triton.jit
def residuals(yhat, y, ENTROPY: tl.constexpr):
    """Return the derivative of the loss of each example by yhat, up to the loss's factor."""
    residual = yhat - y
    if ENTROPY:
        residual = -y / (1 + tl.exp(y * yhat))
    return residual


@triton.jit
def pulls_of(h, gate, a, out, y, counted, used, scale, share, leak, MODEL: tl.constexpr, ENTROPY: tl.constexpr):
    """Return the pulls s a_k f_k'(h_k) r (T, K) of the examples that are `counted`, and the gradients by a, b and out.

    r is the residual of an example times its `share` in the gradient, s the readout's `scale`.
    """
    value, slope = values_and_slopes(h, gate, leak, MODEL)
    yhat = tl.sum(value * a[None, :], axis=1) * scale + tl.sum(out, axis=0)
    residual = tl.where(counted, residuals(yhat, y, ENTROPY) * share, 0.0)
    scaled = (residual * scale)[:, None]
    pull = slope * scaled * a[None, :]
    return (
        pull,
        tl.sum(tl.where(used[None, :], value * scaled, 0.0), axis=0),
        tl.sum(pull, axis=0),
        tl.sum(residual, axis=0),
    )


@triton.jit
def settings_of(numbers):
    """Return the nine numbers of `layout.numbers_of`."""
    gain, over, rate, limit = tl.load(numbers), tl.load(numbers + 1), tl.load(numbers + 2), tl.load(numbers + 3)
    scale, share, leak = tl.load(numbers + 4), tl.load(numbers + 5), tl.load(numbers + 6)
    return gain, over, rate, limit, scale, share, leak, tl.load(numbers + 7), tl.load(numbers + 8)


@triton.jit
def load_few(
    a_of, b_of, out_of, network, units, unit, kind: tl.constexpr, BIASED: tl.constexpr, WEIGHTED: tl.constexpr
):
    """Return readout weights a (K), 1 where they are not trained, biases b (K) and out (1); 0 beyond K units."""
    place, used = network * units + unit, unit < units
    a = used.to(kind)
    b = tl.zeros(unit.shape, kind)
    out = tl.zeros((1,), kind)
    if WEIGHTED:
        a = tl.load(a_of + place, mask=used, other=0.0)
    if BIASED:
        b = tl.load(b_of + place, mask=used, other=0.0)
        out = tl.load(out_of + network + tl.arange(0, 1))
    return a, b, out


@triton.jit
def store_few(a_of, b_of, out_of, network, units, unit, a, b, out, BIASED: tl.constexpr, WEIGHTED: tl.constexpr):
    """Store what `load_few` loads."""
    place, used = network * units + unit, unit < units
    if WEIGHTED:
        tl.store(a_of + place, a, mask=used)
    if BIASED:
        tl.store(b_of + place, b, mask=used)
        tl.store(out_of + network + tl.arange(0, 1), out)


@triton.jit
def move_few(a, b, out, da, db, dout, rate, limit, safe, TRAINED: tl.constexpr, WEIGHTED: tl.constexpr):
    """Return a, b and out after a step, those that are trained, and whether `safe` and all are below the limit."""
    if WEIGHTED:
        a -= rate * da
        safe = safe & within(a, limit)
    if TRAINED:
        b -= rate * db
        out -= rate * dout
        safe = safe & within(b, limit) & within(out, limit)
    return a, b, out, safe


@triton.jit
def within(numbers, limit):
    """Return whether the absolute value of every number is below the limit; False for NaN."""
    return tl.min((tl.abs(numbers) < limit).to(tl.int32)) == 1


@triton.jit
def forward(x, w, PRECISION: tl.constexpr):
    """Return x w^T (T, K), by products for 16 or more units and by sums for fewer."""
    if w.shape[0] < _LEAST:
        h = tl.sum(x[:, None, :] * w[None, :, :], axis=2)
    else:
        h = product(x, tl.trans(w), tl.zeros((x.shape[0], w.shape[0]), x.dtype), PRECISION)
    return h


@triton.jit
def backward(pull, x, PRECISION: tl.constexpr):
    """Return pull^T x (K, sites), in the same way."""
    if pull.shape[1] < _LEAST:
        total = tl.sum(pull[:, :, None] * x[:, None, :], axis=0)
    else:
        total = product(tl.trans(pull), x, tl.zeros((pull.shape[1], x.shape[1]), x.dtype), PRECISION)
    return total
