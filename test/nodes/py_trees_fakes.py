# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for what py_trees_ros_interfaces 2.1.0 generates, with the same fields and constants, and for a node."""

import types
from dataclasses import dataclass, field

from builtin_interfaces.msg import Time
from unique_identifier_msgs.msg import UUID


@dataclass
class Behaviour:
    INVALID, RUNNING, SUCCESS, FAILURE = 1, 2, 3, 4
    UNKNOWN_TYPE, BEHAVIOUR, SEQUENCE, SELECTOR, PARALLEL, CHOOSER, DECORATOR = range(7)
    BLACKBOX_LEVEL_NOT_A_BLACKBOX = 4

    name: str = ""
    class_name: str = ""
    own_id: UUID = field(default_factory=UUID)
    parent_id: UUID = field(default_factory=UUID)
    tip_id: UUID = field(default_factory=UUID)
    child_ids: list = field(default_factory=list)
    current_child_id: UUID = field(default_factory=UUID)
    type: int = 0
    additional_detail: str = ""
    blackbox_level: int = 0
    status: int = 0
    message: str = ""
    is_active: bool = False
    blackboard_access: list = field(default_factory=list)


@dataclass
class Statistics:
    count: int = 0
    stamp: Time = field(default_factory=Time)


@dataclass
class BehaviourTree:
    behaviours: list = field(default_factory=list)
    changed: bool = False
    statistics: Statistics = field(default_factory=Statistics)


msg = types.SimpleNamespace(Behaviour=Behaviour, BehaviourTree=BehaviourTree, Statistics=Statistics)
srv = types.SimpleNamespace(
    OpenSnapshotStream="open", CloseSnapshotStream="close", ReconfigureSnapshotStream="reconfigure"
)


class Publisher:
    def __init__(self, topic):
        self.topic = topic
        self.sent = []
        self.subscribers = 0

    def publish(self, message):
        self.sent.append(message)

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

    def call(self, service, topic_name="", period=float("inf")):
        """What the service answers."""
        parameters = types.SimpleNamespace(snapshot_period=period, blackboard_data=True)
        request = types.SimpleNamespace(topic_name=topic_name, parameters=parameters)
        response = types.SimpleNamespace(topic_name="", result=None)
        return self.services_made[f"~/snapshot_streams/{service}"](request, response)
