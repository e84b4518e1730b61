# SPDX-License-Identifier: Apache-2.0
"""The body's skills, the player and the fetcher: each run gets ports of its own to them."""

from collections.abc import Callable
from dataclasses import replace

from embodiment_bridge.action import ExecuteBml
from embodiment_bridge.behaviour.engine.loading import Rules
from embodiment_bridge.behaviour.engine.ports import Ports
from embodiment_bridge.bml.rules.capabilities import allowed_to, parse_table
from embodiment_bridge.fetching import Fetcher
from embodiment_bridge.fetching.acceptance import Acceptance
from embodiment_bridge.fetching.requests import Requests
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.sound.audio import Audio
from embodiment_bridge.nodes.sound.fetch_parameters import fetch_rules, signature_key
from embodiment_bridge.nodes.sound.media_parameters import Surroundings, with_media_roots
from embodiment_bridge.nodes.sound.run_media import RunMedia
from embodiment_bridge.nodes.tree.bml_goal import goal_rules
from embodiment_bridge.nodes.tree.body_skills import BodySkills
from embodiment_bridge.nodes.tree.ros_leaves import RosSkills


class RunPorts:
    """What the parameters of ``node`` say about skills, sound and fetching.

    Args:
        node: has the parameters.
        body: its skills.
        surroundings: of the player.
        now: the node's time in s.

    Raises:
        ConfigError: a parameter cannot be used.
    """

    def __init__(
        self, node: BridgeNode, body: BodySkills, surroundings: Surroundings, now: Callable[[], float]
    ) -> None:
        values = node.values
        self._body = body
        self._channels = parse_table(values["source_channels"])
        rules = fetch_rules(values)
        self._policy = with_media_roots(rules.policy, values)
        fetcher = Fetcher(rules)
        accepting = Acceptance(fetcher, key=signature_key(values), max_age=values["max_age"])
        self._requests = Requests(
            accepting.fetch_bytes, total_s=values["fetch_timeout"], max_bytes=values["fetch_max_bytes"]
        )
        self.audio = Audio(node, values, self._policy, replace(surroundings, fetch=fetcher.fetch_to), now)
        self._skills = RosSkills(node, values["dead_man"])

    def of_run(self, run_id: str, source: str) -> Ports:
        """Ports for a run that ``source`` asked for; each hold freezes what that run has started."""
        skills = self._skills.for_run(run_id, allowed_to(self._channels, source), self._body)
        return Ports(skills, RunMedia(self.audio.player, run_id), self._requests)

    def rules_of(self, goal: ExecuteBml.Goal) -> Rules:
        """What the document of a goal may ask for."""
        return goal_rules(goal, self._body.skills, self._policy, self._channels)

    def forget(self, run_id: str) -> None:
        """The run has ended."""
        self.audio.player.forget(run_id)

    def destroy(self) -> None:
        """Take everything off the graph."""
        self._skills.destroy()
        self._requests.close()
        self.audio.destroy()
