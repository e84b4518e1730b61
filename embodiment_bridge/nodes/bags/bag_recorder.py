# SPDX-License-Identifier: Apache-2.0
"""Records topics of the graph into a rosbag2 directory."""

import re
import time
from collections.abc import Mapping
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Unpack

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.clock import Clock, ClockType
from rclpy.subscription import Subscription
from rclpy.timer import Timer

from embodiment_bridge.bags.writer import BagWriter, FindShare, Totals, definition
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import Parameter
from embodiment_bridge.nodes.bags.bag_qos import to_record, to_store
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.messages import message_class
from embodiment_bridge.nodes.base.parameters import NodeOptions, pattern

LOOK_S = 0.25  # between two checks for new topics
HIDDEN = re.compile(r"/_")  # internal topics of the middleware and of actions
PARAMETERS = (
    Parameter("output", "", "Directory to make; empty: recording_DATE_TIME here."),
    Parameter("include", ".*", "Regular expression of the names of topics to record, from their beginning."),
    Parameter("exclude", "", "Regular expression of the names of topics to leave out; empty: none."),
    Parameter("hidden", False, "Also record hidden topics: feedback and status of actions."),
    Parameter("own_namespace", False, "Record only topics in the namespace of this node, /tf and /clock."),
)


class BagRecorder(BridgeNode):
    """Records a bag.

    ``find_share(package)`` gives the share folder of an interface package, or raises LookupError.
    """

    def __init__(self, find_share: FindShare, **node_kwargs: Unpack[NodeOptions]) -> None:
        super().__init__("recorder", PARAMETERS, **node_kwargs)
        self._find_share = find_share
        self._writer: BagWriter | None = None
        self._looker: Timer | None = None
        self._recorded: dict[str, Subscription | None] = {}
        self.path = Path()

    @property
    def totals(self) -> Totals:
        """Numbers of written and lost messages so far."""
        return self._writer.totals if self._writer is not None else Totals()

    @property
    def topics(self) -> list[str]:
        """The recorded topics."""
        return sorted(name for name, subscription in self._recorded.items() if subscription is not None)

    def configure(self) -> None:
        """Read the patterns of the topics to record."""
        values = self.values
        self._include = pattern(values, "include")
        self._exclude = pattern(values, "exclude") if values["exclude"] else None
        self._first_path = Path(values["output"] or time.strftime("recording_%Y%m%d_%H%M%S"))
        self.path = self._first_path

    def activate(self) -> None:
        """Make the directory, and start to look for topics."""
        self.path = self._first_path
        if self._writer is not None and self.path.exists():  # from an earlier activation of this node
            self.path = self._next_path()
        self._writer = BagWriter(self.path)
        self.get_logger().info(f"recording into {self.path}")
        self._looker = self.create_timer(LOOK_S, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))
        self._look()

    def deactivate(self) -> None:
        """Write the waiting messages and finish the directory."""
        if self._looker is not None:
            self.destroy_timer(self._looker)
            self._looker = None
        for subscription in self._recorded.values():
            if subscription is not None:
                self.destroy_subscription(subscription)
        self._recorded.clear()
        if self._writer is not None:
            totals = self._writer.close()
            lost = f", {totals.lost} lost" if totals.lost else ""
            self.get_logger().info(f"recorded {totals.written} messages into {self.path}{lost}")

    def diagnose(self) -> tuple[bytes, str, Mapping[str, object]]:
        """Return the numbers of recorded and lost messages."""
        if self._writer is None or not self.active:
            return super().diagnose()
        totals = self._writer.totals
        values = {
            "path": self.path, "topics": len(self.topics), "messages": totals.written,
            "bytes": totals.written_bytes, "lost": totals.lost,
        }  # fmt: skip
        if totals.error:
            return DiagnosticStatus.ERROR, f"not recording any more: {totals.error}", values
        if totals.lost:
            return DiagnosticStatus.WARN, "messages were lost: the disk is too slow", values
        return DiagnosticStatus.OK, "recording", values

    def _next_path(self) -> Path:
        first = self._first_path
        return next(path for n in count(2) if not (path := first.with_name(f"{first.name}_{n}")).exists())

    def _look(self) -> None:
        """Subscribe to topics that are new and have a publisher."""
        for topic, types in self.get_topic_names_and_types():
            if topic not in self._recorded and self._is_wanted(topic):
                offered = [one.qos_profile for one in self.get_publishers_info_by_topic(topic)]
                if offered:
                    # None of one that fails, such as a type without its compiled part; the others go on.
                    record = self.guard.wrap(self._record, f"recording of {topic}")
                    self._recorded[topic] = record(topic, types[0], offered)

    def _is_wanted(self, topic: str) -> bool:
        if (HIDDEN.search(topic) and not self.values["hidden"]) or not self._include.match(topic):
            return False
        if self._exclude is not None and self._exclude.match(topic):
            return False
        namespace = self.get_namespace().rstrip("/") + "/"
        common = ("/tf", "/tf_static", "/clock", "/diagnostics")
        return not self.values["own_namespace"] or topic.startswith(namespace) or topic in common

    def _record(self, topic: str, type_name: str, offered: list[Any]) -> Subscription | None:
        writer = self._writer
        if writer is None:
            return None
        try:
            message_type = message_class(type_name)
            about = definition(type_name, self._find_share)
        except ConfigError as error:
            self.get_logger().warning(f"{topic} is not recorded: {error}")
            return None
        number = writer.add_topic(topic, type_name, about, [to_store(one) for one in offered])
        take = partial(self._take, writer, number)
        # no overrides: the publishers decide, and there may be any number of topics, so of parameters
        profile = to_record(offered)
        return self.create_subscription(
            message_type, topic, take, profile, raw=True, qos_overriding_options=None
        )

    def _take(self, writer: BagWriter, number: int, data: bytes) -> None:
        writer.take(number, self.get_clock().now().nanoseconds, data)
