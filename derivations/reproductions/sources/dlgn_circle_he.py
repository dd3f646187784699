"""The circle task from larger initial weights: how far the statements on active paths depend on their size."""

from dataclasses import replace

from derivations.reproductions.model import Design, Target
from derivations.reproductions.sources import dlgn_circle

_EXPLAINS = (
    "The initial weights are so large that the outputs fit the target before gates move: from weights of variance "
    "1/(3 fan-in), PyTorch's default, they do (`dlgn-circle`)."
)


def _explained(target: Target) -> Target:
    return replace(target, explains=_EXPLAINS if target.key.startswith("paths") else "")


def _from_he(design: Design) -> Design:
    return replace(design, settings=tuple({**setting, "start": "he"} for setting in design.settings))


REPRODUCTION = replace(
    dlgn_circle.REPRODUCTION,
    name="dlgn-circle-he",
    title="The circle task from larger initial weights",
    unsaid=tuple(
        (open_, "normal of variance 2/fan-in, no biases") if "initial weights" in open_ else (open_, assumed)
        for open_, assumed in dlgn_circle.REPRODUCTION.unsaid
    ),
    targets=tuple(_explained(target) for target in dlgn_circle.REPRODUCTION.targets),
    designs={name: _from_he(design) for name, design in dlgn_circle.REPRODUCTION.designs.items()},
)
