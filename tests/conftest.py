"""One thread, no screen, repeatable examples, and the shapes in signatures checked at run time."""

import contextlib
import os
from pathlib import Path

import hypothesis
from jaxtyping import install_import_hook

# Before torch and SciPy load: on small arrays a second thread costs more than it gives.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("MPLBACKEND", "Agg")

hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60, print_blob=False)
hypothesis.settings.load_profile("ci")

# Machines with a GPU image may lack beartype: there the tests of `sim` run without the check of shapes.
with contextlib.suppress(ImportError):
    import beartype as _beartype

    # theory.problem takes what a user writes and says itself what is wrong with it; sim.compiled is compiled as it is.
    _unchecked = ("problem", "compiled", "__init__", "__pycache__")
    _root = Path(__file__).parents[1]
    _rooms = [room for part in ("theory", "sim") for room in (_root / part).iterdir() if room.stem not in _unchecked]
    _names = sorted(f"{room.parent.name}.{room.stem}" for room in _rooms)
    install_import_hook(_names, f"{_beartype.__name__}.beartype")
