"""The table [network] of a deep network, read; its writing is that of any dataclass (`toml_value`)."""

from collections.abc import Mapping
from typing import Any

from theory.problem.deep.architecture import ARCHITECTURES, FullyConnected
from theory.problem.deep.gating import GATINGS, RESPONSES, Gating
from theory.problem.deep.network import MOST_LEVELS, VALUE_INPUTS, DeepNetwork
from theory.problem.errors import InputError
from theory.problem.keys import check_keys, kind_of
from theory.problem.numbers import whole

_SIZES = ("widths", "depth", "width")


def deep_network(table: Mapping[str, Any]) -> DeepNetwork:
    """Return the deep network of a table: `widths`, or `depth` and `width` for hidden levels of one width.

    >>> table = {"model": "deep", "depth": 3, "width": 4, "gating": {"kind": "open"}}
    >>> deep_network(table).widths
    (4, 4)
    """
    check_keys(table, "[network]", required=("model", "gating"), optional=(*_SIZES, "architecture", "value_input"))
    architecture, sizes = kind_of(table.get("architecture", FullyConnected.kind), "network.architecture", ARCHITECTURES)
    return DeepNetwork(
        _widths(table),
        _gating(table["gating"]),
        architecture(**sizes),
        table.get("value_input", VALUE_INPUTS[0]),
    )


def _widths(table: Mapping[str, Any]) -> Any:
    given = tuple(key for key in _SIZES if key in table)
    if given not in (("widths",), ("depth", "width")):
        said = " and ".join(f"`{key}`" for key in given) or "neither"
        raise InputError(
            f"[network] has {said}: a deep network has `widths`, or `depth` and `width`.",
            "Write widths = [4, 4], or depth = 3 and width = 4 for the same.",
        )
    if given == ("widths",):
        return table["widths"]
    why = "each hidden level is kept by itself"
    return (table["width"],) * (whole(table["depth"], "network.depth", least=2, most=MOST_LEVELS + 1, why=why) - 1)


def _gating(table: Any) -> Gating:
    kind, given = kind_of(table, "network.gating", GATINGS)
    if "gate" in given:
        response, fields = kind_of(given["gate"], "network.gating.gate", RESPONSES)
        given["gate"] = response(**fields)
    return kind(**given)
