"""The question: laws, gates, networks, training, simulation settings and observables, declared and validated."""

from theory.problem.errors import InputError, OutOfReachError, WorkbenchError
from theory.problem.gates import AlwaysGate, DirectionGate, Gate, RepeatedGate, SiteGate, resolved
from theory.problem.laws import GaussianClone, Law, NonlinearGP, SinglePulse, latent_correlation, squared_distance
from theory.problem.network import Network
from theory.problem.observables import (
    OBSERVABLES,
    BiasesAtTimes,
    FieldNormAtTimes,
    GateFlipsAtTimes,
    InputMoment,
    InputOutputMoment,
    LossAtTimes,
    LowFrequencyPowerAtTimes,
    Observable,
    ParticipationRatioAtTimes,
    ReadoutAtTimes,
    WeightsAtTimes,
)
from theory.problem.problem import Problem
from theory.problem.simulation import Simulation
from theory.problem.sweep import Axis, Cell, Sweep
from theory.problem.sweep_toml import dumps_sweep, load_sweep, loads_sweep
from theory.problem.toml import dumps, load, loads
from theory.problem.training import NormalInitialisation, Training

__all__ = [
    "OBSERVABLES",
    "AlwaysGate",
    "Axis",
    "BiasesAtTimes",
    "Cell",
    "DirectionGate",
    "FieldNormAtTimes",
    "Gate",
    "GateFlipsAtTimes",
    "GaussianClone",
    "InputError",
    "InputMoment",
    "InputOutputMoment",
    "Law",
    "LossAtTimes",
    "LowFrequencyPowerAtTimes",
    "Network",
    "NonlinearGP",
    "NormalInitialisation",
    "Observable",
    "OutOfReachError",
    "ParticipationRatioAtTimes",
    "Problem",
    "ReadoutAtTimes",
    "RepeatedGate",
    "Simulation",
    "SinglePulse",
    "SiteGate",
    "Sweep",
    "Training",
    "WeightsAtTimes",
    "WorkbenchError",
    "dumps",
    "dumps_sweep",
    "latent_correlation",
    "load",
    "load_sweep",
    "loads",
    "loads_sweep",
    "resolved",
    "squared_distance",
]
