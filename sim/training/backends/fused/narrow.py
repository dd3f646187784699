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

from sim.training.backends.fused.examples import gate_places, gates_of, gaussian, inputs, product
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


@triton.jit
def at(numbers, column, place):
    """Return the number (K) of the column `place` as a scalar."""
    return tl.sum(tl.where(column == place, numbers, 0))


@triton.jit
def drawn(
    arrays,
    network,
    held,
    weight,
    trained,
    example,
    category,
    h,
    largest_w,
    n,
    modes,
    chunks,
    back,
    FORMS: tl.constexpr,
):
    """Return H, the largest weights, inner products (T, T) and labels with the examples of a network; store its inputs.

    `held` is the place of each row of inputs, `weight` that of each column's weights, those of `trained` columns.
    """
    KIND: tl.constexpr = arrays.w.dtype.element_ty
    T: tl.constexpr = FORMS.tile.rows
    SITES: tl.constexpr = FORMS.tile.sites
    site = tl.arange(0, SITES)
    width = tl.cdiv(n, SITES) * SITES
    word, key_low, key_high = counters_of(arrays, network)
    gain, over, first_label, second_label = law_of(arrays)
    gram = tl.zeros((T, T), KIND)
    for start in range(0, n, SITES):
        first = start + modes - back
        z = gaussian(
            arrays,
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
            FORMS,
        )
        x = inputs(z, gain, over, FORMS)
        tl.store(held + (start + site)[None, :], x)
        if FORMS.both:
            tl.store(held + (width + T + start + site)[None, :], z)
        inside = trained[:, None] & (start + site < n)[None, :]
        w = tl.load(weight + (start + site)[None, :], mask=inside, other=0.0)
        h += forward(x, w, FORMS.precision)
        gram = product(x, tl.trans(x), gram, FORMS.precision)
        largest_w = tl.maximum(largest_w, tl.max(tl.abs(w), axis=1))
    return h, largest_w, gram, tl.where(category == 0, first_label, second_label)


@triton.jit
def moved(weight, held, pulls, mine, trained, rate, limit, bounded, n, FORMS: tl.constexpr):
    """Store the weights of a network after its steps and return True, if they are `bounded` or below the limit."""
    SITES: tl.constexpr = FORMS.tile.sites
    site = tl.arange(0, SITES)
    within = bounded
    if bounded == 0:
        within = bounded == 0
        for start in range(0, n, SITES):
            inside = trained[:, None] & (start + site < n)[None, :]
            w = tl.load(weight + (start + site)[None, :], mask=inside, other=0.0)
            change = rate * backward(pulls, tl.load(held + (start + site)[None, :]), FORMS.precision)
            within = within & every(below(w - change, limit) | (mine == 0)[:, None])
    if within:
        for start in range(0, n, SITES):
            inside = trained[:, None] & (start + site < n)[None, :]
            w = tl.load(weight + (start + site)[None, :], mask=inside, other=0.0)
            change = rate * backward(pulls, tl.load(held + (start + site)[None, :]), FORMS.precision)
            tl.store(weight + (start + site)[None, :], w - change, mask=inside)
    return within


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
    is scratch of the size that `scratch_of` returns. A chunk of sites needs `chunks`
    times 16 modes, the first of them `back` before its first site. A diverging network is frozen. Where a tile could
    take a parameter of a network beyond the limit, it takes one step a tile in the rest of the launch.
    """
    KIND: tl.constexpr = arrays.w.dtype.element_ty
    T: tl.constexpr = FORMS.tile.rows
    SITES: tl.constexpr = FORMS.tile.sites
    COLUMNS: tl.constexpr = FORMS.tile.columns
    PER: tl.constexpr = FORMS.tile.units
    row, column = tl.arange(0, T), tl.arange(0, COLUMNS)
    first_network = tl.program_id(0).to(tl.int64) * packed
    present = tl.minimum(packed, networks - first_network).to(tl.int32)
    slot, unit = column // PER, column % PER
    used = (slot < present) & (unit < units)
    width = tl.cdiv(n, SITES) * SITES
    stride = FORMS.copies * width + T
    alive = tl.load(arrays.alive + first_network + slot, mask=slot < present, other=0)

    # Steps of a network so far, and the most that its next tile takes: none of a frozen network.
    taken, most = column * 0, tl.where(alive != 0, T // batch, 0)
    while tl.max(tl.minimum(most, steps - taken)) > 0:
        # The loop inside keeps the compiler from holding in registers, while it draws, what only the steps need.
        for _ in tl.range(tl.cdiv(tl.max(tl.where(most > 0, steps - taken, 0)), T // batch), disable_licm=True):
            span = tl.minimum(most, steps - taken)
            h = tl.zeros((T, COLUMNS), KIND)
            largest_w, largest_x = tl.zeros((COLUMNS,), KIND), tl.zeros((COLUMNS,), KIND)
            for packet in tl.range(present, disable_licm=True):
                if at(span, column, packet * PER) > 0:
                    network, own = first_network + packet, column - packet * PER
                    mine, trained = (own >= 0) & (own < PER), (own >= 0) & (own < units)
                    weight = arrays.w + network * units * n + own[:, None] * n
                    held = space + (network * (T + 1) + row)[:, None] * stride
                    word, key_low, key_high = counters_of(arrays, network)
                    example = (begin + at(taken, column, packet * PER)).to(tl.int64) * batch + row
                    category = coins(example, word, key_low, key_high)
                    h, largest_w, gram, labels = drawn(
                        arrays,
                        network,
                        held,
                        weight,
                        trained,
                        example,
                        category,
                        h,
                        largest_w,
                        n,
                        modes,
                        chunks,
                        back,
                        FORMS,
                    )
                    tl.store(held + width + tl.arange(0, T)[None, :], gram)
                    tl.store(space + (network * (T + 1) + T) * stride + width + row, labels)
                    squared = tl.max(tl.where(row[:, None] == tl.arange(0, T)[None, :], gram, 0.0))
                    largest_x = tl.where(
                        mine, tl.sqrt(squared), largest_x
                    )  # no input is larger than its example's norm
            tl.debug_barrier()  # inputs and inner products are read by other threads than those that wrote them

            pulls = tl.zeros((T, COLUMNS), KIND)
            rate, limit, scale, share, leak = settings_of(arrays)
            a, b, out = load_few(arrays, first_network, slot, unit, units, used, FORMS)
            safe = most > 0
            longest = tl.max(span)
            group, going = space + first_network * (T + 1) * stride, (span > 0)[None, :]
            products = slot[None, :] * (T + 1) * stride + width + row[:, None]
            y = tl.load(group + T * stride + products, mask=going, other=0.0)
            gate = tl.zeros((T, COLUMNS), KIND)
            if FORMS.latent or FORMS.input:
                seen = slot * (T + 1) * stride + gate_places(arrays, units, unit, width + T, FORMS.both)
                v = tl.load(group + (seen[None, :] + row[:, None] * stride), mask=going & used[None, :], other=0.0)
                gate = gates_of(v, arrays, units, unit, FORMS)
            for step in range(longest):
                counted = ((row >= step * batch) & (row < (step + 1) * batch))[:, None] & (step < span)[None, :]
                pull, da, db, dout = pulls_of(h + b[None, :], gate, a, out, y, counted, used, scale, share, leak, FORMS)
                pulls += pull
                a, b, out, safe = move_few(a, b, out, da, db, dout, rate, limit, safe, FORMS)
                if step + 1 < longest:
                    for u in range(step * batch, (step + 1) * batch):
                        g = tl.load(group + u * stride + products, mask=going, other=0.0)
                        h -= rate * g * tl.sum(tl.where(row[:, None] == u, pull, 0.0), axis=0)[None, :]
            bounded = below(largest_w + rate * tl.sum(tl.abs(pulls), axis=0) * largest_x, limit)

            done = column < 0
            for packet in tl.range(present, disable_licm=True):
                network, own = first_network + packet, column - packet * PER
                mine, trained = (own >= 0) & (own < PER), (own >= 0) & (own < units)
                weight = arrays.w + network * units * n + own[:, None] * n
                held = space + (network * (T + 1) + row)[:, None] * stride
                steps_of_it = at(span, column, packet * PER)
                fits = (steps_of_it > 0) & every(safe | (mine == 0))
                within = fits & every(bounded | (mine == 0))
                if fits & ((steps_of_it == 1) | within):
                    within = moved(weight, held, pulls, mine, trained, rate, limit, within, n, FORMS)
                if within:
                    done = done | mine
            store_few(arrays, first_network, slot, unit, units, used & done, a, b, out, FORMS)
            taken += tl.where(done, span, 0)
            most = tl.where(done | (span == 0), most, tl.where(span == 1, 0, 1))
            tl.debug_barrier()

    tl.store(arrays.alive + first_network + slot, (most > 0).to(tl.int8), mask=used & (unit == 0))
