"""A store with one cell."""

import pytest

from derivations.sweeps.store import Store
from tests.derivations.sweeps.cases import put


@pytest.fixture
def store(tmp_path):
    """A store with one cell."""
    new = Store.create(tmp_path / "store")
    put(new, 0)
    return new
