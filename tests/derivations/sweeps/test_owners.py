"""Names of processes, and what this machine knows of their death."""

import os

import pytest

from derivations.sweeps import owners
from derivations.sweeps.owners import has_died, new_token
from tests.derivations.sweeps.cases import dead_token

PID = 4321


def token_of(pid, begin=77):
    """The token of a process of this kernel."""
    return f"here-{owners._kernel()}-{pid}-{begin}-{'0' * 12}"


def test_the_dead_are_known_and_so_are_those_whose_number_another_has():
    own = new_token()
    assert [has_died(token) for token in (own, dead_token())] == [False, True]
    pid, begin = os.getpid(), owners._begin(os.getpid())
    assert [has_died(token_of(pid, one)) for one in (begin, begin + 1)] == [False, True]
    assert has_died(token_of("9" * 30))
    assert not has_died(f"far-{'0' * 12}-{pid}-{begin + 1}-{'0' * 12}")


def test_a_process_that_only_its_parent_remembers_has_died():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    try:
        assert has_died(token_of(child))
    finally:
        os.waitpid(child, 0)


# What a signal says, the record in /proc (None: it is hidden), and whether the process is dead.
HIDDEN = {
    "it is hidden and another user's": (PermissionError, None, False),
    "it is hidden": (None, None, False),
    "there is none": (ProcessLookupError, None, True),
    "another user's is shown": (PermissionError, 77, False),
    "another user's is shown, which began later": (PermissionError, 78, True),
    "one is shown that began later": (None, 78, True),
}


@pytest.mark.parametrize("name", HIDDEN)
def test_a_process_that_proc_hides_is_alive(monkeypatch, name):
    """/proc may be mounted so that it hides the processes of other users."""
    error, begin, died = HIDDEN[name]

    def kill(pid, number):
        assert (pid, number) == (PID, 0)
        if error is not None:
            raise error

    monkeypatch.setattr(os, "kill", kill)
    monkeypatch.setattr(owners, "_begin", lambda _pid: begin)
    assert has_died(token_of(PID)) == died


def test_a_record_that_cannot_be_read_is_hidden(monkeypatch):
    def hidden(*_words, **_named):
        raise PermissionError

    assert owners._begin(os.getpid()) is not None
    monkeypatch.setattr(owners.Path, "read_text", hidden)
    assert owners._begin(os.getpid()) is None
