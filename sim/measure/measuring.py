"""Measure observables on a run, or on a problem where no training is needed."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch

from sim.measure.estimate import Estimate
from sim.measure.source import OnFresh, Source, prepare_in_torch, values_of
from sim.random.streams import reference_normals
from sim.threads import in_threads
from sim.training.backends.choice import compiled_sampler, fastest_normals
from sim.training.run import Run
from sim.training.schedule import device_named
from theory.problem import InputError, Problem


def measure(observable: object, source: Run | Problem, device: str = "auto", *, backend: str = "auto") -> Estimate:
    """Measure `observable` on a run, or, where no training is needed, on a problem.

    Fresh examples come from streams that training does not use, `samples` for each replicate in float64, and are the
    same for all observables. With `backend` "reference", as for a run of the reference, torch draws them; with "auto"
    compiled loops do where numba is installed. Raises OutOfReachError for an observable without a measurement or a
    network without the gates it needs, InputError where a run is needed, and DivergedError where fewer than two
    replicates are left.

    >>> from theory.problem import InputOutputMoment, Network, NonlinearGP, NormalInitialisation, Simulation
    >>> from theory.problem import SiteGate, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), times=(0, 1))
    >>> settings = Simulation("online", samples=100, learning_rate="1/2", replicates=3, seed=0, batch=8)
    >>> problem = Problem(law, Network("gated-linear", "mean", 1, (SiteGate(1, lo=0),)), training, settings)
    >>> measure(InputOutputMoment(), problem, "cpu").values.shape
    (3, 1, 4)
    """
    (found,) = measure_each([observable], source, device, backend=backend)
    if isinstance(found, InputError):
        raise found
    return found


def measure_each(
    observables: Sequence[object],
    source: Run | Problem,
    device: str = "auto",
    *,
    backend: str = "auto",
    measuring: Callable[[str], None] = lambda _what: None,
    threads: int = 1,
) -> list[Estimate | InputError]:
    """Measure several observables as `measure` does one; fresh examples are drawn once for all of them.

    Where the networks have no such value (a unit of zero weights has no shape), an InputError takes the place of the
    estimate. `measuring` is called with the name of each measurement before it begins. With `backend` "compiled",
    compiled loops draw the examples where they can, equal up to rounding and order. On a CPU up to `threads` replicates
    are measured at once, which changes no number. Other errors are those of `measure`.
    """
    where = device_named(device)
    ran_plain = isinstance(source, Run) and source.backend == "reference"
    plain = backend == "reference" or ran_plain
    fill = reference_normals if plain else fastest_normals(where)
    prepare = compiled_sampler if backend == "compiled" and not plain else prepare_in_torch
    if isinstance(source, Run):
        kept = source.surviving()
        numbers = tuple(source.replicates[s] for s in kept)
        parameters = {name: array[kept] for name, array in source.parameters.items()}
        measured, lost = (
            Source(source.problem, numbers, device, fill, parameters, prepare),
            len(source.diverged) - len(kept),
        )
    else:
        measured, lost = Source(source, range(source.simulated().replicates), device, fill, prepare=prepare), 0
    found: dict[int, np.ndarray | OnFresh | InputError] = {}
    for index, observable in enumerate(observables):
        measuring(getattr(observable, "name", type(observable).__name__))
        found[index] = _defined(lambda observable=observable: values_of(observable, measured))
    on_fresh = {index: own for index, own in found.items() if isinstance(own, OnFresh)}
    if on_fresh:
        measuring(" and ".join(observables[index].name for index in on_fresh))
        found |= _on_fresh(measured, on_fresh, threads if where.type == "cpu" else 1)
    seed = measured.problem.simulated().seed
    return [
        own if isinstance(own, InputError) else Estimate(observable, measured.problem, own, seed, lost)
        for observable, own in zip(observables, found.values(), strict=True)
    ]


def _on_fresh(source: Source, wanted: Mapping[int, OnFresh], threads: int) -> dict[int, np.ndarray | InputError]:
    """Return the values of each replicate on its fresh examples, in one pass over these."""
    if threads > 1:
        source.prepare(source.problem, device_named(source.device), torch.float64)  # so that no two threads factor
    parts = in_threads(lambda part, check: _on_fresh_of(part, wanted, check), source.parts(threads), threads)
    return {
        index: next((own for own in found if isinstance(own, InputError)), None) or np.concatenate(found)
        for index, found in ((index, [part[index] for part in parts]) for index in wanted)
    }


def _on_fresh_of(
    source: Source, wanted: Mapping[int, OnFresh], check: Callable[[], None]
) -> dict[int, np.ndarray | InputError]:
    """Return the values of the replicates of one part, in sequence; `check` stops it when another part fails."""
    shared = source.problem.simulated().shared_stream
    values: dict[int, list[np.ndarray]] = {index: [] for index in wanted}
    failed: dict[int, InputError] = {}
    draws = source.fresh()
    for own in source.each():
        new = {index: one for index, one in wanted.items() if index not in failed}
        if shared:
            new = {index: one for index, one in new.items() if not (one.of_the_data and values[index])}
        tallies = {index: one.begin(own) for index, one in new.items()}
        if not tallies:
            continue
        for drawn in next(draws):
            check()
            for tally in tallies.values():
                tally.add(drawn)
        for index, tally in tallies.items():
            value = _defined(tally.value)
            if isinstance(value, InputError):
                failed[index] = value
            else:
                values[index].append(value)
    count = len(source.replicates)
    whole = {index: own if len(own) == count else own * count for index, own in values.items() if index not in failed}
    return {index: np.stack(own) for index, own in whole.items()} | failed


def _defined(value: Callable[[], np.ndarray | OnFresh]) -> np.ndarray | OnFresh | InputError:
    """Return the value, or the InputError where the networks have none."""
    try:
        return value()
    except InputError as error:
        if error.kind != "undefined":
            raise
        return error
