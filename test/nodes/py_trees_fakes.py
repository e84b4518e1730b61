# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a node, as much of it as streams need."""

import copy
import types

from builtin_interfaces.msg import Time
from py_trees_ros_interfaces import srv


class Publisher:
    def __init__(self, topic):
        self.topic = topic
        self.sent = []
        self.subscribers = 0

    def publish(self, message):
        self.sent.append(copy.deepcopy(message))

    def get_subscription_count(self):
        return self.subscribers


class Node:
    """As much of a node as streams need, with the name /robot1/behavior_tree."""

    def __init__(self):
        self.services_made = {}
        self.publishers_made = {}
        self.lines = []

    def create_service(self, kind, name, callback):
        self.services_made[name] = callback
        return name

    def destroy_service(self, name):
        del self.services_made[name]

    def create_publisher(self, kind, topic, qos):
        self.publishers_made[topic] = Publisher(topic)
        return self.publishers_made[topic]

    def destroy_publisher(self, publisher):
        del self.publishers_made[publisher.topic]

    def resolve_topic_name(self, name):
        if " " in name:
            raise RuntimeError(f"bad name {name}")
        return name.replace("~", "/robot1/behavior_tree")

    def get_clock(self):
        now = types.SimpleNamespace(to_msg=lambda: Time(sec=7))
        return types.SimpleNamespace(now=lambda: now)

    def get_logger(self):
        return types.SimpleNamespace(
            debug=lambda text: self.lines.append(("debug", text)),
            warning=lambda text: self.lines.append(("warning", text)),
        )

    def call(self, service, topic_name="", period=float("inf"), **more):
        """What the service answers."""
        kind = getattr(srv, f"{service.title()}SnapshotStream")
        request = kind.Request(topic_name=topic_name)
        if service != "close":
            request.parameters.snapshot_period = period
            request.parameters.blackboard_data = more.get("data", False)
            request.parameters.blackboard_activity = more.get("activity", False)
        return self.services_made[f"~/snapshot_streams/{service}"](request, kind.Response())

    def ask(self, service, **request):
        """What a service for the blackboard answers."""
        kind = {"open": srv.OpenBlackboardStream, "close": srv.CloseBlackboardStream}.get(
            service, srv.GetBlackboardVariables
        )
        return self.services_made[f"~/blackboard_streams/{service}"](kind.Request(**request), kind.Response())
