"""Every test is handed out once; groups and files stay in one process; what a process that dies has left is done."""

from types import SimpleNamespace

import pytest

pytest.importorskip("xdist", reason="without pytest-xdist one process runs all tests")

from tests.scheduling import Files

TESTS = [
    *(f"a.py::test_one[{k}]" for k in range(5)),
    "a.py::test_of_a_group[x@y]@shared",
    "a.py::test_two",
    *(f"b.py::test_of_a_group[{k}]@shared" for k in range(2)),
    "b.py::test_with_an_address[x@y]",
    "c.py::test_three",
    "d.py::test_four",
]


class Process:
    """A process of pytest-xdist, which keeps the tests that it is given."""

    def __init__(self):
        self.given, self.shutting_down, self.gateway = [], False, SimpleNamespace(id="process")

    def send_runtest_some(self, indices):
        self.given += [TESTS[index] for index in indices]

    def shutdown(self):
        self.shutting_down = True


@pytest.fixture
def begun():
    """A scheduler with two processes that have their first tests."""
    option = SimpleNamespace(loadscopereorder=True)
    scheduler = Files(SimpleNamespace(getvalue=lambda name: ["popen", "popen"], option=option))
    processes = [Process(), Process()]
    for process in processes:
        scheduler.add_node(process)
        scheduler.add_node_collection(process, TESTS)
    scheduler.schedule()
    return scheduler, processes


def run(scheduler, process, done):
    """Run the next test of a process, if there is one."""
    if len(done) < len(process.given):
        done.append(process.given[len(done)])
        scheduler.mark_test_complete(process, TESTS.index(done[-1]))


def unit(test):
    return "shared" if test.endswith("@shared") else test.partition("::")[0]


def test_every_test_runs_once_and_units_stay_together(begun):
    scheduler, processes = begun
    done = [], []
    for _ in TESTS:
        for process, own in zip(processes, done, strict=True):
            run(scheduler, process, own)
    assert sorted(done[0] + done[1]) == sorted(TESTS)
    assert not {unit(test) for test in done[0]} & {unit(test) for test in done[1]}
    assert scheduler.tests_finished
    assert not scheduler.has_pending
    assert all(process.shutting_down for process in processes)


def test_what_a_process_that_dies_has_left_is_done_by_the_other(begun):
    scheduler, (dying, living) = begun
    lost, done = [], []
    run(scheduler, dying, lost)
    assert scheduler.remove_node(dying) == dying.given[1]  # the test that was running
    for _ in TESTS:
        run(scheduler, living, done)
    assert sorted(lost + done) == sorted(TESTS)
