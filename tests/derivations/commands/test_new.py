"""`gdln new` as it is typed: files that load, solve and train, and never replace another."""

import pytest

from derivations.answers.new import LAWS
from derivations.output import BAD_INPUT, PASS
from sim.train import train
from theory.flow import solve
from theory.problem import LAWS as KNOWN
from theory.problem import load


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_a_new_file_is_shown_solves_and_trains_as_it_is(law, tmp_path, gdln):
    file = tmp_path / "mine.toml"
    assert gdln("new", tmp_path / "mine", "--law", law)[0] == PASS
    problem = load(file)
    assert KNOWN[law] is type(problem.data)
    solution = solve(problem)
    assert solution.losses[-1] < solution.losses[0]
    (few := file.with_name("few.toml")).write_text(file.read_text().replace("replicates = 16", "replicates = 2"))
    assert not train(load(few), "cpu", backend="reference").diverged.any()
    code, shown = gdln("data", "show", file)
    assert (code, len(shown["classes"])) == (PASS, len(shown["probabilities"]))
    for one in shown["classes"]:
        assert one["covariance_by_lag"][0] == one["variance"][shown["site"]]
        assert len(one["covariance"]) == len(one["mean"]) == shown["n"]


def test_every_law_of_a_file_has_a_start(tmp_path, gdln):
    """A law of the user's own data begins with these data."""
    assert set(LAWS) == set(KNOWN)
    for law in LAWS:
        assert gdln("new", tmp_path / law, "--law", law)[0] == PASS
        assert load(tmp_path / f"{law}.toml").data.law == law


def test_a_new_graph_has_a_proved_flow_a_solution_and_networks(tmp_path, gdln):
    assert gdln("new", tmp_path / "mine", "--network", "graph")[0] == PASS
    assert gdln("flow", tmp_path / "mine.toml")[0] == PASS
    code, solution = gdln("solve", tmp_path / "mine.toml")
    assert code == PASS
    trained = gdln("simulate", tmp_path / "mine.toml", "--device", "cpu")[1]["loss"]
    assert trained[-1] < trained[0]
    assert solution["losses"][-1] < solution["losses"][0]


def test_a_new_deep_network_has_paths(tmp_path, gdln):
    assert gdln("new", tmp_path / "mine", "--network", "deep")[0] == PASS
    assert gdln("paths", tmp_path / "mine.toml")[1]["paths"] == "8"


def test_nothing_is_overwritten(tmp_path, gdln):
    (tmp_path / "mine.toml").write_text("kept")
    (tmp_path / "link.toml").symlink_to(tmp_path / "nowhere.toml")
    for name in ("mine.toml", "mine", "link"):
        code, answer = gdln("new", tmp_path / name)
        assert (code, answer["error"]["kind"]) == (BAD_INPUT, "file")
    assert (tmp_path / "mine.toml").read_text() == "kept"
    (tmp_path / "yours.py").write_text("kept")
    code, answer = gdln("new", tmp_path / "yours", "--law", "own")
    assert (code, answer["error"]["message"]) == (BAD_INPUT, f"{tmp_path / 'yours.py'} exists; it would be lost.")
    assert not (tmp_path / "yours.toml").exists()
    assert not (tmp_path / "nowhere.toml").exists()
