"""Random numbers in a kernel: the stream of `sim.random.streams` on the chip, without an array of them in memory.

The integers are those of the reference bit for bit. Normal numbers agree with it to a few units in the last place: in
float64 by the logarithm, sine and cosine of the device; in float32, whose functions there are less accurate, by the
polynomials of the compiled loops: ln f by the series of 2 atanh((f - 1)/(f + 1)) for f between sqrt(1/2) and sqrt(2),
cos and sin by their Taylor series up to an eighth of a turn.
"""

import math

import triton
import triton.language as tl

_TURN, _LN2 = tl.constexpr(2 * math.pi), tl.constexpr(math.log(2))
_WORD = tl.constexpr(2.0**-32)
_HALF_ROOT_BITS = tl.constexpr(0x3F3504F3)  # of sqrt(1/2) in float32
_NEAR_ONE = tl.constexpr(math.floor(math.sqrt(0.5) * 2**32))
_L0, _L1, _L2, _L3, _L4 = (tl.constexpr(2 / (2 * k + 1)) for k in range(5))
_S1, _S2, _S3, _S4 = (tl.constexpr((-1) ** k / math.factorial(2 * k + 1)) for k in range(1, 5))
_C1, _C2, _C3, _C4, _C5 = (tl.constexpr((-1) ** k / math.factorial(2 * k)) for k in range(1, 6))
# Of a turn, as angles are words: an eighth, a quarter, the bits of the quadrant, and the sign bit.
_EIGHTH, _QUARTER, _QUADRANT, _SIGN = (tl.constexpr(part) for part in (1 << 29, 1 << 30, 3 << 30, 1 << 31))
_COINS = tl.constexpr(128)


@triton.jit
def words(call, example, word, key_low, key_high):
    """Return the four words of calls of Philox4x32-10 for the counters (call, example, word), broadcast together."""
    low, high = (example & 0xFFFFFFFF).to(tl.uint32), (example >> 32).to(tl.uint32)
    return tl.philox_impl(call.to(tl.uint32), low, high, word, key_low, key_high)


@triton.jit
def coins(example, word, key_low, key_high):
    """Return the fair coin, 0 or 1, of each example; `word` is the last word of the counter of normal numbers."""
    bit = (example % _COINS).to(tl.uint32)
    a, b, c, d = words(tl.zeros_like(bit), example // _COINS, word + 1, key_low, key_high)
    own = tl.where(bit < 64, tl.where(bit < 32, a, b), tl.where(bit < 96, c, d))
    return (own >> (bit % 32)) & 1


@triton.jit
def normals(example, first, word, key_low, key_high, CALLS: tl.constexpr, kind: tl.constexpr):
    """Return the normal numbers (T, 4 CALLS) of the calls `first`, ..., first + CALLS - 1 for each of T examples."""
    call = (first + tl.arange(0, CALLS))[None, :]
    a, b, c, d = words(call, example[:, None], word, key_low, key_high)
    z0, z1 = pair(a, b, kind)
    z2, z3 = pair(c, d, kind)
    both = tl.join(tl.join(z0, z2), tl.join(z1, z3))
    return tl.reshape(both, (example.shape[0], 4 * CALLS))


@triton.jit
def pair(a, b, kind: tl.constexpr):
    """Return Box and Muller's two normal numbers for each pair of words."""
    if kind == tl.float64:
        radius = tl.sqrt(-2 * tl.log((a.to(tl.float64) + 0.5) * _WORD))
        angle = (b.to(tl.float64) + 0.5) * (_TURN * _WORD)
        cosine, sine = tl.cos(angle), tl.sin(angle)
    else:
        radius = tl.sqrt(-2 * _logarithm(a))
        cosine, sine = _of_angle(b)
    return radius * cosine, radius * sine


@triton.jit
def _logarithm(a):
    """Return ln((a + 1/2)/2^32) in float32."""
    bits = (a.to(tl.float32) + 0.5).to(tl.int32, bitcast=True)
    exponent = (bits - _HALF_ROOT_BITS) >> 23
    t = (bits - (exponent << 23)).to(tl.float32, bitcast=True) - 1.0
    # Close to 1, the number minus 1 is computed from the integer, because float32 would round it first.
    near = a >= _NEAR_ONE
    t = tl.where(near, (a.to(tl.int32, bitcast=True).to(tl.float32) + 0.5) * _WORD, t)
    exponent = tl.where(near, 32, exponent)
    s = t / (2.0 + t)
    y = s * s
    return (exponent - 32).to(tl.float32) * _LN2 + s * (_L0 + y * (_L1 + y * (_L2 + y * (_L3 + y * _L4))))


@triton.jit
def _of_angle(b):
    """Return the cosine and the sine of 2 pi (b + 1/2)/2^32 in float32; quadrant and signs are leading bits of b."""
    turned = b + _EIGHTH
    x = ((b - (turned & _QUADRANT)).to(tl.int32, bitcast=True).to(tl.float32) + 0.5) * (_TURN * _WORD)
    y = x * x
    sine = x + x * y * (_S1 + y * (_S2 + y * (_S3 + y * _S4)))
    cosine = 1.0 + y * (_C1 + y * (_C2 + y * (_C3 + y * (_C4 + y * _C5))))
    odd = (turned & _QUARTER) != 0
    c, d = tl.where(odd, sine, cosine), tl.where(odd, cosine, sine)
    return _signed(c, (turned + _QUARTER) & _SIGN), _signed(d, turned & _SIGN)


@triton.jit
def _signed(number, sign):
    """Return the number with its sign bit flipped where `sign` has it."""
    return (number.to(tl.uint32, bitcast=True) ^ sign).to(tl.float32, bitcast=True)
