"""The declaration of a deep gated network."""

from dataclasses import dataclass
from math import prod
from typing import ClassVar

from theory.problem.deep.architecture import FULLY_CONNECTED, Architecture
from theory.problem.deep.gating import AllOpenGates, FixedGates, Gating, NetworkGates, OwnGates
from theory.problem.distributions import Law
from theory.problem.distributions.finite import FiniteData
from theory.problem.errors import InputError
from theory.problem.gates import Gate
from theory.problem.network import MOST_UNITS
from theory.problem.numbers import one_of, shown, whole
from theory.problem.parameters import Parameter

VALUE_INPUTS = ("x", "ones")
MOST_LEVELS = 1_000
MOST_WEIGHTS = 10**8


@dataclass(frozen=True)
class DeepNetwork:
    """z_0 = x, q_l = Theta_l z_(l-1), z_l = q_l * G_l for l < d, yhat = Theta_d z_(d-1), with d = depth.

    `widths` are the nodes, or channels, of the hidden levels, `gating` says where the gates G_l come from,
    `architecture` which weights there are, and z_0 is the vector of ones where `value_input` is "ones" (source:
    Half-space Feature Learning, section 2.3). Raises InputError for no hidden level, widths below 1, other words, and
    ones where the gates do not depend on x either.

    >>> from theory.problem import FiniteData, HardResponse, NetworkGates
    >>> network = DeepNetwork((4, 3), NetworkGates("relu", HardResponse("closed"), frozen=True))
    >>> data = FiniteData([[1, 0], [0, 1]], [1, -1])
    >>> network.depth, [(each.name, each.shape) for each in network.parameters(data) if each.trained]
    (3, [('Theta_1', (4, 2)), ('Theta_2', (3, 4)), ('Theta_3', (1, 3))])
    """

    widths: tuple[int, ...]
    gating: Gating
    architecture: Architecture = FULLY_CONNECTED
    value_input: str = VALUE_INPUTS[0]

    model: ClassVar[str] = "deep"
    gates: ClassVar[tuple[Gate, ...]] = ()  # gates that are functions of an input alone, as other networks have

    def __post_init__(self) -> None:
        if not isinstance(self.widths, list | tuple) or not self.widths:
            raise InputError(
                f"network.widths = {shown(self.widths)} must be the widths of the hidden levels.",
                "Write for example [4, 4], or depth = 3 and width = 4.",
            )
        if len(self.widths) > MOST_LEVELS:
            raise InputError(
                f"network.widths has {len(self.widths)} hidden levels, more than {MOST_LEVELS}.", "Give fewer levels."
            )
        for index, width in enumerate(self.widths):
            whole(
                width, f"network.widths[{index}]", least=1, most=MOST_UNITS, why="its weights alone would fill memory"
            )
        object.__setattr__(self, "widths", tuple(self.widths))
        if not isinstance(self.gating, Gating) or not isinstance(self.architecture, Architecture):
            what, kinds = ("gating", Gating) if not isinstance(self.gating, Gating) else ("architecture", Architecture)
            known = ", ".join(kind.__name__ for kind in kinds.__args__)
            raise InputError(f"network.{what} = {shown(getattr(self, what))} is not known.", f"Choose one of: {known}.")
        one_of(self.value_input, "network.value_input", VALUE_INPUTS)
        if self.value_input == "ones" and isinstance(self.gating, OwnGates | AllOpenGates):
            raise InputError(
                f'network.value_input = "ones" with network.gating "{self.gating.kind}": no level sees x, and the '
                "output is the same for all inputs.",
                'Take the gates from a second network (kind = "network"), or write value_input = "x".',
            )

    @property
    def depth(self) -> int:
        """d, the number of layers of weights: one more than the hidden levels."""
        return len(self.widths) + 1

    @property
    def names(self) -> tuple[str, ...]:
        """The names of Theta_1, ..., Theta_d."""
        return tuple(f"Theta_{level}" for level in range(1, self.depth + 1))

    @property
    def gating_names(self) -> tuple[str, ...]:
        """The names of the weights of the second network, one for each hidden level; () where there is none."""
        levels = range(1, self.depth) if isinstance(self.gating, NetworkGates) else ()
        return tuple(f"Theta_g_{level}" for level in levels)

    def starts_as(self, name: str) -> str:
        """Return the parameter whose initial numbers `name` has: itself, or Theta_l for Theta_g_l with start = "same".

        >>> from theory.problem import HardResponse
        >>> second = NetworkGates("relu", HardResponse("closed"), frozen=True, start="same")
        >>> DeepNetwork((2,), second).starts_as("Theta_g_1")
        'Theta_1'
        """
        if not isinstance(self.gating, NetworkGates) or self.gating.start == "own":
            return name
        return dict(zip(self.gating_names, self.names, strict=False)).get(name, name)

    def nodes(self, data: Law) -> tuple[int, ...]:
        """Return the number of nodes of each hidden level."""
        return self.architecture.nodes(data.n, self.widths)

    def parameters(self, data: Law) -> tuple[Parameter, ...]:
        """Return Theta_1, ..., Theta_d, then the weights of the second network where there is one."""
        shapes = self.architecture.shapes(data.n, self.widths, data.outputs)
        first = tuple(Parameter(name, shape) for name, shape in zip(self.names, shapes, strict=True))
        trained = not (isinstance(self.gating, NetworkGates) and self.gating.frozen)
        second = zip(self.gating_names, shapes, strict=False)
        return first + tuple(Parameter(name, shape, trained) for name, shape in second)

    def check_data(self, data: Law) -> None:
        """Raise InputError where the window, the given gates or the number of weights do not fit the data."""
        self.architecture.check_sites(data.n)
        weights = sum(prod(each.shape) for each in self.parameters(data))
        if weights > MOST_WEIGHTS:
            raise InputError(
                f"The network has {weights} weights, more than {MOST_WEIGHTS}.", "Give smaller widths or fewer levels."
            )
        if isinstance(self.gating, FixedGates):
            if not isinstance(data, FiniteData):
                raise InputError(
                    f'network.gating "fixed" gives gates for each example, but the law "{data.law}" has no list of '
                    "examples.",
                    'Write data.law = "finite", or choose gates that a network or a probability decides.',
                )
            self.gating.check_shape(len(data.x), self.nodes(data))
