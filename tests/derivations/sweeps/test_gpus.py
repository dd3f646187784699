"""As many cells at once as fit into the memory of the GPUs: by a simulated machine, since there may be no GPU here."""

import json
from math import inf
from random import Random
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from derivations.answers import sweep_gpus
from derivations.cli import main
from derivations.output import OUT_OF_REACH, PASS
from derivations.sweeps import filling, gpus, running, workers
from derivations.sweeps.gpus import MOST_CLIENTS, PROCESS, Gpu, Room, at_once
from derivations.sweeps.leases import BUSY, MADE
from derivations.sweeps.store import Store
from derivations.sweeps.workers import FAILED, Job
from sim.memory import bytes_on_gpu
from tests.derivations.sweeps.cases import TEXT, contents, sweep_of
from theory.problem import OutOfReachError

GIB = 2**30
BYTES = st.integers(1, 12)
CELLS = st.lists(BYTES, min_size=1, max_size=12)
GPUS = st.lists(BYTES, min_size=1, max_size=3).map(lambda free: tuple(map(Gpu, "012", free)))


class Machine:
    """Processes on GPUs whose cells have the bytes `true`; `order` chooses who answers next.

    A cell is out of memory if there is less on its GPU than the cells on it have when it ends.
    """

    def __init__(self, seen, true, order):
        self.free, self.true, self.order = {gpu.name: gpu.free for gpu in seen}, true, order
        self.alive, self.begun, self.together, self.first = [], [], [], None

    def begin(self, _modules, _target, _folder, _device, _saves, gpu):
        made = SimpleNamespace(gpu=gpu, task=None)
        made.pipe = SimpleNamespace(closed=False, recv=lambda: self.answer(made))
        made.give = lambda job: self.give(made, job)
        self.alive.append(made)
        return made

    def give(self, worker, job):
        worker.task = job
        self.begun.append(job)
        self.together.append([(one.gpu, one.task.needs) for one in self.alive])

    def wait(self, pipes, timeout):
        return [self.order.choice(pipes)] if pipes and self.order.random() < 0.5 else []

    def answer(self, worker):
        self.first = self.first or len(self.alive)
        on = [self.true[one.task.cell] for one in self.alive if one.gpu == worker.gpu]
        if sum(on) > self.free[worker.gpu]:
            return FAILED, workers._OUT_OF_MEMORY, None
        return self.order.choice([MADE, BUSY]), None, None

    def dismiss(self, crew):
        for worker in crew:
            worker.pipe.closed = True
            self.alive.remove(worker)


def simulated(seen, needs, true=None, most=16, order=0):
    """The machine after the work, and what was answered of each cell."""
    machine = Machine(seen, dict(enumerate(true or needs)), Random(order) if isinstance(order, int) else order)
    store = SimpleNamespace(failure=lambda cell: SimpleNamespace(token=f"token of {cell}"))
    jobs = [Job(cell, None, "code", needs=one) for cell, one in enumerate(needs)]
    with pytest.MonkeyPatch.context() as patch:
        begin = type("Begin", (), {"__new__": lambda _kind, *given: machine.begin(*given)})
        for name, fake in {"Worker": begin, "wait": machine.wait, "dismiss": machine.dismiss}.items():
            patch.setattr(workers, name, fake)
        patch.setattr(workers, "_opened", lambda _folder: store)
        patch.setattr(workers, "_PAUSE", 0.0)
        answers = list(workers.work(jobs, "folder", "cuda", most, lambda *_: None, gpus=seen))
    assert machine.alive == []
    found = {answer.job.cell: answer.what for answer in answers}
    assert len(found) == len(answers)
    return machine, found


def within(machine, most=16):
    """Whether the estimates of the cells at work at any time were within each GPU's memory, or one cell was alone."""
    for together in machine.together:
        assert len(together) <= most
        for name, free in machine.free.items():
            on = [needs for gpu, needs in together if gpu == name]
            assert sum(on) <= free or len(on) == 1


@given(GPUS, CELLS, st.integers(1, 4), st.integers(0, 99))
def test_all_cells_are_made_and_never_beyond_the_memory(seen, needs, most, order):
    machine, found = simulated(seen, needs, most=most, order=order)
    within(machine, most)
    largest = max(gpu.free for gpu in seen)
    assert found == {cell: MADE if one <= largest else FAILED for cell, one in enumerate(needs)}


@given(BYTES, st.lists(st.tuples(BYTES, BYTES), min_size=1, max_size=12), st.integers(0, 99))
def test_what_the_estimates_miss_is_made_alone(free, cells, order):
    """A cell fails only if it does not fit alone, whatever was estimated and in whatever order cells end."""
    needs, true = zip(*cells, strict=True)
    machine, found = simulated((Gpu("0", free),), needs, true, order=order)
    within(machine)
    assert found == {cell: MADE if one <= free else FAILED for cell, one in enumerate(true)}
    for job in machine.begun:
        assert (job.failed is None) == (job.needs != inf)
        assert job.failed in (None, f"token of {job.cell}")  # else the cell would be refused for its last failure


def test_cells_of_different_sizes_run_together():
    """The first three fit; the fourth waits, and nothing overtakes it."""
    machine, _ = simulated((Gpu("0", 10),), [6, 3, 1, 8, 1], order=Patient(3))
    assert [needs for _, needs in machine.together[2]] == [6, 3, 1]
    assert list(dict.fromkeys(job.cell for job in machine.begun)) == [0, 1, 2, 3, 4]


def test_one_who_failed_alone_is_not_tried_again():
    machine, found = simulated((Gpu("0", 10),), [20], [20])
    assert (len(machine.begun), found) == (1, {0: FAILED})


@pytest.mark.parametrize("fault", ["memory", "alone", "retry"])
def test_faults_of_the_rule_are_noticed(monkeypatch, fault):
    """A room that forgets the cells in work, one that lets others beside a cell that is too large, and no retry."""
    if fault == "memory":
        monkeypatch.setattr(Room, "_left", lambda _room, gpu: gpu.free)
    elif fault == "alone":
        monkeypatch.setattr(Room, "_on", lambda _room, _gpu: [])
    else:
        leave = Room.leave
        monkeypatch.setattr(Room, "leave", lambda room, cell: leave(room, cell) and False)
    faults = 0
    for order in range(20):
        try:
            machine, found = simulated((Gpu("0", 10),), [6, 6, 5, 20, 4], [6, 6, 9, 10, 4], order=order)
            within(machine)
            assert set(found.values()) == {MADE}
        except AssertionError:
            faults += 1
    assert faults


def test_several_gpus_take_what_fits_on_each():
    machine, found = simulated((Gpu("0", 4), Gpu("7", 9)), [8, 4, 4], order=Patient(1))
    assert [[gpu for gpu, _ in together] for together in machine.together][1] == ["7", "0"]
    assert set(found.values()) == {MADE}


class Patient(Random):
    """Nobody answers at first."""

    calls = 0

    def random(self):
        self.calls += 1
        return float(self.calls < 20)


@given(GPUS, CELLS, st.integers(1, 4))
def test_the_plan_says_what_begins_at_once(seen, needs, most):
    """As many as are in work before the first answer."""
    plan, (machine, _) = at_once(needs, seen, most), simulated(seen, needs, most=most, order=Patient(0))
    assert plan.cells == machine.first
    assert plan.bound == ("cells" if plan.cells == len(needs) else "workers" if plan.cells == most else "memory")
    assert plan.above == sum(one > max(gpu.free for gpu in seen) for one in needs)


@pytest.fixture
def planned(tmp_path, capsys, monkeypatch):
    """Plan the small sweep for simulated GPUs with so many GiB: the exit code, the text and the object of --json."""

    def plan(*free, words=(), text=TEXT):
        (tmp_path / "sweep.toml").write_text(text)
        seen = tuple(Gpu(str(index), int(one * GIB)) for index, one in enumerate(free))
        monkeypatch.setattr(sweep_gpus, "visible_gpus", lambda _kind: seen)
        found = []
        for form in ((), ("--json",)):
            asked = ["sweep", str(tmp_path / "sweep.toml"), "--dry-run", "--device", "cuda", *words, *form]
            assert main(asked) == PASS
            found.append(capsys.readouterr().out)
        return found[0], json.loads(found[1])["at_once"]

    return plan


def each():
    """The bytes of a cell of the small sweep; all have the same."""
    sweep = sweep_of()
    (one,) = {PROCESS + bytes_on_gpu(cell.problem, sweep.observables) for cell in sweep.cells}
    return one


def test_the_plan_tells_how_many_and_why(planned, monkeypatch, tmp_path):
    monkeypatch.setenv("CUDA_MPS_PIPE_DIRECTORY", str(tmp_path))
    text, found = planned(3, 2)
    assert "At once: 3 cells on 2 GPUs with 3, 2 GiB free, because no further one fits into the memory." in text
    assert f"A cell needs {each() / GIB:.3g} GiB by an estimate, 1 GiB of it for its process." in text
    assert "NVIDIA MPS does not run here: processes take turns on a GPU. nvidia-cuda-mps-control -d starts it." in text
    assert found == {
        "cells": 3,
        "bound": "memory",
        "bytes": [each(), each()],
        "alone": 0,
        "gpus": [{"name": "0", "free": 3 * GIB}, {"name": "1", "free": 2 * GIB}],
        "mps": False,
    }
    (tmp_path / "control").touch()
    text, found = planned(80)
    assert "At once: 4 cells on 1 GPU with 80 GiB free, because no other is missing." in text
    assert "NVIDIA MPS runs here" in text
    assert (found["cells"], found["bound"], found["mps"]) == (4, "cells", True)
    text, found = planned(80, words=("--workers", "2"))
    assert "At once: 2 cells on 1 GPU with 80 GiB free, because no more processes are allowed (--workers)." in text
    text, found = planned(1)
    assert "4 cells of these may need more than there is, and will be tried alone." in text
    assert (found["cells"], found["bound"], found["alone"]) == (1, "memory", 4)


def test_the_plan_of_a_large_sweep(planned):
    """It is that of its first cells."""
    text, found = planned(80, text=TEXT.replace("[1, 2]", str(list(range(600)))))
    assert "At once: 48 cells on 1 GPU with 80 GiB free" in text
    assert (found["cells"], found["bound"]) == (48, "workers")


def test_without_a_gpu_the_plan_tells_what_a_cell_needs(planned):
    text, found = planned()
    assert "At once: unknown, because there is no GPU here. A cell needs" in text
    assert (found["cells"], found["bound"], found["gpus"], found["mps"]) == (None, "gpu", [], None)


def test_a_plan_for_the_cpu_says_nothing_of_gpus(tmp_path, capsys, monkeypatch):
    """No process asks for them."""
    monkeypatch.setattr("derivations.sweeps.workers.Worker", None)
    (tmp_path / "sweep.toml").write_text(TEXT)
    assert main(["sweep", str(tmp_path / "sweep.toml"), "--dry-run", "--device", "cpu", "--json"]) == PASS
    assert "at_once" not in json.loads(capsys.readouterr().out)


def test_another_process_is_asked(monkeypatch):
    """This one holds no context; where no GPU is seen there is none, and what the other process says is an error."""
    assert workers.visible_gpus("cpu") == ()
    if not torch.cuda.is_available():
        assert workers.visible_gpus("cuda") == ()
    assert not torch.cuda.is_initialized()
    dead = SimpleNamespace(pipe=SimpleNamespace(recv=lambda: "all CUDA-capable devices are busy"))
    monkeypatch.setattr(workers, "_started", lambda _target: dead)
    monkeypatch.setattr(workers, "dismiss", lambda _crew: None)
    with pytest.raises(OutOfReachError, match=r"No GPU says how much .* is free: all CUDA-capable devices are busy\. "):
        workers.visible_gpus("cuda")


@pytest.mark.parametrize(("named", "names"), [(None, "02"), ("3, 5,7", "37"), ("", "02")])
def test_gpus_have_the_names_by_which_a_process_sees_one(monkeypatch, named, names):
    """One that others have filled is left out; if it is the only one, torch's error says why."""

    def free(index):
        if index == 1:
            raise RuntimeError("CUDA error: out of memory")
        return 5 + index, 80

    monkeypatch.setattr(torch.cuda, "mem_get_info", free)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
    if named is None:
        monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    else:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", named)
    assert gpus.visible() == (Gpu(names[0], 5), Gpu(names[1], 7))
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda _index: free(1))
    with pytest.raises(RuntimeError, match="out of memory"):
        gpus.visible()


def test_a_process_sees_its_gpu_alone_and_ends_with_its_cell(tmp_path):
    """On the processor, with the bits that a run without GPUs gives."""
    sweep = sweep_of()
    answers = {}
    for name, seen in (("plain", ()), ("filled", (Gpu("5", 2 * each()),))):
        store = Store.create(tmp_path / name)
        rooms, code = store.rooms(), running.code_of("cpu")
        outcomes = [running._absent(cell, sweep, code) for cell in sweep.cells]
        jobs = [running._job(one, sweep, store, code, rooms, "cuda" if seen else "cpu") for one in outcomes]
        assert {job.needs for job in jobs} == ({each()} if seen else {0})
        answers[name] = list(workers.work(jobs, store.folder, "cpu", 4, lambda *_: None, gpus=seen))
    assert {answer.what for answer in answers["filled"]} == {MADE}
    assert contents(tmp_path / "plain") == contents(tmp_path / "filled")
    assert len(answers["filled"]) == len(answers["plain"]) == 4


def test_the_environment_of_a_process_names_its_gpu(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    monkeypatch.setattr(workers.signal, "signal", lambda *_: None)
    monkeypatch.setattr(workers, "Orders", lambda: SimpleNamespace(obey=lambda _saves: None))
    monkeypatch.setattr(workers, "leave_with_parent", lambda: None)
    monkeypatch.setattr(torch, "set_num_threads", lambda _count: None)

    def closed():
        raise EOFError

    for gpu, seen in ((None, "0,1"), ("1", "1")):
        workers._work(SimpleNamespace(recv=closed), "folder", "cpu", False, gpu)
        assert workers.os.environ["CUDA_VISIBLE_DEVICES"] == seen


@pytest.mark.parametrize(("module", "make"), [(running, running.run), (filling, filling.fill)])
def test_a_run_hands_on_the_gpus_and_what_its_cells_need(module, make, monkeypatch, tmp_path):
    seen, given = (Gpu("0", 5),), {}

    def work(jobs, _folder, _device, most, _progress, _notice, found):
        given.update(jobs=list(jobs), most=most, gpus=found)
        yield from ()

    monkeypatch.setattr("sim.training.devices.device_type", lambda _device: "cuda")
    monkeypatch.setattr(module, "visible_gpus", lambda kind: seen if kind == "cuda" else ())
    monkeypatch.setattr(module, "work", work)
    make(sweep_of(), tmp_path / "store", "auto", 3, lambda *_: None)
    assert (given["most"], given["gpus"]) == (3, seen)
    assert [job.needs for job in given["jobs"]] == [each()] * 4


@pytest.mark.parametrize(("words", "most"), [((), MOST_CLIENTS), (("--workers", "3"), 3)])
def test_the_number_of_processes_is_asked_for_or_what_may_share_a_gpu(words, most, monkeypatch, tmp_path):
    given = []
    monkeypatch.setattr("sim.training.devices.device_type", lambda _device: "cuda")
    monkeypatch.setattr("derivations.answers.sweep.engine_named", lambda _name: given.append)
    (tmp_path / "sweep.toml").write_text(TEXT)
    with pytest.raises(AttributeError):  # there is no answer to show
        main(["sweep", str(tmp_path / "sweep.toml"), *words])
    assert [request.workers for request in given] == [most]


def test_a_data_set_that_is_not_here_is_the_matter_of_its_cell(monkeypatch):
    def refuse(*_):
        raise OutOfReachError("The data set is not here.", "Fetch it.")

    monkeypatch.setattr("sim.memory.bytes_on_gpu", refuse)
    assert gpus.needed(sweep_of().cells[0].problem, (), "cuda") == PROCESS


def test_without_a_gpu_a_run_for_one_is_refused(tmp_path, capsys):
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    (tmp_path / "sweep.toml").write_text(TEXT)
    assert main(["sweep", str(tmp_path / "sweep.toml"), "--device", "cuda"]) == OUT_OF_REACH
    assert "There is no CUDA device here" in capsys.readouterr().err
    assert not (tmp_path / "store").exists()
