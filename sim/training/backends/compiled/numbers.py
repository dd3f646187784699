"""Compiled random numbers: the stream of `sim.random.streams` a second time, in vectorised loops.

The integers are those of the reference bit for bit. The normal numbers come from other polynomials and agree with the
reference to a few units in the last place: ln f by the series of 2 atanh((f - 1)/(f + 1)) for f between sqrt(1/2) and
sqrt(2), cos and sin by their Taylor series up to an eighth of a turn; the leading bits of the angle are its quadrant.
"""

import math

import numpy as np
from numba import njit, types
from numba.extending import intrinsic, overload

from sim.random.philox import COINS, LOW, MULTIPLIERS, ROUNDS, WEYL, WORDS
from sim.training.backends.compiled import CACHE

# Contraction of products changes the last place only; no ratio here divides by zero.
_MATH = {"contract", "nnan", "ninf", "nsz"}
FAST = {"fastmath": _MATH, "error_model": "numpy", "cache": CACHE is not None, "no_cfunc_wrapper": True, "nogil": True}
# For a loop that only other loops call: a wrapper for Python callers would take as long to compile as the loop.
INNER = {"no_cpython_wrapper": True}
# For functions that `overload` chooses by the types of their arguments: they are cached with the loop that calls them.
CHOSEN = {name: value for name, value in (FAST | INNER).items() if name not in ("cache", "nogil")}

_u32, _u64, _i32, _i64, _f32 = np.uint32, np.uint64, np.int32, np.int64, np.float32
_M0, _M1, _W0, _W1 = (_u64(value) for value in (*MULTIPLIERS, *WEYL))
_LOW, _WIDTH = _u64(LOW), _u64(32)
_NEAR_ONE = _u32(math.floor(math.sqrt(0.5) * 2**32))
_LN2, _TURN = math.log(2), 2 * math.pi
_S1, _S2, _S3, _S4, _S5, _S6, _S7, _S8 = ((-1) ** k / math.factorial(2 * k + 1) for k in range(1, 9))
_C1, _C2, _C3, _C4, _C5, _C6, _C7, _C8 = ((-1) ** k / math.factorial(2 * k) for k in range(1, 9))
_L0, _L1, _L2, _L3, _L4, _L5, _L6, _L7, _L8, _L9, _L10 = (2 / (2 * k + 1) for k in range(11))
_s1, _s2, _s3, _s4 = (_f32(c) for c in (_S1, _S2, _S3, _S4))
_c1, _c2, _c3, _c4, _c5 = (_f32(c) for c in (_C1, _C2, _C3, _C4, _C5))
_l0, _l1, _l2, _l3, _l4 = (_f32(c) for c in (_L0, _L1, _L2, _L3, _L4))
_ln2, _angle, _word = _f32(_LN2), _f32(_TURN * 2.0**-32), _f32(2.0**-32)
_EIGHTH, _QUARTER, _QUADRANT, _SIGN = _u32(1 << 29), _u32(1 << 30), _u32(3 << 30), _u32(1 << 31)  # of a turn, and bits
_half, _one, _two = _f32(0.5), _f32(1), _f32(2)


def _reinterpreting(source: types.Type, target: types.Type):
    """Return an intrinsic that reinterprets the bits of a number of one type as another."""

    @intrinsic
    def reinterpreted(_context, _value):
        def generate(context, builder, _signature, arguments):
            return builder.bitcast(arguments[0], context.get_value_type(target))

        return target(source), generate

    return reinterpreted


bits32, float32_of = _reinterpreting(types.float32, types.int32), _reinterpreting(types.int32, types.float32)
bits64, float64_of = _reinterpreting(types.float64, types.int64), _reinterpreting(types.int64, types.float64)


@njit(**FAST, forceinline=True)
def philox(key, word, call, example):
    """Return the four words of Philox4x32-10 for the counter (call, example, word)."""
    x0, x1, x2, x3 = call, example & _LOW, example >> _WIDTH, word
    k0, k1 = key
    for _ in range(ROUNDS):
        first, second = _M0 * x0, _M1 * x2
        x0 = (second >> _WIDTH) ^ x1 ^ k0
        x1 = second & _LOW
        x2 = (first >> _WIDTH) ^ x3 ^ k1
        x3 = first & _LOW
        k0 = (k0 + _W0) & _LOW
        k1 = (k1 + _W1) & _LOW
    return _u32(x0), _u32(x1), _u32(x2), _u32(x3)


@njit(**FAST | INNER)
def words(key, word, call, examples, a, b, c, d):
    """Write the four words of one call of the generator for each of `examples` into a, b, c, d."""
    for j in range(examples.size):
        a[j], b[j], c[j], d[j] = philox(key, word, call, examples[j])


@njit(**FAST)
def pairs64(a, b, first, second):
    """Write two normal numbers for each pair of words, in float64, as many as `first` and `second` hold."""
    for j in range(first.size):
        bits = bits64(np.float64(a[j]) + 0.5)
        exponent = (bits - _i64(0x3FE6A09E667F3BCD)) >> _i64(52)
        t = float64_of(bits - (exponent << _i64(52))) - 1.0
        s = t / (2.0 + t)
        y = s * s
        p = _L5 + y * (_L6 + y * (_L7 + y * (_L8 + y * (_L9 + y * _L10))))
        p = _L0 + y * (_L1 + y * (_L2 + y * (_L3 + y * (_L4 + y * p))))
        radius = math.sqrt(-2.0 * (np.float64(exponent - 32) * _LN2 + s * p))
        quadrant = _u32(b[j] + _u32(0x20000000)) >> _u32(30)
        x = (np.float64(_i32(b[j] - _u32(quadrant << _u32(30)))) + 0.5) * (_TURN * 2.0**-32)
        y = x * x
        sine = x + x * y * (_S1 + y * (_S2 + y * (_S3 + y * (_S4 + y * (_S5 + y * (_S6 + y * (_S7 + y * _S8)))))))
        cosine = 1.0 + y * (_C1 + y * (_C2 + y * (_C3 + y * (_C4 + y * (_C5 + y * (_C6 + y * (_C7 + y * _C8)))))))
        odd = (quadrant & 1) != 0
        c, d = (sine, cosine) if odd else (cosine, sine)
        first[j] = radius * (-c if ((quadrant + 1) & 2) != 0 else c)
        second[j] = radius * (-d if (quadrant & 2) != 0 else d)


@njit(**FAST)
def pairs32(a, b, first, second):
    """Write two normal numbers for each pair of words, in float32, as many as `first` and `second` hold."""
    for j in range(first.size):
        bits = bits32(_f32(a[j]) + _half)
        exponent = _i32(_i32(bits - _i32(0x3F3504F3)) >> _i32(23))
        t = float32_of(_i32(bits - _i32(exponent << _i32(23)))) - _one
        # Close to 1, the number minus 1 is computed from the integer, because float32 would round it first.
        near = a[j] >= _NEAR_ONE
        t = (_f32(_i32(a[j])) + _half) * _word if near else t
        exponent = _i32(32) if near else exponent
        s = t / (_two + t)
        y = s * s
        ln = _f32(_i32(exponent - _i32(32))) * _ln2 + s * (_l0 + y * (_l1 + y * (_l2 + y * (_l3 + y * _l4))))
        radius = math.sqrt(-_two * ln)
        # The two leading bits of the angle plus an eighth of a turn are its quadrant. In odd quadrants sine and cosine
        # swap, and their signs are bits of it. Everything stays in 32 bits, so that it is vectorised like the rest.
        turned = _u32(b[j] + _EIGHTH)
        x = (_f32(_i32(b[j] - _u32(turned & _QUADRANT))) + _half) * _angle
        y = x * x
        sine = x + x * y * (_s1 + y * (_s2 + y * (_s3 + y * _s4)))
        cosine = _one + y * (_c1 + y * (_c2 + y * (_c3 + y * (_c4 + y * _c5))))
        odd = _u32(turned & _QUARTER) != _u32(0)
        c = sine if odd else cosine
        d = cosine if odd else sine
        sign, other = _i32(_u32(turned + _QUARTER) & _SIGN), _i32(turned & _SIGN)
        first[j] = radius * float32_of(_i32(bits32(c) ^ sign))
        second[j] = radius * float32_of(_i32(bits32(d) ^ other))


def pairs(a, b, first, second):
    """Call `pairs32` or `pairs64`, chosen at compilation by the dtype of `first`."""


@overload(pairs, jit_options=CHOSEN)
def _(a, b, first, second):  # noqa: ARG001 - numba matches the names
    return pairs32.py_func if first.dtype == types.float32 else pairs64.py_func


TILE = 512  # examples per pass, whose words fit in the first-level cache


@njit(**FAST)
def fill(key, word, calls, examples, out, at, part):
    """Write normal numbers into the columns of `out` from `at` on, one for each example, in the first 4 `calls` rows.

    `part` (4, TILE) is scratch: its allocation inside would take numba a quarter of a second to compile.
    """
    for start in range(0, examples.size, TILE):
        own = examples[start : start + TILE]
        low, high = at + start, at + start + own.size
        for call in range(calls):
            words(key, word, _u64(call), own, part[0], part[1], part[2], part[3])
            for p in range(0, WORDS, 2):  # a loop with one call compiles in a third less time than two calls
                q = WORDS * call + p
                pairs(part[p], part[p + 1], out[q, low:high], out[q + 1, low:high])


@njit(**FAST)
def arrange(key, word, first, segment, labels, y, example, row, middle):
    """Order the examples from `first` on so that in each segment class 0 comes before class 1.

    The results are the label `y` and the number `example` of each row, the `row` of each example, and the first row
    `middle` of class 1 in each segment. `segment` is the number of examples of a segment.
    """
    count = row.size
    coins, held = philox(key, word, _u64(0), _u64(0)), 0
    for start in range(0, count, segment):
        stop = min(start + segment, count)
        low, high = start, stop
        for e in range(start, stop):
            number = first + e
            if number // COINS != held:
                held = number // COINS
                coins = philox(key, word, _u64(0), _u64(held))
            bit = number % COINS
            coin = (coins[bit // 32] >> _u32(bit % 32)) & 1
            if coin == 0:
                place = low
                low += 1
            else:
                high -= 1
                place = high
            y[place], example[place], row[e] = labels[coin], _u64(number), place
        middle[start // segment] = low
