# SPDX-License-Identifier: Apache-2.0
"""The simulator in this process as a link of a session: reading steps it, so it goes as fast as it is read."""

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from embodiment_bridge.core.errors import CommandError, LinkError
from embodiment_bridge.link.event_link import Counters
from embodiment_bridge.protocols.rcsssmj.commands import Init
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.managed import CYCLE, ManagedSimulation, require_rcsssmj

PEER: Final = "managed://rcsssmj"


class ManagedLink:
    """See ``event_link.EventLink``. The world is new; the robot joins with ``Init`` and is gone with the link.

    Args:
        counters: of the session.
        clock: s, of the session.
        factor: simulated time per time of the clock; 0 as fast as it is read.
    """

    peer = PEER
    silent = ""

    def __init__(self, counters: Counters, clock: Callable[[], float], factor: float) -> None:
        self.arrived = clock()
        self._counters = counters
        self._clock = clock
        self._period = CYCLE / factor if factor else 0.0
        self._closed = threading.Event()
        self._simulation = ManagedSimulation()
        self._first: Percept | None = None
        self._joined = False
        self._due = 0.0

    def read(self, timeout: float) -> list[Any]:
        """See ``EventLink``: let a cycle pass and perceive; nothing comes before ``Init``."""
        wait = self._due - self._clock() if self._joined else timeout
        if self._closed.wait(min(max(wait, 0.0), timeout)):
            raise LinkError(f"{self.peer}: closed")
        if not self._joined or wait > timeout:
            return []
        self._due = max(self._due + self._period, self._clock())  # what was late for long is not caught up
        percept, self._first = self._first or self._simulation.step(), None
        self.arrived = self._clock()
        return [percept]

    def write(self, commands: Iterable[Any]) -> bool:
        """See ``EventLink``: commands take effect in the next cycle."""
        return sum(self._take(command) for command in commands) > 0

    def close(self) -> None:
        """See ``EventLink``."""
        self._closed.set()

    def _take(self, command: Any) -> bool:
        try:
            if isinstance(command, Init):
                self._first = self._simulation.join(command)
                self._joined, self._due = True, self._clock()
            else:
                self._simulation.tell(command)
        except CommandError as error:
            self._counters.refuse(error)
            return False
        return True


def make_opener(values: Mapping[str, Any]) -> Callable[[Counters, Callable[[], float]], ManagedLink]:
    """What opens links for a session with these parameters of the room: see ``contract.Room.managed``.

    Raises:
        ConfigError: rcsssmj is not installed.
    """
    require_rcsssmj()
    factor = float(values["realtime_factor"])
    return lambda counters, clock: ManagedLink(counters, clock, factor)
