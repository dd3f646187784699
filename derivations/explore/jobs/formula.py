"""The answer to a formula, in a process that a stop kills."""

from collections.abc import Mapping
from typing import Any

from derivations.explore.formula_page import MODULES, answered
from derivations.explore.questions import question_of
from derivations.explore.running import Job, in_a_process
from theory.problem import Problem


def run(problem: Problem, settings: Mapping[str, Any], job: Job) -> None:
    """Answer the formula of the settings, and keep its texts on the server; the problem plays no part."""
    del problem
    job.publish(*in_a_process(job, answered, *question_of(settings), modules=MODULES))
