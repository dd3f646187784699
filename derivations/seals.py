"""Seals: the digest of a JSON object's content, kept in the object, so that a later change of it is noticed.

A seal finds what was changed by hand or lost on the way. It is no signature: anybody can make it anew.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

SEAL = "seal"


def canonical(value: Any) -> str:
    """Return the one text of a JSON value: keys in order, no spaces. Raises ValueError for NaN and infinities.

    >>> canonical({"b": 1, "a": [0.5, None]})
    '{"a":[0.5,null],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    """Return the SHA-256 of a text: 64 hexadecimal digits.

    >>> digest("")[:8]
    'e3b0c442'
    """
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content with its seal as the last entry; a seal that it has is replaced.

    >>> list(sealed({"mean": 0.5}))
    ['mean', 'seal']
    """
    bare = {name: value for name, value in content.items() if name != SEAL}
    return {**bare, SEAL: digest(canonical(bare))}


def is_whole(content: Mapping[str, Any]) -> bool:
    """Whether the content is as it was sealed; False without a seal.

    >>> whole = sealed({"mean": 0.5})
    >>> is_whole(whole), is_whole({**whole, "mean": 0.6}), is_whole({"mean": 0.5})
    (True, False, False)
    """
    try:
        return SEAL in content and sealed(content)[SEAL] == content[SEAL]
    except RecursionError:  # the parser of JSON goes deeper than the writer
        return False
