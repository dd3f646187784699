"""Steps of large batches in a kernel: one program trains one network, whose weights stay on the chip.

The letters are those of `sim.networks.one_hidden_layer`. A tile of T examples is drawn, coloured, passed forward and
added to the gradient before the next one is drawn. Sites and units are padded to powers of two.
"""

import triton
import triton.language as tl

from sim.training.backends.fused.examples import gate_numbers, gates_of, gaussian, inputs
from sim.training.backends.fused.numbers import coins
from sim.training.backends.fused.units import (
    backward,
    forward,
    load_few,
    move_few,
    pulls_of,
    settings_of,
    store_few,
    within,
)


@triton.jit(do_not_specialize=["begin", "steps", "batch"])
def wide_steps(
    w_of,
    b_of,
    out_of,
    a_of,
    alive_of,
    word_of,
    key_of,
    factor,
    numbers,
    gates,
    begin,
    steps,
    batch,
    n,
    units,
    chunks,
    T: tl.constexpr,
    SITES: tl.constexpr,
    UNITS: tl.constexpr,
    MODEL: tl.constexpr,
    ENTROPY: tl.constexpr,
    CURVED: tl.constexpr,
    LATENT: tl.constexpr,
    INPUT: tl.constexpr,
    SOFT: tl.constexpr,
    BIASED: tl.constexpr,
    TRAINED: tl.constexpr,
    WEIGHTED: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Take `steps` steps of every network from step `begin` on, in place; a diverging network is frozen.

    w (S, K, n), b (S, K), out (S, 1) and a (S, K) are the parameters, alive (S) and word (S) a flag and the counter's
    last word, key (2) the generator's. `factor` is (2, modes, SITES), the numbers are those of `layout.numbers_of`, and
    the gates (5, K) those of `layout.gates_of`.
    """
    KIND: tl.constexpr = w_of.dtype.element_ty
    network = tl.program_id(0).to(tl.int64)
    row, site, unit = tl.arange(0, T), tl.arange(0, SITES), tl.arange(0, UNITS)
    used = unit < units
    weight = w_of + network * units * n + unit[:, None] * n + site[None, :]
    inside = used[:, None] & (site < n)[None, :]
    w = tl.load(weight, mask=inside, other=0.0)
    a, b, out = load_few(a_of, b_of, out_of, network, units, unit, KIND, BIASED, WEIGHTED)
    alive = tl.load(alive_of + network) != 0
    word = tl.load(word_of + network).to(tl.uint32)
    key_low, key_high = tl.load(key_of).to(tl.uint32), tl.load(key_of + 1).to(tl.uint32)
    gain, over, rate, limit, scale, share, leak, first_label, second_label = settings_of(numbers)

    for step in range(steps):
        dw = tl.zeros((UNITS, SITES), KIND)
        da = tl.zeros((UNITS,), KIND)
        db = tl.zeros((UNITS,), KIND)
        dout = tl.zeros((1,), KIND)
        for start in range(0, batch, T):
            example = (begin + step).to(tl.int64) * batch + start + row
            category = coins(example, word, key_low, key_high)
            z = gaussian(
                factor,
                category,
                example,
                word,
                key_low,
                key_high,
                0,
                chunks,
                chunks * 16,
                0,
                SITES,
                SITES,
                KIND,
                PRECISION,
            )
            x = z
            if CURVED:
                x = inputs(z, gain, over)
            gate = tl.zeros((T, UNITS), KIND)
            if LATENT or INPUT:
                v = gate_numbers(gate, z, x, 0, gates, units, unit, LATENT, INPUT)
                gate = gates_of(v, gates, units, unit, SOFT)
            y = tl.where(category == 0, first_label, second_label)
            h = forward(x, w, PRECISION) + b[None, :]
            pull, own_a, own_b, own_out = pulls_of(
                h, gate, a, out, y, start + row < batch, used, scale, share, leak, MODEL, ENTROPY
            )
            dw += backward(pull, x, PRECISION)
            da += own_a
            db += own_b
            dout += own_out
        moved_w = w - rate * dw
        moved_a, moved_b, moved_out, alive = move_few(
            a, b, out, da, db, dout, rate, limit, alive & within(moved_w, limit), TRAINED, WEIGHTED
        )
        w, a = tl.where(alive, moved_w, w), tl.where(alive, moved_a, a)
        b, out = tl.where(alive, moved_b, b), tl.where(alive, moved_out, out)

    tl.store(weight, w, mask=inside)
    store_few(a_of, b_of, out_of, network, units, unit, a, b, out, BIASED, WEIGHTED)
    tl.store(alive_of + network, alive.to(tl.int8))
