"""The processes of a validation: one that dies costs its task alone, and an interrupt leaves nothing behind."""

import pytest

from derivations.validate.workers import Lost, do_all
from tests.derivations.validate.deadly import Job, do
from theory.problem import InputError


def jobs(folder, *ends):
    return [Job(f"job {index}", end, folder / str(index)) for index, end in enumerate(ends)]


def ignored(_task, _what, _share):
    pass


def begun(job):
    return len(job.count.read_text())


@pytest.mark.slow
def test_a_killed_process_costs_its_task_alone_which_is_tried_once_more(tmp_path):
    arguments = jobs(tmp_path, "well", "killed", "well", "killed once", "well")
    done = dict(do_all(arguments, 2, ignored, do))
    assert set(done) == set(arguments)
    lost = done.pop(arguments[1])
    assert isinstance(lost, Lost)
    assert "killed twice" in lost.reason
    assert all(isinstance(outcome, str) for outcome in done.values())
    assert [begun(job) for job in arguments] == [1, 2, 1, 2, 1]


def test_an_error_is_raised_here_with_the_words_of_the_process(tmp_path):
    with pytest.raises(InputError, match="The job is wrong") as caught:
        list(do_all(jobs(tmp_path, "well", "error"), 2, ignored, do))
    assert "in do" in str(caught.value.__cause__)
