# SPDX-License-Identifier: Apache-2.0
"""The permissions that the operator gives to the host of a language model."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.bml.rules.operator_rules import EVERYTHING, Allowed
from embodiment_bridge.core.errors import ConfigError, unknown

SOURCE: Final = "mcp"  # of its documents, for source_channels
BOTH: Final = {"arms": ("arm_l", "arm_r"), "hands": ("hand_l", "hand_r")}


@dataclass(frozen=True, slots=True)
class Options:
    """read_only: it may look and stop, and move nothing. ask: each run waits for the agreement of a person.

    allowed: channels; None: those that the behaviour tree allows. host_timeout: s without an answer to a ping after
    which the host counts as gone.
    """

    read_only: bool = False
    ask: bool = False
    allowed: Allowed | None = None
    host_timeout: float = 10.0


def allowed_channels(names: Iterable[str]) -> Allowed:
    """Channels by name; ``arms`` and ``hands`` are both of them.

    Raises:
        ConfigError: an unknown channel.
    """
    found: set[str] = set()
    for name in filter(None, names):
        if name not in EVERYTHING and name not in BOTH:
            raise ConfigError(f"--channels: {unknown('channel', name[:40], (*EVERYTHING, *BOTH))}")
        found |= set(BOTH.get(name, (name,)))
    return Allowed(SOURCE, frozenset(found))
