"""The experiment of replayed gates in small, what it has stored, and how pages show it."""

import json
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from derivations import cli, compose, measured
from derivations.experiments import replayed_gates
from derivations.output import PASS
from sim.record import record, replay
from sim.train import train
from theory.claims import catalog
from theory.problem import InputError, dumps

NAMES = ["of the start", "of the end", "in 2 pieces", "in 4 pieces", "in 8 pieces"]


@pytest.fixture(scope="module")
def small():
    """The experiment on twelve sites: 40 steps of small batches, five networks."""
    question = replayed_gates.problem()
    training = replace(question.training, times=tuple(Fraction(10 * i) for i in range(9)))
    simulation = replace(question.simulation, replicates=5, samples=300, batch=20)
    question = replace(
        question,
        data=replace(question.data, n=12, xi=(Fraction(1), Fraction(1, 2))),
        network=replace(question.network, units=3),
        training=training,
        simulation=simulation,
    )
    return question, replayed_gates.run(question)


def test_what_the_experiment_gives(small):
    question, found = small
    data = found["data"]
    assert list(data["weight_distance"]) == NAMES
    assert data["times"] == [10.0 * i for i in range(9)]
    assert np.shape(data["flips"]["mean"]) == (9, 9)
    for name in NAMES:
        band = data["weight_distance"][name]
        assert band["distance"][0] == band["high"][0] == 0  # the same start
        for part in ("weight_distance", "loss_distance", "participation_ratio_distance"):
            low, middle, high = (np.array(data[part][name][key]) for key in ("low", "distance", "high"))
            assert (low <= middle).all()
            assert (middle <= high).all()
    assert json.loads(json.dumps(found, allow_nan=False))["problem"] == dumps(question)
    for table in found["tables"].values():
        assert {len(row) for row in table["rows"]} == {len(table["columns"])}


def test_replays_share_their_first_piece(small):
    """Up to the second record every replay from the start is the same network."""
    _, found = small
    distance = {name: found["data"]["weight_distance"][name]["distance"] for name in NAMES}
    assert distance["of the start"][1] == distance["in 2 pieces"][1] == distance["in 8 pieces"][1]
    assert distance["of the start"][4] == distance["in 2 pieces"][4] != distance["in 4 pieces"][4]


def test_distances_by_hand(small):
    question, found = small
    network = train(question, "cpu")
    again = replay(question, record(network).at(80), device="cpu")
    apart = np.linalg.norm(again.weights - network.weights, axis=(2, 3)) / np.linalg.norm(network.weights, axis=(2, 3))
    stored = found["data"]["weight_distance"]["of the end"]["distance"]
    assert [f"{value:.6g}" for value in apart.mean(axis=0)] == [f"{value:.6g}" for value in stored]


def test_the_stored_measurements_are_of_the_registered_problem():
    """A problem that has changed since makes them stale: run python -m derivations.experiments.replayed_gates."""
    stored = measured.read(replayed_gates.NAME)
    question = replayed_gates.problem()
    assert stored["problem"] == dumps(question)
    assert (stored["replicates"], stored["seed"]) == (question.simulation.replicates, question.simulation.seed)
    assert (stored["level"], stored["margin"]) == (replayed_gates.LEVEL, replayed_gates.MARGIN)


def test_the_figure_is_drawn_from_what_is_stored(tmp_path, monkeypatch):
    monkeypatch.setattr(measured, "FIGURES", tmp_path)
    replayed_gates.draw(measured.read(replayed_gates.NAME))
    text = (tmp_path / f"{replayed_gates.NAME}.svg").read_text(encoding="utf-8")
    assert "<svg" in text
    first = (tmp_path / f"{replayed_gates.NAME}.svg").read_bytes()
    replayed_gates.draw(measured.read(replayed_gates.NAME))
    assert (tmp_path / f"{replayed_gates.NAME}.svg").read_bytes() == first


def test_pages_show_tables_and_figures():
    page = "# P\n\n{measured replayed-gates distances}\n\n{figure replayed-gates}\n"
    text = compose.Book(catalog(), {"page": page}).render("page")
    assert "| of the start |" in text
    assert "](figures/replayed-gates.svg)" in text


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{measured replayed-gates}", "names no table"),
        ("{measured replayed-gates none}", "have no table 'none'"),
        ("{measured nothing flips}", "Nothing measured is called 'nothing'"),
        ("{figure nothing}", "Nothing measured is called 'nothing'"),
    ],
)
def test_what_is_not_stored_is_an_error(line, said):
    with pytest.raises(InputError, match=re.escape(said)):
        compose.Book(catalog(), {"page": f"# P\n\n{line}\n"}).render("page")


@pytest.mark.parametrize("kind", ["md", "html"])
def test_a_page_takes_its_figure_along(kind, tmp_path):
    assert cli.main(["derive", "replayed-gates", "--format", kind, "--out", str(tmp_path)]) == PASS
    text = (tmp_path / f"replayed-gates.{kind}").read_text(encoding="utf-8")
    if kind == "html":
        assert "data:image/svg+xml;base64," in text
    else:
        assert (tmp_path / "figures" / "replayed-gates.svg").read_bytes() == (
            compose.BOOK / "figures" / "replayed-gates.svg"
        ).read_bytes()
