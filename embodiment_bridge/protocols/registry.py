# SPDX-License-Identifier: Apache-2.0
"""Describes a protocol as data, and lists which there are.

A table of ours, and the entry points ``embodiment_bridge.protocols`` of others.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from inspect import signature

from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.wire.codec import Codec


@dataclass(frozen=True, slots=True)
class Output:
    """A topic of the protocol. ``type`` is ``package.msg:Name``; ``role`` names the QoS (``nodes/base/qos.py``).

    Of several messages in one percept a subscriber loses what is beyond its depth: send one message with an array.

    of_state: it is ``joint_states`` and has what ``BodyState`` has of all joints. The node then publishes it by itself,
    as soon as the state is known, and tells the converter that it is not wanted.
    """

    topic: str
    type: str
    role: str
    of_state: bool = False


@dataclass(frozen=True, slots=True)
class Input:
    """A topic or a service for what is particular to the peer of a protocol.

    ``type`` is ``package.msg:Name`` of a topic or ``package.srv:Name`` of a service whose response has ``success``
    and ``message``. ``command`` says what the soccer simulators make of a message (``soccer/requests.py``): a
    class in ``ProtocolSpec.commands`` takes its values as they are, in the order of its fields; the
    ``module:function`` of ``convert.py``, where units change, takes the message. Empty where the converter does more.
    """

    name: str
    type: str
    command: str = ""


@dataclass(frozen=True, slots=True)
class ProtocolSpec:
    """One protocol as data.

    ``codec``, ``converter``, ``commands``, ``managed`` and ``link`` are ``module:attribute``, resolved on use.

    commands: the command classes that the codec encodes; empty where there are none.
    probe: name of the parameter whose port must have sent something before the peer can be joined; 0 is no port.
    outputs: topics of the converter's messages, or the ``module:attribute`` of such a tuple.
    refusal: what it means when the peer closes the connection instead of answering the handshake.
    managed: a function that takes the parameters and returns the ``open_link`` of a ``Session`` (``link/session.py``)
    for a peer in this process; empty where there is no such peer.
    link: a function that takes parameters, transport, codec, counters and clock, and returns the ``EventLink`` of one
    connection, for a peer with which more is to be arranged than bytes; empty where a codec is enough.
    quiet_after: s without a message after which the peer counts as silent; 0 for one that speaks only when it has to.
    stay_for_answer: the link is not closed between the handshake and the first message, for some seconds: for a peer
    that keeps the body of a client that leaves while the body is made.
    """

    name: str
    summary: str
    codec: str
    converter: str
    parameters: tuple[Parameter, ...]
    outputs: tuple[Output, ...] | str
    inputs: tuple[Input, ...] = ()
    services: tuple[Input, ...] = ()
    commands: str = ""
    probe: str = ""
    refusal: str = ""
    managed: str = ""
    link: str = ""
    quiet_after: float = 0.0
    stay_for_answer: bool = False

    def topics(self) -> tuple[Output, ...]:
        """The outputs.

        Raises:
            ConfigError: the module that has them, which needs ROS, cannot be imported.
        """
        found: tuple[Output, ...] = resolve(self.outputs) if isinstance(self.outputs, str) else self.outputs
        return found


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
