"""The question: an infinitely wide network at initialisation, by its activation, depth and variances alone."""

from dataclasses import dataclass
from fractions import Fraction

from theory.kernels.infinite.activations import Activation, activation
from theory.problem.errors import InputError
from theory.problem.numbers import exact, one_of, whole

ALIKE, UNIT = "alike", "unit"
LAST_LAYERS = (ALIKE, UNIT)
MOST_LAYERS = 1000


@dataclass(frozen=True)
class WideNetwork:
    """A fully connected network y = Theta_d s(Theta_(d-1) ... s(Theta_1 x)) whose hidden levels tend to infinite width.

    `depth` d counts layers of weights. Weights after the first layer have the variance `weight_variance`/w at width w,
    those of the first layer the variance 1, so that the first preactivations have the covariance <x, x'>. Biases of the
    variance `bias_variance` are added in every layer. The tangent kernel sums over all weights, and over biases in
    units of their standard deviation. `last` is the convention for the last layer: "alike" gives it weights like the
    others, "unit" weights of the variance 1/w. The activation may be given as text; without `weight_variance` it
    brings its own: 2 for ReLU.

    >>> WideNetwork("relu", 3).weight_variance
    Fraction(2, 1)
    """

    activation: Activation
    depth: int
    weight_variance: Fraction | None = None
    bias_variance: Fraction | int = 0
    last: str = ALIKE

    def __post_init__(self) -> None:
        if not isinstance(self.activation, Activation):
            object.__setattr__(self, "activation", activation(self.activation))
        whole(self.depth, "depth", least=1, most=MOST_LAYERS, why="each layer is one more step of the recursion")
        declared = self.weight_variance
        default = self.activation.weight_variance
        variance = (
            Fraction(int(default.p), int(default.q)) if declared is None else exact(declared, "the variance of weights")
        )
        bias = exact(self.bias_variance, "the variance of biases")
        if variance <= 0 or bias < 0:
            raise InputError(
                f"The variance of weights is {variance} and that of biases {bias}; the first must be above 0, and the "
                "second must not be negative.",
                "Give variances such as 2 and 0.",
            )
        one_of(self.last, "the convention of the last layer", LAST_LAYERS)
        object.__setattr__(self, "weight_variance", variance)
        object.__setattr__(self, "bias_variance", bias)
