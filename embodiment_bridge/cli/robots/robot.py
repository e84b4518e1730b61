# SPDX-License-Identifier: Apache-2.0
"""A body with its rules, for checking documents."""

import argparse
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from embodiment_bridge.behaviour.engine.context import Settings
from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.bml.base.conditions import Value
from embodiment_bridge.bml.base.problems import Problem
from embodiment_bridge.bml.document import Document
from embodiment_bridge.bml.reading.freshness import age_refusal
from embodiment_bridge.bml.rules.capabilities import check_channels
from embodiment_bridge.bml.rules.checker import check
from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.body.state import SkillInfo
from embodiment_bridge.cli.robot_options import USUAL_BODY, USUAL_SOURCE
from embodiment_bridge.cli.robots.asked import NODE, ask_robot
from embodiment_bridge.cli.robots.known_bodies import body_skills
from embodiment_bridge.cli.robots.parameter_file import read_parameters
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.nodes.tree.runs.document_rules import PARAMETERS, DocumentRules, document_rules
from embodiment_bridge.nodes.tree.runs.safety import Guards


@dataclass(frozen=True, slots=True)
class Robot:
    """A body with its rules. values: of the blackboard of a robot that runs, None where a topic gave none."""

    skills: Mapping[str, SkillInfo]
    rules: DocumentRules
    source: str = USUAL_SOURCE
    values: Mapping[str, Value] = field(default_factory=dict)
    troubles: Mapping[str, str] = field(default_factory=dict)

    def rules_for(self, *, strict: bool, subtrees: Mapping[str, str]) -> Rules:
        """What a document of this source may ask for."""
        return self.rules.of(self.skills, self.source, strict=strict, subtrees=subtrees)

    def problems(self, document: Document, *, speech: bool) -> list[Problem]:
        """What this robot would say against a document that was read. speech: texts are accepted."""
        rules = self.rules_for(strict=False, subtrees={})
        found = check(document, rules.skills, speech=speech or self.rules.speaks, urls=rules.urls)
        found += check_channels(document, rules.skills, rules.allowed)
        stale = self.stale(document)
        return [*found, Problem("", "STALE", stale)] if stale else found

    def stale(self, document: Document) -> str:
        """Why the age of the document lets it be refused; empty when it does not."""
        refusal = age_refusal(document.metadata, self.rules.max_age, time.time())
        return refusal and f"the document is refused: {refusal}"

    def veto(self, given: Mapping[str, Value]) -> str:
        """Why its guards let nothing run, with these values in place of what topics said; empty when they do."""
        values = {**self.values, **given}
        told = {source.name: "--set NAME=VALUE gives it" for source in self.rules.sources}
        return Guards(self.rules.guards, lambda: values, lambda: {**told, **self.troubles}).refusal()


def given_robot(arguments: argparse.Namespace) -> Robot:
    """The robot that the options name. Without ``--params`` and ``--robot`` every public host may be fetched from.

    Raises:
        ConfigError: there is no such body, file or robot, or a parameter cannot be used.
    """
    if arguments.robot is not None:
        if arguments.params:
            raise ConfigError("--robot asks the robot for its parameters; --params is not possible beside it")
        answer = ask_robot(arguments.robot)
        return Robot(answer.skills, answer.rules, arguments.source, answer.values, answer.troubles)
    skills = body_skills(arguments.body or USUAL_BODY)
    if arguments.params:
        return Robot(
            skills, document_rules(read_parameters(arguments.params, PARAMETERS, NODE)), arguments.source
        )
    rules = document_rules({parameter.name: parameter.default for parameter in PARAMETERS})
    return Robot(skills, replace(rules, urls=UrlPolicy(), settings=Settings()), arguments.source)
