"""Samples of Ising models, site by site, each spin drawn given those before it.

Sites are taken row by row. Given all earlier spins, the law of the next one depends on the last `columns` of them, and
where the rows are a ring on the first row too: this is its state, of w bits. From the definition, with V the logarithm
of the sum of exp(all terms that contain a spin at s or later) over these spins, and f(state) = h + the sum of
coupling * spin over the neighbours among the earlier spins,

    V_s(state) = log(exp(f + V_{s+1}(state with x_s = 1)) + exp(-f + V_{s+1}(state with x_s = -1))),
    P(x_s = 1 | state) = exp(f + V_{s+1}(state with x_s = 1) - V_s(state)).

A chain is the grid of one column. Each example takes its class from the choices of its own stream and one uniform
number for each site, of 2^32 equally spaced ones: conditional probabilities are right up to 2^-32.
"""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int

from sim.data.classes import draw_classes
from sim.data.sample import PlainSampler, sampler_of
from sim.random.streams import Stream
from theory.problem import Law, OutOfReachError
from theory.problem.distributions.ising import Ising

# The most conditional probabilities of all classes, sites and states: 268 MB in float64.
MOST_CONDITIONALS = 2**25
_WORDS = 4  # numbers of one call of the generator


@dataclass(frozen=True)
class Grid:
    """Spins in rows: their couplings to the neighbour above and to the left, in class c, and their field.

    >>> Grid(3, 2, True, ((0.5, 0.1),), (0.0,)).bits  # two spins of the last row, and two of the first
    4
    """

    rows: int
    columns: int
    periodic: bool
    couplings: tuple[tuple[float, float], ...]
    fields: tuple[float, ...]

    @property
    def bits(self) -> int:
        """w, the number of spins in a state."""
        return self.columns * (2 if self.periodic else 1)

    def require_room(self) -> None:
        """Raise OutOfReachError where the conditional probabilities fill too much memory."""
        count = len(self.fields) * self.rows * self.columns << self.bits
        if count > MOST_CONDITIONALS:
            kept = "two rows" if self.periodic else "one row"
            raise OutOfReachError(
                f"The exact sampler of {self.rows} x {self.columns} spins keeps a probability for every class, site "
                f"and state of {kept} of {self.columns} spins: {8 * count / 1e9:.3g} GB, more than "
                f"{8 * MOST_CONDITIONALS / 1e9:.2g} GB.",
                "Shorten the shorter side of the grid"
                + (', or use boundary = "open", whose states are of one row.' if self.periodic else "."),
            )


def conditionals(grid: Grid, c: int) -> Float[np.ndarray, "n states"]:
    """Return P(x_s = 1 | state) in class `c` for each site and state; before the second row a state has one row.

    The lowest bit of a state is the spin before s; the first row of a periodic grid has the upper bits.

    Two independent spins in a field, and two that are coupled, where the state 1 is the spin 1:

    >>> conditionals(Grid(2, 1, False, ((0.0, 0.0),), (0.5,)), 0)[:, 0].round(4).tolist()  # e^h/(e^h + e^-h)
    [0.7311, 0.7311]
    >>> conditionals(Grid(2, 1, False, ((0.5, 0.0),), (0.0,)), 0).round(4).tolist()
    [[0.5, 0.5], [0.2689, 0.7311]]
    """
    grid.require_room()
    (down, across), h, columns = grid.couplings[c], grid.fields[c], grid.columns
    state = np.arange(1 << grid.bits)
    recent, first = state & ((1 << columns) - 1), state >> columns

    def spin(ago: int) -> Int[np.ndarray, " states"]:
        return 2 * (recent >> ago & 1) - 1

    up = (recent << 1 | 1) & ((1 << columns) - 1) | first << columns
    found = np.empty((grid.rows * columns, len(state)))
    later = np.zeros(len(state))
    if grid.periodic:
        later = down * sum((2 * (first >> a & 1) - 1) * spin(a) for a in range(columns))
    for site in reversed(range(len(found))):
        row, column = divmod(site, columns)
        felt = np.full(len(state), h)
        if row:
            felt += down * spin(columns - 1)
        if column:
            felt += across * spin(0)
        if grid.periodic and 0 < column == columns - 1:
            felt += across * spin(column - 1)
        plus, minus = felt + later[up], -felt + later[up ^ 1]
        found[site] = np.exp(plus - np.logaddexp(plus, minus))
        later = np.logaddexp(plus, minus)
        later -= later.max()
        if grid.periodic and site == columns:  # up to here the last row is the first one
            later = later[recent | recent << columns]
    return found


@dataclass(frozen=True, eq=False)
class IsingSampler(PlainSampler):
    """A sampler on one device: the conditional probabilities (C, n, states), and the place of each site in x."""

    grid: Grid
    table: Float[torch.Tensor, "C n states"]
    places: Int[torch.Tensor, " n"] | None

    def inputs(self, streams: list[Stream], rows: int) -> tuple[Float[torch.Tensor, "S B n"], Int[np.ndarray, "S B"]]:
        """Draw `rows` independent examples for each stream, from n uniform numbers each."""
        uniform = torch.stack([self._uniforms(own, rows) for own in streams])
        classes = draw_classes(self.law.probabilities, streams, rows)
        category = torch.from_numpy(classes).to(self.device)
        columns, mask = self.grid.columns, (1 << self.grid.columns) - 1
        states = self.table.shape[2]
        recent, first = torch.zeros_like(category), torch.zeros_like(category)
        spins = torch.empty(uniform.shape, dtype=torch.bool, device=self.device)
        for site in range(self.n):
            likely = self.table[:, site].reshape(-1)[category * states + (recent | first << columns)]
            spins[..., site] = uniform[..., site] < likely
            recent = (recent << 1 | spins[..., site]) & mask
            if self.grid.periodic and site == columns - 1:
                first = recent
        x = spins.to(self.dtype) * 2 - 1
        return x if self.places is None else x[..., self.places], classes

    def _uniforms(self, own: Stream, rows: int) -> Float[torch.Tensor, "rows n"]:
        calls = -(-self.n // _WORDS)
        words = torch.stack(own.words(own.example, rows, calls, self.device), dim=-1).flatten(1)[:, : self.n]
        return words.to(torch.float64).add_(0.5).mul_(2.0**-32)


def sampler(
    law: Law, grid: Grid, places: Int[np.ndarray, " n"] | None, device: torch.device, dtype: torch.dtype
) -> IsingSampler:
    """Return the sampler of a law whose spins are those of a grid, site i of the law at places[i] of the grid."""
    grid.require_room()
    tables = torch.from_numpy(np.stack([conditionals(grid, c) for c in range(len(grid.fields))])).to(device)
    order = None if places is None else torch.from_numpy(places).to(device)
    return IsingSampler(law, device, dtype, grid, tables, order)


@sampler_of.register
def ising_sampler(law: Ising, device: torch.device, dtype: torch.dtype) -> IsingSampler:
    """Return the sampler of a chain."""
    couplings = tuple((law.coupling(c), 0.0) for c in range(law.classes))
    grid = Grid(law.n, 1, law.boundary == "ring", couplings, tuple(float(h) for h in law.h))
    return sampler(law, grid, None, device, dtype)
