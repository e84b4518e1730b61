# SPDX-License-Identifier: Apache-2.0
"""Which protocols there are: a table of ours, and the entry points ``embodiment_bridge.protocols`` of others."""

from collections.abc import Mapping
from contextlib import suppress
from inspect import signature

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.protocols.spec import ProtocolSpec
from embodiment_bridge.wire.codec import Codec

GROUP = "embodiment_bridge.protocols"
OURS: Mapping[str, str] = {
    "dummy": "embodiment_bridge.protocols.dummy:SPEC",
    "dynamixel": "embodiment_bridge.protocols.dynamixel:SPEC",
    "maeden": "embodiment_bridge.protocols.maeden:SPEC",
    "opencog": "embodiment_bridge.protocols.opencog:SPEC",
    "opencog_xml": "embodiment_bridge.protocols.opencog:XML_SPEC",
    "rcsssmj": "embodiment_bridge.protocols.rcsssmj:SPEC",
    "simspark": "embodiment_bridge.protocols.simspark:SPEC",
    "rcsssmj_monitor": "embodiment_bridge.protocols.rcsssmj_monitor:SPEC",
    "simspark_monitor": "embodiment_bridge.protocols.simspark_monitor:SPEC",
}


def protocols() -> dict[str, str]:
    """Names of all protocols and where their specs are; ours win over others' of the same name."""
    from importlib.metadata import entry_points  # which takes a third of the time of `decode`

    others = {point.name: point.value for point in entry_points(group=GROUP)}
    return {**others, **OURS}


def named() -> str:
    """Our protocols, for a help text that must not wait for the search of others' packages."""
    return f"one of: {', '.join(sorted(OURS))}, or of another package"


def choices() -> str:
    """The names of all protocols, for a help text."""
    return f"one of: {', '.join(sorted(protocols()))}"


def spec(name: str) -> ProtocolSpec:
    """The spec of a protocol.

    Raises:
        ConfigError: no such protocol, or the package that has it cannot be imported.
    """
    places = OURS if name in OURS else protocols()
    if name not in places:
        raise ConfigError(unknown("protocol", name, places))
    found = resolve(places[name])
    if not isinstance(found, ProtocolSpec):
        raise ConfigError(f"protocol {name!r}: {places[name]} is no ProtocolSpec")
    return found


def inputs() -> set[str]:
    """Names of the topics that the protocols take, as far as their packages can be imported."""
    found: set[str] = set()
    for name in protocols():
        with suppress(ConfigError):
            found |= {item.name for item in spec(name).inputs}
    return found


def codec(name: str, **options: bool | int | float | str) -> Codec[object, object]:
    """A fresh codec of a protocol.

    Raises:
        ConfigError: no such protocol, or its codec has no such option.
    """
    make = resolve(spec(name).codec)
    known = signature(make).parameters
    for option in options:
        if option not in known:
            raise ConfigError(unknown(f"option of protocol {name!r}", option, known))
    made: Codec[object, object] = make(**options)
    return made
