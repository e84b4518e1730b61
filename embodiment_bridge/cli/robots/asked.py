# SPDX-License-Identifier: Apache-2.0
"""Asks a robot of the running graph for its skills, its rules for documents, and the values of its blackboard."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.nodes.tree.runs.document_rules import PARAMETERS, DocumentRules, document_rules

NODE = "behavior_tree"
WAIT_S = 10.0
# For the values of topics; a guard whose value does not come says so.
VALUES_S = 10.0  # where the topic has a publisher: the machine may be busy
UNPUBLISHED_S = 5.0  # until the graph has told of one


@dataclass(frozen=True, slots=True)
class Answer:
    """What a robot said. values: of its blackboard, None where a topic gave none; troubles: why."""

    skills: Mapping[str, SkillInfo]
    rules: DocumentRules
    values: Mapping[str, Value]
    troubles: Mapping[str, str]


def ask_robot(namespace: str) -> Answer:
    """Ask the body and the behaviour-tree node in a namespace.

    Raises:
        ConfigError: one of them did not answer; the text says which.
    """
    from embodiment_bridge.launching.environment import prepare

    prepare()
    import rclpy
    from rcl_interfaces.srv import GetParameters
    from rclpy.parameter import parameter_value_to_python

    from embodiment_bridge.nodes.base.runtime import Runtime
    from embodiment_bridge.nodes.tree.runs.body_skills import BodySkills
    from embodiment_bridge.nodes.tree.values.blackboard_feed import BlackboardFeed

    with Runtime() as runtime:
        node = runtime.add(rclpy.create_node("bml_tool", namespace=namespace, context=runtime.context))
        body = BodySkills(node, lambda: None)
        client = node.create_client(GetParameters, f"{NODE}/get_parameters")
        deadline = time.monotonic() + WAIT_S
        runtime.spin(lambda: client.service_is_ready() or time.monotonic() > deadline)
        names = [parameter.name for parameter in PARAMETERS]
        answer = client.call_async(GetParameters.Request(names=names))
        runtime.spin(lambda: (answer.done() and bool(body.skills)) or time.monotonic() > deadline)
        if not answer.done():
            raise ConfigError(
                f"no node {NODE} answers in namespace {namespace}; start a robot, or give --params FILE"
            )
        if not body.skills:
            raise ConfigError(f"namespace {namespace}: {body.absence}")
        values: dict[str, Any] = {
            name: parameter_value_to_python(value)
            for name, value in zip(names, answer.result().values, strict=True)
        }
        rules = document_rules(values)
        feed = BlackboardFeed(node, rules.sources, 0.0)
        begun = time.monotonic()

        def enough() -> bool:
            patience = VALUES_S if feed.coming else UNPUBLISHED_S
            return not feed.troubles or time.monotonic() - begun > patience

        runtime.spin(enough)
        found = Answer(body.skills, rules, feed.values(), feed.troubles)
        feed.destroy()
        body.destroy()
        return found
