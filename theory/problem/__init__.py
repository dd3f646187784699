"""The question: laws, gates, networks, training, simulation settings and observables, declared and validated."""

from theory.problem.errors import InputError, OutOfReachError, WorkbenchError
from theory.problem.gates import AlwaysGate, DirectionGate, Gate, RecordedGate, RepeatedGate, SiteGate, resolved
from theory.problem.laws import GaussianClone, Law, NonlinearGP, SinglePulse, latent_correlation, squared_distance
from theory.problem.network import Network
from theory.problem.observables import (
    OBSERVABLES,
    BiasesAtTimes,
    FieldCentreAtTimes,
    FieldNormAtTimes,
    FieldWidthAtTimes,
    GateFlipsAtTimes,
    GateFlipsBetweenTimes,
    GateOverlapBetweenTimes,
    InputMoment,
    InputOutputMoment,
    LossAtTimes,
    LowFrequencyPowerAtTimes,
    Observable,
    OpenTogetherBetweenTimes,
    ParticipationRatioAtTimes,
    PreactivationKurtosisAtTimes,
    ReadoutAtTimes,
    SpectralPeakAtTimes,
    SpectralPeakShareAtTimes,
    WeightKurtosisAtTimes,
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
    "FieldCentreAtTimes",
    "FieldNormAtTimes",
    "FieldWidthAtTimes",
    "Gate",
    "GateFlipsAtTimes",
    "GateFlipsBetweenTimes",
    "GateOverlapBetweenTimes",
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
    "OpenTogetherBetweenTimes",
    "OutOfReachError",
    "ParticipationRatioAtTimes",
    "PreactivationKurtosisAtTimes",
    "Problem",
    "ReadoutAtTimes",
    "RecordedGate",
    "RepeatedGate",
    "Simulation",
    "SinglePulse",
    "SiteGate",
    "SpectralPeakAtTimes",
    "SpectralPeakShareAtTimes",
    "Sweep",
    "Training",
    "WeightKurtosisAtTimes",
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
