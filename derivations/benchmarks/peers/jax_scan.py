"""Training in JAX: steps under `lax.scan`, compiled, in the fastest variants that we could write.

yhat = (1/K) sum_k relu(w_k.x), half squared error, x = erf(gain z)/Z, and z = F_c^T noise for an example of class c.
"""

import math
import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from derivations.benchmarks.peers.law import Train, bands, factors, over_normaliser
from theory.problem import Problem

if TYPE_CHECKING:
    from jax import Array

# One thread, and vectors of 512 bits where the processor has them: erf takes a quarter of the time.
FLAGS = (
    "--xla_cpu_multi_thread_eigen=false",
    "intra_op_parallelism_threads=1",
    "--xla_cpu_prefer_vector_width=512",
)
# A block of m fair coins has more heads than m/2 + 6.5 sqrt(m)/2 with probability 4e-11: never in a benchmark.
_DEVIATIONS = 6.5


def installed() -> bool:
    """Whether jax is there."""
    return find_spec("jax") is not None


def jax_scan(problem: Problem, networks: int, block: int, steps: int, *, banded: bool) -> Train:
    """Return the training of `networks` side by side by batched products; `block` steps draw their examples at once.

    `banded` colours by the few diagonals of the Cholesky factors, for laws that have `bands`; otherwise examples are
    sorted by class, with a product for each class's share. It takes `steps` steps, rounded up to a whole number of
    blocks.
    """
    jax = configured()
    blocks = -(-steps // block)
    units, n = problem.network.units, problem.data.n
    draw, step = _draw(problem, (block, networks, problem.simulated().batch), banded), _step(problem)

    @jax.jit
    def train(w: "Array", key: "Array") -> "Array":
        def steps_of_block(w: "Array", key: "Array") -> tuple["Array", None]:
            x, y = draw(key)  # (block, networks, batch, n) and (block, networks, batch)
            if block == 1:
                return step(w, (x[0], y[0]))
            return jax.lax.scan(step, w, (x, y))[0], None

        return jax.lax.scan(steps_of_block, w, jax.random.split(key, blocks))[0]

    w0 = jax.numpy.broadcast_to(jax.numpy.asarray(problem.w0(), dtype="float32"), (networks, units, n))
    key = jax.random.key(0)
    return lambda: np.asarray(train(w0, key))


def configured() -> Any:
    """Jax with the flags above, if it was not loaded before; its generator uses both words of each call."""
    if "jax" not in sys.modules:
        os.environ["XLA_FLAGS"] = " ".join((os.environ.get("XLA_FLAGS", ""), *FLAGS)).strip()
    import jax

    jax.config.update("jax_threefry_partitionable", False)
    return jax


def _step(problem: Problem) -> Callable[..., tuple["Array", None]]:
    """One step of every network: w (networks, K, n), x (networks, batch, n)."""
    import jax.numpy as jnp

    rate = float(problem.simulated().learning_rate) / (problem.simulated().batch * problem.network.units)

    def step(w: "Array", example: tuple["Array", "Array"]) -> tuple["Array", None]:
        x, y = example
        if x.shape[0] == 1:  # without an axis of networks the products are XLA's fastest
            h = x[0] @ w[0].T
            residual = jnp.maximum(h, 0).mean(axis=1) - y[0]
            return w - rate * (jnp.where(h > 0, residual[:, None], 0).T @ x[0]), None
        h = jnp.einsum("mbn,mkn->mbk", x, w)
        residual = jnp.maximum(h, 0).mean(axis=2) - y
        return w - rate * jnp.einsum("mbk,mbn->mkn", jnp.where(h > 0, residual[:, :, None], 0), x), None

    return step


def _draw(problem: Problem, shape: tuple[int, int, int], banded: bool) -> Callable[["Array"], tuple["Array", "Array"]]:
    """Inputs and labels of a block of steps of all networks, from a key; shape (block, networks, batch)."""
    import jax
    import jax.numpy as jnp

    n, gain, over, rows = problem.data.n, float(problem.data.gain), over_normaliser(problem), math.prod(shape)
    modes, colour = _by_band(problem) if banded else _by_class(problem, rows)
    first, second = (float(label) for label in problem.data.labels)

    def draw(key: "Array") -> tuple["Array", "Array"]:
        coin, normal = jax.random.split(key)
        heads = jax.random.bernoulli(coin, 0.5, (rows,))
        noise = polynomial_normals(jax.random.bits(normal, (2, -(-rows // 2), modes)))[:rows]
        z, is_second = colour(noise, heads)
        x = jax.scipy.special.erf(gain * z) * over
        if not banded and rows > shape[-1]:  # within one step of one network the order of the examples does not matter
            # Sorted examples go to the steps whose coins they are: class 0 from the front, class 1 from the back.
            x = x[jnp.where(heads, rows - jnp.cumsum(heads), jnp.cumsum(~heads) - 1)]
            is_second = heads
        return x.reshape(*shape, n), jnp.where(is_second, second, first).reshape(shape)

    return draw


def _by_band(problem: Problem) -> tuple[int, Callable[..., tuple["Array", "Array"]]]:
    """The number of normal numbers of an example, and the function from these and coins to z and the class by row."""
    import jax.numpy as jnp

    taps = bands(problem)
    width, n = taps.shape[1:]

    def colour(noise: "Array", heads: "Array") -> tuple["Array", "Array"]:
        padded = jnp.pad(noise, ((0, 0), (width - 1, 0)))
        z = [sum(own[d] * padded[:, width - 1 - d :][:, :n] for d in range(width)) for own in jnp.asarray(taps)]
        return jnp.where(heads[:, None], z[1], z[0]), heads

    return n, colour


def _by_class(problem: Problem, rows: int) -> tuple[int, Callable[..., tuple["Array", "Array"]]]:
    """The same for examples sorted by class: as many of the second class as there are heads, at the end."""
    import jax.numpy as jnp

    first, second = (jnp.asarray(factor) for factor in factors(problem))
    slack = int(_DEVIATIONS * math.sqrt(rows) / 2) + 1
    low, high = max(0, rows // 2 - slack), min(rows, rows // 2 + slack)

    def colour(noise: "Array", heads: "Array") -> tuple["Array", "Array"]:
        z0, z1 = noise[:high] @ first, noise[low:] @ second
        is_second = jnp.arange(rows) >= rows - jnp.clip(heads.sum(), rows - high, rows - low)
        either = jnp.where(is_second[low:high, None], z1[: high - low], z0[low:])
        return jnp.concatenate([z0[:low], either, z1[high - low :]]), is_second

    return len(first), colour


def polynomial_normals(words: "Array") -> "Array":
    """Box and Muller's normal numbers of 32-bit words (2, rows, modes), as (2 rows, modes).

    r cos(t), r sin(t) with r^2 = -2 ln((a + 1/2)/2^23) of the leading 23 bits of the first word and t the turn of the
    second: the logarithm by the series of 2 atanh, cosine and sine by Taylor's up to an eighth of a turn, the quadrant
    by the leading bits. 0.6 ns a number beside 1.7 of jax.random.normal's inverse error function; |z| <= 5.8.
    """
    import jax
    import jax.numpy as jnp

    f32, u32 = np.float32, np.uint32
    a, b = words
    mantissa = jax.lax.bitcast_convert_type((a >> u32(9)).astype(f32) + f32(0.5), jnp.int32)
    exponent = (mantissa - 0x3F3504F3) >> 23
    t = jax.lax.bitcast_convert_type(mantissa - (exponent << 23), f32) - 1
    s = t / (2 + t)
    logarithm = s * _polynomial(s * s, [2 / (2 * k + 1) for k in range(5)])
    radius = jnp.sqrt(-2 * ((exponent - 23).astype(f32) * f32(math.log(2)) + logarithm))
    quadrant = (b + u32(1 << 29)) >> u32(30)
    angle = jax.lax.bitcast_convert_type(b - (quadrant << u32(30)), jnp.int32).astype(f32) * f32(math.tau / 2**32)
    y = angle * angle
    sine = angle * _polynomial(y, [(-1) ** k / math.factorial(2 * k + 1) for k in range(5)])
    cosine = _polynomial(y, [(-1) ** k / math.factorial(2 * k) for k in range(6)])
    odd = (quadrant & 1) != 0
    first, second = jnp.where(odd, sine, cosine), jnp.where(odd, cosine, sine)
    first = jnp.where(((quadrant + 1) & 2) != 0, -first, first)
    second = jnp.where((quadrant & 2) != 0, -second, second)
    return jnp.concatenate([radius * first, radius * second])


def _polynomial(y: "Array", coefficients: list[float]) -> "Array":
    value = np.float32(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = np.float32(coefficient) + y * value
    return value
