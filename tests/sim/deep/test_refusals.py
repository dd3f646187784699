"""Declarations, examples and settings of deep training that do not fit, each refused by the name of its field."""

import pytest
import torch

from sim import deep
from sim.deep.losses import check_labels
from tests.sim.deep.families import data, family
from tests.sim.deep.test_stopping import held_out
from theory.problem import (
    CircularConvolution,
    DeepNetwork,
    HardResponse,
    InputError,
    NetworkGates,
    OutOfReachError,
    OwnGates,
)

NAN = float("nan")
SGD = deep.Settings("half-mse", deep.SGD, 0.02, batch=4, seed=4)
LOGISTIC = deep.Settings("cross-entropy", deep.SGD, 0.02, batch=4, seed=4)
RELU = deep.relu((2,))


def relatives(*members, replicates=1, inputs=1, scales=(1.0, 1.0), layers=None):
    return deep.Family(members, replicates, inputs, 1, deep.Start("normal", scales, 0), layers)


def settings(rate=0.1, loss="half-mse", **more):
    return deep.Settings(loss, deep.SGD, rate, 4, 0, **more)


def trained(examples, how=SGD, **more):
    return deep.train_family(family({"relu"}), examples, how, 1, **more)


def ones(*shape):
    return torch.ones(shape)


def features(*shapes):
    return deep.flnpf(tuple(shape[1] for shape in shapes), [ones(*shape) for shape in shapes])


def validated(members=("relu",), **rule):
    rule = {"data": held_out(), "measure": "loss", "every": 1, "patience": 1} | rule
    validation = deep.Validation(rule["data"], rule["measure"], rule["every"], rule["patience"])
    deep.train_family(family(set(members)), data(), SGD, 1, validation=validation)


def labelled(loss, y):
    check_labels(loss, y, examples=3, outputs=2)


MEMBERS = [
    (lambda: deep.Member("m", DeepNetwork((2,), NetworkGates("linear", HardResponse("open"), False))), "slope 0"),
    (lambda: deep.Member("m", RELU.network, values_learn=False), "neither Theta nor"),
    (lambda: deep.Member("m", RELU.network, features=(ones(1, 2, 1),)), "it has none"),
    (lambda: deep.flnpf((2, 3), [ones(1, 2, 1), ones(1, 4, 2)]), "do not fit the widths"),
    (lambda: deep.flnpf((2,), [ones(2, 1)]), "do not fit the widths"),
    (lambda: deep.flnpf((2,), [NAN * ones(1, 2, 3)]), "are not all finite"),
    (
        lambda: relatives(deep.flnpf((2, 3), [ones(1, 2, 1), ones(1, 3, 4)]), scales=(1, 1, 1)),
        r"\(3, 4\)\]; the family",
    ),
    (lambda: relatives(), "one or more"),
    (lambda: relatives(RELU, RELU), "name of its own"),
    (lambda: relatives(RELU, deep.dln((3,))), "widths"),
    (lambda: relatives(RELU, replicates=0), "replicates"),
    (lambda: relatives(deep.relu((2, 2))), "2 numbers; the networks have 3 layers"),
    (lambda: relatives(features((3, 2, 1)), replicates=2), "features of 3 replicates"),
    (lambda: relatives(features((2, 2, 4)), replicates=2), r"\[\(2, 4\)\]; the family has"),
    (lambda: deep.Start("uniform", (1.0,), 0), "uniform"),
    (lambda: deep.Start("normal", (0.0,), 0), "must be > 0"),
    (lambda: family({"relu"}).member("dln"), "no member 'dln'"),
]
Convolution, Layers, Residual = deep.Convolution, deep.Layers, deep.Residual
LAYERS = [
    (lambda: Layers((4, 4, 4, 4), (3,)), "no vector and no grid"),
    (lambda: Layers((0,), (3,)), "shape = 0"),
    (lambda: Layers((1, 4), (3,)), "follows the grid"),
    (lambda: Layers((1, 4), (Convolution(2, (3,)),)), "follows the grid"),
    (lambda: Layers((4,), (Convolution(2, (3,)),)), "follows a vector"),
    (lambda: Layers((1, 4), (Convolution(2, (3, 3)),)), "a grid with 1 axes"),
    (lambda: Layers((1, 4), (Convolution(2, (5,), "circular"),)), "larger than the grid"),
    (lambda: Layers((1, 4), (deep.Flatten(), deep.Flatten(), 2)), "follows a vector; it reduces"),
    (lambda: Layers((4,), (deep.GlobalAveragePooling(), 2)), "follows a vector; it reduces"),
    (lambda: Layers((4,), ("relu",)), "'relu' is not known"),
    (lambda: Layers((4,), (Residual((3,)),)), "adds equal shapes"),
    (lambda: Layers((1, 4), (deep.Flatten(), Residual((4,)))), "reduces its input to a vector"),
    (lambda: Layers((4,), (Residual((3,), "padded"),)), "more channels at every s-th"),
    (lambda: Layers((1, 4), (Residual((Convolution(2, (2,), "none"),), "padded"),)), "more channels at every s-th"),
    (lambda: Residual((3,), "projected"), "projected"),
    (lambda: Convolution(2, (2,)), "has no centre"),
    (lambda: Convolution(2, (3,), "mirror"), "mirror"),
    (lambda: Convolution(1, (3,), stride=0), "stride = 0"),
    (lambda: relatives(deep.relu((3,)), inputs=4, layers=Layers((4,), (2,))), "members of the widths"),
    (lambda: relatives(RELU, inputs=3, layers=Layers((4,), (2,))), "the family has 3 inputs"),
]
SETTINGS = [
    (lambda: deep.ExampleSet(torch.zeros(3), torch.zeros(3)), "one row for each|N rows"),
    (lambda: deep.ExampleSet(torch.zeros(3, 2), torch.zeros(4, 1)), "N rows"),
    (lambda: deep.ExampleSet(torch.tensor([[NAN]]), torch.zeros(1, 1)), "must be finite"),
    (lambda: settings(loss="hinge"), "hinge"),
    (lambda: settings({"relu": NAN}), "rate.relu = 'nan' is not a number"),
    (lambda: settings(stop_below=NAN), "stop_below = 'nan' is not a number"),
    (lambda: settings(0.0), "positive"),
    (lambda: settings({"relu": 0.1}).rate_of("dln"), "no number for the member"),
    (lambda: settings(stop_every=10), "stop_every = 10 without stop_below"),
    (lambda: trained(data(), settings({"relu": 0.1, "rleu": 1.0})), "rate names rleu"),
    (lambda: trained(data(inputs=4)), "4 inputs, the family 3"),
    (
        lambda: trained(data("cross-entropy"), LOGISTIC).errors("relu", 1, deep.ExampleSet(ones(2, 5), ones(2, 1))),
        "5 inputs, the family 3",
    ),
    (lambda: labelled("half-mse", torch.zeros(3)), "have the shape"),
    (lambda: labelled("softmax-cross-entropy", torch.zeros(3, 2)), "have the shape"),
    (lambda: labelled("softmax-cross-entropy", torch.zeros(3)), "classes 0, ..., 1 of type int64"),
    (lambda: labelled("softmax-cross-entropy", torch.tensor([0, 1, 2])), "classes 0, ..., 1 of type int64"),
    (lambda: labelled("cross-entropy", torch.tensor([[0.0, 1.0]] * 3)), "labels are 1 and -1"),
    (lambda: labelled("hinge", torch.zeros(3, 2)), "hinge"),
    (lambda: validated(measure="accuracy"), "accuracy"),
    (lambda: validated(every=0), "every"),
    (lambda: validated(patience=0), "patience"),
    (lambda: validated(data=held_out(2)), "have the shape"),
    (lambda: validated(data=data(inputs=4)), "have 4 inputs, the family 3"),
    (lambda: validated(data=data(), measure="error"), "no classes"),
    (lambda: validated(("relu", "frg")), "frg: its gates are defined on the training examples"),
    (lambda: deep.Circle(1, 1, 2), "size = 1"),
    (lambda: deep.Circle(8, 3, 3), "low is below high"),
    (lambda: deep.Circle(8, 0, 3), "low = 0"),
    (lambda: deep.Circle(8, 1, 2.5), "high = 2.5"),
]


@pytest.mark.parametrize("table", [MEMBERS, LAYERS, SETTINGS], ids=["members", "layers", "settings"])
def test_what_does_not_fit_is_refused(table):
    for make, words in table:
        with pytest.raises(InputError, match=words):
            make()


def test_convolutions_of_problem_files_are_not_trained_in_families():
    with pytest.raises(OutOfReachError, match='"circular-convolution" is not trained'):
        deep.Member("m", DeepNetwork((2,), OwnGates(HardResponse("closed")), CircularConvolution(2)))
