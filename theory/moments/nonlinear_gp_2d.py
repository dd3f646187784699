"""The nonlinear Gaussian process on a grid or torus through gates."""

from theory.moments.arithmetic import Arithmetic
from theory.moments.feature_moments import FeatureMoments, law_moments
from theory.moments.process import process_moments
from theory.moments.statistics import ClassStatistics, class_statistics
from theory.problem import NonlinearGP2D, Network


@class_statistics.register
def _(law: NonlinearGP2D, c: int, arithmetic: Arithmetic) -> ClassStatistics:
    return ClassStatistics(law, c, arithmetic)


@law_moments.register
def _(law: NonlinearGP2D, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return process_moments(law, network, arithmetic)
