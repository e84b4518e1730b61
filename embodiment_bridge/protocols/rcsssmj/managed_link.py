# SPDX-License-Identifier: Apache-2.0
"""The simulator in this process as a link of a session: reading steps it, so it goes as fast as it is read."""

import threading
from collections.abc import Callable, Iterable
from typing import Final

from typing_extensions import override

from embodiment_bridge.core.errors import CommandError, LinkError
from embodiment_bridge.core.parameter import ParameterValues
from embodiment_bridge.link.event_link import Counters, EventLink
from embodiment_bridge.protocols.rcsssmj.commands import Action, Frame, Init
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.managed import CYCLE, ManagedSimulation, require_rcsssmj

PEER: Final = "managed://rcsssmj"


class ManagedLink(EventLink[Percept, Init | Action | Frame]):
    """Each read lets a cycle of the simulation pass; commands take effect in the next one.

    The world is new, and nothing comes before ``Init``, with which the robot joins. It is gone with the link.

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

    @override
    def read(self, timeout: float) -> list[Percept]:
        wait = self._due - self._clock() if self._joined else timeout
        if self._closed.wait(min(max(wait, 0.0), timeout)):
            raise LinkError(f"{self.peer}: closed")
        if not self._joined or wait > timeout:
            return []
        self._due = max(self._due + self._period, self._clock())  # what was late for long is not caught up
        percept, self._first = self._first or self._simulation.step(), None
        self.arrived = self._clock()
        return [percept]

    @override
    def write(self, commands: Iterable[Init | Action | Frame]) -> bool:
        return sum(self._take(command) for command in commands) > 0

    @override
    def close(self) -> None:
        self._closed.set()

    def _take(self, command: Init | Action | Frame) -> bool:
        try:
            if isinstance(command, Init):
                self._first = self._simulation.join(command)
                self._joined, self._due = True, self._clock()
            else:
                self._simulation.apply(command)
        except CommandError as error:
            self._counters.refuse(error)
            return False
        return True


def make_opener(values: ParameterValues) -> Callable[[Counters, Callable[[], float]], ManagedLink]:
    """What opens links for a session with these parameters of the protocol: see ``managed`` of ``ProtocolSpec``.

    Raises:
        ConfigError: rcsssmj is not installed.
    """
    require_rcsssmj()
    factor = float(values["realtime_factor"])
    return lambda counters, clock: ManagedLink(counters, clock, factor)
