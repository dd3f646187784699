"""The nonlinear Gaussian process on a line, ring, grid or torus through gates."""

from theory.moments.arithmetic import Arithmetic
from theory.moments.feature_moments import FeatureMoments, law_moments
from theory.moments.inputs import input_statistics_of
from theory.moments.nonlinearities.dispatch import inputs_through, statistics_through
from theory.moments.process import process_moments
from theory.moments.process_inputs import ProcessInputs
from theory.moments.statistics import ClassStatistics, statistics_of
from theory.problem import Network, NonlinearGP, NonlinearGP2D


@statistics_of.register(NonlinearGP)
@statistics_of.register(NonlinearGP2D)
def _(law: NonlinearGP, c: int, arithmetic: Arithmetic) -> ClassStatistics:
    return statistics_through(law.nonlinearity, law, c, arithmetic)


@law_moments.register(NonlinearGP)
@law_moments.register(NonlinearGP2D)
def _(law: NonlinearGP, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return process_moments(law, network, arithmetic)


@input_statistics_of.register(NonlinearGP)
@input_statistics_of.register(NonlinearGP2D)
def _(law: NonlinearGP, c: int) -> ProcessInputs:
    return inputs_through(law.nonlinearity, law, c)
