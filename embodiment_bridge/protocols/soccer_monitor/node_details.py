# SPDX-License-Identifier: Apache-2.0
"""The inside of one node of a scene graph: flat lists such as ``(load StdUnitBox)`` or ``(sSc 1 51 1)``."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from embodiment_bridge.protocols.soccer.list_fields import NUMBER, BadListError
from embodiment_bridge.protocols.soccer_monitor.scene.events import Detail, Matrix
from embodiment_bridge.wire.codec import excerpt

KEPT: Final = 1024  # texts of nodes; a full game has some hundred different ones
LONGEST_KEPT: Final = 300  # characters of such a text
OBJECTS: Final = ("ball", "agent")


def matrix(text: str) -> Matrix:
    """The matrix of ``(SLT 1 0 0 0 ...)``.

    Raises:
        BadListError: these are not 16 numbers.
    """
    words = text[1:-1].split()[1:]
    try:
        values = tuple(map(float, words))
    except ValueError:
        values = ()
    if len(values) != 16 or "_" in text:  # float() takes 1_0 too
        raise BadListError(f"{excerpt(text.encode())!r} is not SLT and 16 numbers")
    return values


def detail(kind: str, attributes: Sequence[str]) -> tuple[Detail, tuple[str, ...]]:
    """What the attributes of a node of type ``kind`` say, and those that have no meaning here.

    Raises:
        BadListError: a known attribute has other values than it should.
    """
    if sum(map(len, attributes)) > LONGEST_KEPT:
        return _read(kind, tuple(attributes))
    return _kept(kind, tuple(attributes))


def _read(kind: str, attributes: tuple[str, ...]) -> tuple[Detail, tuple[str, ...]]:
    fields: dict[str, Any] = {"type": kind}
    others = []
    for text in attributes:
        name, *values = text[1:-1].split() or [""]
        if name in _READERS:
            field, read = _READERS[name]
            try:
                fields[field] = read(values)
            except BadListError as error:
                raise BadListError(f"{excerpt(text.encode())!r}: {error}") from None
        elif name in _LIGHTS:
            colors = fields.setdefault("lights", (0.0,) * 12)
            at = _LIGHTS[name]
            fields["lights"] = (*colors[:at], *_numbers(values, 4), *colors[at + 4 :])
        elif name == "load":
            _load(values, fields)
        elif name in OBJECTS and kind == "DSC":
            fields["words"] = (name, *values)
        else:
            others.append(text)
    return Detail(**fields), tuple(others)


_kept = lru_cache(KEPT)(_read)


def _load(values: Sequence[str], fields: dict[str, Any]) -> None:
    if not values:
        raise BadListError("load has no mesh")
    fields["mesh"] = values[0]
    fields["parameters"] = _numbers(values[1:])


def _numbers(values: Sequence[str], count: int | None = None) -> tuple[float, ...]:
    if count is not None and len(values) != count:
        raise BadListError(f"{len(values)} values instead of {count}")
    return tuple(NUMBER.read(value) for value in values)


def _flag(values: Sequence[str]) -> bool:
    """``(setTransparent)`` alone means yes."""
    if len(values) > 1:
        raise BadListError(f"{len(values)} values instead of 1")
    return not values or NUMBER.read(values[0]) != 0.0


_READERS: Final[dict[str, tuple[str, Callable[[Sequence[str]], Any]]]] = {
    "setVisible": ("visible", _flag),
    "setTransparent": ("transparent", _flag),
    "sSc": ("scale", lambda values: _numbers(values, 3)),
    "sMat": ("materials", tuple),
    "resetMaterials": ("materials", tuple),
    "rgba": ("color", lambda values: _numbers(values, 4)),
}
_LIGHTS: Final = {"setDiffuse": 0, "setAmbient": 4, "setSpecular": 8}
