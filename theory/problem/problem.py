"""The question as a whole: data law, network, training and, where it is to be simulated, how."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from theory.problem.errors import InputError
from theory.problem.gates import DirectionGate, SiteGate
from theory.problem.laws import Law
from theory.problem.network import Network
from theory.problem.numbers import shown
from theory.problem.simulation import Simulation
from theory.problem.training import (
    HIDDEN_BIASES,
    READOUT,
    NormalInitialisation,
    Training,
    initial_of_each_unit,
    initial_weights,
)


@dataclass(frozen=True)
class Problem:
    """A problem: what is learned (`data`), by what (`network`), how (`training`), and how it is simulated.

    Raises InputError where the parts do not fit each other: a site outside the line, a direction of another length, a
    gate on a latent that the law does not have, w0 of another shape, biases or initial readout weights that are missing
    or that the network does not have, the cross-entropy of labels other than +-1.
    """

    data: Law
    network: Network
    training: Training
    simulation: Simulation | None = None

    def __post_init__(self) -> None:
        for index, gate in enumerate(self.network.gates):
            if isinstance(gate, SiteGate | DirectionGate):
                self._check_sites(index, gate)
        self._check_initial_weights()
        self._check_further_starts()
        self._check_labels()

    def _check_sites(self, index: int, gate: SiteGate | DirectionGate) -> None:
        n, where = self.data.n, f"network.gates[{index}]"
        if isinstance(gate, DirectionGate) and gate.size not in (None, n):
            raise InputError(
                f"{where}.v has {gate.size} numbers; the data have n = {n} sites.",
                "Give one number for each site, or a table { site = number }.",
            )
        if gate.sites[-1] >= n:
            named = f"{where}.{'v: site' if isinstance(gate, DirectionGate) else 'site ='} {gate.sites[-1]}"
            raise InputError(
                f"{named} lies outside the line of n = {n} sites.", f"Sites count from 0: choose 0 to {n - 1}."
            )
        if gate.on == "latent" and not self.data.latent:
            raise InputError(
                f'network.gates[{index}] is on the latent, but the law "{self.data.law}" has no latent variable.',
                'Leave `on` out or write on = "input".',
            )

    def _check_initial_weights(self) -> None:
        w0, units, n = self.training.w0, self.network.units, self.data.n
        if isinstance(w0, NormalInitialisation):
            return
        if len(w0) != units or any(len(row) != n for row in w0):
            lengths = sorted({len(row) for row in w0})
            raise InputError(
                f"training.w0 has {len(w0)} rows of length {shown(lengths)}; "
                f"the network needs K = {units} rows of n = {n}.",
                "Give one row of n numbers for each unit.",
            )
        if self.simulation and self.simulation.initialisation == "per-replicate":
            raise InputError(
                'simulation.initialisation = "per-replicate" needs a law for w0, but w0 is given as numbers.',
                'Write w0 = { law = "normal", scale = ..., seed = ... }, or initialisation = "shared".',
            )

    def _check_further_starts(self) -> None:
        """hidden_bias0, output_bias0 and readout0: given where the network has them, for each unit one."""
        network, training = self.network, self.training
        has, otherwise = f'network.biases = "{network.biases}"', 'network.biases = "fixed" or "trained"'
        self._check_given(("hidden_bias0", "output_bias0"), network.has_biases, has, "no biases", otherwise)
        has, otherwise = f'network.readout = "{network.readout}"', 'network.readout = "trained-mean" or "trained-sum"'
        self._check_given(("readout0",), network.trains_readout, has, "readout weights that are all 1", otherwise)
        for name in ("hidden_bias0", "readout0"):
            given = getattr(training, name)
            if isinstance(given, tuple) and len(given) != network.units:
                raise InputError(
                    f"training.{name} has {len(given)} numbers; the network has K = {network.units} units.",
                    "Give one number for each unit.",
                )

    def _check_given(self, names: tuple[str, ...], needed: bool, setting: str, has: str, otherwise: str) -> None:
        missing = [name for name in names if getattr(self.training, name) is None]
        if needed and missing:
            listed = ", ".join(f"`{name}`" for name in missing)
            raise InputError(
                f"{setting}, but training lacks {listed}.",
                "State where they start: output_bias0 = one number, hidden_bias0 and readout0 = K numbers or a law.",
            )
        for name in names:
            if not needed and name not in missing:
                raise InputError(
                    f"training.{name} is given, but {setting}: this network has {has}.",
                    f"Remove it, or write {otherwise}.",
                )

    def _check_labels(self) -> None:
        if self.training.loss == "cross-entropy" and not set(self.data.labels) <= {-1, 1}:
            listed = ", ".join(str(label) for label in self.data.labels)
            raise InputError(
                f'training.loss = "cross-entropy" is <log(1 + exp(-y yhat))> for labels y = 1 and -1, but data.labels '
                f"= [{listed}].",
                "Write labels = [1.0, -1.0], or choose another loss.",
            )

    def w0(self, replicate: int | None = None) -> Float[np.ndarray, "K n"]:
        """The initial weights (K, n), entry (k, j) of unit k and site j; see `initial_weights`."""
        return initial_weights(self.training.w0, self.network.units, self.data.n, replicate)

    def biases0(self, replicate: int | None = None) -> Float[np.ndarray, " C"] | None:
        """The C = K + 1 initial biases b_1, ..., b_K, b_out; None where the network has none."""
        if not self.network.has_biases:
            return None
        hidden = initial_of_each_unit(self.training.hidden_bias0, self.network.units, HIDDEN_BIASES, replicate)
        return np.append(hidden, float(self.training.output_bias0))

    def readout0(self, replicate: int | None = None) -> Float[np.ndarray, " K"] | None:
        """The K initial readout weights a_1, ..., a_K; None where the network trains none: then all are 1."""
        if not self.network.trains_readout:
            return None
        return initial_of_each_unit(self.training.readout0, self.network.units, READOUT, replicate)

    def simulated(self) -> Simulation:
        """The simulation settings; InputError where the problem has none."""
        if self.simulation is None:
            raise InputError(
                "The problem has no [simulation] table.",
                "Add one: mode, samples, batch, learning_rate, replicates, seed.",
            )
        return self.simulation
