"""Steps of large batches in a kernel: one program trains one network, whose weights stay on the chip.

The letters are those of `sim.networks.one_hidden_layer`. A tile of T examples is drawn, coloured, passed forward and
added to the gradient before the next one is drawn. Sites and units are padded to powers of two. All lanes of a program
work on the tile, which fills its registers: a second network would find neither.
"""

import triton
import triton.language as tl

from sim.training.backends.fused.examples import gate_numbers, gates_of, gaussian, inputs
from sim.training.backends.fused.numbers import coins
from sim.training.backends.fused.units import (
    backward,
    below,
    counters_of,
    every,
    forward,
    law_of,
    load_few,
    move_few,
    pulls_of,
    settings_of,
    store_few,
)


@triton.jit(do_not_specialize=["begin", "steps", "batch"])
def wide_steps(arrays, begin, steps, batch, n, units, chunks, FORMS: tl.constexpr):
    """Take `steps` steps of every network from step `begin` on, in place; a diverging network is frozen.

    `arrays` and `FORMS` are those of `arguments`, with factors as wide as a tile and of `chunks` times 16 modes.
    """
    KIND: tl.constexpr = arrays.w.dtype.element_ty
    T: tl.constexpr = FORMS.tile.rows
    SITES: tl.constexpr = FORMS.tile.sites
    UNITS: tl.constexpr = FORMS.tile.units
    network = tl.program_id(0).to(tl.int64)
    row, site, unit = tl.arange(0, T), tl.arange(0, SITES), tl.arange(0, UNITS)
    used, slot = unit < units, unit * 0
    weight = arrays.w + network * units * n + unit[:, None] * n + site[None, :]
    inside = used[:, None] & (site < n)[None, :]
    w = tl.load(weight, mask=inside, other=0.0)
    a, b, out = load_few(arrays, network, slot, unit, units, used, FORMS)
    alive = tl.load(arrays.alive + network) != 0
    word, key_low, key_high = counters_of(arrays, network)
    gain, over, first_label, second_label = law_of(arrays)
    rate, limit, scale, share, leak = settings_of(arrays)

    for step in range(steps):
        dw = tl.zeros((UNITS, SITES), KIND)
        da = tl.zeros((UNITS,), KIND)
        db = tl.zeros((UNITS,), KIND)
        dout = tl.zeros((UNITS,), KIND)
        for start in range(0, batch, T):
            example = (begin + step).to(tl.int64) * batch + start + row
            category = coins(example, word, key_low, key_high)
            z = gaussian(arrays, category, example, word, key_low, key_high, 0, chunks, chunks * 16, 0, SITES, FORMS)
            x = inputs(z, gain, over, FORMS)
            gate = tl.zeros((T, UNITS), KIND)
            if FORMS.latent or FORMS.input:
                v = gate_numbers(gate, z, x, 0, arrays, units, unit, FORMS)
                gate = gates_of(v, arrays, units, unit, FORMS)
            y = tl.where(category == 0, first_label, second_label)[:, None]
            h = forward(x, w, FORMS.precision) + b[None, :]
            counted = (start + row < batch)[:, None]
            pull, own_a, own_b, own_out = pulls_of(h, gate, a, out, y, counted, used, scale, share, leak, FORMS)
            dw += backward(pull, x, FORMS.precision)
            da += own_a
            db += own_b
            dout += own_out
        moved_w = w - rate * dw
        moved_a, moved_b, moved_out, safe = move_few(a, b, out, da, db, dout, rate, limit, unit >= 0, FORMS)
        alive = alive & every(below(moved_w, limit)) & every(safe)
        w, a = tl.where(alive, moved_w, w), tl.where(alive, moved_a, a)
        b, out = tl.where(alive, moved_b, b), tl.where(alive, moved_out, out)

    tl.store(weight, w, mask=inside)
    store_few(arrays, network, slot, unit, units, used, a, b, out, FORMS)
    tl.store(arrays.alive + network, alive.to(tl.int8))
