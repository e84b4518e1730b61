# SPDX-License-Identifier: Apache-2.0
"""A protocol as data: what it publishes and takes, and where its parts are."""

from dataclasses import dataclass

from embodiment_bridge.core.parameter import Parameter


@dataclass(frozen=True, slots=True)
class Output:
    """A topic of the protocol. ``type`` is ``package.msg:Name``; ``role`` names the QoS (``nodes/base/qos.py``)."""

    topic: str
    type: str
    role: str


@dataclass(frozen=True, slots=True)
class Input:
    """A topic or a service for what is particular to the peer of a protocol.

    ``type`` is ``package.msg:Name`` of a topic or ``package.srv:Name`` of a service whose response has ``success``
    and ``message``.
    """

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class ProtocolSpec:
    """One protocol as data.

    ``codec``, ``converter``, ``commands``, ``managed`` and ``link`` are ``module:attribute``, resolved on use.

    commands: the command classes that the codec encodes; empty where there are none.
    probe: name of the parameter whose port must have sent something before the peer can be joined.
    refusal: what it means when the peer closes the connection instead of answering the handshake.
    managed: a function that takes the parameters and returns the ``open_link`` of a ``Session`` (``link/session.py``)
    for a peer in this process; empty where there is no such peer.
    link: a function that takes parameters, transport, codec, counters and clock, and returns the ``EventLink`` of one
    connection, for a peer with which more is to be arranged than bytes; empty where a codec is enough.
    """

    name: str
    summary: str
    codec: str
    converter: str
    parameters: tuple[Parameter, ...]
    outputs: tuple[Output, ...]
    inputs: tuple[Input, ...] = ()
    services: tuple[Input, ...] = ()
    commands: str = ""
    probe: str = ""
    refusal: str = ""
    managed: str = ""
    link: str = ""
