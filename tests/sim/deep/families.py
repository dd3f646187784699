"""A family with every member, and its data, small enough for plain loops."""

import torch

from sim import deep
from tests.sim.deep.plain import BETA, EPSILON, GATES_SEED, KINDS, MU, Plain

WIDTHS, INPUTS, REPLICATES, EXAMPLES = (5, 4), 3, 2, 11
DTYPE = torch.float64


def members():
    """Each member once; the stored features are random numbers."""
    generator = torch.Generator().manual_seed(3)
    shapes = ((WIDTHS[0], INPUTS), (WIDTHS[1], WIDTHS[0]))
    stored = [torch.randn(REPLICATES, *shape, generator=generator, dtype=DTYPE) for shape in shapes]
    beta, epsilon = int(BETA), str(EPSILON)
    return (
        deep.relu(WIDTHS),
        deep.soft_relu(WIDTHS, beta, epsilon),
        deep.gates_only(WIDTHS, beta, epsilon),
        deep.dln(WIDTHS),
        deep.frg(WIDTHS, MU, GATES_SEED),
        deep.galu(WIDTHS),
        deep.frnpf(WIDTHS, "own"),
        deep.frnpf(WIDTHS, "same"),
        deep.flnpf(WIDTHS, stored),
        deep.dnpfl(WIDTHS, beta),
        deep.soft_galu(WIDTHS, beta, epsilon),
        deep.dlgn(WIDTHS, beta),
        deep.dlgn_pwc(WIDTHS, beta),
        deep.fixed_dlgn(WIDTHS),
    )


def family(chosen=None, outputs=1, law="normal"):
    """The family of all members, or of those with the chosen names."""
    own = tuple(member for member in members() if chosen is None or member.name in chosen)
    start = deep.Start(law, (0.6, 0.7, 0.8), seed=1)
    return deep.Family(own, REPLICATES, INPUTS, outputs, start)


def data(loss="half-mse", outputs=1):
    """Random inputs, and labels of the kind that the loss takes."""
    generator = torch.Generator().manual_seed(7)
    x = torch.randn(EXAMPLES, INPUTS, generator=generator, dtype=DTYPE)
    if loss == "softmax-cross-entropy":
        return deep.ExampleSet(x, torch.randint(0, outputs, (EXAMPLES,), generator=generator))
    y = torch.randn(EXAMPLES, outputs, generator=generator, dtype=DTYPE)
    return deep.ExampleSet(x, y.sign() if loss == "cross-entropy" else y)


def plain(of, name, replicate, parameters):
    """The plain network of one replicate of a member, with its weights in a stack of parameters."""
    own = {theta: stack[replicate] for theta, stack in of.of(name, parameters).items()}
    second = [own[theta] for theta in of.gating_names if theta in own]
    coins = None
    if KINDS[name].gates == "coins":
        gating = of.member(name).network.gating
        coins = [torch.from_numpy(gating.drawn(k, EXAMPLES, w, replicate)) for k, w in enumerate(WIDTHS, 1)]
    return Plain(KINDS[name], [own[theta] for theta in of.names], second, coins)


def weights(of, name, replicate, parameters):
    """The weights of one replicate, in the order of `Plain.parameters`."""
    own = of.of(name, parameters)
    return [own[theta][replicate] for theta in (*of.names, *of.gating_names) if theta in own]
