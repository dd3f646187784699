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
from theory.problem.training import NormalInitialisation, Training, initial_hidden_biases, initial_weights


@dataclass(frozen=True)
class Problem:
    """A problem: what is learned (`data`), by what (`network`), how (`training`), and how it is simulated.

    Raises InputError where the parts do not fit each other: a site outside the line, a direction of another length, a
    gate on a latent that the law does not have, w0 of another shape, initial biases that are missing or that the
    network does not have.
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
        self._check_initial_biases()

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

    def _check_initial_biases(self) -> None:
        given = {name: getattr(self.training, name) for name in ("hidden_bias0", "output_bias0")}
        if not self.network.has_biases:
            for name, value in given.items():
                if value is not None:
                    raise InputError(
                        f'training.{name} is given, but network.biases = "none": this network has no biases.',
                        'Remove it, or write network.biases = "trained".',
                    )
            return
        missing = ", ".join(f"`{name}`" for name, value in given.items() if value is None)
        if missing:
            raise InputError(
                f'network.biases = "trained", but training lacks {missing}.',
                "State where they start: hidden_bias0 = K numbers or a law, output_bias0 = one number.",
            )
        hidden, units = self.training.hidden_bias0, self.network.units
        if not isinstance(hidden, NormalInitialisation) and len(hidden) != units:
            raise InputError(
                f"training.hidden_bias0 has {len(hidden)} numbers; the network has K = {units} units.",
                "Give one number for each unit.",
            )

    def w0(self, replicate: int | None = None) -> Float[np.ndarray, "K n"]:
        """The initial weights (K, n), entry (k, j) of unit k and site j; see `initial_weights`."""
        return initial_weights(self.training.w0, self.network.units, self.data.n, replicate)

    def biases0(self, replicate: int | None = None) -> Float[np.ndarray, " C"] | None:
        """The C = K + 1 initial biases b_1, ..., b_K, b_out; None where the network has none."""
        if not self.network.has_biases:
            return None
        hidden = initial_hidden_biases(self.training.hidden_bias0, self.network.units, replicate)
        return np.append(hidden, float(self.training.output_bias0))

    def simulated(self) -> Simulation:
        """The simulation settings; InputError where the problem has none."""
        if self.simulation is None:
            raise InputError(
                "The problem has no [simulation] table.",
                "Add one: mode, samples, batch, learning_rate, replicates, seed.",
            )
        return self.simulation
