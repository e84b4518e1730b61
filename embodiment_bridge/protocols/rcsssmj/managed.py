# SPDX-License-Identifier: Apache-2.0
"""The simulator in this process, as a library: our commands in, percepts out, as Python objects, without a socket.

rcssservermj 0.2.1 has no class for this of its own; what its server does in each cycle with ``--sequential`` is done
here with the same classes: perceive, let the robot answer, step. So what is commanded shows in the next percept.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, get_args

from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError, unknown
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.protocols.rcsssmj.command_writer import CommandWriter
from embodiment_bridge.protocols.rcsssmj.commands import Action, Beam, Frame, Init, Motor, Say
from embodiment_bridge.protocols.rcsssmj.convert import simulator_beam, simulator_motor
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.perceptions import percept_of
from embodiment_bridge.protocols.rcsssmj.robots import SPEAKER

CYCLE: Final = 0.02  # s of simulated time from percept to percept
RULES: Final = ("ssim", "fifa")  # books of rules; each has its field: 55 m x 36 m, 105 m x 68 m


class ManagedSimulation:
    """A soccer field with one robot of ours, which stands still until somebody steps it.

    simulation: rcsssmj's own ``SoccerSimulation``, for what goes beyond a player's means: ``request_kick_off``,
    ``request_place_ball``, ``request_place_player``, ``mj_model``, ``mj_data``.

    Not thread-safe. Nothing has to be closed.

    Args:
        rules: ``ssim`` or ``fifa``.

    Raises:
        ConfigError: there are no such rules, or rcsssmj is not installed.
    """

    def __init__(self, rules: str = "ssim") -> None:
        if rules not in RULES:
            raise ConfigError(unknown("rules", rules, RULES))
        book = _part("games.soccer.soccer_rules:create_soccer_rule_book")(rules)
        field = _part("games.soccer.soccer_fields:create_soccer_field")(book.default_field_version.value)
        self.simulation = _part("games.soccer.sim.soccer_sim:SoccerSimulation")(field, book)
        self._motor_action = _part("sim.actions:MotorAction")
        self._speaker_action = _part("sim.actions:SpeakerAction")
        self._beam_action = _part("games.soccer.sim.soccer_actions:BeamAction")
        self._agent: Any = None
        self._waiting: list[Any] = []
        if not self.simulation.init():
            raise LinkError("rcsssmj could not make its world")
        self.simulation.step([])  # in a world that was never stepped rcsssmj cannot place a robot

    def join(self, init: Init) -> Percept:
        """Place the robot beside the field; return what it perceives first. Takes about a second.

        Raises:
            CommandError: it has joined before, or the server would not take such an ``init``.
            LinkError: the simulation refuses it.
        """
        if self._agent is not None:
            raise CommandError("Init: the robot has joined")
        self._writer = CommandWriter()
        self._writer.payload(init)
        request = _part("sim.actions:InitRequest")(init.model, init.team, init.number)
        with _mujoco_silent():
            (self._agent,) = self.simulation.add_players([request])
        if self._agent is None:
            raise LinkError(f"rcsssmj takes no robot {init.model} number {init.number} of team {init.team}")
        # A recompiled world has garbage for the controls of a new robot, and accelerations that follow from it.
        self.simulation.mj_data.ctrl[:] = 0.0
        _part("sim.simulation:mujoco").mj_forward(self.simulation.mj_model, self.simulation.mj_data)
        return self._percept()

    def apply(self, command: Action | Frame) -> None:
        """Let a command be carried out in the next step, after those that were given before.

        Raises:
            CommandError: nobody has joined, or the server would not take it, or what it would do is harm.
        """
        if self._agent is None:
            raise CommandError(f"{type(command).__name__}: no robot has joined")
        if not isinstance(command, Action | Frame):
            names = [kind.__name__ for kind in (*get_args(Action), Frame)]
            raise CommandError(unknown("command", type(command).__name__, names))
        self._writer.payload(command)
        for action in command.actions if isinstance(command, Frame) else (command,):
            self._waiting += self._actions(action)

    def step(self) -> Percept:
        """Let a cycle pass; return what the robot perceives then.

        Raises:
            CommandError: nobody has joined.
        """
        if self._agent is None:
            raise CommandError("step: no robot has joined")
        waiting, self._waiting = self._waiting, []
        self._agent.set_actions(waiting)
        self.simulation.step([])
        return self._percept()

    def _percept(self) -> Percept:
        self.simulation.generate_perceptions()
        return percept_of(self._agent.perceptions)

    def _actions(self, action: Action) -> Iterator[Any]:
        """What rcsssmj's own parser makes of an action: angles in rad, volumes from 0 to 1."""
        prefix = self._agent.agent_id.prefix
        if isinstance(action, Motor):
            yield self._motor_action(prefix + action.name, *simulator_motor(action))
        elif isinstance(action, Beam):
            yield self._beam_action(f"{prefix}beam", simulator_beam(action))
        elif isinstance(action, Say):
            text = action.message
            message = text.encode() if isinstance(text, str) else bytes(text)
            yield self._speaker_action(prefix + SPEAKER, action.volume / 100.0, message)


def require_rcsssmj() -> None:
    """Do nothing where the simulator's package can be imported.

    Raises:
        ConfigError: it cannot; the text says what to install.
    """
    _part("games.soccer.sim.soccer_sim:SoccerSimulation")


def _part(place: str) -> Any:
    try:
        return resolve(f"rcsssmj.{place}")
    except ConfigError as error:
        raise ConfigError(
            f"a simulation in this process needs the Python package rcsssmj (pip install rcsssmj==0.2.1): {error}"
        ) from error


@contextmanager
def _mujoco_silent() -> Iterator[None]:
    """MuJoCo warns of the garbage of a new robot on the console and in a file MUJOCO_LOG.TXT; it is dealt with."""
    mujoco = _part("sim.simulation:mujoco")
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
