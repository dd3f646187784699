"""Examples in a kernel: the Gaussian vectors of two classes from their noise, inputs, labels and gates."""

import math

import triton
import triton.language as tl

from sim.training.backends.fused.numbers import normals
from sim.training.backends.fused.sizes import MODES

_CALLS = tl.constexpr(MODES // 4)
_MODES = tl.constexpr(MODES)
_ROOT_HALF = tl.constexpr(math.sqrt(0.5))


@triton.jit
def product(a, b, total, PRECISION: tl.constexpr):
    """Return total + a b; `PRECISION` is that of Triton's products in float32, and float64 has its own."""
    return tl.dot(a, b, total, input_precision=PRECISION, out_dtype=total.dtype)


@triton.jit
def gaussian(
    arrays, category, example, word, key_low, key_high, first, chunks, around, site, width, FORMS: tl.constexpr
):
    """Return z (T, sites) of T examples at the sites from `site` on: noise F_c, c the class of each example.

    The factor is (2, modes, width) in memory. The modes that these sites need are `chunks` times 16 from `first` on,
    counted from 0 again at `around`. Both products are taken, and each example keeps that of its class.
    """
    kind: tl.constexpr = arrays.w.dtype.element_ty
    rows: tl.constexpr = example.shape[0]
    sites: tl.constexpr = FORMS.tile.sites
    columns = site + tl.arange(0, sites)[None, :]
    z0 = tl.zeros((rows, sites), kind)
    z1 = tl.zeros((rows, sites), kind)
    for chunk in range(chunks):
        begin = (first + chunk * _MODES) % around
        noise = normals(example, begin // 4, word, key_low, key_high, _CALLS, kind)
        entry = arrays.factor + (begin + tl.arange(0, _MODES))[:, None] * width + columns
        z0 = product(noise, tl.load(entry), z0, FORMS.precision)
        z1 = product(noise, tl.load(entry + around * width), z1, FORMS.precision)
    return tl.where(category[:, None] == 0, z0, z1)


@triton.jit
def inputs(z, gain, over, FORMS: tl.constexpr):
    """Return x = erf(gain z)/Z, or z where the law has no nonlinearity; `over` is 1/Z."""
    x = z
    if FORMS.curved:
        x = tl.erf(gain * z) * over
    return x


@triton.jit
def gate_numbers(v, z, x, start, arrays, units, unit, FORMS: tl.constexpr):
    """Return v (T, K) with the numbers of z or x at the gates' sites that are among those from `start` on.

    The gates (5, K) have the sites, whether they are of the latent, the bounds, and the sharpness, negative where hard.
    """
    sites: tl.constexpr = z.shape[1]
    at = tl.load(arrays.gates + unit, mask=unit < units, other=-1.0).to(tl.int32) - start
    here = (at >= 0) & (at < sites)
    index = tl.where(here, at, 0)[None, :] + tl.zeros((z.shape[0], unit.shape[0]), tl.int32)
    seen = v
    if FORMS.latent:
        seen = tl.gather(z, index, 1)
    if FORMS.input:
        latent = tl.load(arrays.gates + units + unit, mask=unit < units, other=0.0) != 0
        seen = tl.where(latent[None, :], seen, tl.gather(x, index, 1))
    return tl.where(here[None, :], seen, v)


@triton.jit
def gate_places(arrays, units, unit, latents, BOTH: tl.constexpr):
    """Return the places (K) of the gates' sites in a row of inputs, from `latents` on that of latents if `BOTH`."""
    used = unit < units
    places = tl.load(arrays.gates + unit, mask=used, other=0.0).to(tl.int32)
    if BOTH:
        places += tl.where(tl.load(arrays.gates + units + unit, mask=used, other=0.0) != 0, latents, 0)
    return places


@triton.jit
def gates_of(v, arrays, units, unit, FORMS: tl.constexpr):
    """Return the gates (T, K), 1[low <= v < high] or soft, of the numbers v; units beyond K are closed."""
    used = unit < units
    low = tl.load(arrays.gates + 2 * units + unit, mask=used, other=float("inf"))[None, :]
    high = tl.load(arrays.gates + 3 * units + unit, mask=used, other=float("inf"))[None, :]
    gate = ((v >= low) & (v < high)).to(v.dtype)
    if FORMS.soft:
        sharpness = tl.load(arrays.gates + 4 * units + unit, mask=used, other=-1.0)[None, :]
        soft = tl.erf(sharpness * (v - low) * _ROOT_HALF) - tl.erf(sharpness * (v - high) * _ROOT_HALF)
        gate = tl.where(sharpness > 0, 0.5 * soft, gate)
    return gate
