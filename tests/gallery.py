"""Moments of the gallery's cases, each derived once in a process; the tests that ask for them share that process."""

from functools import cache

import pytest

from derivations.benchmarks import expectations

shared = pytest.mark.xdist_group("gallery")
derived = cache(expectations.derived)
