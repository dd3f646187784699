"""A store with one cell."""

import pytest

from derivations.sweeps.store import Store
from tests.derivations.sweeps.cases import put


@pytest.fixture
def store(tmp_path):
    """A store with one cell."""
    made = Store.create(tmp_path / "store")
    put(made, 0)
    return made
