"""The font that the package ships: the file that was checked, whole, with its licence."""

import hashlib

from derivations import fonts
from tests.paths import ROOT

FOLDER = ROOT / "derivations" / "fonts"


def test_the_checksum_holds():
    digest, name = (FOLDER / "SHA256SUMS").read_text(encoding="utf-8").split()
    assert name == fonts.FILE.name
    assert hashlib.sha256(fonts.FILE.read_bytes()).hexdigest() == digest


def test_the_licence_is_beside_it():
    assert "GUST Font License" in fonts.LICENCE.read_text(encoding="utf-8")
    manifest = (FOLDER / "MANIFEST-Latin-Modern-Math.txt").read_text(encoding="utf-8")
    assert f"Font: {fonts.FAMILY}" in manifest
