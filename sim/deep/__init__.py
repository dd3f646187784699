"""Training of deep gated networks: families of members by replicates, one batched product a layer.

Member, relu, soft_relu, dln, frg, galu, frnpf, flnpf, dnpfl, soft_galu, gates_only, dlgn, dlgn_pwc, fixed_dlgn
                    kinds of networks, as data
Layers, Dense, Convolution, GlobalAveragePooling, Flatten, Residual
                    which weights join the levels of the networks, where they are not fully connected
Family, Start       members of one shape with their replicates, and their initial weights; scales_by_fan_in
ExampleSet          a fixed set of examples
LabelledImages, Split    images of a data set to train and to test, with labels, pixels and targets as declared
Circle              a set of examples without files
Validation          early stopping by examples that are not trained on
Settings, train_family   loss, optimiser, rate, mini-batches, early stopping, device; the result is a FamilyRun with
                    stages
train_linearised    the same training of the expansions at the initial weights, whose tangent kernel stays
SGD, momentum, rmsprop, adam   the optimisers, by the definitions of torch.optim
save_checkpoint, load_run   a state from which a run continues bit for bit, with the stages that were recorded
label_alignment     nu = y^T (K/tr K)^-1 y of the deep networks of a problem file, along their training
kernels_of          tangent kernel, K^a and overlap of a member
recorded, features_of    gates of a recorded stage on any inputs, and the weights that replay them

>>> import torch
>>> from sim.deep import ExampleSet, Family, Settings, Start, adam, dlgn, relu, train_family
>>> x = torch.tensor([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
>>> data = ExampleSet(x, (x[:, :1] * x[:, 1:]))  # exclusive or, which no linear function of x explains
>>> family = Family((relu((8,)), dlgn((8,), beta=4)), 2, 2, 1, Start("normal", (1.0, 0.5), seed=0))
>>> run = train_family(family, data, Settings("half-mse", adam(), 0.01, batch=4, seed=0), 500, stages=(0,))
>>> bool((run.losses("dlgn", 500) < run.losses("dlgn", 0)).all())
True
"""

from sim.deep.alignment import check_alignment, label_alignment
from sim.deep.batches import ExampleSet
from sim.deep.checkpoints import load_run, save_checkpoint
from sim.deep.family import Family, Start, scales_by_fan_in
from sim.deep.gates import Recorded, features_of, recorded
from sim.deep.images import LabelledImages, Split
from sim.deep.kernels import MemberKernels, kernels_of
from sim.deep.linearised import LinearisedRun, train_linearised
from sim.deep.members import (
    Member,
    dlgn,
    dlgn_pwc,
    dln,
    dnpfl,
    fixed_dlgn,
    flnpf,
    frg,
    frnpf,
    galu,
    gates_only,
    relu,
    soft_galu,
    soft_relu,
)
from sim.deep.optimisers import SGD, adam, momentum, rmsprop
from sim.deep.settings import Settings
from sim.deep.stopping import Validation
from sim.deep.synthetic import Circle
from sim.deep.train import FamilyRun, FamilyState, train_family
from sim.networks.layers import Convolution, Dense, Flatten, GlobalAveragePooling, Layers, Residual

__all__ = [
    "SGD",
    "Circle",
    "Convolution",
    "Dense",
    "ExampleSet",
    "Family",
    "FamilyRun",
    "FamilyState",
    "Flatten",
    "GlobalAveragePooling",
    "LabelledImages",
    "Layers",
    "LinearisedRun",
    "Member",
    "MemberKernels",
    "Recorded",
    "Residual",
    "Settings",
    "Split",
    "Start",
    "Validation",
    "adam",
    "check_alignment",
    "dlgn",
    "dlgn_pwc",
    "dln",
    "dnpfl",
    "features_of",
    "fixed_dlgn",
    "flnpf",
    "frg",
    "frnpf",
    "galu",
    "gates_only",
    "kernels_of",
    "label_alignment",
    "load_run",
    "momentum",
    "recorded",
    "relu",
    "rmsprop",
    "save_checkpoint",
    "scales_by_fan_in",
    "soft_galu",
    "soft_relu",
    "train_family",
    "train_linearised",
]
