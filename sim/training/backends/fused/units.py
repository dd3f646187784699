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
def over_network(numbers, PER: tl.constexpr):
    """Return the sums of numbers (T, K) over the columns of each network, `PER` a network, broadcast along them."""
    rows: tl.constexpr = numbers.shape[0]
    columns: tl.constexpr = numbers.shape[1]
    if columns == PER:
        sums = tl.sum(numbers, axis=1)[:, None]
    else:
        split: tl.constexpr = (rows, columns // PER, PER)
        sums = tl.sum(tl.reshape(numbers, split), axis=2)[:, :, None]
        sums = tl.reshape(tl.broadcast_to(sums, split), (rows, columns))
    return sums


@triton.jit
def pulls_of(h, gate, a, out, y, counted, used, scale, share, leak, FORMS: tl.constexpr):
    """Return the pulls s a_k f_k'(h_k) r (T, K) of the examples that are `counted`, and the gradients by a, b and out.

    r is the residual of an example times its `share` in the gradient, s the readout's `scale`. A row has an example of
    each network; labels, bias of the readout and `counted` are those of each column's network, or of all columns.
    """
    value, slope = values_and_slopes(h, gate, leak, FORMS.model)
    yhat = over_network(value * a[None, :], FORMS.tile.units) * scale + out[None, :]
    residual = tl.where(counted, residuals(yhat, y, FORMS.entropy) * share, 0.0)
    scaled = residual * scale
    pull = slope * scaled * a[None, :]
    return (
        pull,
        tl.sum(tl.where(used[None, :], value * scaled, 0.0), axis=0),
        tl.sum(pull, axis=0),
        tl.sum(residual, axis=0),
    )


@triton.jit
def counters_of(arrays, network):
    """Return the last word of a network's counters and both words of the key."""
    word = tl.load(arrays.word + network).to(tl.uint32)
    return word, tl.load(arrays.key).to(tl.uint32), tl.load(arrays.key + 1).to(tl.uint32)


@triton.jit
def law_of(arrays):
    """Return gain, 1/Z and the two labels, of `layout.numbers_of`."""
    numbers = arrays.numbers
    return tl.load(numbers), tl.load(numbers + 1), tl.load(numbers + 7), tl.load(numbers + 8)


@triton.jit
def settings_of(arrays):
    """Return rate, divergence limit, readout scale, share of an example and leak, of `layout.numbers_of`."""
    numbers = arrays.numbers
    rate, limit, scale = tl.load(numbers + 2), tl.load(numbers + 3), tl.load(numbers + 4)
    return rate, limit, scale, tl.load(numbers + 5), tl.load(numbers + 6)


@triton.jit
def load_few(arrays, first, slot, unit, units, used, FORMS: tl.constexpr):
    """Return readout weights a (K), 1 where they are not trained, biases b (K) and those of the readouts, out (K).

    A column has the unit `unit` of the network `first` + `slot`, or none, 0 in all three, where it is not `used`.
    """
    kind: tl.constexpr = arrays.w.dtype.element_ty
    place = slot * units + unit
    a = used.to(kind)
    b = tl.zeros(unit.shape, kind)
    out = tl.zeros(unit.shape, kind)
    if FORMS.weighted:
        a = tl.load(arrays.a + first * units + place, mask=used, other=0.0)
    if FORMS.biased:
        b = tl.load(arrays.b + first * units + place, mask=used, other=0.0)
        out = tl.load(arrays.out + first + slot, mask=used, other=0.0)
    return a, b, out


@triton.jit
def store_few(arrays, first, slot, unit, units, used, a, b, out, FORMS: tl.constexpr):
    """Store what `load_few` loads."""
    place = slot * units + unit
    if FORMS.weighted:
        tl.store(arrays.a + first * units + place, a, mask=used)
    if FORMS.biased:
        tl.store(arrays.b + first * units + place, b, mask=used)
        tl.store(arrays.out + first + slot, out, mask=used & (unit == 0))


@triton.jit
def move_few(a, b, out, da, db, dout, rate, limit, safe, FORMS: tl.constexpr):
    """Return a, b and out after a step, those that are trained, and which columns are `safe` and below the limit."""
    if FORMS.weighted:
        a -= rate * da
        safe = safe & below(a, limit)
    if FORMS.trained:
        b -= rate * db
        out -= rate * dout
        safe = safe & below(b, limit) & below(out, limit)
    return a, b, out, safe


@triton.jit
def below(numbers, limit):
    """Return whether the absolute value of each number is below the limit; False for NaN."""
    return tl.abs(numbers) < limit


@triton.jit
def every(flags):
    """Return whether all flags are set."""
    return tl.min(flags.to(tl.int32)) == 1


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
