# SPDX-License-Identifier: Apache-2.0
"""Which protocols there are: a table of ours, and the entry points ``embodiment_bridge.protocols`` of others."""

from collections.abc import Mapping
from importlib.metadata import entry_points
from inspect import signature
from typing import Any

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.protocols.spec import Room
from embodiment_bridge.wire.codec import Codec

GROUP = "embodiment_bridge.protocols"
OURS: Mapping[str, str] = {
    "dummy": "embodiment_bridge.protocols.dummy:ROOM",
    "dynamixel": "embodiment_bridge.protocols.dynamixel:ROOM",
    "maeden": "embodiment_bridge.protocols.maeden:ROOM",
    "opencog": "embodiment_bridge.protocols.opencog:ROOM",
    "opencog_xml": "embodiment_bridge.protocols.opencog:XML_ROOM",
    "rcsssmj": "embodiment_bridge.protocols.rcsssmj:ROOM",
    "simspark": "embodiment_bridge.protocols.simspark:ROOM",
    "rcsssmj_monitor": "embodiment_bridge.protocols.rcsssmj_monitor:ROOM",
    "simspark_monitor": "embodiment_bridge.protocols.simspark_monitor:ROOM",
}


def protocols() -> dict[str, str]:
    """Names of all protocols and where their rooms are; ours win over others' of the same name."""
    others = {point.name: point.value for point in entry_points(group=GROUP)}
    return {**others, **OURS}


def choices() -> str:
    """The names of all protocols, for a help text."""
    return f"one of: {', '.join(sorted(protocols()))}"


def room(name: str) -> Room:
    """The room of a protocol.

    Raises:
        ConfigError: no such protocol, or the package that has it cannot be imported.
    """
    places = protocols()
    if name not in places:
        raise ConfigError(unknown("protocol", name, places))
    found = resolve(places[name])
    if not isinstance(found, Room):
        raise ConfigError(f"protocol {name!r}: {places[name]} is no Room")
    return found


def codec(name: str, **options: Any) -> Codec:
    """A fresh codec of a protocol.

    Raises:
        ConfigError: no such protocol, or its codec has no such option.
    """
    make = resolve(room(name).codec)
    known = signature(make).parameters
    for option in options:
        if option not in known:
            raise ConfigError(unknown(f"option of protocol {name!r}", option, known))
    made: Codec = make(**options)
    return made
