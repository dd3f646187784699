"""`gdln data show` as it is typed: every law, as `gdln new` writes it, has statistics or a reason."""

import json

import pytest

from derivations.answers.new import LAWS
from derivations.cli import main
from derivations.output import PASS


@pytest.mark.parametrize("law", LAWS)
def test_every_new_file_is_shown(law, tmp_path, capsys):
    file = str(tmp_path / "mine.toml")
    assert main(["new", file, "--law", law]) == PASS
    capsys.readouterr()
    assert main(["data", "show", file]) == PASS
    text = capsys.readouterr().out
    assert main(["data", "show", file, "--json"]) == PASS
    said = json.loads(capsys.readouterr().out)
    assert text.count("covariance by lag") == len(said["classes"]) == len(said["probabilities"])
    for own in said["classes"]:
        assert own["covariance_by_lag"][0] == own["variance"][said["site"]]
        assert len(own["covariance"]) == len(own["mean"]) == said["n"]
