"""MNIST and Fashion-MNIST through gates, in float64: sums over their images."""

from theory.moments.arithmetic import Arithmetic, Numbers
from theory.moments.example_statistics import ExampleStatistics, of_class
from theory.moments.feature_moments import FeatureMoments, law_moments, second_moments
from theory.moments.inputs import input_statistics_of
from theory.moments.table import rows_moments, rows_second_moments
from theory.problem import Network
from theory.problem.distributions.mnist import FashionMnist, Mnist


@law_moments.register
def _(law: Mnist | FashionMnist, network: Network, arithmetic: Arithmetic) -> FeatureMoments:
    return rows_moments(law, network, arithmetic)


@second_moments.register
def _(law: Mnist | FashionMnist, arithmetic: Arithmetic) -> Numbers:
    return rows_second_moments(law, arithmetic)


@input_statistics_of.register
def _(law: Mnist | FashionMnist, c: int) -> ExampleStatistics:
    return of_class(law.rows.x, law.category, law.rows.probabilities, c)
