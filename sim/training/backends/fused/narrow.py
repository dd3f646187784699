"""Steps of small batches in a kernel: the examples of several steps are drawn at once, and the steps taken on them.

The letters are those of `sim.networks.one_hidden_layer`. A step changes w_k by -rate sum_u p_ku x_u, over its examples
u, p the pulls. The pre-activations of the later examples r therefore change by -rate sum_u G_ru p_ku, G the inner
products of the inputs, and the steps of a tile need neither w nor x: only H = x w^T, G, and at the end w - rate p^T x.

A program trains several small networks, whose units fill the columns of H. The examples of one network after the other
are drawn, and the steps are then taken by all of them at once: steps wait for one another, draws do not. A network
reads the columns of no other one, and has a count of steps of its own.
"""

import triton
import triton.language as tl

from sim.training.backends.fused.examples import gate_numbers, gates_of, gaussian, inputs, product
from sim.training.backends.fused.numbers import coins
from sim.training.backends.fused.units import (
    backward,
    below,
    every,
    forward,
    load_few,
    move_few,
    pulls_of,
    settings_of,
    store_few,
)


@triton.jit
def at(numbers, column, place):
    """Return the number (K) of the column `place` as a scalar."""
    return tl.sum(tl.where(column == place, numbers, 0))


@triton.jit(do_not_specialize=["begin", "steps", "batch", "back", "networks", "packed"])
def narrow_steps(
    arrays,
    space,
    begin,
    steps,
    batch,
    n,
    units,
    modes,
    chunks,
    back,
    networks,
    packed,
    FORMS: tl.constexpr,
):
    """Take `steps` steps of all `networks` from step `begin` on, in place, `packed` networks a program.

    `arrays` and `FORMS` are those of `arguments`, the width of the factors is one of whole chunks of sites; `space`
    (S, T, width + T) is scratch, for the inputs of a network and their inner products. A chunk of sites needs `chunks`
    times 16 modes, the first of them `back` before its first site. A diverging network is frozen. Where a tile could
    take a parameter of a network beyond the limit, it takes one step a tile in the rest of the launch.
    """
    KIND: tl.constexpr = arrays.w.dtype.element_ty
    T: tl.constexpr = FORMS.tile.rows
    SITES: tl.constexpr = FORMS.tile.sites
    COLUMNS: tl.constexpr = FORMS.tile.columns
    PER: tl.constexpr = FORMS.tile.units
    row, site, column = tl.arange(0, T), tl.arange(0, SITES), tl.arange(0, COLUMNS)
    first_network = tl.program_id(0).to(tl.int64) * packed
    present = tl.minimum(packed, networks - first_network).to(tl.int32)
    slot, unit = column // PER, column % PER
    used = (slot < present) & (unit < units)
    owner, leads = first_network + slot, (slot < present) & (unit == 0)
    place = owner * units + unit
    width = tl.cdiv(n, SITES) * SITES
    stride = width + T
    weight = arrays.w + place[:, None] * n + site[None, :]
    a, b, out = load_few(arrays, place, used, owner, slot < present, FORMS)
    alive = tl.load(arrays.alive + owner, mask=slot < present, other=0) != 0
    key_low, key_high = tl.load(arrays.key).to(tl.uint32), tl.load(arrays.key + 1).to(tl.uint32)
    gain, over, rate, limit, scale, share, leak, first_label, second_label = settings_of(arrays.numbers)
    products = space + (owner * T * stride + width)[None, :] + row[:, None]

    taken, most = column * 0, column * 0 + T // batch
    while tl.max((alive & (taken < steps)).to(tl.int32)) == 1:
        span = tl.where(alive, tl.minimum(most, steps - taken), 0)
        h = tl.zeros((T, COLUMNS), KIND)
        v = tl.zeros((T, COLUMNS), KIND)
        y = tl.zeros((T, COLUMNS), KIND)
        largest_w, largest_x = tl.zeros((COLUMNS,), KIND), tl.zeros((COLUMNS,), KIND)
        for packet in range(present):
            if at(span, column, packet * PER) > 0:
                network, mine = first_network + packet, slot == packet
                held = space + network * T * stride + row[:, None] * stride
                word = tl.load(arrays.word + network).to(tl.uint32)
                example = (begin + at(taken, column, packet * PER)).to(tl.int64) * batch + row
                category = coins(example, word, key_low, key_high)
                gram = tl.zeros((T, T), KIND)
                largest = tl.zeros((T,), KIND)
                for start in range(0, n, SITES):
                    first = start + modes - back
                    z = gaussian(
                        arrays, category, example, word, key_low, key_high, first, chunks, modes, start, width, FORMS
                    )
                    x = inputs(z, gain, over, FORMS)
                    if FORMS.latent or FORMS.input:
                        v = tl.where(mine[None, :], gate_numbers(v, z, x, start, arrays, units, unit, FORMS), v)
                    tl.store(held + start + site[None, :], x)
                    inside = (used & mine)[:, None] & (start + site < n)[None, :]
                    w = tl.load(weight + start, mask=inside, other=0.0)
                    h += forward(x, w, FORMS.precision)
                    gram = product(x, tl.trans(x), gram, FORMS.precision)
                    largest_w = tl.maximum(largest_w, tl.max(tl.abs(w), axis=1))
                    largest = tl.maximum(largest, tl.max(tl.abs(x), axis=1))
                tl.store(held + width + tl.arange(0, T)[None, :], gram)
                y = tl.where(mine[None, :], tl.where(category == 0, first_label, second_label)[:, None], y)
                largest_x = tl.where(mine, tl.max(largest, axis=0), largest_x)
        gate = tl.zeros((T, COLUMNS), KIND)
        if FORMS.latent or FORMS.input:
            gate = gates_of(v, arrays, units, unit, FORMS)
        tl.debug_barrier()  # inputs and inner products are read by other threads than those that wrote them

        pulls = tl.zeros((T, COLUMNS), KIND)
        moved_a, moved_b, moved_out, safe = a, b, out, alive
        longest = tl.max(span)
        for step in range(longest):
            counted = ((row >= step * batch) & (row < (step + 1) * batch))[:, None] & (step < span)[None, :]
            pull, da, db, dout = pulls_of(
                h + moved_b[None, :], gate, moved_a, moved_out, y, counted, used, scale, share, leak, FORMS
            )
            pulls += pull
            moved_a, moved_b, moved_out, safe = move_few(
                moved_a, moved_b, moved_out, da, db, dout, rate, limit, safe, FORMS
            )
            if step + 1 < longest:
                for u in range(step * batch, (step + 1) * batch):
                    g = tl.load(products + u * stride, mask=(span > 0)[None, :], other=0.0)
                    h -= rate * g * tl.sum(tl.where(row[:, None] == u, pull, 0.0), axis=0)[None, :]
        bounded = below(largest_w + rate * tl.sum(tl.abs(pulls), axis=0) * largest_x, limit)

        done = column < 0
        for packet in range(present):
            mine = slot == packet
            steps_of_it = at(span, column, packet * PER)
            fits = (steps_of_it > 0) & every(safe | (slot != packet))
            within = fits & every(bounded | (slot != packet))
            held = space + (first_network + packet) * T * stride + row[:, None] * stride + site[None, :]
            if (fits & (steps_of_it == 1)) & (within == 0):
                within = fits
                for start in range(0, n, SITES):
                    w = tl.load(weight + start, mask=(used & mine)[:, None] & (start + site < n)[None, :], other=0.0)
                    moved = w - rate * backward(pulls, tl.load(held + start), FORMS.precision)
                    within = within & every(below(moved, limit) | (slot != packet)[:, None])
            if within:
                for start in range(0, n, SITES):
                    inside = (used & mine)[:, None] & (start + site < n)[None, :]
                    w = tl.load(weight + start, mask=inside, other=0.0)
                    moved = w - rate * backward(pulls, tl.load(held + start), FORMS.precision)
                    tl.store(weight + start, moved, mask=inside)
                done = done | mine
        a, b, out = tl.where(done, moved_a, a), tl.where(done, moved_b, b), tl.where(done, moved_out, out)
        taken += tl.where(done, span, 0)
        alive = alive & (done | (span != 1))
        most = tl.where(done | (span == 0), most, 1)
        tl.debug_barrier()

    store_few(arrays, place, used, owner, leads, a, b, out, FORMS)
    tl.store(arrays.alive + owner, alive.to(tl.int8), mask=leads)
