# SPDX-License-Identifier: Apache-2.0
"""The names that protocol packages of others import, handed on from their modules."""

from typing_extensions import override

from embodiment_bridge.core.parameter import Parameter, ParameterValues
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.protocols.converter import Converter, Cycle, Messages, Stamp
from embodiment_bridge.protocols.registry import Input, Output, ProtocolSpec
from embodiment_bridge.wire.codec import EXCERPT_LIMIT, Codec, Malformed, Truncated, Unknown, excerpt

__all__ = [
    "EXCERPT_LIMIT", "Codec", "Converter", "Cycle", "Input", "Malformed", "Messages", "Output", "Parameter",
    "ParameterValues", "ProtocolSpec", "Stamp", "Truncated", "Unknown", "excerpt", "override", "resolve",
]  # fmt: skip
