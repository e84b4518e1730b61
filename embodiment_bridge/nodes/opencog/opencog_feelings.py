# SPDX-License-Identifier: Apache-2.0
"""Shows the emotions of an OAC on its body, and publishes the needs of the body."""

import time
from collections import deque
from collections.abc import Callable, Collection, Mapping

from sensor_msgs.msg import BatteryState
from std_msgs.msg import Header

from embodiment_bridge.msg import PhysiologyLevels
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.tree.bml_client import BmlClient
from embodiment_bridge.protocols.opencog.world.feelings import Mood, PhysiologyModel, Rates, Rule
from embodiment_bridge.protocols.opencog.xml.parts import Level

# The needs of one body for its OAC: measured, modelled, and published on the topic where others tell them, too.

OWN_MESSAGES = 100  # remembered until they come back


class OpencogNeeds:
    """Needs on the topics with ``prefix``. ``levels`` is for the session's thread, the rest for the executor's."""

    def __init__(self, node: BridgeNode, prefix: str, rates: Rates) -> None:
        self._node = node
        self._model = PhysiologyModel(rates)
        self._own: deque[PhysiologyLevels] = deque(maxlen=OWN_MESSAGES)
        topic, state = f"{prefix}physiology", profile("state")
        node.create_subscription(PhysiologyLevels, topic, self._take_levels, state)
        node.create_subscription(BatteryState, f"{prefix}battery", self._take_battery, state)
        self._published = node.create_publisher(PhysiologyLevels, topic, state)

    def act(self, changes: Mapping[str, float]) -> None:
        """Change levels at once: eating reduces hunger."""
        self._model.act(changes)

    def levels(self, now_s: float) -> tuple[Level, ...]:
        """Return all known levels, which are published as well; ``now_s``: time in s."""
        levels = self._model.levels(now_s)
        if levels:
            message = PhysiologyLevels(header=Header(stamp=self._node.get_clock().now().to_msg()))
            message.names, message.levels = [one.name for one in levels], [one.value for one in levels]
            self._own.append(message)  # before it is published, as it comes back
            self._published.publish(message)
        return levels

    def _take_levels(self, message: PhysiologyLevels) -> None:
        if message not in tuple(self._own):  # a level that the bridge published is no measurement
            self._model.told(dict(zip(message.names, message.levels, strict=False)))

    def _take_battery(self, message: BatteryState) -> None:
        self._model.battery(message.percentage)


LAST = -1000  # priority: any plan or document is more important


class OpencogMood:
    """Shows feelings by emotions. Call it on the executor's thread. note(text) writes a line for people.

    Args:
        node: of the bridge.
        prefix: of the body's namespace, ending with a slash, or empty.
        rules: emotions by feeling.
        rest_s: s between two changes.
        source: name of the client, for logs.
        note: writes a line for people.
    """

    def __init__(
        self,
        node: BridgeNode,
        prefix: str,
        rules: Mapping[str, Rule],
        rest_s: float,
        source: str,
        note: Callable[[str], None],
    ) -> None:
        self._rules = rules
        self._mood = Mood(rules, rest_s)
        self._source, self._note = source, note
        self._client = BmlClient(node, lambda feedback: None, prefix)
        self._asked = ""  # the emotion that was asked for; empty: none is on its way
        self._lacking: set[str] = set()

    def close(self) -> None:
        """End the emotion that was asked for."""
        if self._asked:
            self._client.cancel()

    def look_after(self, levels: Mapping[str, float], skills: Collection[str]) -> None:
        """Show what is felt; call it regularly.

        Args:
            levels: of all feelings, 0..1.
            skills: names of those that the body has.
        """
        now = time.monotonic()
        if self._asked and self._client.result is not None:
            if self._client.result.outcome not in ("REJECTED", "ERROR"):  # after these it is tried again
                self._mood.showing(self._asked, now)
            self._asked = ""
        if not self._rules or self._asked or not skills or not self._client.server_is_there:
            return
        wanted = self._mood.wish(levels, now)
        if not wanted:
            return
        if wanted not in skills:
            self._mood.showing(wanted, now)  # it cannot be shown, and counts as shown
            if wanted not in self._lacking:
                self._lacking.add(wanted)
                self._note(f"the emotion {wanted!r} cannot be shown: the body has no such skill")
            return
        self._asked = wanted
        # the rules allow letters, digits and _
        document = f'{{"type": "body", "action": "{wanted.upper()}"}}'
        self._client.send(document, source=self._source, on_new="reject", priority=LAST)
