"""A store with one cell."""

import pytest

from derivations.sweeps.store import Store
from tests.derivations.sweeps.cases import CODE, put, questions


@pytest.fixture
def store(tmp_path):
    """A store with one cell."""
    made = Store.create(tmp_path / "store")
    (asked,) = questions(1)
    put(made, asked, CODE, 0)
    return made
