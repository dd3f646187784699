"""One pass of mini-batches through a family and back, by one batched product a layer and direction.

    q_l = Theta_l z_(l-1),  z_l = G_l q_l,  yhat = Theta_d z_(d-1)
    p_l = Theta_g_l u_(l-1),  u_0 = x,  u_l = relu(p_l), p_l or p_l chi(p_l),  G_l = chi(p_l)

and back, with delta_d = dL/dyhat, s_l = Theta_(l+1)^T delta_(l+1) and a dash for the slope in q_l or p_l:

    delta_l = z_l' s_l,  dL/dTheta_l = sum over examples of delta_l z_(l-1)^T
    eta_l = chi'(p_l) q_l s_l + u_l' Theta_g_(l+1)^T eta_(l+1),  dL/dTheta_g_l likewise eta_l u_(l-1)^T

Products with Theta are those of the family's layers. A layer with a skip from level k adds z_k to q_l and u_k to p_l,
where they have the same channels and positions; on the way back it adds delta_l to s_k, and eta_l to dL/du_k.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float

from sim.deep.family import Family
from sim.deep.members import Member
from sim.deep.products import Layer, Skip
from theory.problem import (
    AllOpenGates,
    BernoulliGates,
    FixedGates,
    HardResponse,
    InputError,
    NetworkGates,
    OutOfReachError,
    OwnGates,
    SoftResponse,
)

Given = Mapping[str, Sequence[torch.Tensor]]
Share = tuple[str, Layer, torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class SecondPass:
    """u_(l-1), chi(p_l), chi'(p_l) and du_l/dp_l of the stack of second networks, each (networks, B, *level)."""

    sources: tuple[torch.Tensor, ...]
    gates: tuple[torch.Tensor, ...]
    gate_slopes: tuple[torch.Tensor, ...]
    slopes: tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class FamilyPass:
    """z_(l-1), q_l, G_l and dz_l/dq_l of the stack of networks, (networks, B, *level), and yhat, (networks, B, m).

    A level is (width,), or (channels, *sites) of a convolution.
    """

    sources: tuple[torch.Tensor, ...]
    preactivations: tuple[torch.Tensor, ...]
    gates: tuple[torch.Tensor, ...]
    slopes: tuple[torch.Tensor, ...]
    output: torch.Tensor
    second: SecondPass


def forward(
    family: Family, parameters: Mapping[str, torch.Tensor], x: Float[torch.Tensor, "S B n"], given: Given
) -> FamilyPass:
    """Return one pass of each replicate's inputs x through all members; x is (1, B, n) where replicates share them.

    `given` are the gates (S or 1, B, *level) of each level of the members whose gates no preactivation decides. Raises
    InputError where they are missing, and for inputs of another size.

    >>> from sim.deep.family import Start
    >>> from sim.deep.members import dln, relu
    >>> family = Family((relu((1,)), dln((1,))), 1, 1, 1, Start("signs", (1.0, 1.0), 0))
    >>> weights = {"Theta_1": torch.ones(2, 1, 1), "Theta_2": torch.full((2, 1, 1), 3.0)}
    >>> forward(family, weights, torch.tensor([[[2.0], [-2.0]]]), {}).output.squeeze(2).tolist()
    [[6.0, 0.0], [6.0, -6.0]]
    """
    if x.shape[2] != family.inputs:
        raise InputError(f"The examples have {x.shape[2]} inputs, the family {family.inputs}.", "Give as many to both.")
    x = x.reshape(*x.shape[:2], *family.layers.shape)
    second = _second_pass(family, parameters, x)
    soft = any(_is_soft(member.network.gating) for member in family.members if _has_own(member))
    sources, preactivations, gates, slopes = [_values_at_start(family, x)], [], [], []
    for level, (name, layer) in enumerate(zip(family.names[:-1], family.plan, strict=False)):
        q = _through(layer, parameters[name], sources)
        gate = torch.empty_like(q)
        slope = torch.empty_like(q) if soft else gate
        for member in family.stacked:
            part = family.networks[member.name]
            _write_gates(family, member, level, second, given, q[part], gate[part])
            if soft:
                _write_slopes(member, q[part], gate[part], slope[part])
        preactivations.append(q)
        gates.append(gate)
        slopes.append(slope)
        sources.append(q * gate)
    output = _through(family.plan[-1], parameters[family.names[-1]], sources)
    return FamilyPass(tuple(sources), tuple(preactivations), tuple(gates), tuple(slopes), output, second)


def backward(
    family: Family, parameters: Mapping[str, torch.Tensor], passed: FamilyPass, delta: torch.Tensor
) -> Iterator[Share]:
    """Yield (name, layer, delta, source): layer.gradient(delta, source) is dL/dTheta of the networks that learn Theta.

    Those networks are the leading ones of the stack. `delta` is dL/dyhat, (networks, B, m). A parameter is read before
    it is yielded and never after, so that the caller may change it at once.
    """
    learners = [member for member in family.gated if member.gates_learn]
    rows = [family.networks[member.name] for member in learners]
    into_gates: list[torch.Tensor] = []
    skipped: dict[int, tuple[Skip, torch.Tensor]] = {}
    for level in reversed(range(family.depth)):
        name, layer = family.names[level], family.plan[level]
        s = layer.back(parameters[name], delta) if level else None
        if layer.skip is not None:
            skipped[layer.skip.level] = layer.skip, delta
        if name in family.learned:
            count = family.learned[name]
            yield name, layer, delta[:count], passed.sources[level][:count]
        if s is not None:
            if level in skipped:
                skip, through = skipped[level]
                skip.add_back(s, through)
            if learners:
                into_gates.append(torch.cat([s[part] * passed.preactivations[level - 1][part] for part in rows]))
            delta = s.mul_(passed.slopes[level - 1])
    if learners:
        yield from _backward_of_gates(family, parameters, passed.second, into_gates)


def _backward_of_gates(
    family: Family, parameters: Mapping[str, torch.Tensor], second: SecondPass, into_gates: list[torch.Tensor]
) -> Iterator[Share]:
    """Yield the shares of Theta_g; `into_gates` is dL/dG_l, the last level first."""
    count = family.learned[family.gating_names[0]]
    back = None
    skipped: dict[int, tuple[Skip, torch.Tensor]] = {}
    for level, into in zip(reversed(range(family.depth - 1)), into_gates, strict=True):
        name, layer = family.gating_names[level], family.plan[level]
        eta = into.mul_(second.gate_slopes[level][:count])
        if back is not None:
            if level + 1 in skipped:
                skip, through = skipped[level + 1]
                skip.add_back(back, through)
            eta.add_(back.mul_(second.slopes[level][:count]))
        back = layer.back(parameters[name][:count], eta) if level else None
        if layer.skip is not None:
            skipped[layer.skip.level] = layer.skip, eta
        yield name, layer, eta, second.sources[level][:count]


def _through(layer: Layer, theta: torch.Tensor, sources: Sequence[torch.Tensor]) -> torch.Tensor:
    """Return Theta z_(l-1), and z_k more where the layer has a skip from level k; `sources` are z_0, ..., z_(l-1)."""
    q = layer.through(theta, sources[-1])
    if layer.skip is not None:
        layer.skip.add(q, sources[layer.skip.level])
    return q


def _values_at_start(family: Family, x: torch.Tensor) -> torch.Tensor:
    """Return z_0 of all networks, (networks, B, *shape); a view where all are x and replicates share it."""
    inputs = [member.network.value_input for member in family.stacked]
    if "ones" not in inputs:
        return _for_each(x, len(inputs), family.replicates)
    own = x.expand(family.replicates, *x.shape[1:])
    return torch.cat([torch.ones_like(own) if word == "ones" else own for word in inputs])


def _for_each(x: torch.Tensor, members: int, replicates: int) -> torch.Tensor:
    """Return x once for each network; a view where the replicates share x or there is one member."""
    if len(x) == 1:
        return x.expand(members * replicates, *x.shape[1:])
    return x.expand(members, *x.shape).reshape(-1, *x.shape[1:])


def _second_pass(family: Family, parameters: Mapping[str, torch.Tensor], x: torch.Tensor) -> SecondPass:
    """Return the pass through the stack of second networks; slopes are set for members whose gates learn."""
    if not family.gated:
        return SecondPass((), (), (), ())
    sources, gates, gate_slopes, slopes = [_for_each(x, len(family.gated), family.replicates)], [], [], []
    for name, layer in zip(family.gating_names, family.plan, strict=False):
        p = _through(layer, parameters[name], sources)
        u, gate, gate_slope, slope = (torch.empty_like(p) for _ in range(4))
        for member in family.gated:
            part, gating = family.second_networks[member.name], member.network.gating
            _respond(gating.gate, p[part], gate[part])
            if member.gates_learn:
                _slope_of(gating.gate, gate[part], gate_slope[part])
            _pass_on(gating.network, p[part], gate[part], gate_slope[part], u[part], slope[part])
        sources.append(u)
        gates.append(gate)
        gate_slopes.append(gate_slope)
        slopes.append(slope)
    return SecondPass(tuple(sources[:-1]), tuple(gates), tuple(gate_slopes), tuple(slopes))


def _pass_on(
    network: str, p: torch.Tensor, gate: torch.Tensor, gate_slope: torch.Tensor, u: torch.Tensor, slope: torch.Tensor
) -> None:
    """Write u_l and its slope in p_l."""
    match network:
        case "relu":
            torch.clamp(p, min=0, out=u)
            torch.gt(p, 0, out=slope)
        case "linear":
            u.copy_(p)
            slope.fill_(1)
        case "gated":
            torch.mul(p, gate, out=u)
            torch.addcmul(gate, p, gate_slope, out=slope)
        case _:
            raise OutOfReachError(f'A second network that goes on by "{network}" is not trained.', "Choose another.")


def _write_gates(
    family: Family, member: Member, level: int, second: SecondPass, given: Given, q: torch.Tensor, gate: torch.Tensor
) -> None:
    """Write the gates of a level of one member."""
    match member.network.gating:
        case OwnGates(gate=response):
            _respond(response, q, gate)
        case AllOpenGates():
            gate.fill_(1)
        case NetworkGates():
            gate.copy_(second.gates[level][family.second_networks[member.name]])
        case FixedGates() | BernoulliGates():
            if member.name not in given:
                raise InputError(
                    f"{member.name}: its gates are defined on the training examples alone.",
                    "Evaluate it on the set on which it is trained.",
                )
            gate.copy_(given[member.name][level])
        case other:
            raise OutOfReachError(f"Gates {other!r} are not trained.", "Choose another kind of gates.")


def _write_slopes(member: Member, q: torch.Tensor, gate: torch.Tensor, slope: torch.Tensor) -> None:
    """Write dz/dq: G, and q dG/dq more where a soft gate is that of q itself."""
    gating = member.network.gating
    if _has_own(member) and _is_soft(gating):
        _slope_of(gating.gate, gate, slope)
        slope.mul_(q).add_(gate)
    else:
        slope.copy_(gate)


def _respond(response: HardResponse | SoftResponse, q: torch.Tensor, out: torch.Tensor) -> None:
    """Write chi(q)."""
    if isinstance(response, SoftResponse):
        torch.mul(q, float(response.beta), out=out)
        out.sigmoid_().mul_(float(1 + response.epsilon))
    elif response.at_zero == "open":
        torch.ge(q, 0, out=out)
    else:
        torch.gt(q, 0, out=out)


def _slope_of(response: SoftResponse, gate: torch.Tensor, out: torch.Tensor) -> None:
    """Write chi'(q) = beta chi (1 - chi/(1 + epsilon)) from chi(q)."""
    torch.mul(gate, -1 / float(1 + response.epsilon), out=out)
    out.add_(1).mul_(gate).mul_(float(response.beta))


def _has_own(member: Member) -> bool:
    return isinstance(member.network.gating, OwnGates)


def _is_soft(gating: object) -> bool:
    return isinstance(getattr(gating, "gate", None), SoftResponse)
