# SPDX-License-Identifier: Apache-2.0
"""Values of topics for the conditions of documents: callbacks only keep them, a tick copies them."""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy

from embodiment_bridge.behaviour.engine.blackboard import MAX_TEXT
from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.nodes.base.messages import message_class
from embodiment_bridge.nodes.tree.values.blackboard_sources import Source

LOOK_EVERY = 0.5  # s of wall time between looks for topics that have no publisher yet


class BlackboardFeed:
    """Subscribes to the topics of ``sources``, of any type, once they have a publisher.

    max_age: s of wall time after which a value that did not come again is taken away; 0: never.
    """

    def __init__(
        self,
        node: Node,
        sources: Sequence[Source],
        max_age: float,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._node = node
        self._sources = sources
        self._max_age = max_age
        self._monotonic = monotonic
        self._looker = None
        if sources:
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self._looker = node.create_timer(LOOK_EVERY, self._look, clock=steady)

    def values(self) -> dict[str, Value]:
        """Return the present values; None for one that is not known."""
        oldest = self._monotonic() - self._max_age if self._max_age else -math.inf
        return {one.name: one.value if one.seen >= oldest else None for one in self._sources}

    @property
    def troubles(self) -> dict[str, str]:
        """Reasons why values are not there, by name."""
        return {one.name: one.trouble for one in self._sources if one.trouble}

    @property
    def unpublished(self) -> dict[str, str]:
        """By its name, why a value cannot come: the topic has no publisher, or its messages have no such field."""
        return {
            one.name: f"{one.name} is {self._node.resolve_topic_name(one.topic)}, and {one.trouble}"
            for one in self._sources
            if one.subscription is None
        }

    @property
    def coming(self) -> bool:
        """Whether there is a value whose topic has a publisher and has not said anything yet."""
        return any(one.subscription is not None and one.seen == -math.inf for one in self._sources)

    def _look(self) -> None:
        missing = [source for source in self._sources if source.subscription is None]
        if not missing:
            if self._looker is not None:
                self._looker.cancel()
            return
        types = dict(self._node.get_topic_names_and_types())
        for source in missing:
            self._join(source, types)

    def _join(self, source: Source, types: Mapping[str, list[str]]) -> None:
        topic = self._node.resolve_topic_name(source.topic)
        publishers = self._node.get_publishers_info_by_topic(topic)
        if not publishers or len(types.get(topic, ())) != 1:
            return
        try:
            kind = message_class(types[topic][0])
            check_path(kind, source.path)
        except ConfigError as error:
            if source.trouble != str(error):
                source.trouble = str(error)
                self._node.get_logger().warning(f"blackboard: {source.name} from {topic}: {error}")
            return
        offered = publishers[0].qos_profile
        profile = QoSProfile(
            depth=1, durability=offered.durability, reliability=ReliabilityPolicy.BEST_EFFORT
        )
        if all(one.qos_profile.reliability is ReliabilityPolicy.RELIABLE for one in publishers):
            profile.reliability = ReliabilityPolicy.RELIABLE
        source.trouble = "no message yet"
        source.subscription = self._node.create_subscription(
            kind, topic, partial(self._take, source), profile
        )

    def _take(self, source: Source, message: Any) -> None:
        source.value, source.trouble = read_value(message, source.path)
        source.seen = self._monotonic()


def check_path(kind: Any, path: Iterable[str | int]) -> None:
    """Check that there is such a field at all, as far as the type tells.

    Raises:
        ConfigError: there is none; the text has those that there are.
    """
    names = [step for step in path if isinstance(step, str)]
    message = kind()
    for name in names:
        fields: Mapping[str, str] = getattr(message, "get_fields_and_field_types", dict)()
        if name not in fields:
            known = ", ".join(fields) or "none"
            raise ConfigError(f"no field {name!r} in {type(message).__name__} (there: {known})")
        message = getattr(message, name)
        if not hasattr(message, "get_fields_and_field_types"):
            return  # a value, or an array of which nothing is known yet


def read_value(message: Any, path: Iterable[str | int]) -> tuple[Value, str]:
    """Read a value of a message, and why there is none: a value is a boolean, a finite number or a text."""
    found = message
    try:
        for step in path:
            found = found[step] if isinstance(step, int) else getattr(found, step)
    except (AttributeError, IndexError, TypeError, KeyError) as error:
        return None, f"there is no such value: {error}"
    if isinstance(found, bytes) and len(found) == 1:
        found = found[0]
    if hasattr(found, "item"):  # numpy
        found = found.item() if getattr(found, "size", 0) == 1 else found
    if isinstance(found, bool) or (isinstance(found, (int, float)) and math.isfinite(found)):
        return found, ""
    if isinstance(found, str):
        return found[:MAX_TEXT], ""
    return None, f"a {type(found).__name__} is not a boolean, finite number or text"
