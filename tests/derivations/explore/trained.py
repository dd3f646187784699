"""Shared by the tests of views with networks in training: a problem that trains quickly, and its end."""

from dataclasses import replace

from derivations.experiments.folders import problem_named
from tests.derivations.explore.browser import SECONDS


def small_relu():
    """Three ReLU units on twelve sites, trained to t = 16."""
    given = problem_named("relu-training")
    small = replace(given, data=replace(given.data, n=12), network=replace(given.network, units=3))
    return replace(small, training=replace(small.training, times=(0, 16)))


def done(shown):
    """Wait until networks are trained; a control that asks for others forgets the old ones at once."""
    shown.page.wait_for_selector('.work[data-state="done"]', timeout=SECONDS)


def figures(shown):
    return shown.page.locator(".panel-figure .figure-title").all_text_contents()
