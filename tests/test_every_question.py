"""Every law, gate, model and observable at every reader: an answer, or a refusal that names what is missing.

Of laws, gates and observables one more is made up here, which nobody wrote anything for. An AttributeError, a KeyError
or a silent guess of some reader fails. Every law meets every reader, and so does every unit; not every three meet.
"""

import atexit
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from shutil import rmtree
from tempfile import mkdtemp
from typing import ClassVar

import numpy as np
import pytest

from derivations.answers import compare as compare_answer
from derivations.answers import flow as flow_answer
from derivations.answers import simulate as simulate_answer
from derivations.answers import solve as solve_answer
from derivations.answers.compare import field_view
from derivations.explore.data import sampled, theory_of
from derivations.explore.fields import live
from derivations.explore.gates import gate_view
from derivations.explore.graphs import graph_page
from derivations.sweeps.making import make
from sim.measure import measure
from sim.train import train
from theory.flow import solve
from theory.flow.linear.descent import discrete
from theory.moments import gated_moments
from theory.problem import (
    GATES,
    LAWS,
    OBSERVABLES,
    AlwaysGate,
    Bars,
    CircularConvolution,
    ContextGate,
    DeepNetwork,
    DirectionGate,
    Edge,
    FiniteData,
    Gate,
    GatedGraph,
    GaussianClone,
    HardResponse,
    Law,
    Network,
    NetworkGates,
    Node,
    NonlinearGP,
    NonlinearGP2D,
    NormalInitialisation,
    Observable,
    OwnGates,
    Problem,
    Pulses,
    RepeatedGate,
    Simulation,
    SinglePulse,
    SiteGate,
    SoftResponse,
    Table,
    Training,
    WorkbenchError,
    dumps,
    loads,
)
from theory.problem.distributions.elliptical import Elliptical
from theory.problem.distributions.ising import Ising
from theory.problem.distributions.ising_2d import Ising2D
from theory.problem.distributions.mixture import Component, Mixture
from theory.problem.distributions.own import OwnLaw
from theory.problem.distributions.student_t import StudentT
from theory.problem.network import MODELS
from theory.problem.user_code import allow


@dataclass(frozen=True)
class MadeUpLaw(Law):
    """A law for which there is a declaration and nothing else."""

    n: int
    labels: tuple = (Fraction(1), Fraction(0))

    law: ClassVar[str] = "made-up-law"
    boundary: ClassVar[str] = "open"

    def __post_init__(self):
        self.check_classes()


@dataclass(frozen=True)
class MadeUpClone(GaussianClone):
    """A law that derives from another: its numbers are not the other's, and must not be taken for them."""

    law: ClassVar[str] = "made-up-clone"


@dataclass(frozen=True)
class MadeUpGate(Gate):
    """A gate for which there is a declaration and nothing else."""

    kind: ClassVar[str] = "made-up-gate"


@dataclass(frozen=True)
class MadeUpObservable(Observable):
    """An observable for which there is a declaration and nothing else."""

    name: ClassVar[str] = "made-up-observable"
    axes: ClassVar[tuple[str, ...]] = ("time",)


def own_law(labels):
    """A law of the user, whose code lies in a folder that is removed at the end."""
    folder = mkdtemp()
    atexit.register(rmtree, folder)
    with open(path := f"{folder}/law.py", "w") as file:
        file.write("def draw(rng, rows):\n    return rng.standard_normal((rows, 4)), rng.integers(0, 2, rows)\n")
    allow({"path": f"{path}:draw"})
    return OwnLaw(4, labels, path=f"{path}:draw", estimate={"examples": 3200})


PROCESS = {"xi": (2, 1), "gain": 1, "boundary": "open", "normaliser": "unit-variance", "labels": (1, 0)}
FOUR = [[2 if i == j else 1 for i in range(4)] for j in range(4)]
MOMENTS = {"probability": "1/3", "xx": FOUR, "yx": [[0, 1, 0, 0]], "yy": [[2]]}
VECTORS = {"probability": 1, "xx": FOUR, "yx": [[0, 1, 0, 0], [0, 0, 1, 0]], "yy": [[2, 0], [0, 2]]}
CONTAMINATED = {"kind": "contaminated", "share": ".1", "ratio": 3}
ONE_CLONE, MOVED = (GaussianClone(4, (2,), 1, "open", "none", (y,), means=(y,)) for y in (1, 0))
ONE_T = StudentT(4, (1,), "open", "unit-variance", (0,), 5)
ONE_PULSE = SinglePulse(4, ((1, 2),), "plus-minus", "none", (1,))
COVARIANCES = np.stack([np.eye(4), (np.eye(4) + 1) / 2])
DATA = {
    "nlgp": NonlinearGP(4, **PROCESS),
    "nlgp, ring": NonlinearGP(4, **PROCESS | {"boundary": "ring", "xi": (1, "1/2")}),
    "nlgp, three classes": NonlinearGP(
        4, **PROCESS | {"xi": (2, 1, 1), "labels": (1, 0, -1)}, priors=(".5", ".25", ".25")
    ),
    "nlgp, means": NonlinearGP(4, **PROCESS, means=(1, -1)),
    "nlgp, vector labels": NonlinearGP(4, **PROCESS | {"labels": ((1, 0), (0, 1))}),
    "nlgp, gains and correlations": NonlinearGP(
        4, **PROCESS | {"gain": (1, 2)}, correlation=("exponential", {"kind": "damped-cosine", "wavelength": 3})
    ),
    "nlgp, ring of few modes": NonlinearGP(
        4, **PROCESS | {"boundary": "ring", "xi": ()}, correlation={"kind": "spectrum", "values": [1, 2, 0]}
    ),
    "nlgp, signs": NonlinearGP(4, **PROCESS, nonlinearity="sign"),
    "nlgp, cubics": NonlinearGP(4, **PROCESS, nonlinearity={"kind": "cubic", "c": 1}),
    "nlgp, Laplace": NonlinearGP(4, **PROCESS, nonlinearity="laplace"),
    "nlgp, tanh": NonlinearGP(4, **PROCESS | {"gain": (1, "1/2")}, nonlinearity="tanh"),
    "nlgp-2d": NonlinearGP2D(**PROCESS, shape=(2, 2)),
    "nlgp-2d, isotropic": NonlinearGP2D(**PROCESS, shape=(2, 2), correlation="exponential", grid="isotropic"),
    "gaussian-clone": GaussianClone(4, **PROCESS),
    "gaussian-clone, table": GaussianClone(
        4, **PROCESS | {"xi": ()}, correlation={"kind": "table", "values": [1, "1/2"]}
    ),
    "gaussian": LAWS["gaussian"]([1, 0], COVARIANCES, means=(1, 0)),
    "gaussian, singular": LAWS["gaussian"]([1, 0], np.ones((2, 4, 4)), rows=2),
    "nlgp-matrix": LAWS["nlgp-matrix"]("erf", [1, 0], COVARIANCES, [[1, 2, 1, 1], [1, 1, 1, 1]]),
    "nlgp-matrix, Laplace": LAWS["nlgp-matrix"]("laplace", [1, 0], COVARIANCES, np.ones((2, 4)), means=(1, 0)),
    "gaussian-copula": LAWS["gaussian-copula"]([1, 0], [[[-1, 1]] * 4] * 2, [[["1/2", "1/2"]] * 4] * 2, COVARIANCES),
    "student-t": StudentT(4, (2, 1), "open", "unit-variance", (1, 0), (5, 9)),
    "student-t, infinite variance": StudentT(4, (2, 1), "open", "none", (1, 0), 2),
    "elliptical": Elliptical(4, (2, 1), ["laplace", "sphere"], "open", "unit-variance", (1, 0)),
    "elliptical, discrete": Elliptical(4, (1, "1/2"), CONTAMINATED, "ring", "none", (1, 0), means=(1, -1)),
    "mixture": Mixture([Component(0, 1, ONE_CLONE), Component(1, ".5", ONE_T), Component(1, ".5", MOVED)], (1, 0)),
    "mixture, pulses": Mixture([Component(0, ".5", ONE_PULSE), Component(0, ".5", ONE_PULSE)], (1,)),
    "gaussian-clone, Laplace": GaussianClone(4, **PROCESS, nonlinearity="laplace"),
    "single-pulse": SinglePulse(4, ((1, 1), (2, 2)), "plus-minus", "none", (1, 0)),
    "pulses": Pulses(4, "open", "block", ((1, 1), (2, 2)), ((1, 2), (1, 1)), (1,), "max", (1, 0)),
    "pulses, added": Pulses(4, "ring", "gaussian", ((1, 1), (2, 2)), ((1, 2), (1, 1)), (1, -1), "sum", (1, 0)),
    "bars": Bars((2, 2), "torus", ((1, 1), (2, 2)), ((2, 2), (1, 1)), "zero-one", "none", (1, 0)),
    "ising": Ising(4, "ring", (1, 0), xi=(2, 1)),
    "ising, field": Ising(4, "open", (1, 0, -1), beta=(1, 0, "-1/2"), h=(0, "1/2", 1)),
    "ising, means": Ising(4, "open", (1, 0), beta=(1, 0), means=(1, -1)),
    "ising, vector labels": Ising(4, "open", ((1, 0), (0, 1)), beta=(1, 0)),
    "ising-2d": Ising2D((2, 2), "torus", (1, 0), couplings=((1, "1/2"), 0)),
    "finite": FiniteData(((1, 0, 2, 1), (0, 1, 1, -1), (1, 1, -1, 0)), (1, 0, 1)),
    "finite, contexts": FiniteData(((1, 0, 2, 1), (0, 1, 1, -1), (1, 1, -1, 0)), (1, 0, 1), context=(0, 1, 2)),
    "table": Table(moments=[MOMENTS, MOMENTS | {"yx": [[1, 0, 0, 0]]}, MOMENTS]),
    "table, vector labels": Table(moments=[VECTORS]),
    "own": own_law([0, 1]),
    "own, vector labels": own_law([[0, 1], [1, 0]]),
    "mnist": LAWS["mnist"]([3, 8], "train", "mean", [1, 0], downsample=14),
    "fashion-mnist": LAWS["fashion-mnist"]([0, [1, 9]], "train", "none", [[1, 0], [0, 1]], downsample=14),
    "images": LAWS["images"](2, ["scenes", "scenes"], ["patch", "gaussian"], "mean", "none", [1, 0]),
    "made-up-law": MadeUpLaw(4),
    "made-up-clone": MadeUpClone(4, **PROCESS),
}
GATE = {
    "site": SiteGate(1, lo=0, on="input"),
    "site, threshold": SiteGate(1, lo="1/2", on="input"),
    "site, latent": SiteGate(1, lo=0),
    "site, soft": SiteGate(1, lo=0, on="input", sharpness=2),
    "direction": DirectionGate({0: 1, 2: -1}, lo=0, on="input"),
    "direction, three sites": DirectionGate({0: 1, 2: -1, 3: "1/3"}, lo=0, on="input"),
    "always": AlwaysGate(),
    "context": ContextGate((0, 2)),
    "repeated": RepeatedGate(0),
    "made-up-gate": MadeUpGate(),
}
SOFT = SoftResponse(4, "1/10")
DEEP = {
    "own gates": DeepNetwork((2, 2), OwnGates(HardResponse("closed"))),
    "second network": DeepNetwork((2, 3), NetworkGates("linear", SOFT, frozen=True), value_input="ones"),
    "convolution": DeepNetwork((2, 2), OwnGates(SOFT), CircularConvolution(2)),
}


def problem_of(law: Law, network: Network) -> Problem:
    """Two steps of two networks on a batch of three examples."""
    start = NormalInitialisation("1/10", 0)
    readout0 = start if network.trains_readout else None
    training = Training("half-mse", 1, start, (0, "1/5"), readout0=readout0)
    return Problem(law, network, training, Simulation("online", 6, "1/10", 2, 0, 3))


def gated(law: Law, gate: Gate) -> Problem:
    """A gated-linear network of two units, the first of them gated at the first site."""
    first = SiteGate(0, lo=0, on="input")
    return problem_of(law, Network("gated-linear", "mean", 2, (first, gate)))


def graphed(law: Law, gate: Gate) -> Problem:
    """A graph of two layers behind the gate, and a path around it."""
    nodes = Node("x", law.n), Node("h", 2, (gate,)), Node("y", law.outputs)
    edges = Edge("x", "h", "A"), Edge("h", "y", "B"), Edge("x", "y", "C", SiteGate(0, lo=0, on="input"))
    return problem_of(law, GatedGraph(nodes, edges, ("x",), ("y",)))


def ungated(law: Law, model: str) -> Problem:
    """A network of two units that gates itself; one that reads out several numbers trains its readout."""
    readout = "trained-mean" if law.outputs > 1 else "mean"
    return problem_of(law, Network(model, readout, 2, slope="1/100" if model == "leaky-relu" else None))


def deep(law: Law, name: str) -> Problem:
    """A deep network of two hidden levels on the law."""
    training = Training("half-mse", 1, NormalInitialisation("1/10", 0), (0, "1/5"))
    return Problem(law, DEEP[name], training, Simulation("online", 6, "1/10", 2, 0, 3))


def backend(name):
    return lambda problem: train(problem, "cpu", backend=name)


def everything_measured(problem):
    """Every observable, each by itself; the made-up one among them."""
    run = train(problem, "cpu", backend="reference")
    answers = [
        attempt(lambda of: measure(of, run, "cpu"), kind()) for kind in (*OBSERVABLES.values(), MadeUpObservable)
    ]
    assert isinstance(answers[-1], WorkbenchError)
    return answers


READERS = {
    "moments": gated_moments,
    "solve": solve,
    "discrete descent": discrete,
    "gdln flow": lambda problem: flow_answer.answer(problem).json(),
    "gdln solve": lambda problem: solve_answer.answer(problem).json(),
    "reference": backend("reference"),
    "auto": backend("auto"),
    "observables": everything_measured,
    "gdln compare": lambda problem: compare_answer.answer(problem, "cpu", "reference").json(),
    "gdln simulate": lambda problem: simulate_answer.answer(problem, "cpu", "reference").json(),
    "cell of a sweep": lambda problem: make(problem, ("weights", "loss"), "cpu"),
    "exact statistics": lambda problem: theory_of(problem.data),
    "sampled statistics": lambda problem: sampled(problem.data, 64),
    "view of gates": gate_view,
    "cell of a sweep of graphs": lambda problem: make(problem, ("weight-sizes", "path-strengths", "map-modes"), "cpu"),
    "view of graphs": lambda problem: graph_page(problem, "1", "1", 3, 2),
    "view of fields": lambda problem: field_view(live(problem, 3, 2)),
    "problem file": lambda problem: loads(dumps(problem)),
}


def attempt(reader, problem):
    """The answer of a reader, or the refusal; anything else that it raises is a fault."""
    try:
        with np.errstate(all="ignore"):  # a tiny sample may have an empty class, whose means are not looked at here
            return reader(problem)
    except WorkbenchError as error:
        refused = error
    assert refused.message, "a refusal says what is refused"
    assert refused.hint, f"a refusal says what to do: {refused.message}"
    return refused


def fits(gate, law):
    """Whether a problem may put the gate on the law: the law has the latent or the contexts that the gate looks at."""
    return (getattr(gate, "on", None) != "latent" or law.latent) and set(getattr(gate, "open", ())) <= set(law.contexts)


UNITS = {
    **{name: (gated, gate) for name, gate in GATE.items()},
    **{f"graph, {name}": (graphed, gate) for name, gate in GATE.items() if not isinstance(gate, RepeatedGate)},
    **{model: (ungated, model) for model in MODELS[1:]},
}
# Double integrals without a closed form at every pair of sites and thresholds: a minute each.
DEAR = {(law, unit) for law in ("nlgp, Laplace", "nlgp, tanh") for unit in ("site, soft", "graph, site, soft")}
MADE_UP = {"made-up-law", "made-up-clone", "made-up-gate", "graph, made-up-gate"}


def cover():
    """(law, unit, reader) by names: each law and each unit with every reader, and most laws with most units."""
    seen = Counter()
    fitting = {
        law: [unit for unit in UNITS if fits(UNITS[unit][1], DATA[law]) and (law, unit) not in DEAR] for law in DATA
    }
    for law, reader in product(DATA, READERS):
        unit = min(fitting[law], key=lambda name: (seen[name, reader] + 2 * seen[law, name], seen[name]))
        seen.update([(unit, reader), (law, unit), unit])
        yield law, unit, reader
    for unit, reader in product(UNITS, READERS):
        if not seen[unit, reader]:  # contexts fit few laws
            law = min((law for law in DATA if unit in fitting[law]), key=lambda law: seen[law, unit])
            seen[law, unit] += 1
            yield law, unit, reader


def answers_for_nobody(law, unit, reader, answer):
    """Whether a reader that needs a law or a gate answers for one that nobody wrote."""
    if reader == "gdln flow" or isinstance(answer, WorkbenchError):
        return False  # the equations of the flow hold for every law and every gate
    return law in MADE_UP or (unit in MADE_UP and reader not in ("exact statistics", "sampled statistics"))


def test_nothing_is_left_out():
    """A new law or gate has an example above."""
    assert {law.law for law in DATA.values()} == set(LAWS) | {"made-up-law", "made-up-clone"}
    assert {gate.kind for gate in GATE.values()} == set(GATES) | {"made-up-gate"}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # means of empty classes in samples of six examples
@pytest.mark.slow
def test_every_question_is_answered_or_refused_by_name():
    faults = []
    for law, unit, reader in cover():
        make_problem, gate = UNITS[unit]
        try:
            answer = attempt(READERS[reader], make_problem(DATA[law], gate))
        except Exception as fault:  # noqa: BLE001 - every fault is listed, with the names of its question
            faults.append((law, unit, reader, repr(fault)))
        else:
            faults += [(law, unit, reader, repr(answer))] if answers_for_nobody(law, unit, reader, answer) else []
    assert faults == []


OF_GRAPHS = {"cell of a sweep of graphs", "view of graphs"}
# What is written for the fields of one hidden layer, which a graph does not have; the closed solution among them.
OF_ONE_LAYER = {
    "moments",
    "solve",
    "discrete descent",
    "cell of a sweep",
    "view of gates",
    "view of fields",
}


def refusals(problem):
    """The refusals of a problem by reader."""
    answers = {name: attempt(reader, problem) for name, reader in READERS.items()}
    return {name: answer for name, answer in answers.items() if isinstance(answer, WorkbenchError)}


def test_a_problem_that_is_known_is_answered_by_every_reader():
    """The control: the refusals above are no habit."""
    assert set(refusals(gated(DATA["nlgp"], GATE["always"]))) == OF_GRAPHS


def test_a_graph_is_answered_by_every_reader_that_is_not_of_fields():
    """Any law on a finite data set has moments through the gate of each path."""
    assert set(refusals(graphed(DATA["finite"], GATE["site"]))) == OF_ONE_LAYER


# What reads the data and the problem's text, and nothing of its network.
OF_EVERY_NETWORK = {"exact statistics", "sampled statistics", "problem file"}
TRAINS_DEEP = {"reference", "auto", "observables", "gdln simulate"}


@pytest.mark.parametrize(("law", "name"), [*zip(("nlgp", "finite", "nlgp"), DEEP, strict=True)])
def test_a_deep_network_is_refused_by_every_reader_of_another_network(law, name):
    """Those that do not name what they read themselves name the command that reads it."""
    refused = refusals(deep(DATA[law], name))
    assert set(refused) == set(READERS) - OF_EVERY_NETWORK - TRAINS_DEEP
    for reader in set(refused) - OF_GRAPHS:
        assert "gdln paths" in refused[reader].hint, reader
