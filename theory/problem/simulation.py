"""Declaration of the simulation of a problem."""

from dataclasses import dataclass
from fractions import Fraction

from theory.problem.errors import InputError
from theory.problem.numbers import exact, one_of, positive, shown, whole

MODES = ("online", "full-batch")
INITIALISATIONS = ("shared", "per-replicate")
DTYPES = ("float64", "float32")
# The settings that each optimizer needs besides the learning rate.
OPTIMIZERS = {
    "sgd": (),
    "momentum": ("momentum",),
    "rmsprop": ("decay", "epsilon"),
    "adam": ("momentum", "decay", "epsilon"),
}


@dataclass(frozen=True)
class Simulation:
    """Gradient descent with t = tau * learning_rate * steps on `replicates` networks at once.

    "online" draws `batch` fresh examples a step for each replicate; "full-batch" trains each replicate on its own fixed
    sample of `samples` examples. Moments and losses are measured on `samples` examples per replicate. initialisation
    "shared" starts every replicate at the same w(0); "per-replicate" draws one for each (only with a law for w0).
    `shared_stream` gives all networks the same examples in training and measurement: differences between networks are
    then free of the scatter of the data, but all replicates form one cluster, for which no standard error can be
    estimated. `dtype` is the floating-point type of training; observables are always measured in float64. "float64" is
    the default because the worst case of its rounding, steps times terms times 2e-16, is below the margin of every law
    that is validated, as no bound on float32 is. Measured on 32 to 3,200 steps at n = 40, float32 ends within 1e-6 of
    the largest weight and trains 3 to 4 times as fast.

    With the gradient g = dL/dw and eta the learning rate, `optimizer` is "sgd", w <- w - eta g; "momentum",
    m <- momentum m + g, w <- w - eta m; "rmsprop", v <- decay v + (1 - decay) g^2, w <- w - eta g/(sqrt(v) + epsilon);
    or "adam", m <- momentum m + (1 - momentum) g, v as before, w <- w - eta m^/(sqrt(v^) + epsilon) with
    m^ = m/(1 - momentum^t), v^ = v/(1 - decay^t) at step t = 1, 2, ... The theory covers "sgd" only.

    A step of the flow's time lasts tau learning_rate, so t = 32 tau takes 320 steps of size 1/10:

    >>> settings = Simulation("online", 1000, "0.1", replicates=4, seed=0, batch=100)
    >>> 32 / settings.learning_rate
    Fraction(320, 1)
    """

    mode: str
    samples: int
    learning_rate: Fraction
    replicates: int
    seed: int
    batch: int | None = None
    initialisation: str = "shared"
    shared_stream: bool = False
    optimizer: str = "sgd"
    momentum: Fraction | None = None
    decay: Fraction | None = None
    epsilon: Fraction | None = None
    dtype: str = DTYPES[0]

    def __post_init__(self) -> None:
        one_of(self.mode, "simulation.mode", MODES)
        one_of(self.initialisation, "simulation.initialisation", INITIALISATIONS)
        one_of(self.dtype, "simulation.dtype", DTYPES)
        whole(self.samples, "simulation.samples", least=1)
        whole(self.replicates, "simulation.replicates", least=2)
        whole(self.seed, "simulation.seed", least=0)
        if self.mode == "online" and self.batch is None:
            raise InputError(
                'simulation.mode = "online" needs simulation.batch, the number of fresh examples in a step.',
                "Add for example batch = 100.",
            )
        if self.batch is not None:
            whole(self.batch, "simulation.batch", least=1)
            if self.mode == "full-batch":
                raise InputError(
                    f'simulation.batch = {self.batch} with mode = "full-batch": each step takes all simulation.samples '
                    "examples.",
                    'Remove batch, or write mode = "online".',
                )
        rate = positive(self.learning_rate, "simulation.learning_rate", "it is the size of a gradient step")
        object.__setattr__(self, "learning_rate", rate)
        if not isinstance(self.shared_stream, bool):
            raise InputError(
                f"simulation.shared_stream = {shown(self.shared_stream)} is neither true nor false.",
                "Write true or false.",
            )
        self._check_optimizer()

    def _check_optimizer(self) -> None:
        needed = OPTIMIZERS[one_of(self.optimizer, "simulation.optimizer", OPTIMIZERS)]
        for name in ("momentum", "decay", "epsilon"):
            value, where = getattr(self, name), f"simulation.{name}"
            if (value is not None) != (name in needed):
                said = "needs" if name in needed else "has no"
                raise InputError(
                    f'simulation.optimizer = "{self.optimizer}" {said} {name}.',
                    f"It takes {', '.join(needed) or 'the learning rate alone'}, and none of them has a default.",
                )
            if value is None:
                continue
            number = (
                positive(value, where, "it is a small number beside the root of a mean square")
                if name == "epsilon"
                else exact(value, where)
            )
            if name != "epsilon" and not 0 <= number < 1:
                raise InputError(f"{where} = {number} must lie in [0, 1): it is the share kept of a mean.", "Try 0.9.")
            object.__setattr__(self, name, number)
