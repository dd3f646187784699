"""Cells in a store: they are made once, resume, travel, and belong to one definition."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from derivations.reproductions import running
from derivations.reproductions.model import Design, Reproduction, Target, pooled
from derivations.reproductions.running import code_of, device_for, question, run, seed_of
from derivations.reproductions.stored import place, result
from derivations.sweeps import owners
from derivations.sweeps.disk import Disk
from derivations.sweeps.leases import claim, release
from derivations.sweeps.owners import PATIENCE, Watch, new_token
from derivations.sweeps.store import Store
from theory.problem import InputError, OutOfReachError

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


def test_cells_are_made_once_and_read_again(tmp_path):
    first = run(COINS, "full", tmp_path / "store")
    assert (first.made, len(first.finished), len(MADE)) == (6, 6, 6)
    again = run(COINS, "full", tmp_path / "store")
    assert (again.made, len(MADE)) == (0, 6)
    for one, other in zip(first.finished, again.finished, strict=True):
        assert (one.setting, one.index) == (other.setting, other.index)
        assert one.numbers["number"].tobytes() == other.numbers["number"].tobytes()


def test_an_interrupted_run_resumes(tmp_path):
    def interrupted(setting, seed):
        if len(MADE) == 4:
            raise KeyboardInterrupt
        return cell(setting, seed)

    with pytest.raises(KeyboardInterrupt):
        run(replace(COINS, cell=interrupted), "full", tmp_path / "store")
    assert run(COINS, "full", tmp_path / "store").made == 2


def test_profiles_do_not_share_cells(tmp_path):
    run(COINS, "quick", tmp_path / "store")
    assert run(COINS, "full", tmp_path / "store").made == 6


def test_a_store_of_another_definition_is_refused(tmp_path):
    run(COINS, "full", tmp_path / "store")
    other = replace(COINS, targets=(replace(COINS.targets[0], margin=9.0),))
    with pytest.raises(InputError, match="from the definition") as refused:
        run(other, "full", tmp_path / "store")
    assert "--store" in refused.value.hint
    assert run(other, "full", tmp_path / "other").made == 6


def test_words_are_no_part_of_the_definition():
    explained = replace(COINS, rule="In other words.", targets=(replace(COINS.targets[0], explains="Too few runs."),))
    assert explained.definition("full") == COINS.definition("full")
    wider = replace(COINS, targets=(replace(COINS.targets[0], margin=11.0),))
    assert wider.definition("full") != COINS.definition("full")
    more = replace(COINS, designs={**COINS.designs, "full": replace(COINS.designs["full"], seeds=4)})
    assert more.definition("full") != COINS.definition("full")
    assert more.definition("quick") == COINS.definition("quick")


def test_cells_of_another_version_stay_and_are_mentioned(tmp_path, monkeypatch):
    run(COINS, "full", tmp_path / "store")
    monkeypatch.setattr(running, "code_of", lambda *given: f"{code_of(*given)}+changed")
    again = run(COINS, "full", tmp_path / "store")
    assert again.made == 6
    assert "6 cells of coins were made by another version" in again.remarks[0]


def on_a_device(setting, seed, device="cpu"):
    """Numbers that depend on the device, as rounding does."""
    return {"number": cell(setting, seed)["number"] + (device == "cuda")}


@pytest.fixture
def graphics(monkeypatch):
    """A GPU, as far as the store and the experiments ask for one."""
    monkeypatch.setattr("sim.training.devices._DRIVERS", ("/",))
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "a card")


def test_a_cell_made_on_another_device_is_another_cell(tmp_path, graphics):
    one, store = replace(COINS, cell=on_a_device), tmp_path / "store"
    here, there = (run(one, "full", store, device=device) for device in ("cpu", "cuda"))
    assert (here.made, there.made) == (6, 6)
    assert "6 cells of coins were made by another version of the code or on another device" in there.remarks[0]
    for device, ran in (("cpu", here), ("cuda", there)):
        again = run(one, "full", store, device=device)
        assert again.made == 0
        meta = Store(store).read(question(one, "full", {"depth": 4}, 2).cell(ran.code))[0]
        assert (meta["device"], ran.device, result(one, "full", again)["device"]) == (device,) * 3
        assert result(one, "full", again)["rows"][0]["mean"] == result(one, "full", ran)["rows"][0]["mean"]
    for a, b in zip(here.finished, there.finished, strict=True):
        assert (a.numbers["number"] + 1 == b.numbers["number"]).all()
    assert Store(store).read(question(one, "full", {"depth": 4}, 2).cell(there.code))[0]["versions"]["gpu"] == "a card"
    assert (place(result(one, "full", here)), place(result(one, "full", there))) == ("on one thread", "on a GPU")


def test_a_gpu_without_enough_memory_is_named(tmp_path, graphics):
    def large(_setting, _seed, device="cpu"):
        raise torch.OutOfMemoryError(f"{device} out of memory")

    with pytest.raises(OutOfReachError, match="coins: the GPU has not enough free memory") as refused:
        run(replace(COINS, cell=large), "full", tmp_path / "store", device="cuda")
    assert refused.value.kind == "memory"


def test_the_device_is_one_that_is_there_and_that_the_cells_take(graphics, monkeypatch):
    able = replace(COINS, cell=on_a_device)
    assert [device_for(able, name) for name in ("auto", "cuda", "cpu")] == ["cuda", "cuda", "cpu"]
    assert [device_for(COINS, name) for name in ("auto", "cpu")] == ["cpu", "cpu"]
    with pytest.raises(OutOfReachError, match="coins is computed on the processor alone") as refused:
        device_for(COINS, "cuda")
    assert refused.value.kind == "device"
    with pytest.raises(InputError, match="'gpu' is not known"):
        device_for(able, "gpu")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert device_for(able, "auto") == "cpu"
    with pytest.raises(OutOfReachError, match="no CUDA device"):
        device_for(able, "cuda")


def test_a_damaged_cell_is_set_aside_and_made_again(tmp_path):
    first = run(COINS, "full", tmp_path / "store")
    place = tmp_path / "store" / "cells" / question(COINS, "full", {"depth": 4}, 1).cell(first.code)
    (place / "data.npz").write_bytes(b"nothing")
    again = run(COINS, "full", tmp_path / "store")
    assert again.made == 1
    assert "set aside" in again.remarks[0]
    assert len(list((tmp_path / "store" / "damaged").iterdir())) == 1


def held(folder, token):
    """A lease of the process `token` on the first cell of a full run."""
    disk = Disk(Store.create(folder).folder)
    name = question(COINS, "full", {"depth": 2}, 0).cell(code_of(COINS))
    assert claim(disk, name, token, new_token, Watch())
    return disk, name


def test_a_cell_that_another_process_makes_is_waited_for(tmp_path, monkeypatch):
    token, waits = new_token(), []
    disk, name = held(tmp_path / "store", token)

    def sleep(seconds):
        waits.append(seconds)
        if len(waits) == 3:
            release(disk, name, token)

    monkeypatch.setattr(running.time, "sleep", sleep)
    ran = run(COINS, "full", tmp_path / "store")
    assert (ran.made, len(waits)) == (6, 3)
    assert MADE[-1] == (2, seed_of(COINS, 0))
    assert [(one.setting["depth"], one.index) for one in ran.finished] == [(d, k) for d in (2, 4) for k in range(3)]


def test_a_cell_of_a_machine_that_is_gone_is_made_after_a_while(tmp_path, monkeypatch):
    held(tmp_path / "store", "node17-0123456789ab-4242-99999-abcdefabcdef")
    clock = [0.0]
    monkeypatch.setattr(running.time, "sleep", lambda _seconds: clock.__setitem__(0, clock[0] + PATIENCE / 2))
    monkeypatch.setattr(owners.time, "monotonic", lambda: clock[0])
    assert run(COINS, "full", tmp_path / "store").made == 6
    assert clock[0] >= PATIENCE


def test_numbers_other_than_declared_are_refused(tmp_path):
    with pytest.raises(InputError, match="declares number"):
        run(replace(COINS, cell=lambda setting, seed: {"error": np.zeros(2)}), "full", tmp_path / "store")


def test_a_folder_with_other_files_is_no_store(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="holds other files"):
        run(COINS, "full", tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_seeds_are_hashes_of_the_experiment_and_the_number():
    seeds = {seed_of(COINS, index) for index in range(50)} | {seed_of(replace(COINS, name="dice"), 0)}
    assert len(seeds) == 51


def test_names_of_observables_are_refused():
    with pytest.raises(InputError, match="loss are names"):
        replace(COINS, numbers=("loss",))
