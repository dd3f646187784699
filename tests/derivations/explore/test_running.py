"""Long work: what it publishes, how it ends, and whose answer is given again."""

import os
import signal
from threading import Event

import pytest

from derivations.explore.running import KEPT, Job, Jobs, StoppedError, in_a_process
from theory.problem import InputError, WorkbenchError

LONG = 60.0  # seconds that a loaded machine may take


def _refused(word):
    raise InputError(word, "Do.", "kind")


def test_a_page_gets_the_results_that_it_has_not_seen():
    go = Event()

    def work(job):
        for number in range(3):
            job.add(number)
        go.wait()
        job.add(3, value="kept")

    job = Job(work)
    seen, version = [], 0
    while version < 3:
        state = job.state(version, LONG)
        seen, version = [*seen, *state.results], state.version
    go.set()
    job.join()
    last = job.state(version)
    assert (seen, last.results, last.value) == ([0, 1, 2], (3,), "kept")
    assert job.state().results == (0, 1, 2, 3)  # a page that has seen none gets all


def test_a_published_result_takes_the_place_of_those_before():
    job = Job(lambda job: [job.publish(number, value=-number) for number in (1, 2)])
    job.join()
    last = job.state()
    assert (last.results, last.value, last.running, last.error) == ((2,), -2, False, None)
    assert job.state(last.version).results == ()


def test_a_stopped_job_ends_at_its_next_step():
    begun, go = Event(), Event()

    def work(job):
        begun.set()
        go.wait()
        job.advance(0.5)
        raise AssertionError("it went on")

    job = Job(work)
    begun.wait()
    job.stop()
    go.set()
    job.join()
    assert (job.state().running, job.state().error) == (False, None)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_is_named_and_does_not_pass_for_an_end():
    job = Job(lambda job: 1 / 0)
    job.join()
    assert "ZeroDivisionError" in job.state().error.message


def test_a_question_that_has_been_answered_gets_the_same_answer():
    jobs, begun = Jobs(), []

    def work(job):
        begun.append(1)
        job.publish(len(begun))

    def stopped(job):
        job.stop()
        job.advance(0.5)

    unanswered = [jobs.start(stopped, "question"), jobs.start(lambda job: _refused("No."), "question")]
    for name in unanswered:
        jobs.get(name).join()
    first = jobs.start(work, "question")
    jobs.get(first).join()
    jobs.get(first).stop()  # a page that is left stops what has ended, too
    assert jobs.start(work, "question") == first
    others = [jobs.start(work, "another"), jobs.start(work), jobs.start(work)]
    jobs.stop_all()
    assert len({first, *unanswered, *others}) == 6
    assert jobs.get(first).state().results == (1,)


def test_an_answer_that_is_given_again_is_forgotten_last():
    jobs = Jobs()
    names = []
    for number in range(KEPT):
        names.append(jobs.start(lambda job: job.publish(1), number))
        jobs.get(names[-1]).join()
    assert jobs.start(lambda job: job.publish(2), 0) == names[0]
    jobs.get(jobs.start(lambda job: job.publish(2), "new")).join()
    assert jobs.start(lambda job: job.publish(2), 0) == names[0]
    assert jobs.start(lambda job: job.publish(2), 1) != names[1]
    jobs.stop_all()


def test_a_process_answers_or_raises_the_library_s_error():
    answers = []

    def work(job):
        answers.append(in_a_process(job, divmod, 7, 2))
        in_a_process(job, _refused, "No.")

    job = Job(work)
    job.join()
    error = job.state().error
    assert answers == [(3, 1)]
    assert (error.message, error.hint, error.kind) == ("No.", "Do.", "kind")
    job = Job(lambda job: in_a_process(job, os._exit, 1))
    job.join()
    assert isinstance(job.state().error, WorkbenchError)


def test_a_stop_kills_the_process():
    raised = []

    def work(job):
        try:
            in_a_process(job, signal.pause)
        except StoppedError as stopped:
            raised.append(stopped)

    job = Job(work)
    job.stop()
    job.join()
    assert len(raised) == 1
