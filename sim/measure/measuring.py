"""Measure an observable on a run, or on a problem where no training is needed."""

from sim.measure.estimate import Estimate
from sim.measure.source import Source, values_of
from sim.random.streams import reference_normals
from sim.training.backends.choice import fastest_normals
from sim.training.run import Run
from sim.training.schedule import device_named
from theory.problem import Problem


def measure(observable: object, source: Run | Problem, device: str = "auto", *, backend: str = "auto") -> Estimate:
    """Measure `observable` on a run, or, where no training is needed, on a problem.

    Fresh examples come from streams apart from those of training, `samples` for each replicate in float64; every
    observable that needs them sees the same ones. `backend` "reference" draws them in torch alone, as is done for a
    run of the reference; "auto" by compiled loops where numba is installed. Raises OutOfReachError for an observable
    without a measurement or a network without the gates it asks for; InputError where a run is needed; DivergedError
    where fewer than two replicates are left.

    >>> from theory.problem import InputOutputMoment, Network, NonlinearGP, NormalInitialisation, Simulation
    >>> from theory.problem import SiteGate, Training
    >>> law = NonlinearGP(4, (2, 1), 1, "open", "unit-variance", (1, 0))
    >>> training = Training("half-mse", 1, NormalInitialisation(1, 0), times=(0, 1))
    >>> settings = Simulation("online", samples=100, learning_rate="1/2", replicates=3, seed=0, batch=8)
    >>> problem = Problem(law, Network("gated-linear", "mean", 1, (SiteGate(1, lo=0),)), training, settings)
    >>> measure(InputOutputMoment(), problem, "cpu").values.shape
    (3, 1, 4)
    """
    ran_plain = isinstance(source, Run) and source.backend == "reference"
    plain = backend == "reference" or ran_plain
    fill = reference_normals if plain else fastest_normals(device_named(device))
    if isinstance(source, Run):
        kept = source.surviving()
        numbers = tuple(source.replicates[s] for s in kept)
        parameters = {name: array[kept] for name, array in source.parameters.items()}
        measured, lost = Source(source.problem, numbers, device, fill, parameters), len(source.diverged) - len(kept)
    else:
        measured, lost = Source(source, range(source.simulated().replicates), device, fill), 0
    values = values_of(observable, measured)
    return Estimate(observable, measured.problem, values, measured.problem.simulated().seed, lost)
