"""The pictures of the explorer in the README: one of each view that they are drawn of, with the question it answers."""

import re
from pathlib import Path

import pytest

from derivations.explore.views import view_of
from tests.derivations.explore.pictures import PICTURES, SIZE, file_of

ROOT = Path(__file__).parents[3]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LARGEST = 150_000  # bytes: the README with its pictures stays below two megabytes


@pytest.mark.parametrize("view", PICTURES)
def test_the_readme_shows_the_picture_with_the_question(view):
    shown = re.findall(rf"!\[([^\]]+)\]\({re.escape(str(file_of(view)))}\)", README)
    assert shown == [f"{view_of(view).TITLE}: {view_of(view).QUESTION}"]


@pytest.mark.parametrize("view", PICTURES)
def test_the_picture_has_its_size(view):
    content = (ROOT / file_of(view)).read_bytes()
    assert content.startswith(b"\x89PNG")
    assert [int.from_bytes(content[at : at + 4]) for at in (16, 20)] == list(SIZE.values())
    assert len(content) < LARGEST


def test_there_is_no_picture_of_another_view():
    assert set((ROOT / "derivations/explore/images").glob("explore-*.png")) == {
        ROOT / file_of(view) for view in PICTURES
    }
