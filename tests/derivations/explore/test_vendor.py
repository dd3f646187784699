"""The libraries that the pages bring along: their files are those of the packages that `vendor.json` names."""

import hashlib
import json

from tests.paths import ROOT

VENDOR = ROOT / "derivations" / "explore" / "web" / "vendor"
NAMED = json.loads((VENDOR / "vendor.json").read_text(encoding="utf-8"))


def test_every_library_is_named_and_unchanged():
    assert {path.name for path in VENDOR.iterdir()} == {*NAMED, "vendor.json", "LICENSES.txt"}
    for name, entry in NAMED.items():
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == entry["sha256"]


def test_every_library_states_its_version_and_has_its_licence():
    licences = (VENDOR / "LICENSES.txt").read_text(encoding="utf-8")
    for name, entry in NAMED.items():
        assert f"v{entry['version']}" in (VENDOR / name).read_text(encoding="utf-8")[:120]
        assert f"{entry['package']} {entry['version']} ({name})" in licences
