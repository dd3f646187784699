"""The start page: presets that load, their pictures, what is loaded for the first view, and the vendored libraries."""

import hashlib
import json
import re

import numpy as np

from derivations.explore import presets
from derivations.explore.presets import PRESETS
from derivations.explore.server import WEB
from derivations.explore.views import VIEWS
from theory.problem import loads


def test_each_preset_is_a_problem_of_a_view_with_a_picture_of_its_own():
    answer = presets.answer(None, {"pictures": True})
    problems = [loads(preset["toml"]) for preset in answer["presets"]]
    assert [float(problem.training.times[-1]) for problem in problems][2::2] == [3200, 3200]
    assert {preset["view"] for preset in answer["presets"]} <= set(VIEWS)
    for picture in answer["pictures"]:
        assert all(np.isfinite(curve["y"]).all() and len(curve["y"]) >= 20 for curve in picture["curves"])
    assert len(answer["pictures"]) == len(PRESETS) == len({preset["title"] for preset in answer["presets"]})
    bump, reverse = (picture["curves"][0]["y"] for picture in answer["pictures"][:2])
    assert bump[19] > 0 > reverse[19]  # next to the site of the gate
    process, clone = (np.array(curve["y"]) for curve in answer["pictures"][2]["curves"])
    assert process.argmax() != 30 == clone.argmax()  # at x = 0 the Gaussian density is largest
    assert 0.95 < clone.sum() / 12 < 1  # at distances of 1/12, on 2.5 standard deviations to both sides
    assert presets.answer(None, {})["pictures"] is None


def test_the_modules_of_every_view_are_requested_at_once():
    page = (WEB / "index.html").read_text(encoding="utf-8")
    shared = [path.relative_to(WEB).as_posix() for room in ("lib", "figures") for path in WEB.glob(f"{room}/*.js")]
    assert sorted(re.findall(r'<link rel="modulepreload" href="([^"]+)">', page)) == sorted(shared)


def test_every_vendored_library_is_unchanged_and_has_its_licence():
    folder = WEB / "vendor"
    entries = json.loads((folder / "vendor.json").read_text(encoding="utf-8"))
    licences = (folder / "LICENSES.txt").read_text(encoding="utf-8")
    assert {path.name for path in folder.iterdir()} == {*entries, "vendor.json", "LICENSES.txt"}
    for name, entry in entries.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == entry["sha256"]
        assert f"{entry['package']} {entry['version']} ({name})" in licences
