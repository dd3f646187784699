"""Each committed notebook is its percent source, executed without an error. (CI executes the source once more.)"""

from tests.paths import ROOT

NOTEBOOKS = ROOT / "notebooks"


def test_committed_notebooks_are_their_sources():
    import jupytext
    import nbformat

    sources = sorted(NOTEBOOKS.glob("*.py"))
    assert {file.stem for file in NOTEBOOKS.glob("*.ipynb")} == {file.stem for file in sources} != set()
    for file in sources:
        notebook = nbformat.read(file.with_suffix(".ipynb"), as_version=4)
        cells = [[(cell.cell_type, cell.source.strip()) for cell in n.cells] for n in (jupytext.read(file), notebook)]
        assert cells[0] == cells[1], file.name
        code = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]
        assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1)), file.name
        assert not any(output.output_type == "error" for cell in code for output in cell.outputs), file.name
