"""Deep gated networks of problem files in training, S at once: outputs by one pass each, gradients by autograd.

The examples are drawn from the law of the data, so that gates that belong to listed examples have no place here.
"""

import torch
from jaxtyping import Float

from sim.networks.deep import forward
from sim.networks.examples import Examples
from sim.networks.losses import mean_loss
from sim.networks.parameters import Parameters
from theory.problem import (
    BernoulliGates,
    DeepNetwork,
    FixedGates,
    HardResponse,
    InputError,
    NetworkGates,
    OutOfReachError,
)


def refuse_untrained(network: DeepNetwork) -> None:
    """Raise OutOfReachError for gates of listed examples, InputError for gates that are to learn and have slope 0.

    >>> from theory.problem import AllOpenGates
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
    """Return the outputs of S networks: (S, B) for one output, (S, B, m) for m.

    >>> from theory.problem import AllOpenGates
    >>> weights = {"Theta_1": torch.tensor([[[2.0]], [[3.0]]]), "Theta_2": torch.ones(2, 1, 1)}
    >>> predict(DeepNetwork((1,), AllOpenGates()), weights, Examples(torch.ones(2, 1, 1), torch.ones(2, 1))).tolist()
    [[2.0], [3.0]]
    """
    found = torch.vmap(lambda own, x: forward(network, own, x).output)(parameters, examples.x)
    return found[..., 0] if found.shape[-1] == 1 else found


def gradient(network: DeepNetwork, kind: str, parameters: Parameters, examples: Examples) -> dict[str, torch.Tensor]:
    """Return dL/dtheta of each network in the trained parameters, by name, with L the loss `kind`.

    >>> from theory.problem import AllOpenGates
    >>> weights = {"Theta_1": torch.full((1, 1, 1), 2.0), "Theta_2": torch.ones(1, 1, 1)}
    >>> examples = Examples(torch.ones(1, 1, 1), torch.full((1, 1), 0.5))
    >>> gradient(DeepNetwork((1,), AllOpenGates()), "half-mse", weights, examples)["Theta_2"].tolist()
    [[[3.0]]]
    """
    frozen = network.gating_names if isinstance(network.gating, NetworkGates) and network.gating.frozen else ()
    trained = [name for name in parameters if name not in frozen]
    with torch.enable_grad():
        numbers = {name: parameters[name].detach().requires_grad_(True) for name in trained}
        total = mean_loss(kind, predict(network, {**parameters, **numbers}, examples), examples.y).sum()
        found = torch.autograd.grad(total, list(numbers.values()), materialize_grads=True)
    return dict(zip(trained, found, strict=True))
