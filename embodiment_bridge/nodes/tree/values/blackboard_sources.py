# SPDX-License-Identifier: Apache-2.0
"""The parameter ``blackboard``: which values of topics conditions and guards can ask for."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from embodiment_bridge.behaviour.engine.blackboard import MAX_KEYS
from embodiment_bridge.bml.base.conditions import KEY, Value
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import Parameter

if TYPE_CHECKING:
    from rclpy.subscription import Subscription

MAX_SOURCES = 100
STEP = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)((?:\[\d{1,6}\])*)")
FORM = "NAME=TOPIC:FIELD, as battery=battery:percentage"
PARAMETERS = (
    Parameter(
        "blackboard",
        [""],
        "Values of topics for conditions, each as name=topic:field: battery=battery:percentage (0 to 1).",
    ),
    Parameter(
        "blackboard_max_age",
        0.0,
        "A value that did not come again for so long is forgotten, s; 0 never.",
        0.0,
        86400.0,
    ),
)


@dataclass(slots=True)
class Source:
    """Names one value: its name on the blackboard, the topic, and the path to it in the message."""

    name: str
    topic: str
    path: tuple[str | int, ...]
    subscription: "Subscription[Any] | None" = None
    value: Value = None
    seen: float = -math.inf
    trouble: str = field(default="the topic has no publisher yet")


def parse_source(text: str) -> Source:
    """Parse ``name=topic:field``; a field may be ``pose.position.x`` or ``ranges[0]``.

    Raises:
        ConfigError: it has another form.
    """
    name, _, rest = text.partition("=")
    topic, _, way = rest.rpartition(":")
    steps = [STEP.fullmatch(step) for step in way.split(".")]
    if not KEY.fullmatch(name) or not topic or not all(steps):
        raise ConfigError(f"parameter blackboard: {text!r:.200} is not of the form {FORM}")
    path: list[str | int] = []
    for step in steps:
        if step is not None:
            path += [step[1], *map(int, re.findall(r"\d+", step[2]))]
    return Source(name, topic, tuple(path))


def parse_sources(texts: Iterable[str]) -> list[Source]:
    """Return all of a parameter; empty texts are left out.

    Raises:
        ConfigError: one has another form, a name stands twice, or there are too many.
    """
    sources = [parse_source(text) for text in texts if text]
    names = [source.name for source in sources]
    if len(set(names)) != len(names):
        raise ConfigError(f"parameter blackboard: a name stands twice in {', '.join(names):.200}")
    if len(sources) > min(MAX_SOURCES, MAX_KEYS):
        raise ConfigError(f"parameter blackboard: {len(sources)} values; there may be {MAX_SOURCES}")
    return sources
