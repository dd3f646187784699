"""Failures at cells: seen from anywhere, forgotten when the cell is there, and tried again by a rule."""

import errno
import os

import pytest

from derivations.sweeps import cells, running, workers
from derivations.sweeps.failures import failure
from derivations.sweeps.leaving import Orders
from derivations.sweeps.owners import host_of, new_token
from derivations.sweeps.running import code_of, status
from derivations.sweeps.store import Store
from derivations.sweeps.workers import FAILED, Job
from tests.derivations.sweeps.cases import CODE, FACTS, arrays, sweep_of
from theory.problem import OutOfReachError

ERROR = {"kind": "memory", "message": "Too large.", "hint": "Use less.", "exit_code": 4}


def failed_at(store, cell, **changes):
    """Record a failure of this process; return its token."""
    token = new_token()
    store.note_failure(cell, failure(token, CODE, ERROR | changes))
    return token


@pytest.fixture
def small(tmp_path):
    """The store of the small sweep without cells, and the id of its first cell."""
    sweep, store = sweep_of(), Store.create(tmp_path / "store")
    return store, cells.question(sweep.cells[0].problem, sweep.observables).cell(cells.code_version())


def first(store):
    """The outcome of the small sweep's first cell, as anybody sees it."""
    return status(sweep_of(), store.folder, code_of("cpu")).outcomes[0]


def test_a_failure_is_seen_by_who_reads_the_store(small):
    store, cell = small
    token = failed_at(store, cell)
    outcome = first(Store.open(store.folder))
    assert (outcome.state, outcome.maker) == (running.UNREACHABLE, host_of(token))
    assert outcome.error.items() >= {"kind": "memory", "message": "Too large.", "hint": "Use less."}.items()
    assert outcome.error["when"].endswith("+00:00")
    assert store.failure(cell).code == CODE


def attempt(store, job, monkeypatch, error=None, compute=None):
    """Let this process be a worker that makes the job's cell, where `error` happens."""

    def make(*_):
        if error is not None:
            raise error
        return (arrays(0), FACTS) if compute is None else compute()

    monkeypatch.setattr("derivations.sweeps.making.make", make)
    workers._opened.cache_clear()
    return workers._make(job, str(store.folder), "cpu", lambda _done, _total: None, Orders())[:2]


@pytest.fixture
def job(small):
    """The job of the first cell."""
    sweep = sweep_of()
    asked = cells.question(sweep.cells[0].problem, sweep.observables)
    return Job(asked.cell(cells.code_version()), asked, cells.code_version())


@pytest.mark.parametrize(
    ("error", "words", "code"),
    [
        (OutOfReachError("Too many.", "Fewer."), "Too many.", 4),
        (OSError(errno.EDQUOT, "Quota exceeded"), "Quota exceeded.", 1),
        (RuntimeError("CUDA out of memory. Tried"), "does not fit into memory", 4),
    ],
)
def test_a_worker_leaves_the_reason_in_the_store(small, job, monkeypatch, error, words, code):
    store, cell = small
    what, why = attempt(store, job, monkeypatch, error)
    assert (what, why["exit_code"]) == (FAILED, code)
    note = store.failure(cell)
    assert words in note.message
    assert (note.message, note.hint, note.code) == (why["message"], why["hint"], job.code)
    assert os.listdir(store.folder / "leases") == []


def test_a_failure_that_was_known_is_tried_again_and_one_that_came_since_is_not(small, job, monkeypatch):
    """So that a cell that always fails is tried once for each start, and once by all workers that start together."""
    store, cell = small
    token = failed_at(store, cell)
    tries = []

    def compute():
        tries.append(cell)
        return arrays(0), FACTS

    what, why = attempt(store, job, monkeypatch, compute=compute)
    assert (what, why["message"], tries) == (FAILED, "Too large.", [])
    what, _ = attempt(store, Job(cell, job.asked, job.code, failed=token), monkeypatch, compute=compute)
    assert (what, tries) == ("made", [cell])
    assert store.failure(cell) is None
