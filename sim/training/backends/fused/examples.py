"""Examples in a kernel: the Gaussian vectors of two classes from their noise, inputs, labels and gates."""

import math

import triton
import triton.language as tl

from sim.training.backends.fused.numbers import normals

MODES = 16  # modes of one product, the least that a matrix unit sums over
_CALLS = tl.constexpr(MODES // 4)
_MODES = tl.constexpr(MODES)
_ROOT_HALF = tl.constexpr(math.sqrt(0.5))


@triton.jit
def product(a, b, total, PRECISION: tl.constexpr):
    """Return total + a b; `PRECISION` is that of Triton's products in float32, and float64 has its own."""
    return tl.dot(a, b, total, input_precision=PRECISION, out_dtype=total.dtype)


@triton.jit
def gaussian(
    factor,
    category,
    example,
    word,
    key_low,
    key_high,
    first,
    chunks,
    around,
    site,
    width,
    sites: tl.constexpr,
    KIND: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Return z (T, sites) of T examples at the sites from `site` on: noise F_c, c the class of each example.

    `factor` is (2, modes, width) in memory. The modes that these sites need are `chunks` times 16 from `first` on,
    counted from 0 again at `around`. Both products are taken, and each example keeps that of its class.
    """
    rows: tl.constexpr = example.shape[0]
    columns = site + tl.arange(0, sites)[None, :]
    z0 = tl.zeros((rows, sites), KIND)
    z1 = tl.zeros((rows, sites), KIND)
    for chunk in range(chunks):
        begin = (first + chunk * _MODES) % around
        noise = normals(example, begin // 4, word, key_low, key_high, _CALLS, KIND)
        entry = factor + (begin + tl.arange(0, _MODES))[:, None] * width + columns
        z0 = product(noise, tl.load(entry), z0, PRECISION)
        z1 = product(noise, tl.load(entry + around * width), z1, PRECISION)
    return tl.where(category[:, None] == 0, z0, z1)


@triton.jit
def inputs(z, gain, over):
    """Return x = erf(gain z)/Z; `over` is 1/Z."""
    return tl.erf(gain * z) * over


@triton.jit
def gates_of(z, x, gates, units, unit, LATENT: tl.constexpr, INPUT: tl.constexpr, SOFT: tl.constexpr):
    """Return the gates (T, K) of T examples: 1[low <= v < high], v the number of z or x at the gate's site, or soft.

    `gates` (5, K) has the sites, whether they are of the latent, the bounds, and the sharpness, negative where hard.
    Gates of z exist if LATENT, of x if INPUT; units beyond K are closed.
    """
    used = unit < units
    at = tl.load(gates + unit, mask=used, other=0.0).to(tl.int32)[None, :]
    at += tl.zeros((z.shape[0], unit.shape[0]), tl.int32)
    low = tl.load(gates + 2 * units + unit, mask=used, other=float("inf"))[None, :]
    high = tl.load(gates + 3 * units + unit, mask=used, other=float("inf"))[None, :]
    v = tl.zeros((z.shape[0], unit.shape[0]), z.dtype)
    if LATENT:
        v = tl.gather(z, at, 1)
    if INPUT:
        latent = tl.load(gates + units + unit, mask=used, other=0.0) != 0
        v = tl.where(latent[None, :], v, tl.gather(x, at, 1))
    hard = ((v >= low) & (v < high)).to(v.dtype)
    if not SOFT:
        return hard
    else:
        sharpness = tl.load(gates + 4 * units + unit, mask=used, other=-1.0)[None, :]
        soft = tl.erf(sharpness * (v - low) * _ROOT_HALF) - tl.erf(sharpness * (v - high) * _ROOT_HALF)
        return tl.where(sharpness > 0, 0.5 * soft, hard)
