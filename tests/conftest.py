"""One thread, no screen, repeatable examples, and the shapes in signatures checked at run time."""

import contextlib
import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from derivations.garbage import GARBAGE
from derivations.threads import cores
from tests import profiles

# Tests and libraries are loaded with the setting of the command, which makes collections of garbage rarer.
gc.set_threshold(*GARBAGE)

# Before torch and SciPy load: on small arrays a second thread costs more than it gives.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")
os.environ.setdefault("MPLBACKEND", "Agg")
# Before SymPy loads: where it forgets no result, expectations and their proofs take a tenth less time.
os.environ.setdefault("SYMPY_CACHE_SIZE", "None")

# A shell without job control starts background commands with interrupts ignored, and children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the profiles."""
    profiles.add_options(parser)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose the tests of the profile."""
    profiles.register(config)


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """Take two processes for whole folders of tests, where pytest-xdist is installed and nothing asks for one.

    -n, -x, --maxfail, --pdb and a file or test by its name leave what is asked for. More processes than two gain
    little: the longest tests decide, and each loads torch and SymPy anew. Tests that share a long computation stay
    in one process, unless --dist says otherwise.
    """
    asked = config.option
    if hasattr(config, "workerinput"):
        asked.loadgroup = config.workerinput["grouped"]
        return
    if not config.pluginmanager.hasplugin("xdist"):
        return
    alone = asked.maxfail or asked.usepdb or asked.collectonly or not all(Path(name).is_dir() for name in config.args)
    if asked.numprocesses is None and not alone and cores() > 1:
        asked.numprocesses = 2
    if asked.numprocesses and asked.dist == "no":
        asked.dist = "loadgroup"


def pytest_collection_finish() -> None:
    """Leave the tests and libraries out of every later collection of garbage."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell the process of a worker that tests are grouped: it reads the command line, where nothing says so."""
    node.workerinput["grouped"] = node.config.option.dist == "loadgroup"


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out whole files and groups, where tests are grouped."""
    if config.option.dist != "loadgroup":
        return None
    from tests.scheduling import Files

    config.option.loadscopereorder = False  # the profiles put them in order
    return Files(config, log)


hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60, print_blob=False)
hypothesis.settings.load_profile("ci")

# Machines with a GPU image may lack beartype: there the tests of `sim` run without the check of shapes.
with contextlib.suppress(ImportError):
    from tests.shapes import install

    # Modules with shapes in their signatures alone: the check makes each call ten times dearer, and balls and symbols
    # are called a million times. theory.problem takes what a user writes and says itself what is wrong with it; the
    # compiled loops are compiled as they are.
    _unchecked = {"problem", "compiled"}
    _root = Path(__file__).parents[1]
    _modules = [
        file.relative_to(_root).with_suffix("")
        for part in ("theory", "sim")
        for file in (_root / part).rglob("*.py")
        if "from jaxtyping import" in file.read_text(encoding="utf-8")
    ]
    _names = sorted(".".join(module.parts) for module in _modules if not _unchecked & set(module.parts))
    install(_names)


@pytest.fixture(scope="session", autouse=True)
def small_data_sets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Small data sets in the place of the real ones, which most machines do not have."""
    from tests import miniatures
    from theory.problem.datasets.folder import VARIABLE
    from theory.problem.datasets.known import DATASETS

    folder, found = tmp_path_factory.mktemp("data-sets"), miniatures.contents()
    miniatures.write(folder, found)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(folder))
        for name, dataset in miniatures.table(found).items():
            patch.setitem(DATASETS, name, dataset)
        yield
