"""Each committed notebook is its percent source, executed without an error. (CI executes the source once more.)"""

import jupytext
import nbformat
import pytest

from tests.paths import ROOT

NOTEBOOKS = ROOT / "notebooks"


def differences(source, notebook) -> list[str]:
    """The reasons why `notebook` is not `source`, executed."""
    found = []
    want = [(cell.cell_type, cell.source.strip()) for cell in source.cells]
    have = [(cell.cell_type, cell.source.strip()) for cell in notebook.cells]
    if want != have:
        found.append("the cells differ from the source")
    code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
    if [cell.execution_count for cell in code] != list(range(1, len(code) + 1)):
        found.append("the cells were not run once, in order")
    if any(output.output_type == "error" for cell in code for output in cell.outputs):
        found.append("a cell failed")
    return found


def test_committed_notebooks_are_their_sources():
    sources = sorted(NOTEBOOKS.glob("*.py"))
    assert {file.stem for file in NOTEBOOKS.glob("*.ipynb")} == {file.stem for file in sources}
    for file in sources:
        notebook = nbformat.read(file.with_suffix(".ipynb"), as_version=4)
        assert differences(jupytext.read(file), notebook) == [], file.name


@pytest.fixture
def executed():
    """A source of two cells, and the notebook that its execution would leave."""
    source = jupytext.reads("# %% [markdown]\n# Words\n\n# %%\nx = 1\n", fmt="py:percent")
    notebook = jupytext.reads("# %% [markdown]\n# Words\n\n# %%\nx = 1\n", fmt="py:percent")
    notebook.cells[1].execution_count = 1
    return source, notebook


def test_planted_differences_are_found(executed):
    source, notebook = executed
    assert differences(source, notebook) == []
    notebook.cells[1].execution_count = None
    assert differences(source, notebook) == ["the cells were not run once, in order"]
    notebook.cells[1].execution_count = 1
    notebook.cells[1].source = "x = 2"
    assert differences(source, notebook) == ["the cells differ from the source"]
    notebook.cells[1].source = "x = 1"
    notebook.cells[1].outputs = [nbformat.v4.new_output("error", ename="E", evalue="", traceback=[])]
    assert differences(source, notebook) == ["a cell failed"]
