"""One thread, no screen, repeatable examples; `--slow` runs every test and checks the shapes in signatures."""

import gc
import importlib.util
import os
import signal
from collections.abc import Iterator

import hypothesis
import jaxtyping
import pytest

from derivations.garbage import GARBAGE
from tests.paths import ROOT

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
    """Add --slow."""
    parser.addoption("--slow", action="store_true", help="run the tests that are marked slow, too")


def pytest_configure(config: pytest.Config) -> None:
    """With --slow, check the shapes in signatures of `theory` and `sim` where beartype is installed.

    theory.problem is left out, as it says itself what is wrong with the values that a user writes, and so are the
    loops that numba compiles.
    """
    if not config.option.slow or importlib.util.find_spec("beartype") is None:
        return
    files = (file.relative_to(ROOT) for part in ("theory", "sim") for file in (ROOT / part).rglob("*.py"))
    shaped = (file for file in files if "from jaxtyping import" in (ROOT / file).read_text(encoding="utf-8"))
    names = [".".join(file.with_suffix("").parts) for file in shaped if not {"problem", "compiled"} & set(file.parts)]
    jaxtyping.install_import_hook(names, "beartype.beartype")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without --slow, leave out tests marked slow."""
    if not config.option.slow:
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker("slow")])
        items[:] = [item for item in items if not item.get_closest_marker("slow")]


def pytest_collection_finish() -> None:
    """Leave the tests and libraries out of every later collection of garbage."""
    gc.freeze()


hypothesis.settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60, print_blob=False)
hypothesis.settings.load_profile("ci")


@pytest.fixture(scope="session", autouse=True)
def small_data_sets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Small data sets in the place of the real ones, which most machines do not have."""
    from tests import miniatures
    from theory.problem.datasets.folder import VARIABLE
    from theory.problem.datasets.known import DATASETS

    folder, contents = tmp_path_factory.mktemp("data-sets"), miniatures.contents()
    miniatures.write(folder, contents)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(folder))
        for name, dataset in miniatures.table(contents).items():
            patch.setitem(DATASETS, name, dataset)
        yield
