# SPDX-License-Identifier: Apache-2.0
"""Feelings of an OAC move its body: emotions are shown as documents that give way to everything else."""

import time
from collections.abc import Callable, Collection, Mapping

from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.tree.bml_client import BmlClient
from embodiment_bridge.protocols.opencog.world.feelings import Mood, Rule

LAST = -1000  # priority: any plan or document is more important


class OpencogMood:
    """Call it on the executor's thread. note(text) writes a line for people.

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

    def destroy(self) -> None:
        """Take the client off the graph."""
        self._client.destroy()

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
            if self._client.result.outcome not in ("REJECTED", "ERROR"):  # else it is tried again
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
        document = (
            f'{{"type": "body", "action": "{wanted.upper()}"}}'  # the rules allow letters, digits and _
        )
        self._client.send(document, source=self._source, on_new="reject", priority=LAST)
