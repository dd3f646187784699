"""`gdln new` as it is typed: files that load, solve and train, and never replace another."""

import json

import pytest

from derivations.answers.new import LAWS, answer
from derivations.cli import main
from derivations.output import BAD_INPUT, PASS
from sim.train import train
from theory.flow import solve
from theory.problem import LAWS as KNOWN
from theory.problem import load


@pytest.mark.parametrize("law", LAWS)
def test_a_new_file_solves_and_trains_as_it_is(law, tmp_path, capsys):
    file = tmp_path / "mine.toml"
    assert main(["new", str(tmp_path / "mine"), "--law", law]) == PASS
    assert str(file) in capsys.readouterr().out
    problem = load(file)
    assert KNOWN[law] is type(problem.data)
    solution = solve(problem)
    assert solution.losses[-1] < solution.losses[0]
    (few := file.with_name("few.toml")).write_text(file.read_text().replace("replicates = 16", "replicates = 2"))
    assert not train(load(few), "cpu", backend="reference").diverged.any()


def test_every_law_of_a_file_has_a_start():
    """A law of the user's own data begins with these data."""
    assert set(LAWS) == set(KNOWN) - {"own"}


def test_lines_fit():
    for law in LAWS:
        assert max(map(len, answer("a", law).toml.splitlines())) <= 120, law
    assert max(map(len, answer("a", network="deep").toml.splitlines())) <= 120


def test_a_new_deep_network_has_paths(tmp_path, capsys):
    assert main(["new", str(tmp_path / "mine"), "--network", "deep"]) == PASS
    assert f"Try: gdln paths {tmp_path / 'mine.toml'}" in capsys.readouterr().out
    assert main(["paths", str(tmp_path / "mine.toml"), "--json"]) == PASS
    said = json.loads(capsys.readouterr().out)
    assert (said["nodes"], said["paths"], len(said["inputs"])) == ([2, 2, 2, 1], "8", 3)


def test_deep_networks_are_made_on_listed_examples(tmp_path, capsys):
    for words in (["--law", "nlgp"], ["--law", "table"]):
        assert main(["new", str(tmp_path / "mine"), "--network", "deep", *words]) == BAD_INPUT
        assert "listed examples" in capsys.readouterr().err
    assert main(["new", str(tmp_path / "mine"), "--network", "deeper"]) == BAD_INPUT
    assert "Did you mean `deep`?" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path, capsys):
    file = tmp_path / "mine.toml"
    file.write_text("kept")
    for name in (file, tmp_path / "mine"):
        assert main(["new", str(name), "--json"]) == BAD_INPUT
        assert json.loads(capsys.readouterr().out)["error"]["kind"] == "file"
    (tmp_path / "link.toml").symlink_to(tmp_path / "nowhere.toml")
    assert main(["new", str(tmp_path / "link")]) == BAD_INPUT
    assert file.read_text() == "kept"
    assert not (tmp_path / "nowhere.toml").exists()


def test_json_has_the_text(tmp_path, capsys):
    assert main(["new", str(tmp_path / "mine"), "--json"]) == PASS
    said = json.loads(capsys.readouterr().out)
    assert (said["schema"], said["law"]) == ("gdln.new/1", "nlgp")
    assert (tmp_path / "mine.toml").read_text() == said["toml"]


@pytest.mark.parametrize("words", [["a", "--law", "normal"], ["nowhere/a"], ["."]])
def test_what_cannot_be_written_is_bad_input(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", *words]) == BAD_INPUT
    said = " ".join(capsys.readouterr().err.split())
    assert "Traceback" not in said
    assert ("write a problem file by hand" in said) == ("--law" in words)
    assert list(tmp_path.iterdir()) == []
