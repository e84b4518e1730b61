# SPDX-License-Identifier: Apache-2.0
"""One robot alone in a simulator in this process: our commands in, percepts out, as Python objects."""

from typing import Any

from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.rcsssmj.commands import Action, Frame, Init
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.managed_world import CYCLE, ManagedPlayer, ManagedWorld

__all__ = ["CYCLE", "ManagedSimulation"]


class ManagedSimulation:
    """A soccer field with one robot of ours, which stands still until somebody steps it.

    world: in which more robots can be, and in which things are placed.

    Not thread-safe. Nothing has to be closed.

    Args:
        rules: see ``ManagedWorld``.

    Raises:
        ConfigError: there are no such rules, or rcsssmj is not installed.
    """

    def __init__(self, rules: str = "ssim") -> None:
        self.world = ManagedWorld(rules)
        self._player: ManagedPlayer | None = None

    @property
    def simulation(self) -> Any:
        """Rcsssmj's own ``SoccerSimulation``."""
        return self.world.simulation

    @property
    def player(self) -> ManagedPlayer | None:
        """The robot, once it has joined."""
        return self._player

    def join(self, init: Init) -> Percept:
        """Place the robot beside the field; return what it perceives first. Takes about a second.

        Raises:
            CommandError: it has joined before, or the server would not take such an ``init``.
            LinkError: the simulation refuses it.
        """
        if self._player is not None:
            raise CommandError("Init: the robot has joined")
        self._player = self.world.add(init)
        return self._player.percept

    def reset(self) -> Percept:
        """Begin a new game in the same world, see ``ManagedWorld.reset``; return what the robot perceives then.

        Raises:
            CommandError: nobody has joined.
        """
        player = self._joined("reset")
        self.world.reset()
        return player.percept

    def apply(self, command: Action | Frame) -> None:
        """Let a command be carried out in the next step, after those that were given before.

        Raises:
            CommandError: nobody has joined, or the server would not take it, or what it would do is harm.
        """
        self._joined(type(command).__name__).apply(command)

    def step(self) -> Percept:
        """Let a cycle pass; return what the robot perceives then.

        Raises:
            CommandError: nobody has joined.
        """
        player = self._joined("step")
        self.world.step()
        return player.percept

    def _joined(self, wanted: str) -> ManagedPlayer:
        if self._player is None:
            raise CommandError(f"{wanted}: no robot has joined")
        return self._player
