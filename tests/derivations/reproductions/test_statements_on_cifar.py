"""The statements that the experiments on CIFAR judge: their values from cells made by hand, and the verdicts."""

import numpy as np
import pytest

from derivations.reproductions.catalog import reproductions
from derivations.reproductions.model import Cell
from derivations.reproductions.rules import NOT_REPRODUCED, ORDER, REPRODUCED, judged
from tests.oracles.printed import PRINTED

STAGES = {f"flnpf-{stage}": 72 + 1.5 * (stage - 1) for stage in range(1, 7)}  # from 72 % to 79.5 %


def cells_of(name, numbers_of, spread=0.0):
    """Two cells of each setting of the full design, in which each number of `numbers_of(setting)` is spread evenly."""
    one = reproductions()[name]
    return [
        Cell(setting, index, {key: np.array([value + sign * spread]) for key, value in numbers_of(setting).items()})
        for setting in one.designs["full"].settings
        for index, sign in ((0, -1), (1, 1))
    ]


def means(name, numbers_of):
    """The mean of each measured key."""
    return {key: values.mean() for key, values in reproductions()[name].measure(cells_of(name, numbers_of)).items()}


def verdicts(name, numbers_of):
    """The verdict on each target, from runs that hardly differ."""
    one = reproductions()[name]
    rows = judged(one.targets, one.measure(cells_of(name, numbers_of, spread=2.0**-20)))
    return {row.target.key: row.verdict for row in rows}


def copied(name):
    """The numbers of an experiment that its source prints, by the key of their target."""
    return {one.key: float(one.value) for one in PRINTED if one.experiment == name}


def of_the_path_table(setting):
    printed, where = copied("npk-table-2-cifar"), f"{setting['network']}, {setting['optimiser']}"
    behind = 0 if setting["rate"] in (3e-4, 0.01) else 5  # the rates of SGD that are not the best
    return {name: printed[f"{name}, {where}"] - behind for name in reproductions()["npk-table-2-cifar"].numbers}


def of_the_stages(_setting):
    return STAGES | {key.removeprefix("test, "): value for key, value in copied("npk-fig-3-stages").items()}


def of_the_linear_gates(_setting):
    return {" ".join(reversed(key.split(", "))): value for key, value in copied("dlgn-table-1").items()}


def of_the_residual_networks(setting):
    printed, where = copied("dlgn-table-2"), f"{setting['network']}, {setting['dataset']}"
    return {f"{name} {part}": printed[f"{part}, {name}, {where}"] for name in ("relu", "dlgn") for part in PARTS}


def of_soft_relu(setting):
    network = f"beta = {setting['beta']}, epsilon = {setting['epsilon']}" if setting["beta"] else setting["kind"]
    return {f"{part} accuracy": copied("dgn-table-4")[f"{part}, {network}"] for part in PARTS}


PARTS = ("training", "test")
AS_PRINTED = {
    "npk-table-2-cifar": of_the_path_table,
    "npk-fig-3-stages": of_the_stages,
    "dlgn-table-1": of_the_linear_gates,
    "dlgn-table-2": of_the_residual_networks,
    "dgn-table-4": of_soft_relu,
    "dgn-experiment-6": lambda _setting: {"accuracy": copied("dgn-experiment-6")["test"]},
}


@pytest.mark.parametrize("name", AS_PRINTED)
def test_the_printed_numbers_meet_every_statement(name):
    """Runs with the source's own numbers give the source's own sentences: no sign and no threshold speaks against."""
    assert set(verdicts(name, AS_PRINTED[name]).values()) <= {REPRODUCED, ORDER}


def test_random_features_beside_each_other_the_tangent_kernel_and_what_is_learned():
    numbers = {"frnpf-own": 60.0, "frnpf-same": 62.0, "dnpfl": 70.0, "flnpf": 75.0, "relu": 79.0}
    found = means("npk-table-2-cifar", lambda _setting: numbers)
    for optimiser in ("adam", "sgd"):
        assert found[f"close, vconv, {optimiser}"] == found[f"close, gconv, {optimiser}"] == -2
        assert found[f"about 67, gconv, {optimiser}"] == 61
        assert found[f"below CNTK, frnpf-own, gconv, {optimiser}"] == 77.43 - 60
        assert found[f"below CNTK, frnpf-same, gconv, {optimiser}"] == 77.43 - 62
    assert found["above CNTK, relu, gconv, adam"] == 79 - 77.43
    assert found["almost as good, gconv, adam"] == 4
    refused = {key for key, one in verdicts("npk-table-2-cifar", lambda _setting: numbers).items() if "CNTK" in key}
    assert len(refused) == 5
    worse = verdicts("npk-table-2-cifar", lambda _setting: dict.fromkeys(numbers, 78.0) | {"relu": 76.0})
    assert {worse[key] for key in refused} == {NOT_REPRODUCED}


@pytest.mark.parametrize(
    ("key", "within"),
    [("close, vconv, sgd", 1.0), ("about 67, gconv, sgd", 1.0), ("almost as good, gconv, adam", 1.5)],
)
def test_nearness_of_the_path_table_ends_where_the_rule_says(key, within):
    def verdict(beyond):
        distance = within + beyond
        random = {"frnpf-own": 67.0 + distance, "frnpf-same": 67.0 + (distance if "67" in key else 0)}
        learned = {"dnpfl": 79.0, "flnpf": 79.0, "relu": 79.0 + distance}
        return verdicts("npk-table-2-cifar", lambda _setting: random | learned)[key]

    assert (verdict(-0.25), verdict(0.25)) == (REPRODUCED, NOT_REPRODUCED)


def test_stages_beside_relu_the_tangent_kernel_and_random_features():
    numbers = STAGES | {"flnpf-6": 79.0, "relu": 82.0, "frnpf-same": 68.0}
    found = means("npk-fig-3-stages", lambda _setting: numbers)
    assert found["as well as ReLU, flnpf-6"] == 3
    assert found["gain, stage 1"] == 4
    assert found["below CNTK, flnpf-1"] == 77.43 - 72
    assert found["above CNTK, flnpf-6"] == 79 - 77.43
    for relu, expected in ((80.25, REPRODUCED), (77.75, REPRODUCED), (80.75, NOT_REPRODUCED), (77.25, NOT_REPRODUCED)):
        near = verdicts("npk-fig-3-stages", lambda _setting, relu=relu: numbers | {"relu": relu})
        assert near["as well as ReLU, flnpf-6"] == expected


def test_linear_gates_beside_each_other_and_deep_linear_networks():
    test = {"relu": 70.0, "dlgn": 74.0, "dlgn-pwc": 69.0, "dln": 66.0}
    numbers = {f"{name} test": value for name, value in test.items()} | {f"{name} training": 90.0 for name in test}
    found = means("dlgn-table-1", lambda _setting: numbers)
    assert [found[f"ahead of dln, {name}"] for name in ("relu", "dlgn", "dlgn-pwc")] == [4, 8, 3]
    assert [found[f"wide margin, {name}"] for name in ("relu", "dlgn", "dlgn-pwc")] == [-1, 3, -2]
    assert [found[f"similar, {name}"] for name in ("dlgn", "dlgn-pwc")] == [-4, 1]
    assert found["indistinguishable"] == 5
    judged_ = verdicts("dlgn-table-1", lambda _setting: numbers)
    assert (judged_["wide margin, relu"], judged_["wide margin, dlgn"]) == (NOT_REPRODUCED, ORDER)
    assert (judged_["similar, dlgn"], judged_["similar, dlgn-pwc"]) == (NOT_REPRODUCED, REPRODUCED)
    for pwc, expected in ((72.25, REPRODUCED), (71.75, NOT_REPRODUCED)):
        near = verdicts("dlgn-table-1", lambda _setting, pwc=pwc: numbers | {"dlgn-pwc test": pwc})
        assert near["indistinguishable"] == expected


def test_residual_networks_with_linear_gates_are_slightly_worse():
    """The mean over both networks and both sets decides, not one of them."""

    def numbers(behind):
        def of(setting):
            own = behind + (4 if setting["network"] == "resnet-34" else -4) + (setting["dataset"] == "cifar-10") * 2
            return {"relu training": 100.0, "dlgn training": 100.0, "relu test": 80.0, "dlgn test": 80.0 - own}

        return of

    for behind, expected in ((11, (ORDER, NOT_REPRODUCED)), (5, (ORDER, ORDER)), (-3, (NOT_REPRODUCED, ORDER))):
        found = means("dlgn-table-2", numbers(behind))
        assert (found["ReLU ahead"], found["ReLU slightly ahead"]) == (behind + 1, 9 - behind)
        judged_ = verdicts("dlgn-table-2", numbers(behind))
        assert (judged_["ReLU ahead"], judged_["ReLU slightly ahead"]) == expected


def test_soft_relu_with_moderately_steep_gates_is_comparable_to_relu():
    test = {16: 68.0, 20: 70.0, 24: 73.75}

    def numbers(setting):
        soft = setting["epsilon"] == "0.1" and setting["beta"] in test
        return {"training accuracy": 99.0, "test accuracy": test[setting["beta"]] if soft else 71.0}

    keys = [f"comparable to relu, beta = {beta}, epsilon = 0.1" for beta in test]
    assert [means("dgn-table-4", numbers)[key] for key in keys] == [3, 1, -2.75]
    assert [verdicts("dgn-table-4", numbers)[key] for key in keys] == [NOT_REPRODUCED, REPRODUCED, NOT_REPRODUCED]
