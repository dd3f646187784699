"""The compiled steps of one network in flat arrays."""

import numpy as np

from sim.training.backends.compiled import descent, one_at_first
from sim.training.sizes import FEW_UNITS, MANY


class Steps:
    """One network: its concatenated parameters (theta), the optimiser's memory, and scratch.

    `units`, `n` and `batch` are the sizes of a step; the other numbers have the dtype of theta.
    """

    def __init__(
        self,
        form: descent.Form,
        theta: np.ndarray,
        memory: list[np.ndarray],
        optimiser: tuple | None,
        sizes: tuple[int, int, int],
        rate: np.floating,
        limit: np.floating,
    ) -> None:
        self.form, self.typed, self.theta, self.memory, self.optimiser = form, form.typed(), theta, memory, optimiser
        self.units, self.n, self.batch = sizes
        self.rate, self.limit = rate, limit
        self.many = self.batch >= MANY
        self.gradient, self.moved = np.empty_like(theta), np.empty_like(theta)
        if self.many:
            self.pre = np.empty((self.units, self.batch), theta.dtype)
            self.residual, self.value = np.empty((2, self.batch), theta.dtype)
        self.values, self.steepness = np.empty(self.units, theta.dtype), np.empty(self.units, theta.dtype)

    def advance(self, step: int, count: int, x: np.ndarray, y: np.ndarray, gate: np.ndarray, row: np.ndarray) -> bool:
        """Take `count` steps from `step` on; return whether all were taken before the network diverged.

        x, y and the gates are indexed by row, x and the gates with all rows of the block; `row` is the row of each
        example.
        """
        types = tuple(map(type, self.typed))
        with one_at_first((types, self.theta.dtype, self.optimiser is None, self.many, self.units, self.batch == 1)):
            return self._advance(step, count, x, y, gate, row)

    def _advance(self, step: int, count: int, x: np.ndarray, y: np.ndarray, gate: np.ndarray, row: np.ndarray) -> bool:
        if self.many and self.units <= FEW_UNITS:
            room = (self.pre, self.residual, self.value, self.gradient, *self.memory, self.moved)
            held = (self.typed, self.theta, self.units, x.T, y, gate, self.batch)
            return descent.wide_steps(*held, room, self.optimiser, self.rate, step, self.limit) == count
        if self.many:
            return all(self._step(x, y, gate, index * self.batch, step + index) for index in range(count))
        held = (self.form, self.theta, self.units, x, y, gate, row)
        if self.batch == 1 and self.optimiser is None:
            room = self.moved, self.values, self.steepness
            return descent.single_steps(*held, room, self.rate, self.limit) == count
        room = (self.gradient, *self.memory, self.moved, self.values, self.steepness)
        return descent.steps(*held, self.batch, room, self.optimiser, self.rate, step, self.limit) == count

    def _step(self, x: np.ndarray, y: np.ndarray, gate: np.ndarray, at: int, step: int) -> bool:
        size, shape = self.units * self.n, (self.units, self.n)
        own = x[at : at + self.batch]
        np.matmul(self.theta[:size].reshape(shape), own.T, out=self.pre)
        room = self.residual, self.value
        descent.pulls(self.typed, self.theta, self.gradient, self.n, self.pre, gate, y, at, *room)
        np.matmul(self.pre, own, out=self.gradient[:size].reshape(shape))
        return descent.move(
            self.theta, self.gradient, *self.memory, self.moved, self.optimiser, self.rate, step, self.limit
        )
