# SPDX-License-Identifier: Apache-2.0
"""OpenCog Embodiment: the proxy's side of a network of elements that talk through a Router (docs/opencog.md).

``wire.py`` and ``codec.py`` are the Router's lines, the rest is the XML inside the messages. Two protocols are
registered: `opencog`, what a Router sends to a proxy, and `opencog_xml`, one document of a message.
"""

from embodiment_bridge.protocols.registry import ProtocolSpec

SPEC = ProtocolSpec(
    name="opencog",
    summary="lines between the Router and an element of an OpenCog network; payloads are XML",
    codec="embodiment_bridge.protocols.opencog.router.codec:Codec",
    converter="",
    commands="embodiment_bridge.protocols.opencog.router.wire:COMMANDS",
    parameters=(),
    outputs=(),
)

XML_SPEC = ProtocolSpec(
    name="opencog_xml",
    summary="XML documents between a proxy and an OAC, in the dialects seed and final, read also in legacy-2008",
    codec="embodiment_bridge.protocols.opencog.xml.xml_codec:Codec",
    converter="",
    commands="embodiment_bridge.protocols.opencog.xml.events:COMMANDS",
    parameters=(),
    outputs=(),
)
