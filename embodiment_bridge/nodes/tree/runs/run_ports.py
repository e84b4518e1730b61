# SPDX-License-Identifier: Apache-2.0
"""The body's skills, the player and the fetcher: each run gets ports of its own to them."""

from collections.abc import Callable
from dataclasses import replace

from embodiment_bridge.action import ExecuteBml
from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.bml.rules.operator_rules import allowed_to
from embodiment_bridge.fetching import Fetcher
from embodiment_bridge.fetching.requests import Requests
from embodiment_bridge.fetching.signature import Acceptance
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.sound.audio import Audio
from embodiment_bridge.nodes.sound.fetch_parameters import signature_key
from embodiment_bridge.nodes.sound.media_parameters import Surroundings
from embodiment_bridge.nodes.sound.run_media import RunMedia
from embodiment_bridge.nodes.sound.speech_topic import SpeechTopic
from embodiment_bridge.nodes.tree.runs.body_skills import BodySkills
from embodiment_bridge.nodes.tree.runs.document_rules import document_rules
from embodiment_bridge.nodes.tree.runs.ros_leaves import RosSkills


class RunPorts:
    """Skills, sound and fetching, as the parameters of ``node`` set them.

    Args:
        node: has the parameters.
        body: its skills; also the attribute ``body``.
        surroundings: of the player.
        now: the node's time in s.

    Raises:
        ConfigError: a parameter cannot be used.
    """

    def __init__(
        self, node: BridgeNode, body: BodySkills, surroundings: Surroundings, now: Callable[[], float]
    ) -> None:
        values = node.values
        self.body = body
        self.rules = document_rules(values)
        fetcher = Fetcher(self.rules.fetch)
        accepting = Acceptance(fetcher, key=signature_key(values), max_age=self.rules.max_age)
        self._requests = Requests(
            accepting.fetch_bytes, total_s=values["fetch_timeout"], max_bytes=values["fetch_max_bytes"]
        )
        self.audio = Audio(node, values, self.rules.urls, replace(surroundings, fetch=fetcher.fetch_to), now)
        self.speech = SpeechTopic(node, self.audio)
        self._skills = RosSkills(node, values["dead_man"])

    def of_run(self, run_id: str, source: str) -> Ports:
        """Ports for a run that ``source`` asked for; each hold freezes what that run has started."""
        skills = self._skills.for_run(run_id, allowed_to(self.rules.channels, source), self.body)
        return Ports(skills, RunMedia(self.audio.player, run_id), self._requests)

    def rules_of(self, goal: ExecuteBml.Goal) -> Rules:
        """The rules for the document of a goal."""
        subtrees = {item.key: item.value for item in goal.subtrees}
        return self.rules.of(self.body.skills, goal.source, strict=goal.strict, subtrees=subtrees)

    def forget(self, run_id: str) -> None:
        """The run has ended."""
        self.audio.player.forget(run_id)

    def destroy(self) -> None:
        """Take everything off the graph."""
        self.speech.destroy()
        self._skills.destroy()
        self._requests.close()
        self.audio.destroy()
