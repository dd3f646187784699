"""The answer of `gdln simulate`: networks trained on sampled data, and their observables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np

from derivations.answers.about import about, indistinct, with_error
from derivations.answers.field_statistics import aligned, nulls, quartiles, table
from derivations.output import columns
from derivations.statistics.locality import Locality, locality, rule
from sim.measure import measure_each
from sim.measure.source import lies_on_a_line
from sim.train import train
from sim.training.backends.choice import STEPS_IN_TORCH
from sim.training.backends.names import numba_is_installed
from sim.training.backends.short import has_few_steps, is_short
from sim.training.run import Run
from sim.training.schedule import device_named, refuse_endless_measurement
from sim.training.state import Replicate, beginning
from theory.problem import (
    BiasesAtTimes,
    DeepNetwork,
    DirectionGate,
    GatedGraph,
    InputError,
    InputOutputMoment,
    LossAtTimes,
    LowFrequencyPowerAtTimes,
    Observable,
    ParticipationRatioAtTimes,
    Problem,
    ReadoutAtTimes,
    SiteGate,
    WeightsAtTimes,
    dumps,
    resolved,
)
from theory.problem.gates.base import looks_on
from theory.problem.simulation import INITIALISATIONS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from derivations.answers.graph_run import GraphSimulateAnswer
    from theory.flow.picture import Series

_ALONG_A_LINE = "low_frequency_power"
_UNITS = 4  # units shown; --json has them all


@dataclass(frozen=True)
class SimulateAnswer:
    """A trained problem: each observable's mean and standard error over replicates, and the values of every replicate.

    Networks that gate themselves put their fields at different sites: they have no mean `weights`, but means of fields
    aligned by centre and sign, and the quartiles of each network's largest weight, centre and width.
    A network that lacks an observable, such as the shape of a unit whose weights are all zero, has None for its mean;
    so have the shares of low frequencies on a grid, where they are not defined.
    The standard error is None where the replicates are one cluster.
    """

    problem: Problem
    run: Run
    means: Mapping[str, Any]
    values: Mapping[str, Any]

    def json(self) -> dict[str, Any]:
        """The object that `gdln simulate --json` prints."""
        locality = self.locality()
        word = {} if self.self_gated_weights is None else {"locality": locality and locality.json()}
        return {**self.means, **word, **about(self.run), "remarks": self.remarks}

    @property
    def self_gated_weights(self) -> np.ndarray | None:
        """The weights (S, T, K, *m, n) of surviving networks that gate themselves, None for given gates."""
        return None if self.problem.network.gates else self.run.weights[self.run.surviving()]

    def locality(self) -> Locality | None:
        """Whether the fields at the last time are local; None where a field is zero or there is one cluster."""
        ratio = self.values.get("participation_ratio")
        if ratio is None or self.means["participation_ratio_standard_error"] is None:
            return None
        return locality(ratio[:, -1].reshape(len(ratio), -1).mean(axis=1), self.problem.data.n)

    @property
    def remarks(self) -> tuple[str, ...]:
        """Sentences on classes that do not differ, and on gates that are constant, by the law or in training."""
        gates, constant, said = resolved(self.problem.network.gates), {}, indistinct(self.problem.data)
        if not all(isinstance(gate, SiteGate | DirectionGate) and _divides_the_latent(gate) for gate in gates):
            from theory.moments.constant_gates import constant_gates, remarks  # they take half a second to load

            constant = constant_gates(self.problem.data, self.problem.network)
            said += remarks(constant)
        return (*said, *(_unmoved(unit) for unit in self._unmoved_units() if constant.get(unit) is not False))

    def _unmoved_units(self) -> list[int]:
        """The gated units whose weights training has changed in none of the networks that did not diverge."""
        run = self.run
        if not self.problem.network.gates or run.steps == 0:
            return []
        kept = run.surviving()
        start = beginning([Replicate(self.problem, run.replicates[s]) for s in kept]).parameters["w"]
        begun = start.numpy().astype(run.dtype).astype(float)  # as training has rounded it
        changed = (run.weights[kept, -1] != begun).reshape(*begun.shape[:2], -1)
        return np.flatnonzero(~changed.any(axis=(0, 2))).tolist()

    def arrays(self) -> dict[str, Any]:
        """The arrays of the .npz file: the problem as TOML, times, replicates, and each observable's values."""
        return {"problem": np.array(dumps(self.problem)), **self.values}

    def series(self) -> "Series":
        """The networks as markers of a picture: means with 99 % bars, without bars for one cluster of replicates."""
        from theory.flow.picture import Series

        means, penalty = self.means, "⟨log(1 + exp(−y ŷ))⟩"
        fields = means["weights"], means["weights_standard_error"]
        if self.self_gated_weights is not None:
            fields = aligned(self.self_gated_weights, self.problem.data)
        return Series(
            f"{len(self.run.replicates)} networks",
            np.asarray(means["times"]),
            fields[0],
            means["loss"],
            means["participation_ratio"],
            None if means["loss_standard_error"] is None else fields[1],
            means["loss_standard_error"],
            means["participation_ratio_standard_error"],
            measured=True,
            aligned=self.self_gated_weights is not None,
            loss_name=penalty if self.problem.training.loss == "cross-entropy" else "⟨(y − ŷ)²⟩",
        )

    def figure(self) -> "Figure":
        """The fields, loss and participation ratio of the networks; OutOfReachError for labels of several numbers."""
        from theory.flow.picture import picture

        return picture(self.problem.data, [self.series()])

    def text(self) -> str:
        """Loss and shape over time, the largest weights, biases and readout at the end, for a reader."""
        content, run = self.json(), self.run
        total, lost = content["replicates"], content["diverged"]
        penalty = "<log(1+e^(-y yhat))>" if self.problem.training.loss == "cross-entropy" else "<(y-yhat)^2>"
        lines = [
            f"{total} replicates, {content['steps']} steps, device {content['device']}, {content['dtype']}, "
            f"seed {content['seed']}",
            f"back end {run.backend}" + (f". {run.fallback}" if run.fallback else ""),
            "",
            "mean (standard error) over replicates; IPR: inverse participation ratio of a unit's weights"
            + ("; low: their share of power at low frequencies" if lies_on_a_line(self.problem.data) else ""),
            *columns(self._over_time(content, penalty)),
            "",
            *self._fields(content),
        ]
        if content["output_bias"] is not None:
            hidden = _per_unit(content, "hidden_biases", -1)
            output = _per_unit(content, "output_bias", -1)
            lines += ["", f"biases at t = {content['times'][-1]:g}", f"  output: {output}", f"  units from 0: {hidden}"]
        if content["readout"] is not None:
            weights = _per_unit(content, "readout", -1)
            lines += ["", f"readout weights at t = {content['times'][-1]:g}, units from 0: {weights}"]
        if lost:
            lines += ["", f"{lost} of {total} replicates diverged and are left out: the means are over the others."]
        lines += [f"\nnote: {remark}" for remark in self.remarks]
        return "\n".join(lines)

    def _over_time(self, content: dict[str, Any], penalty: str) -> list[tuple[str, ...]]:
        """The table of loss and shape, a column for each of the first units."""
        names = {"participation_ratio": "IPR", _ALONG_A_LINE: "low"}
        rows = [("t", *(f"{time:g}" for time in content["times"]))]
        rows.append((penalty, *(_shown(content, "loss", index) for index in range(len(content["times"])))))
        for name, word in names.items():
            if content[name] is None:
                if name != _ALONG_A_LINE or lies_on_a_line(self.problem.data):
                    rows.append((word, *["undefined (a unit has only zero weights)"] * len(content["times"])))
                continue
            places = list(np.ndindex(np.shape(content[name][0])))  # a unit, and its output where labels are vectors
            for place in places[:_UNITS]:
                head = f"{word} of unit {place[0]}" + "".join(f", output {output}" for output in place[1:])
                each = (_shown(content, name, index, *place) for index in range(len(content["times"])))
                rows.append((head, *each))
            if len(places) > _UNITS:
                rows.append(("...", *["..."] * len(content["times"])))
        return list(zip(*rows, strict=True))

    def _fields(self, content: dict[str, Any]) -> list[str]:
        """The largest mean weight of each unit with a given gate; else what each network has, and whether it is local.

        A mean over networks at one site is no field where each network has its field at another site.
        """
        when, w = f"at t = {content['times'][-1]:g}", self.self_gated_weights
        if w is None:
            last, lines = content["weights"][-1], [f"largest weight of each unit {when}"]
            for unit in np.ndindex(last.shape[:-1]):  # a unit, and its output where labels are vectors
                site = int(abs(last[unit]).argmax())
                name = f"unit {unit[0]}" + "".join(f", output {output}" for output in unit[1:])
                lines.append(f"  {name}: {_shown(content, 'weights', -1, *unit, site)} at site {site}")
            return lines
        together = self.problem.simulated().initialisation == INITIALISATIONS[1]
        lines = [f"fields {when}, statistics of each network: median (quartiles) over {len(w)} networks"]
        lines += table(w[:, -1], self.problem.data, together)
        locality = self.locality()
        if locality is not None:
            lines += [f"they are {locality.word}: participation ratio {locality.text()}"]
            lines += [f"  {part}" for part in rule(self.problem.data.n).split("; ")]
        return lines


def answer(
    problem: Problem,
    device: str = "auto",
    backend: str = "auto",
    memory: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    measuring: Callable[[str], None] = lambda _name: None,
    dtype: str | None = None,
    threads: int = 1,
    alignment: bool = False,
) -> "SimulateAnswer | GraphSimulateAnswer":
    """Train the networks of `problem` and measure them; at most `memory` bytes are taken by networks side by side.

    `backend` "auto" is torch alone for a short run, else that of `sim.train`, and torch takes steps that are few; see
    `sim.training.backends.short`.
    `dtype`, "float64" or "float32", overrides simulation.dtype. `progress` receives the number of steps done and
    the total, `measuring` the name of the next measurement. On a CPU `threads` share the work; the numbers do not
    depend on them. `alignment` asks for nu of a deep network on listed examples. Raises InputError for a problem
    without a [simulation] table, OutOfReachError for an absent device or back end, both as `sim.deep.check_alignment`.

    >>> from theory.problem import loads
    >>> from derivations.experiments.folders import problem_file
    >>> text = problem_file("small-bump").read_text().replace("replicates = 64", "replicates = 2")
    >>> answer(loads(text.replace("batch = 4000", "batch = 10")), "cpu").json()["steps"]
    32
    """
    if dtype is not None:
        problem = replace(problem, simulation=replace(problem.simulated(), dtype=dtype))
    refuse_endless_measurement(problem, problem.simulated().replicates)
    if alignment:
        from sim.deep import check_alignment

        check_alignment(problem)
    run = _trained(problem, device, backend, memory, progress, threads)
    if isinstance(problem.network, GatedGraph | DeepNetwork):
        from derivations.answers.graph_run import measured

        return measured(run, device, measuring, threads, alignment)
    means: dict[str, Any] = {"times": run.times, "readout": None, "readout_standard_error": None}
    values = {
        "times": run.times,
        "replicates": run.replicates,
        "diverged": run.diverged,
        "all_weights": run.weights,
        **({} if run.biases is None else {"all_biases": run.biases}),
        **({} if run.readout is None else {"all_readout": run.readout}),
    }
    if not lies_on_a_line(problem.data):
        means |= {_ALONG_A_LINE: None, f"{_ALONG_A_LINE}_standard_error": None}
    observables = _observables(problem)
    estimates = measure_each(
        tuple(observables.values()), run, device, backend="compiled", measuring=measuring, threads=threads
    )
    for name, estimate in zip(observables, estimates, strict=True):
        if isinstance(estimate, InputError):  # a unit that has only zero weights has no shape
            means |= {name: None, f"{name}_standard_error": None}
            continue
        error = None if estimate.one_cluster else estimate.standard_error
        means |= {name: estimate.mean, f"{name}_standard_error": error}
        values[name] = estimate.values
    means |= _apart(means)
    if not problem.network.gates:
        means |= _aligned(run)
    return SimulateAnswer(problem, run, means, values)


def _aligned(run: Run) -> dict[str, Any]:
    """What takes the place of mean weights, which would be means of fields at different sites."""
    w, law = run.weights[run.surviving()], run.problem.data
    mean, error = (nulls(numbers) for numbers in aligned(w, law))
    fields = {name: nulls(np.moveaxis(values, 0, -1)) for name, values in quartiles(w, law).items()}
    return {
        "weights": None,
        "weights_standard_error": None,
        "aligned_weights": mean,
        "aligned_weights_standard_error": None if run.one_cluster else error,
        "field_quartiles": fields,
    }


def _unmoved(unit: int) -> str:
    return (
        f"the weights of unit {unit} ended as they began in every network: in training its gate never opened, or its "
        "gradients were zero or lost in rounding."
    )


def _divides_the_latent(gate: SiteGate | DirectionGate) -> bool:
    """Return whether a gate has a bound on a latent, which is Gaussian: both sides occur."""
    return looks_on(gate) == "latent" and (gate.lo > -inf or gate.hi < inf)


def _trained(
    problem: Problem,
    device: str,
    backend: str,
    memory: int | None,
    progress: Callable[[int, int], None] | None,
    threads: int,
) -> Run:
    """Return the run, with the reason in `fallback` where it is too short for compiled loops."""
    choice = backend == "auto" and device_named(device).type == "cpu" and numba_is_installed()
    short, few = (choice and decide(problem) for decide in (is_short, has_few_steps))
    run = train(
        problem,
        device,
        progress=progress,
        backend="reference" if short else backend,
        memory=memory,
        threads=threads,
        compile_steps=not few,
    )
    if short:
        return replace(run, fallback="The run is short: torch alone finishes it before the compiled loops are loaded.")
    if few and run.fallback == STEPS_IN_TORCH:
        return replace(run, fallback="Torch takes the steps, which are too few to compile loops for them.")
    return run


def _observables(problem: Problem) -> dict[str, Observable]:
    """The observables of every network, and those of biases, trained readouts and gates where it has them."""
    observables: dict[str, Observable] = {
        "weights": WeightsAtTimes(),
        "loss": LossAtTimes(),
        "participation_ratio": ParticipationRatioAtTimes(),
    }
    if lies_on_a_line(problem.data):
        observables[_ALONG_A_LINE] = LowFrequencyPowerAtTimes()
    if problem.network.has_biases:
        observables["biases"] = BiasesAtTimes()
    if problem.network.trains_readout:
        observables["readout"] = ReadoutAtTimes()
    if problem.network.gates:
        observables["input_output_moment"] = InputOutputMoment()
    return observables


def _apart(means: dict[str, Any]) -> dict[str, Any]:
    """Separate the hidden biases from the output bias; null for a network without biases, as in gdln solve."""
    answer = {}
    for end in ("", "_standard_error"):
        both = means.pop(f"biases{end}", None)
        answer[f"hidden_biases{end}"] = None if both is None else both[:, :-1]
        answer[f"output_bias{end}"] = None if both is None else both[:, -1]
    return answer


def _per_unit(content: dict[str, Any], name: str, index: int) -> str:
    places = np.ndindex(np.shape(content[name][index]))  # a unit, and its output where labels are vectors
    shown = [_shown(content, name, index, *place) for place in places]
    return " ".join(shown[:_UNITS]) + (" ..." if len(shown) > _UNITS else "")


def _shown(content: dict[str, Any], name: str, *place: int) -> str:
    """Return an entry with its standard error, which is left out where the replicates are one cluster."""
    value, error = content[name][place], content[f"{name}_standard_error"]
    return with_error(value, None if error is None else error[place])
