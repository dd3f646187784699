"""The presets of the start page: problems that load, views that exist, pictures from the theory."""

import numpy as np
import pytest

from derivations.explore.presets import PRESETS, pictures
from derivations.explore.views import start
from derivations.explore.views import views as known
from theory.problem import loads


@pytest.fixture(scope="module")
def answer():
    return start.answer(None, {"pictures": True})


def test_each_preset_is_a_problem_with_a_sentence(answer):
    assert len(answer["presets"]) == len(PRESETS) == 5  # the sixth card is the user's own
    for preset in answer["presets"]:
        loads(preset["toml"])
        assert preset["says"].endswith((".", "?"))
        assert preset["draws"]  # a picture has no axes
    titles = [preset["title"] for preset in answer["presets"]]
    assert len(set(titles)) == len(titles)


def test_a_picture_has_finite_curves_with_colours(answer):
    assert len(answer["pictures"]) == len(PRESETS)
    for picture in answer["pictures"]:
        for curve in picture["curves"]:
            assert np.isfinite(curve["y"]).all()
            assert len(curve["y"]) >= 20


def test_pictures_come_only_when_asked():
    assert start.answer(None, {})["pictures"] is None
    assert pictures() is pictures()


def test_the_small_bump_and_its_reverse_differ(answer):
    bump, reverse = (picture["curves"][0]["y"] for picture in answer["pictures"][:2])
    assert bump[19] > 0 > reverse[19]  # beside the site of the gate


def test_every_view_of_a_preset_is_there():
    assert {preset.view for preset in PRESETS} <= {*known(), "fields", "compare"}
