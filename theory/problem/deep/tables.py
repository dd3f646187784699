"""The table [network] of a deep network, read; its writing is that of any dataclass (`toml_value`)."""

from collections.abc import Mapping
from typing import Any

from theory.problem.deep.architecture import ARCHITECTURES, Architecture, FullyConnected
from theory.problem.deep.gating import GATINGS, RESPONSES, Gating
from theory.problem.deep.network import MOST_LEVELS, VALUE_INPUTS, DeepNetwork
from theory.problem.errors import InputError
from theory.problem.keys import check_keys, choose, keys_of
from theory.problem.numbers import shown, whole

_SIZES = ("widths", "depth", "width")


def deep_network(table: Mapping[str, Any]) -> DeepNetwork:
    """Return the deep network of a table: `widths`, or `depth` and `width` for hidden levels of one width.

    >>> table = {"model": "deep", "depth": 3, "width": 4, "gating": {"kind": "open"}}
    >>> deep_network(table).widths
    (4, 4)
    """
    check_keys(table, "[network]", required=("model", "gating"), optional=(*_SIZES, "architecture", "value_input"))
    return DeepNetwork(
        _widths(table),
        _gating(table["gating"]),
        _architecture(table.get("architecture", FullyConnected.kind)),
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
    rest = dict(_table(table, "network.gating"))
    kind = _chosen(rest, "network.gating", GATINGS)
    if "gate" in rest:
        gate = dict(_table(rest["gate"], "network.gating.gate"))
        rest["gate"] = _chosen(gate, "network.gating.gate", RESPONSES)(**gate)
    return kind(**rest)


def _architecture(table: Any) -> Architecture:
    rest = dict(_table(table, "network.architecture"))
    return _chosen(rest, "network.architecture", ARCHITECTURES)(**rest)


def _chosen(rest: dict[str, Any], where: str, choices: Mapping[str, type]) -> type:
    """Return the class that `kind` names and remove that key; the other keys are those of the class."""
    kind = choose(rest, where, "kind", choices)
    del rest["kind"]
    required, optional = keys_of(kind)
    check_keys(rest, where, required=required, optional=optional)
    return kind


def _table(value: Any, where: str) -> Mapping[str, Any]:
    if isinstance(value, str):
        return {"kind": value}
    if not isinstance(value, Mapping):
        raise InputError(f"{where} = {shown(value)} must be a table.", f'Write [{where}] and kind = "..." below.')
    return value
