"""Cells in a store: they are made once, resume, travel, and belong to one definition."""

from dataclasses import replace

import numpy as np
import pytest

from derivations.reproductions.model import Design, Reproduction, Target, pooled
from derivations.reproductions.running import run, seed_of
from theory.problem import InputError

MADE = []


def cell(setting, seed):
    """Two numbers of each run, from the setting and the seed alone."""
    MADE.append((setting["depth"], seed))
    return {"number": np.random.default_rng(seed).normal(setting["depth"], 1, 3)}


COINS = Reproduction(
    name="coins",
    title="Numbers around the depth",
    source="deep-gated-networks",
    place="Figure 0",
    setup="",
    unsaid=(("the law", "normal"),),
    rule="The mean is the depth.",
    targets=(Target("number", "2", 2.0, margin=10.0),),
    designs={
        "quick": Design("", ({"depth": 2},), 2, 1),
        "full": Design("", ({"depth": 2}, {"depth": 4}), 3, 1),
    },
    numbers=("number",),
    cell=cell,
    measure=lambda cells: {"number": pooled(cells, "number", depth=2)},
)


@pytest.fixture(autouse=True)
def forgotten():
    MADE.clear()


def test_an_interrupted_run_resumes_and_its_cells_are_read_again(tmp_path):
    def interrupted(setting, seed):
        if len(MADE) == 4:
            raise KeyboardInterrupt
        return cell(setting, seed)

    with pytest.raises(KeyboardInterrupt):
        run(replace(COINS, cell=interrupted), "full", tmp_path / "store")
    first = run(COINS, "full", tmp_path / "store")
    assert (first.made, len(first.finished), len(MADE)) == (2, 6, 6)
    again = run(COINS, "full", tmp_path / "store")
    assert (again.made, len(MADE)) == (0, 6)
    for one, other in zip(first.finished, again.finished, strict=True):
        assert (one.setting, one.index) == (other.setting, other.index)
        assert one.numbers["number"].tobytes() == other.numbers["number"].tobytes()


def test_a_store_of_another_definition_is_refused(tmp_path):
    run(COINS, "full", tmp_path / "store")
    other = replace(COINS, targets=(replace(COINS.targets[0], margin=9.0),))
    with pytest.raises(InputError, match="from the definition"):
        run(other, "full", tmp_path / "store")


def test_words_are_no_part_of_the_definition():
    explained = replace(COINS, rule="In other words.", targets=(replace(COINS.targets[0], explains="Too few runs."),))
    assert explained.definition("full") == COINS.definition("full")
    wider = replace(COINS, targets=(replace(COINS.targets[0], margin=11.0),))
    assert wider.definition("full") != COINS.definition("full")
    more = replace(COINS, designs={**COINS.designs, "full": replace(COINS.designs["full"], seeds=4)})
    assert more.definition("full") != COINS.definition("full")
    assert more.definition("quick") == COINS.definition("quick")


def test_seeds_are_hashes_of_the_experiment_and_the_number():
    seeds = {seed_of(COINS, index) for index in range(50)} | {seed_of(replace(COINS, name="dice"), 0)}
    assert len(seeds) == 51
