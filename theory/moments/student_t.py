"""The multivariate Student t through gates and by its moments: an elliptical law."""

from theory.moments.arithmetic import Arithmetic
from theory.moments.elliptical import elliptical_statistics, through_gates
from theory.moments.elliptical_inputs import EllipticalInputs
from theory.moments.feature_moments import FeatureMoments, law_moments
from theory.moments.inputs import input_statistics_of
from theory.moments.statistics import statistics_of
from theory.problem import Network
from theory.problem.distributions.student_t import StudentT

statistics_of.register(StudentT, elliptical_statistics)


@law_moments.register
def _(law: StudentT, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return through_gates(law, network, arithmetic, not law.means)


@input_statistics_of.register
def _(law: StudentT, c: int) -> EllipticalInputs:
    return EllipticalInputs(law, c)
