"""Steps of small batches in a kernel: the examples of several steps are drawn at once, and the steps taken on them.

The letters are those of `sim.networks.one_hidden_layer`. A step changes w_k by -rate sum_u p_ku x_u, over its examples
u, p the pulls. The pre-activations of the later examples r therefore change by -rate sum_u G_ru p_ku, G the inner
products of the inputs, and the steps of a tile need neither w nor x: only H = x w^T, G, and at the end w - rate p^T x.
"""

import triton
import triton.language as tl

from sim.training.backends.fused.examples import gate_numbers, gates_of, gaussian, inputs, product
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


@triton.jit(do_not_specialize=["begin", "steps", "batch", "back"])
def narrow_steps(
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
    space,
    begin,
    steps,
    batch,
    n,
    units,
    modes,
    chunks,
    back,
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

    The arrays are those of `wide.wide_steps`, `factor` (2, modes, width) with a width of whole chunks of SITES; `space`
    (S, T, width) is scratch. A chunk of sites needs `chunks` times 16 modes, the first of them `back` before its first
    site. Where a tile could take a parameter beyond the limit, the rest of the launch takes one step a tile.
    """
    KIND: tl.constexpr = w_of.dtype.element_ty
    network = tl.program_id(0).to(tl.int64)
    row, site, unit = tl.arange(0, T), tl.arange(0, SITES), tl.arange(0, UNITS)
    used = unit < units
    width = tl.cdiv(n, SITES) * SITES
    weight = w_of + network * units * n + unit[:, None] * n + site[None, :]
    held = space + network * T * width + row[:, None] * width + site[None, :]
    a, b, out = load_few(a_of, b_of, out_of, network, units, unit, KIND, BIASED, WEIGHTED)
    alive = tl.load(alive_of + network) != 0
    word = tl.load(word_of + network).to(tl.uint32)
    key_low, key_high = tl.load(key_of).to(tl.uint32), tl.load(key_of + 1).to(tl.uint32)
    gain, over, rate, limit, scale, share, leak, first_label, second_label = settings_of(numbers)

    taken, most = steps * 0, T // batch
    while alive & (taken < steps):
        span = tl.minimum(most, steps - taken)
        example = (begin + taken).to(tl.int64) * batch + row
        category = coins(example, word, key_low, key_high)
        h = tl.zeros((T, UNITS), KIND)
        v = tl.zeros((T, UNITS), KIND)
        gram = tl.zeros((T, T), KIND)
        largest_w, largest_x = tl.zeros((UNITS,), KIND), tl.zeros((T,), KIND)
        for start in range(0, n, SITES):
            first = start + modes - back
            z = gaussian(
                factor,
                category,
                example,
                word,
                key_low,
                key_high,
                first,
                chunks,
                modes,
                start,
                width,
                SITES,
                KIND,
                PRECISION,
            )
            x = z
            if CURVED:
                x = inputs(z, gain, over)
            if LATENT or INPUT:
                v = gate_numbers(v, z, x, start, gates, units, unit, LATENT, INPUT)
            tl.store(held + start, x)
            w = tl.load(weight + start, mask=used[:, None] & (start + site < n)[None, :], other=0.0)
            h += forward(x, w, PRECISION)
            gram = product(x, tl.trans(x), gram, PRECISION)
            largest_w = tl.maximum(largest_w, tl.max(tl.abs(w), axis=1))
            largest_x = tl.maximum(largest_x, tl.max(tl.abs(x), axis=1))
        gate = tl.zeros((T, UNITS), KIND)
        if LATENT or INPUT:
            gate = gates_of(v, gates, units, unit, SOFT)
        y = tl.where(category == 0, first_label, second_label)

        pulls = tl.zeros((T, UNITS), KIND)
        grown = tl.zeros((UNITS,), KIND)
        moved_a, moved_b, moved_out, safe = a, b, out, alive
        for step in range(span):
            counted = (row >= step * batch) & (row < (step + 1) * batch)
            pull, da, db, dout = pulls_of(
                h + moved_b[None, :], gate, moved_a, moved_out, y, counted, used, scale, share, leak, MODEL, ENTROPY
            )
            h -= rate * product(gram, pull, tl.zeros((T, UNITS), KIND), PRECISION)
            pulls += pull
            grown += tl.sum(tl.abs(pull), axis=0)
            moved_a, moved_b, moved_out, safe = move_few(
                moved_a, moved_b, moved_out, da, db, dout, rate, limit, safe, TRAINED, WEIGHTED
            )
        bounded = within(largest_w + rate * grown * tl.max(largest_x, axis=0), limit)
        tl.debug_barrier()  # the inputs are read by other threads than those that wrote them
        if (safe & (span == 1)) & (bounded == 0):
            bounded = alive
            for start in range(0, n, SITES):
                w = tl.load(weight + start, mask=used[:, None] & (start + site < n)[None, :], other=0.0)
                bounded = bounded & within(w - rate * backward(pulls, tl.load(held + start), PRECISION), limit)
        if safe & bounded:
            for start in range(0, n, SITES):
                inside = used[:, None] & (start + site < n)[None, :]
                w = tl.load(weight + start, mask=inside, other=0.0)
                tl.store(weight + start, w - rate * backward(pulls, tl.load(held + start), PRECISION), mask=inside)
            a, b, out = moved_a, moved_b, moved_out
            taken += span
        elif span == 1:
            alive = safe & bounded
        else:
            most = most * 0 + 1
        tl.debug_barrier()

    store_few(a_of, b_of, out_of, network, units, unit, a, b, out, BIASED, WEIGHTED)
    tl.store(alive_of + network, alive.to(tl.int8))
