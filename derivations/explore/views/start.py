"""The start page: problems to begin with, each with a picture and the view that answers its question."""

from collections.abc import Mapping
from typing import Any

from theory.problem import Problem

TITLE = "Start"
QUESTION = "Which data make receptive fields local, and why?"
ORDER = 0


def answer(problem: Problem, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the presets; with settings["pictures"] also the curves of their pictures, which take a second once."""
    from derivations.explore import presets

    del problem
    found = [
        {
            "title": preset.title,
            "says": preset.says,
            "draws": preset.draws,
            "view": preset.view,
            "toml": presets.text_of(preset),
        }
        for preset in presets.PRESETS
    ]
    return {"presets": found, "pictures": presets.pictures() if settings.get("pictures") else None}
