# SPDX-License-Identifier: Apache-2.0
"""Reads the section ``walk`` of a gait or a policy: what it does at full command."""

from dataclasses import MISSING, Field, fields
from typing import Any

from embodiment_bridge.body.config_section import Section
from embodiment_bridge.body.description import WalkLimits


def read_walk(section: Section) -> WalkLimits:
    """The limits; see ``WalkLimits`` for the keys.

    Raises:
        ConfigError: see ``body_file.read_body``.
    """
    lowest = dict.fromkeys(("coast_forward", "coast_backward", "coast_turn", "coast_left"), -1.0)
    lowest |= {"settle_forward": 0.0, "left": 0.0, "brake_turn": 0.0}
    walk = WalkLimits(
        **{
            f.name: section.number(f.name, lowest.get(f.name, 0.01), 100.0, default_of(f))
            for f in fields(WalkLimits)
        }
    )
    section.close()
    return walk


def default_of(one: "Field[Any]") -> float | None:
    """The default of a number of a dataclass; None if the file has to give it."""
    return None if one.default is MISSING else float(one.default)
