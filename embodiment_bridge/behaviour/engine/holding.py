# SPDX-License-Identifier: Apache-2.0
"""Freezing body and sound of a run, and letting them go on."""

from collections.abc import Iterable

from embodiment_bridge.behaviour.engine.context import RunContext
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.outcome import NOWHERE
from embodiment_bridge.behaviour.engine.ports import MediaPort, SkillPort
from embodiment_bridge.core.errors import text_of


class Hold:
    """The last request to the ports, to hold (``on``) or to go on, and whether they have followed it."""

    def __init__(self, context: RunContext) -> None:
        self.on = False
        self._context = context
        self._deadline = 0.0

    def ask(self, on: bool) -> None:
        """Ask body and player."""
        self.on = on
        self._deadline = self._context.outside + self._context.settings.hold_limit_s
        self._ask(self._context.ports.skills, on or self._context.body_paused)
        self._ask(self._context.ports.media, on)

    def release(self) -> None:
        """Let them go on, if they were asked to hold, by the run or by the action PAUSE of the document."""
        if self.on or self._context.body_paused:
            self._context.body_paused = False
            self.ask(False)

    def followed(self, nodes: Iterable[Node]) -> bool:
        """Whether all these nodes have done so, or their time is over; those that have not are named in a warning."""
        slow = [node.origin.pointer for node in nodes if not node.hold_settled(self.on)]
        if slow and self._context.outside < self._deadline:
            return False
        if slow:
            what = f"{'hold' if self.on else 'go on'} within {self._context.settings.hold_limit_s:g} s"
            self._warn("HOLD_FORCED", f"did not {what}: {', '.join(slow)}")
        return True

    def _ask(self, port: SkillPort | MediaPort, on: bool) -> None:
        try:
            port.hold(on)
        except Exception as error:  # noqa: BLE001 - the other port must still be asked
            self._warn("HOLD_FAILED", text_of(error))

    def _warn(self, code: str, message: str) -> None:
        self._context.journal.warn(self._context.clock.seconds, NOWHERE, code, message)
