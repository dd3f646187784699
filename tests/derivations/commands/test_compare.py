"""`gdln compare` as it is typed: networks beside the theory of the same problem, and beside that of another."""

from types import SimpleNamespace

import numpy as np
import pytest

from derivations.answers import compare, relu_compare
from derivations.output import BAD_INPUT, OUT_OF_REACH, PASS
from tests.derivations.answers.problems import DEEP, LINE, changed
from tests.tolerances import SIM_SHAPE, STANDARD_ERRORS
from theory.flow import discrete
from theory.problem import load, loads

MANY = ("replicates = 7", "replicates = 16")


def test_networks_through_other_thresholds_follow_their_law(gdln, written):
    slabs = ("lo = 0.0", "lo = -0.25\nhi = 1.5"), ("site = 3\nhi = 0.0", "site = 2\nhi = -0.5")
    file = written(LINE, MANY, ('"nlgp"', '"gaussian-clone"'), *slabs)
    code, answer = gdln("compare", file, "--device", "cpu")
    weights = np.array(answer["theory"]["weights"])
    assert code == PASS
    assert (weights == discrete(load(file)).weights).all()
    error = STANDARD_ERRORS * np.array(answer["networks"]["weights_standard_error"])
    assert (np.abs(weights - answer["networks"]["weights"]) < error).all()
    assert (np.abs(weights[-1]) > error[-1]).any()
    low, middle, high = (np.array(answer["distance"][key]) for key in ("low", "distance", "high"))
    assert ((low <= middle) & (middle <= high)).all()


def test_a_wrong_prediction_is_far(gdln, written, monkeypatch):
    """Networks of other labels than those predicted: the whole band of the distance lies above zero."""
    view = compare.field_view
    other = loads(LINE.replace("[1.0, 0.0]", "[0.0, 1.0]"))
    monkeypatch.setattr(compare, "field_view", lambda problem: view(other))
    answer = gdln("compare", written(LINE, MANY), "--device", "cpu")[1]
    assert min(answer["distance"]["low"]) > 0


def test_what_has_no_prediction_is_refused_before_training(gdln, written, monkeypatch):
    monkeypatch.setattr("derivations.answers.simulate.train", None)
    assert gdln("compare", written(LINE, ("[0.5, 2.0]", "[0.3, 2.0]")), "--device", "cpu")[0] == BAD_INPUT


RELU = LINE[LINE.index("[[network.gates]]") : LINE.index("[training]")], "units = 2\n"
UNITS = ('"gated-linear"', '"relu"'), RELU
STARTS = ("seed = 1", 'seed = 1\ninitialisation = "per-replicate"')


def test_two_files_and_the_word_train_the_same_networks(gdln, written, tmp_path):
    gated = written(LINE)
    (tmp_path / "relu.toml").write_text(changed(LINE, *UNITS, STARTS))
    code, answer = gdln("compare", gated, "--beside", "relu", "--device", "cpu", "--plot", tmp_path / "both.svg")
    assert code == PASS
    assert gdln("compare", gated, tmp_path / "relu.toml", "--device", "cpu") == (code, answer)
    alone = gdln("simulate", tmp_path / "relu.toml", "--device", "cpu")[1]
    assert answer["networks"] == {name: value for name, value in alone.items() if name not in ("schema", "version")}
    assert (answer["theory"]["weights"] == discrete(loads(LINE)).weights).all()


@pytest.mark.parametrize(("boundary", "gate"), [("open", "latent"), ("ring", "input")])
def test_units_that_are_the_gate_at_another_site_overlap_wholly(boundary, gate):
    """e_j and -e_j open where x_j >= 0 and x_j <= 0: the site gate moved to j, reflected for the other sign."""
    text = changed(LINE, ('boundary = "open"', f'boundary = "{boundary}"'), ("xi = [2.0, 1.0]", "xi = [0.5, 0.4]"))
    problem = loads(text.replace("site = 3\n", f'site = 3\non = "{gate}"\n'))
    view = compare.FieldView(problem, None, np.array([[np.eye(6)[3], -np.eye(6)[3]]]), None, None)
    w = np.stack([np.eye(6)[[j, (j + 2) % 6]] * [[1], [-1]] for j in range(6)])[:, None]
    run = SimpleNamespace(biases=None)
    trained = SimpleNamespace(problem=problem, self_gated_weights=w, run=run)
    cosine, nearest = relu_compare._matched(view, w)
    assert (cosine == 1).all()
    for unit in (0, 1):  # whose aligned fields are the same
        overlap, chance = relu_compare._overlaps(view, trained, np.full_like(nearest, unit), 2000)
        assert (np.abs(overlap - 1) < SIM_SHAPE).all()
        assert (np.abs(chance - 0.5) < STANDARD_ERRORS * 0.5 / np.sqrt(2000)).all()
    away = 2 * np.eye(6)[:, None, None] + np.eye(6)[[2, 0, 1, 1, 3, 4]][:, None, None]  # half of another site
    partly, _ = relu_compare._overlaps(
        view, SimpleNamespace(problem=problem, self_gated_weights=away, run=run), nearest[..., :1], 2000
    )
    error = STANDARD_ERRORS * 0.5 / np.sqrt(2000)  # 1 - atan(1/2)/pi for normal sites, 7/8 for uniform ones
    assert ((partly > 1 - np.arctan(1 / 2) / np.pi - error) & (partly < 7 / 8 + error)).all()


@pytest.mark.parametrize(
    ("code", "change", "second"),
    [
        (BAD_INPUT, UNITS, None),
        (BAD_INPUT, [("[0.5, 2.0]", "[0.5, 3.0]")], UNITS),
        (BAD_INPUT, [("n = 6", "n = 7")], UNITS),
        (BAD_INPUT, [], [('"gated-linear"', '"erf"'), RELU]),
        (BAD_INPUT, [], [*UNITS, (LINE[LINE.index("[simulation]") :], "")]),
        (BAD_INPUT, [(LINE[LINE.index("[simulation]") :], "")], UNITS),
        (BAD_INPUT, [STARTS], None),
        (OUT_OF_REACH, [("labels = [1.0, 0.0]", "labels = [[1.0, 0.5], [0.0, 2.0]]")], None),
        (OUT_OF_REACH, [(LINE, DEEP)], None),
        (OUT_OF_REACH, [], [(LINE, DEEP)]),
    ],
)
def test_files_that_do_not_fit_together_are_refused_before_training(
    code, change, second, gdln, written, tmp_path, monkeypatch
):
    monkeypatch.setattr("derivations.answers.simulate.train", None)
    (tmp_path / "second.toml").write_text(changed(LINE, *(second or ())))
    other = ["--beside", "relu"] if second is None else [tmp_path / "second.toml"]
    exit_code, answer = gdln("compare", written(LINE, *change), *other, "--device", "cpu")
    assert exit_code == code
    assert answer["error"]["hint"]
    assert gdln("compare", written(LINE), tmp_path / "second.toml", "--beside", "relu")[0] == BAD_INPUT
    assert gdln("compare", written(LINE), "--beside", "tanh")[0] == BAD_INPUT


def test_different_laws_are_named_first(refusal, written, tmp_path):
    law = LINE[LINE.index("law = ") : LINE.index("[network]")]
    finite = 'law = "finite"\nx = [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]\ny = [1, 0]\n'
    (tmp_path / "second.toml").write_text(changed(LINE, *UNITS, (law, finite)))
    assert (
        "data.law is 'nlgp' in the first file and 'finite' in the second"
        in refusal("compare", written(LINE), tmp_path / "second.toml")[1]
    )
