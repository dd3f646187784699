"""Reports and files are whole or absent, and nothing of the user's is replaced."""

import pytest

from derivations.atomic import check_replaceable, replacing, write_text
from theory.problem import InputError


def _old_report(folder):
    folder.mkdir()
    (folder / "report.json").write_text("{}")
    (folder / "old").write_text("old")


def test_a_report_replaces_an_earlier_one_when_it_is_whole(tmp_path):
    folder = tmp_path / "report"
    _old_report(folder)
    with replacing(folder) as aside:
        (aside / "report.json").write_text("[]")
        assert (folder / "old").exists()
    assert [path.name for path in folder.iterdir()] == ["report.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, ValueError])
def test_an_interrupted_report_leaves_the_earlier_one(tmp_path, stop):
    folder = tmp_path / "report"
    _old_report(folder)

    def half():
        with replacing(folder) as aside:
            (aside / "half").write_text("half")
            raise stop

    with pytest.raises(stop):
        half()
    assert sorted(path.name for path in folder.iterdir()) == ["old", "report.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_other_files_are_never_replaced(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("x")
    for path in (mine, mine / "thesis.tex", tmp_path / "absent" / "report"):
        with pytest.raises(InputError):
            check_replaceable(path)
    check_replaceable(tmp_path / "new")


def test_a_file_is_the_old_one_or_the_new_one(tmp_path):
    path = tmp_path / "evidence.json"
    write_text(path, "old")
    with pytest.raises(TypeError):
        write_text(path, None)
    assert path.read_text() == "old"
    write_text(path, "new")
    assert path.read_text() == "new"
    assert [item.name for item in tmp_path.iterdir()] == ["evidence.json"]
