# SPDX-License-Identifier: Apache-2.0
"""What a protocol package of others imports: each name is at home in the module that it comes from."""

from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.protocols.converter import Converter
from embodiment_bridge.protocols.spec import Input, Output, Room
from embodiment_bridge.wire.codec import Codec
from embodiment_bridge.wire.events import EXCERPT_LIMIT, Malformed, Truncated, Unknown, excerpt

__all__ = [
    "EXCERPT_LIMIT", "Codec", "Converter", "Input", "Malformed", "Output", "Parameter", "Room", "Truncated", "Unknown",
    "excerpt", "resolve",
]  # fmt: skip
