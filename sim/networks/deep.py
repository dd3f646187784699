"""Deep gated networks in torch, S at once: one pass of their inputs, and gradients by autograd along it.

z_0 = x or ones, q_l = Theta_l z_(l-1), z_l = q_l * G_l, yhat = Theta_d z_(d-1), and for gates of a second network
p_l = Theta_g_l u_(l-1), u_0 = x, u_l = relu(p_l), p_l or p_l chi(p_l), G_l = chi(p_l). Products with Theta are those of
the layers; a layer with a skip from level k adds z_k to q_l and u_k to p_l. Autograd gives delta = dL/dq_l and dL/dp_l;
the gradient in Theta_l is the layer's product of delta and z_(l-1), in Theta_g_l that of delta and u_(l-1).
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float

from sim.networks.examples import Examples
from sim.networks.layers import layers_of
from sim.networks.losses import loss_named
from sim.networks.parameters import Parameters
from sim.networks.products import Layer, Shape
from theory.problem import (
    AllOpenGates,
    BernoulliGates,
    DeepNetwork,
    FiniteData,
    FixedGates,
    HardResponse,
    InputError,
    NetworkGates,
    OutOfReachError,
    OwnGates,
    Problem,
    SoftResponse,
)

Numbers = Mapping[str, torch.Tensor]


@dataclass(frozen=True)
class Product:
    """A layer in a pass: its source z_(l-1) or u_(l-1), and its preactivation q_l or p_l, each (S, B, *level)."""

    layer: Layer
    source: torch.Tensor
    preactivation: torch.Tensor


@dataclass(frozen=True)
class DeepPass:
    """The product of each parameter by its name, and yhat, (S, B, m), of a network with the gates that are `given`."""

    network: DeepNetwork
    products: Mapping[str, Product]
    given: Sequence[torch.Tensor]
    output: torch.Tensor

    @property
    def gates(self) -> tuple[torch.Tensor, ...]:
        """G_l of each hidden level, (S, B, *level)."""
        levels = [self.products[name].preactivation.detach() for name in self.network.names[:-1]]
        return tuple(_gate(self.network, q, self.given, level).detach().expand_as(q) for level, q in enumerate(levels))

    def backward(
        self, delta: torch.Tensor, names: Sequence[str], **options: bool
    ) -> Iterator[tuple[str, Layer, torch.Tensor, torch.Tensor]]:
        """Yield (name, layer, delta, source) of these parameters: layer.gradient(delta, source) is dL/dTheta.

        `delta` is dL/dyhat, (S, B, m). `options` are those of torch.autograd.grad: retain_graph where another follows.
        """
        chosen = [self.products[name] for name in names]
        targets = [product.preactivation for product in chosen]
        slopes = torch.autograd.grad(self.output, targets, delta, materialize_grads=True, **options)
        for name, product, slope in zip(names, chosen, slopes, strict=True):
            yield name, product.layer, slope, product.source


def forward(
    network: DeepNetwork,
    plan: Sequence[Layer],
    parameters: Numbers,
    x: Float[torch.Tensor, "S B ..."],
    given: Sequence[torch.Tensor] = (),
    learned: Collection[str] = (),
) -> DeepPass:
    """Return one pass of the inputs through S networks with the layers `plan`; x is (1, B, ...) where they share it.

    `given` are the gates of each level, (S or 1, B, *level), where no preactivation decides them: fixed and Bernoulli
    gates. Of the parameters that are `learned`, autograd can differentiate by the preactivations.

    >>> from sim.networks.layers import fully_connected
    >>> network = DeepNetwork((2,), OwnGates(HardResponse("closed")))
    >>> weights = {"Theta_1": torch.tensor([[[1.0, 1.0], [1.0, -1.0]]]), "Theta_2": torch.tensor([[[0.5, 3.0]]])}
    >>> x = torch.tensor([[[1.0, 2.0], [2.0, 1.0]]])
    >>> passed = forward(network, fully_connected(2, (2,)).plan(1), weights, x)
    >>> passed.output.tolist(), passed.gates[0].tolist()
    ([[[1.5], [4.5]]], [[[1.0, 0.0], [1.0, 1.0]]])
    """
    products: dict[str, Product] = {}

    def preactivation(name: str, layer: Layer, levels: Sequence[torch.Tensor]) -> torch.Tensor:
        q = layer.through(parameters[name], levels[-1])
        if layer.skip is not None:
            layer.skip.add(q, levels[layer.skip.level])
        if name in learned and not q.requires_grad:
            q.requires_grad_()
        products[name] = Product(layer, levels[-1], q)
        return q

    x = x.expand(len(parameters[network.names[0]]), *x.shape[1:])
    if isinstance(network.gating, NetworkGates):
        response, given, levels = network.gating.gate, [], [x]
        for name, layer in zip(network.gating_names, plan, strict=False):
            p = preactivation(name, layer, levels)
            given.append(gate_response(response, p))
            levels.append(passed_on(network.gating, p, given[-1]))
    levels = [x if network.value_input == "x" else torch.ones_like(x)]
    is_relu, is_linear = network.gating == OwnGates(HardResponse("closed")), isinstance(network.gating, AllOpenGates)
    for level, (name, layer) in enumerate(zip(network.names[:-1], plan, strict=False)):
        q = preactivation(name, layer, levels)
        if is_relu or is_linear:  # in one operation
            levels.append(q.relu() if is_relu else q)
        else:
            levels.append(q * _gate(network, q, given, level))
    return DeepPass(network, products, given, preactivation(network.names[-1], plan[-1], levels))


def at_start(problem: Problem, dtype: torch.dtype = torch.float64) -> DeepPass:
    """Return the pass of the examples of a problem through its deep network at the initial weights, S = 1.

    Raises OutOfReachError for a network that is not deep and a law without a list of examples.
    """
    network, data = problem.deep, problem.data
    if not isinstance(data, FiniteData):
        raise OutOfReachError(f'The law "{data.law}" has no list of examples.', 'Write law = "finite".')
    layers = layers_of(network, data.n)
    plan = layers.plan(data.outputs)
    x = torch.tensor([[float(value) for value in row] for row in data.x], dtype=dtype)
    parameters = {name: torch.as_tensor(numbers, dtype=dtype)[None] for name, numbers in problem.start().items()}
    given = given_gates(network, [layer.after for layer in plan[:-1]], x)
    return forward(network, plan, parameters, x.view(1, len(x), *layers.shape), given)


def given_gates(
    network: DeepNetwork, levels: Sequence[Shape], x: Float[torch.Tensor, "N n"], replicates: int | None = None
) -> tuple[torch.Tensor, ...]:
    """Return the gates (S or 1, N, *level) of the N examples that the declaration fixes; () where it does not.

    They lie beside the examples. Coins of replicates differ; None are those of the problem file.

    >>> network = DeepNetwork((2,), FixedGates([[[1, 0], ["1/2", 1]]]))
    >>> given_gates(network, [(2,)], torch.ones(2, 1))[0].tolist()
    [[[1.0, 0.0], [0.5, 1.0]]]
    """
    gating, nodes = network.gating, tuple(torch.Size(level).numel() for level in levels)
    if isinstance(gating, FixedGates):
        gating.check_shape(len(x), nodes)
        numbers = [[[[float(value) for value in row] for row in level]] for level in gating.values]
    elif isinstance(gating, BernoulliGates):
        drawn = [None] if replicates is None else range(replicates)
        numbers = [
            torch.stack([torch.from_numpy(gating.drawn(level, len(x), count, one)) for one in drawn])
            for level, count in enumerate(nodes, 1)
        ]
    else:
        return ()
    return tuple(
        torch.as_tensor(each, dtype=x.dtype, device=x.device).unflatten(2, level)
        for each, level in zip(numbers, levels, strict=True)
    )


def passed_on(gating: NetworkGates, p: torch.Tensor, gate: torch.Tensor) -> torch.Tensor:
    """Return u_l, what a second network passes on, from p_l and its gate."""
    return {"relu": p.relu, "linear": lambda: p, "gated": lambda: p * gate}[gating.network]()


def _gate(network: DeepNetwork, q: torch.Tensor, given: Sequence[torch.Tensor], level: int) -> torch.Tensor:
    match network.gating:
        case OwnGates(gate=response):
            return gate_response(response, q)
        case AllOpenGates():
            return torch.ones_like(q)
        case FixedGates() | BernoulliGates() | NetworkGates():
            return given[level]
    raise OutOfReachError(f"Gates {network.gating!r} are not simulated.", "Choose another kind of gates.")


def gate_response(response: HardResponse | SoftResponse, q: torch.Tensor) -> torch.Tensor:
    """Return chi(q): (1 + epsilon)/(1 + exp(-beta q)) for soft gates; 1 where q > 0, or where q >= 0, for hard ones.

    >>> gate_response(HardResponse("closed"), torch.tensor([-1.0, 0.0, 2.0])).tolist()
    [0.0, 0.0, 1.0]
    """
    if isinstance(response, SoftResponse):
        gate = torch.sigmoid(float(response.beta) * q)
        return gate * float(1 + response.epsilon) if response.epsilon else gate
    return (q >= 0 if response.at_zero == "open" else q > 0).to(q.dtype)


def refuse_untrained(network: DeepNetwork) -> None:
    """Raise OutOfReachError for gates of listed examples, InputError for gates that are to learn and have slope 0.

    A problem file draws its examples from the law of the data.

    >>> refuse_untrained(DeepNetwork((2,), AllOpenGates()))
    """
    gating = network.gating
    if isinstance(gating, BernoulliGates | FixedGates):
        raise OutOfReachError(
            f'network.gating "{gating.kind}" gives gates to listed examples, and training draws examples from the law.',
            "Choose gates that a network decides, or train on a fixed set in Python: sim.deep.train_family.",
        )
    if isinstance(gating, NetworkGates) and not gating.frozen and isinstance(gating.gate, HardResponse):
        raise InputError(
            "network.gating learns hard gates, whose slope is 0: the weights Theta_g would keep their initial numbers.",
            'Write frozen = true, or gate = { kind = "soft", beta = 4.0, epsilon = 0.0 }.',
        )


def predict(network: DeepNetwork, parameters: Parameters, examples: Examples) -> Float[torch.Tensor, "S B *m"]:
    """Return the outputs of S networks of a problem file: (S, B) for one output, (S, B, m) for m.

    >>> weights = {"Theta_1": torch.tensor([[[2.0]], [[3.0]]]), "Theta_2": torch.ones(2, 1, 1)}
    >>> predict(DeepNetwork((1,), AllOpenGates()), weights, Examples(torch.ones(2, 1, 1), torch.ones(2, 1))).tolist()
    [[2.0], [3.0]]
    """
    output = _passed(network, parameters, examples).output
    return output[..., 0] if output.shape[2] == 1 else output


def gradient(network: DeepNetwork, kind: str, parameters: Parameters, examples: Examples) -> dict[str, torch.Tensor]:
    """Return dL/dtheta of each network in the trained parameters, by name, with L the loss `kind`.

    >>> weights = {"Theta_1": torch.full((1, 1, 1), 2.0), "Theta_2": torch.ones(1, 1, 1)}
    >>> examples = Examples(torch.ones(1, 1, 1), torch.full((1, 1), 0.5))
    >>> gradient(DeepNetwork((1,), AllOpenGates()), "half-mse", weights, examples)["Theta_2"].tolist()
    [[[3.0]]]
    """
    frozen = network.gating_names if isinstance(network.gating, NetworkGates) and network.gating.frozen else ()
    trained = [name for name in parameters if name not in frozen]
    with torch.enable_grad():
        passed = _passed(network, parameters, examples, trained)
    loss, y = loss_named(kind), examples.y.view_as(passed.output)
    with torch.no_grad():
        delta = loss.residual(passed.output, y) * (loss.gradient_factor / y.shape[1])
        return {name: layer.gradient(*pair) for name, layer, *pair in passed.backward(delta, trained)}


def _passed(
    network: DeepNetwork, parameters: Parameters, examples: Examples, learned: Collection[str] = ()
) -> DeepPass:
    layers = layers_of(network, examples.x.shape[2])
    plan = layers.plan(parameters[network.names[-1]].shape[1])
    x = examples.x.reshape(*examples.x.shape[:2], *layers.shape)
    return forward(network, plan, parameters, x, learned=learned)
