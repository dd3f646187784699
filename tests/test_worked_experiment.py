"""The worked example of an experiment in CONTRIBUTING.md, extracted, written into a copy of the tree and run."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.paths import ROOT
from tests.test_imports import copy_of_the_tree

_BLOCK = re.compile(r"^`([\w./-]+)`\n\n```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def files_of(title: str) -> dict[str, str]:
    """The files that a section of CONTRIBUTING.md shows: the path in a line of its own, then its fenced content."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    _, found, after = text.partition(f"## {title}\n")
    assert found, f"CONTRIBUTING.md has no section {title!r}"
    return dict(_BLOCK.findall(after.partition("\n## ")[0]))


def written(files: dict[str, str], folder: Path) -> Path:
    """A copy of the tree with these files in it."""
    tree = copy_of_the_tree(folder)
    for name, content in files.items():
        assert not (tree / name).exists(), f"{name} is in the tree already"
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(content, encoding="utf-8")
    return tree


def python(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Python in the copy, which stands before the packages that are installed."""
    environment = os.environ | {"PYTHONPATH": str(tree)}
    return subprocess.run(
        [sys.executable, *words], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )


MISSING = "from derivations.experiments import folders; print(*folders.missing_pieces(), sep='\\n')"


def test_experiment(tmp_path):
    files = files_of("Worked example: an experiment by one folder")
    assert {Path(name).parent.as_posix() for name in files} == {"derivations/experiments/redundant_pair"}
    tree = written(files, tmp_path)
    found = python(tree, "-c", f"import derivations; print(derivations.__file__); {MISSING}")
    assert found.stdout.split() == [str(tree / "derivations/__init__.py")], found.stdout + found.stderr
    done = python(tree, "-m", "derivations", "validate", "flow.redundant.difference", "--json", "--out", "report")
    assert done.returncode == 0, done.stderr
    (claim,) = (one for one in json.loads(done.stdout)["claims"] if one["id"] == "flow.redundant.difference")
    outcomes = {level["where"]: (level["level"], level["outcome"]) for level in claim["levels"]}
    assert outcomes["largest change of w_1 - w_2"] == ("simulated", "PASS")
    assert outcomes["the rule rejects w_1 + w_2"] == ("negative control", "PASS")
