"""A family with every member, and its data, small enough for plain loops, of any layers."""

from math import prod

import torch

from sim import deep
from tests.sim.deep.architectures import CASES
from tests.sim.deep.plain import BETA, EPSILON, GATES_SEED, KINDS, MU, Plain

WIDTHS, INPUTS, REPLICATES, EXAMPLES = (5, 4), 3, 2, 11
DTYPE = torch.float64


def members(case=None):
    """Each member once; the stored features are random numbers."""
    generator = torch.Generator().manual_seed(3)
    shapes = ((WIDTHS[0], INPUTS), (WIDTHS[1], WIDTHS[0])) if case is None else CASES[case].shapes
    widths = tuple(shape[0] for shape in shapes)
    stored = [torch.randn(REPLICATES, *shape, generator=generator, dtype=DTYPE) for shape in shapes]
    beta, epsilon = int(BETA), str(EPSILON)
    return (
        deep.relu(widths),
        deep.soft_relu(widths, beta, epsilon),
        deep.gates_only(widths, beta, epsilon),
        deep.dln(widths),
        deep.frg(widths, MU, GATES_SEED),
        deep.galu(widths),
        deep.frnpf(widths, "own"),
        deep.frnpf(widths, "same"),
        deep.flnpf(widths, stored),
        deep.dnpfl(widths, beta),
        deep.soft_galu(widths, beta, epsilon),
        deep.dlgn(widths, beta),
        deep.dlgn_pwc(widths, beta),
        deep.fixed_dlgn(widths),
    )


def family(chosen=None, outputs=1, law="normal", case=None):
    """The family of all members, or of those with the chosen names; `case` names layers of `architectures`."""
    own = tuple(member for member in members(case) if chosen is None or member.name in chosen)
    if case is None:
        return deep.Family(own, REPLICATES, INPUTS, outputs, deep.Start(law, (0.6, 0.7, 0.8), seed=1))
    layers = CASES[case].layers
    start = deep.Start(law, deep.scales_by_fan_in((*layers.fan_ins, outputs), 1), seed=1)
    return deep.Family(own, REPLICATES, prod(layers.shape), outputs, start, layers)


def data(loss="half-mse", outputs=1, inputs=INPUTS):
    """Random inputs, and labels of the kind that the loss takes."""
    generator = torch.Generator().manual_seed(7)
    x = torch.randn(EXAMPLES, inputs, generator=generator, dtype=DTYPE)
    if loss == "softmax-cross-entropy":
        return deep.ExampleSet(x, torch.randint(0, outputs, (EXAMPLES,), generator=generator))
    y = torch.randn(EXAMPLES, outputs, generator=generator, dtype=DTYPE)
    return deep.ExampleSet(x, y.sign() if loss == "cross-entropy" else y)


def plain(of, name, replicate, parameters, case=None):
    """The plain network of one replicate of a member, with its weights in a stack of parameters."""
    nodes = WIDTHS if case is None else CASES[case].nodes
    own = {theta: stack[replicate] for theta, stack in of.of(name, parameters).items()}
    second = [own[theta] for theta in of.member(name).network.gating_names]
    coins = None
    if KINDS[name].gates == "coins":
        gating = of.member(name).network.gating
        coins = [torch.from_numpy(gating.drawn(k, EXAMPLES, w, replicate)) for k, w in enumerate(nodes, 1)]
    more = {} if case is None else {"products": CASES[case].products, "shape": CASES[case].layers.shape}
    return Plain(KINDS[name], [own[theta] for theta in of.names], second, coins, **more)


def weights(of, name, replicate, parameters):
    """The weights of one replicate, in the order of `Plain.parameters`."""
    return [theta[replicate] for theta in of.of(name, parameters).values()]
