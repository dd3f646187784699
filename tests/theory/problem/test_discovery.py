"""Files that rooms find by themselves: a fault in one is an error that names the file, the line and the remedy."""

import sys

import pytest

from theory.problem import FiniteData, InputError, Network, Problem, Training
from theory.problem.discovery import declared
from theory.problem.gates.base import Gate

GATE = """
from theory.problem.gates.base import Gate
class {name}(Gate):
    {line}
"""


@pytest.fixture
def room(tmp_path, monkeypatch):
    """A function that reads a room of gates, `planted_room`, of the files given."""
    folder = tmp_path / "planted_room"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))

    def read(**files):
        for name, text in files.items():
            (folder / f"{name}.py").write_text(text)
        return declared("planted_room", [str(folder)], Gate, "kind")

    yield read
    for name in [name for name in sys.modules if name.startswith("planted_room")]:
        del sys.modules[name]


def test_a_file_is_found_and_a_shared_base_is_no_gate(room):
    shared = GATE.format(name="_Shared", line="pass")
    gates = room(shared=shared, both=GATE.format(name="Both", line='kind = "both"'))
    assert [(kind, gate.__name__) for kind, gate in gates.items()] == [("both", "Both")]


def test_two_files_with_one_word_are_named(room):
    files = {name: GATE.format(name="Both", line='kind = "both"') for name in ("both", "twice")}
    with pytest.raises(InputError, match=r"planted_room/both\.py and .*planted_room/twice\.py both have kind = 'both'"):
        room(**files)


def test_a_class_without_its_word_is_named_with_its_file(room):
    with pytest.raises(InputError, match=r"Both in planted_room/both\.py has no `kind`.* Write kind: ClassVar"):
        room(both=GATE.format(name="Both", line="pass"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\ny = (1, 2\n", r"planted_room/both\.py, line 2 has a fault \(SyntaxError: '\(' was never closed"),
        (
            "from theory.problem.gates.nothing import Nothing\n",
            r"planted_room/both\.py, line 1 imports theory\.problem\.gates\.nothing, which does not exist\. "
            r"Write theory/problem/gates/nothing\.py",
        ),
    ],
)
def test_a_file_that_cannot_be_imported_is_named_with_the_line(room, text, said):
    with pytest.raises(InputError, match=said):
        room(both=text)


class Blind(Gate):
    """A gate that looks at the input at a site and does not say at which."""

    site = 50
    on = "input"


def test_a_gate_whose_sites_cannot_be_checked_is_refused():
    data = FiniteData([[1, 0], [0, 1]], [1, -1])
    network, training = Network("gated-linear", "mean", 1, (Blind(),)), Training("half-mse", 1, [[0, 0]], [1])
    with pytest.raises(InputError, match=r"network\.gates\[0\]: Blind has `on` but no `sites`.*Add `sites` in "):
        Problem(data, network, training)
