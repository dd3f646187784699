"""One thread, no screen, repeatable examples, and the shapes in signatures checked at run time."""

import contextlib
import os
import signal
from pathlib import Path

import hypothesis
import pytest
from jaxtyping import install_import_hook

from derivations.threads import cores

# Before torch and SciPy load: on small arrays a second thread costs more than it gives.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("MPLBACKEND", "Agg")

# A shell without job control starts background commands with interrupts ignored, and children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Take two processes for whole folders of tests, where pytest-xdist is installed and nothing asks for one.

    -n, -x, --maxfail, --pdb and a file or test by its name leave what is asked for. More processes than two gain
    little: the longest tests decide, and each loads torch and SymPy anew.
    """
    asked = config.option
    if not config.pluginmanager.hasplugin("xdist") or asked.numprocesses is not None or hasattr(config, "workerinput"):
        return
    alone = asked.maxfail or asked.usepdb or asked.collectonly or not all(Path(name).is_dir() for name in config.args)
    if not alone and cores() > 1:
        asked.numprocesses = 2
        asked.dist = "loadgroup"  # tests that share a long computation stay together


hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60, print_blob=False)
hypothesis.settings.load_profile("ci")

# Machines with a GPU image may lack beartype: there the tests of `sim` run without the check of shapes.
with contextlib.suppress(ImportError):
    import beartype as _beartype

    # theory.problem takes what a user writes and says itself what is wrong with it; the compiled loops are compiled as
    # they are; what decides identities is called a million times and sees no array.
    _unchecked = {
        "problem",
        "compiled",
        "algebra",
        "arcs",
        "generators",
        "normal_form",
        "pieces",
        "refute",
        "region",
        "signs",
        "__init__",
    }
    _root = Path(__file__).parents[1]
    _modules = [
        file.relative_to(_root).with_suffix("") for part in ("theory", "sim") for file in (_root / part).rglob("*.py")
    ]
    _names = sorted(".".join(module.parts) for module in _modules if not _unchecked & set(module.parts))
    install_import_hook(_names, f"{_beartype.__name__}.beartype")
