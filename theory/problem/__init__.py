"""The question: laws, gates, networks, training, simulation settings and observables, declared and validated.

The public names are imported on first use, so that a caller that needs only the errors, such as `gdln --help`, does
not load NumPy.
"""

from typing import TYPE_CHECKING

from theory.problem.first_use import on_first_use

if TYPE_CHECKING:
    from theory.problem.deep.architecture import CircularConvolution, FullyConnected
    from theory.problem.deep.gating import (
        AllOpenGates,
        BernoulliGates,
        FixedGates,
        HardResponse,
        NetworkGates,
        OwnGates,
        SoftResponse,
    )
    from theory.problem.deep.network import DeepNetwork
    from theory.problem.distributions import LAWS, Law
    from theory.problem.distributions.bars import Bars
    from theory.problem.distributions.elliptical import Elliptical
    from theory.problem.distributions.finite import FiniteData
    from theory.problem.distributions.gaussian_clone import GaussianClone
    from theory.problem.distributions.mixture import Component, Mixture
    from theory.problem.distributions.nonlinear_gp import (
        NonlinearGP,
        axis_correlations,
        latent_correlation,
        latent_variance,
        squared_distance,
    )
    from theory.problem.distributions.nonlinear_gp_2d import NonlinearGP2D
    from theory.problem.distributions.pulses import Pulses
    from theory.problem.distributions.single_pulse import SinglePulse
    from theory.problem.distributions.student_t import StudentT
    from theory.problem.distributions.table import Table
    from theory.problem.errors import InputError, OutOfReachError, WorkbenchError
    from theory.problem.gated_graph import GatedGraph
    from theory.problem.gates import GATES, Gate, resolved
    from theory.problem.gates.always import AlwaysGate
    from theory.problem.gates.context import ContextGate
    from theory.problem.gates.direction import DirectionGate
    from theory.problem.gates.recorded import RecordedGate
    from theory.problem.gates.repeated import RepeatedGate
    from theory.problem.gates.site import SiteGate
    from theory.problem.graph import Edge, Graph, Node, one_hidden_layer
    from theory.problem.network import Network
    from theory.problem.nonlinearities import NONLINEARITIES, Nonlinearity
    from theory.problem.nonlinearities.algebraic import Algebraic
    from theory.problem.nonlinearities.cubic import Cubic
    from theory.problem.nonlinearities.erf import Erf
    from theory.problem.nonlinearities.identity import Identity
    from theory.problem.nonlinearities.laplace import Laplace
    from theory.problem.nonlinearities.logistic import Logistic
    from theory.problem.nonlinearities.quantile import Quantile
    from theory.problem.nonlinearities.sign import Sign
    from theory.problem.nonlinearities.tanh import Tanh
    from theory.problem.nonlinearities.uniform import Uniform
    from theory.problem.observables import OBSERVABLES, Observable
    from theory.problem.observables.data_moments import InputMoment, InputOutputMoment
    from theory.problem.observables.graph import MapModesAtTimes, PathStrengthsAtTimes, WeightSizesAtTimes
    from theory.problem.observables.kurtosis import PreactivationKurtosisAtTimes, WeightKurtosisAtTimes
    from theory.problem.observables.learned import BiasesAtTimes, ReadoutAtTimes, WeightsAtTimes
    from theory.problem.observables.loss import LossAtTimes
    from theory.problem.observables.moving_gates import (
        GateFlipsAtTimes,
        GateFlipsBetweenTimes,
        GateOverlapBetweenTimes,
        OpenTogetherBetweenTimes,
    )
    from theory.problem.observables.receptive_fields import (
        FieldCentreAtTimes,
        FieldNormAtTimes,
        FieldWidthAtTimes,
        LowFrequencyPowerAtTimes,
        ParticipationRatioAtTimes,
        SpectralPeakAtTimes,
        SpectralPeakShareAtTimes,
    )
    from theory.problem.parameters import InitialByName, NormalInitialisation, Parameter
    from theory.problem.problem import Problem
    from theory.problem.simulation import Simulation
    from theory.problem.sweep import Axis, Cell, Sweep
    from theory.problem.sweep_toml import dumps_sweep, load_sweep, loads_sweep
    from theory.problem.toml import dumps, load, loads
    from theory.problem.training import InitialWeights, Training

__all__ = [
    "GATES",
    "LAWS",
    "NONLINEARITIES",
    "OBSERVABLES",
    "Algebraic",
    "AllOpenGates",
    "AlwaysGate",
    "Axis",
    "Bars",
    "BernoulliGates",
    "BiasesAtTimes",
    "Cell",
    "CircularConvolution",
    "Component",
    "ContextGate",
    "Cubic",
    "DeepNetwork",
    "DirectionGate",
    "Edge",
    "Elliptical",
    "Erf",
    "FieldCentreAtTimes",
    "FieldNormAtTimes",
    "FieldWidthAtTimes",
    "FiniteData",
    "FixedGates",
    "FullyConnected",
    "Gate",
    "GateFlipsAtTimes",
    "GateFlipsBetweenTimes",
    "GateOverlapBetweenTimes",
    "GatedGraph",
    "GaussianClone",
    "Graph",
    "HardResponse",
    "Identity",
    "InitialByName",
    "InitialWeights",
    "InputError",
    "InputMoment",
    "InputOutputMoment",
    "Laplace",
    "Law",
    "Logistic",
    "LossAtTimes",
    "LowFrequencyPowerAtTimes",
    "MapModesAtTimes",
    "Mixture",
    "Network",
    "NetworkGates",
    "Node",
    "NonlinearGP",
    "NonlinearGP2D",
    "Nonlinearity",
    "NormalInitialisation",
    "Observable",
    "OpenTogetherBetweenTimes",
    "OutOfReachError",
    "OwnGates",
    "Parameter",
    "ParticipationRatioAtTimes",
    "PathStrengthsAtTimes",
    "PreactivationKurtosisAtTimes",
    "Problem",
    "Pulses",
    "Quantile",
    "ReadoutAtTimes",
    "RecordedGate",
    "RepeatedGate",
    "Sign",
    "Simulation",
    "SinglePulse",
    "SiteGate",
    "SoftResponse",
    "SpectralPeakAtTimes",
    "SpectralPeakShareAtTimes",
    "StudentT",
    "Sweep",
    "Table",
    "Tanh",
    "Training",
    "Uniform",
    "WeightKurtosisAtTimes",
    "WeightSizesAtTimes",
    "WeightsAtTimes",
    "WorkbenchError",
    "axis_correlations",
    "dumps",
    "dumps_sweep",
    "latent_correlation",
    "latent_variance",
    "load",
    "load_sweep",
    "loads",
    "loads_sweep",
    "one_hidden_layer",
    "resolved",
    "squared_distance",
]

_NAMES = {
    "deep.architecture": "CircularConvolution FullyConnected",
    "deep.gating": "AllOpenGates BernoulliGates FixedGates HardResponse NetworkGates OwnGates SoftResponse",
    "deep.network": "DeepNetwork",
    "distributions": "LAWS Law",
    "distributions.bars": "Bars",
    "distributions.elliptical": "Elliptical",
    "distributions.finite": "FiniteData",
    "distributions.gaussian_clone": "GaussianClone",
    "distributions.mixture": "Component Mixture",
    "distributions.nonlinear_gp": "NonlinearGP axis_correlations latent_correlation latent_variance squared_distance",
    "distributions.nonlinear_gp_2d": "NonlinearGP2D",
    "distributions.pulses": "Pulses",
    "distributions.single_pulse": "SinglePulse",
    "distributions.student_t": "StudentT",
    "distributions.table": "Table",
    "errors": "InputError OutOfReachError WorkbenchError",
    "gated_graph": "GatedGraph",
    "gates": "GATES Gate resolved",
    "gates.always": "AlwaysGate",
    "gates.context": "ContextGate",
    "gates.direction": "DirectionGate",
    "gates.recorded": "RecordedGate",
    "gates.repeated": "RepeatedGate",
    "gates.site": "SiteGate",
    "graph": "Edge Graph Node one_hidden_layer",
    "network": "Network",
    "nonlinearities": "NONLINEARITIES Nonlinearity",
    "nonlinearities.algebraic": "Algebraic",
    "nonlinearities.cubic": "Cubic",
    "nonlinearities.erf": "Erf",
    "nonlinearities.identity": "Identity",
    "nonlinearities.laplace": "Laplace",
    "nonlinearities.logistic": "Logistic",
    "nonlinearities.quantile": "Quantile",
    "nonlinearities.sign": "Sign",
    "nonlinearities.tanh": "Tanh",
    "nonlinearities.uniform": "Uniform",
    "observables": "OBSERVABLES Observable",
    "observables.data_moments": "InputMoment InputOutputMoment",
    "observables.graph": "MapModesAtTimes PathStrengthsAtTimes WeightSizesAtTimes",
    "observables.kurtosis": "PreactivationKurtosisAtTimes WeightKurtosisAtTimes",
    "observables.learned": "BiasesAtTimes ReadoutAtTimes WeightsAtTimes",
    "observables.loss": "LossAtTimes",
    "observables.moving_gates": "GateFlipsAtTimes GateFlipsBetweenTimes GateOverlapBetweenTimes "
    "OpenTogetherBetweenTimes",
    "observables.receptive_fields": "FieldCentreAtTimes FieldNormAtTimes FieldWidthAtTimes LowFrequencyPowerAtTimes "
    "ParticipationRatioAtTimes SpectralPeakAtTimes SpectralPeakShareAtTimes",
    "parameters": "InitialByName NormalInitialisation Parameter",
    "problem": "Problem",
    "simulation": "Simulation",
    "sweep": "Axis Cell Sweep",
    "sweep_toml": "dumps_sweep load_sweep loads_sweep",
    "toml": "dumps load loads",
    "training": "InitialWeights Training",
}

__getattr__, __dir__ = on_first_use(__name__, _NAMES)
