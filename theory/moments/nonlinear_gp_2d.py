"""The nonlinear Gaussian process on a grid or torus through gates."""

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.feature_moments import FeatureMoments, law_moments, second_moments
from theory.moments.inputs import input_statistics_of
from theory.moments.process import process_moments, process_second_moments
from theory.moments.process_inputs import ProcessInputs
from theory.moments.statistics import ClassStatistics, statistics_of
from theory.problem import Network, NonlinearGP2D


@statistics_of.register
def _(law: NonlinearGP2D, c: int, arithmetic: Arithmetic) -> ClassStatistics:
    return ClassStatistics(law, c, arithmetic)


@law_moments.register
def _(law: NonlinearGP2D, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return process_moments(law, network, arithmetic)


@second_moments.register
def _(law: NonlinearGP2D, arithmetic: Arithmetic) -> Numbers:
    return process_second_moments(law, arithmetic)


@input_statistics_of.register
def _(law: NonlinearGP2D, c: int) -> ProcessInputs:
    return ProcessInputs(law, c)
