# SPDX-License-Identifier: Apache-2.0
"""The simulator in this process, as a library: a world with any number of robots, without a socket.

rcssservermj 0.2.1 has no class for this of its own; what its server does in each cycle with ``--sequential`` is done
here with the same classes: perceive, let the robots answer, step. So what is commanded shows in the next percept.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from math import isfinite
from typing import Any, Final, get_args

from embodiment_bridge.core.errors import CommandError, ConfigError, LinkError, unknown
from embodiment_bridge.core.resolve import resolve
from embodiment_bridge.core.rotation import Quaternion, Vector
from embodiment_bridge.protocols.rcsssmj.codec import CommandWriter
from embodiment_bridge.protocols.rcsssmj.commands import Action, Beam, Frame, Init, Motor, Say, Syn
from embodiment_bridge.protocols.rcsssmj.convert import simulator_beam, simulator_motor
from embodiment_bridge.protocols.rcsssmj.events import Percept
from embodiment_bridge.protocols.rcsssmj.percept_reader import percept_of
from embodiment_bridge.protocols.rcsssmj.robots import SPEAKER

# books of rules; each has its field: 55 m x 36 m, 105 m x 68 m for fifa
RULES: Final = ("ssim", "ssim26", "fifa")
CYCLE: Final = 0.02  # s of simulated time from percept to percept
STILL: Final = (0.0, 0.0, 0.0)


class ManagedPlayer:
    """One robot of a world. percept: what it perceived last, in the units of the wire."""

    percept: Percept

    def __init__(self, init: Init, agent: Any, writer: CommandWriter) -> None:
        self.init = init
        self._agent = agent
        self._writer = writer
        self._motor_action = part("sim.actions:MotorAction")
        self._speaker_action = part("sim.actions:SpeakerAction")
        self._beam_action = part("games.soccer.sim.soccer_actions:BeamAction")
        self._waiting: list[Any] = []

    @property
    def prefix(self) -> str:
        """Return the prefix of the names of its parts in the compiled world."""
        return str(self._agent.agent_id.prefix)

    @property
    def has_commands(self) -> bool:
        """Whether commands wait for the next step."""
        return bool(self._waiting)

    @property
    def turn(self) -> Quaternion:
        """Return the orientation of the torso in ``map``: unit quaternion x y z w."""
        w, x, y, z = map(float, self._agent.xquat)
        return x, y, z, w

    def apply(self, command: Action | Frame) -> None:
        """Let a command be carried out in the next step, after those that were given before.

        Raises:
            CommandError: the server would not take it, or what it would do is harm.
        """
        if not isinstance(command, Action | Frame):
            names = [kind.__name__ for kind in (*get_args(Action), Frame)]
            raise CommandError(unknown("command", type(command).__name__, names))
        self._writer.payload(command)
        actions = command.actions if isinstance(command, Frame) else (command,)
        self._waiting += [made for action in actions for made in self._actions(action)]

    def act(self) -> None:
        """Hand over what waits; the world does so before each step."""
        waiting, self._waiting = self._waiting, []
        self._agent.set_actions(waiting)

    def act_at_once(self, model: Any, data: Any) -> None:
        """Do what waits; instead of ``act``, where rcsssmj does not step."""
        self.act()
        self._agent.pre_step(model, data)

    def perceive(self) -> None:
        """Take what the simulation has generated; the world does so after each step."""
        self.percept = percept_of(self._agent.perceptions)

    def _actions(self, action: Action) -> Iterator[Any]:
        """Make the actions that rcsssmj's own parser would: angles in rad, volumes from 0 to 1."""
        prefix = self._agent.agent_id.prefix
        if isinstance(action, Motor):
            yield self._motor_action(prefix + action.name, *simulator_motor(action))
        elif isinstance(action, Beam):
            yield self._beam_action(f"{prefix}beam", simulator_beam(action))
        elif isinstance(action, Say):
            text = action.message
            message = text.encode() if isinstance(text, str) else bytes(text)
            yield self._speaker_action(prefix + SPEAKER, action.volume / 100.0, message)
        elif type(action) is not Syn:
            raise CommandError(f"{type(action).__name__}: a world in this process has no such action")


class ManagedWorld:
    """A soccer field with robots of ours, which stands still until somebody steps it.

    simulation: rcsssmj's own ``SoccerSimulation``, for what goes beyond this class: ``request_kick_off``,
    ``mj_model``, ``mj_data``. players: the robots, in the order in which they came.

    Not thread-safe. Nothing has to be closed.

    Args:
        rules: ``ssim``, ``ssim26`` or ``fifa``; they say how many may be in a team, and which field there is.

    Raises:
        ConfigError: there are no such rules, or rcsssmj is not installed.
    """

    def __init__(self, rules: str = "ssim") -> None:
        if rules not in RULES:
            raise ConfigError(unknown("rules", rules, RULES))
        book = part("games.soccer.soccer_rules:create_soccer_rule_book")(rules)
        field = part("games.soccer.soccer_fields:create_soccer_field")(book.default_field_version.value)
        self.simulation = part("games.soccer.sim.soccer_sim:SoccerSimulation")(field, book)
        provider = self.simulation.spec_provider
        provider.load_robot_spec = partial(_with_named_shapes, provider.load_robot_spec)
        self._mujoco = part("sim.simulation:mujoco")
        self.players: list[ManagedPlayer] = []
        if not self.simulation.init():
            raise LinkError("rcsssmj could not make its world")
        self.simulation.step([])  # in a world that was never stepped rcsssmj cannot place a robot

    def add(self, init: Init) -> ManagedPlayer:
        """Place a robot beside the field; it perceives at once. Takes about a second.

        Raises:
            CommandError: the server would not take such an ``init``.
            LinkError: the simulation refuses it: the team is full, the number is taken, or there are two other teams.
        """
        writer = CommandWriter()
        writer.payload(init)
        request = part("sim.actions:InitRequest")(init.model, init.team, init.number)
        with _mujoco_silent():
            (agent,) = self.simulation.add_players([request])
        if agent is None:
            raise LinkError(f"rcsssmj takes no robot {init.model} number {init.number} of team {init.team}")
        # A recompiled world has garbage for the controls of a new robot, and accelerations that follow from it.
        self.simulation.mj_data.ctrl[:] = 0.0
        self._forward()
        player = ManagedPlayer(init, agent, writer)
        self.players.append(player)
        self.simulation.generate_perceptions()
        player.perceive()
        return player

    def remove(self, player: ManagedPlayer) -> None:
        """Take a robot out of the world; nothing if it is not in it."""
        if player in self.players:
            self.players.remove(player)
            with _mujoco_silent():
                self.simulation.remove_players([player._agent])

    def step(self, *, perceive: bool = True) -> None:
        """Let a cycle pass, and all robots perceive, unless that is left to ``perceive``."""
        for player in self.players:
            player.act()
        self.simulation.step([])
        if perceive:
            self.perceive()

    def step_physics(self) -> None:
        """Let a cycle pass without referee, sound and perception: what robots do, and the physics."""
        simulation = self.simulation
        for player in self.players:
            player.act_at_once(simulation.mj_model, simulation.mj_data)
        self._mujoco.mj_step(simulation.mj_model, simulation.mj_data, simulation.n_substeps)

    def perceive(self) -> None:
        """Let all robots perceive the world as it is; it costs them more than the step."""
        self.simulation.generate_perceptions()
        for player in self.players:
            player.perceive()

    def reset(self) -> None:
        """A new game in the same world: robots beside the field, the ball in the middle, no goals; time goes on."""
        simulation = self.simulation
        data = simulation.mj_data
        now = data.time
        self._mujoco.mj_resetData(simulation.mj_model, data)
        data.time = now
        game = simulation.game_state
        names = [name for name in (game.left_team_name, game.right_team_name) if name]
        game.reset()
        for name in names:  # the first one is the left one again
            game.update_team_names(name)
        simulation.referee.reset()
        simulation.ball.reset_contacts()
        self._forward()
        self.perceive()

    def place_ball(self, position: Vector, velocity: Vector = STILL) -> None:
        """Put the ball somewhere in ``map``, m, with a velocity, m/s."""
        _finite("ball", *position, *velocity)
        self.simulation.request_place_ball(position, velocity)
        self._forward()

    def place_player(self, team: str, number: int, position: Vector, turn: Quaternion | None = None) -> None:
        """Put the torso of a robot somewhere in ``map``, all joints at zero.

        Args:
            team: its name, or left or right.
            number: of the player.
            position: m.
            turn: unit quaternion x y z w; None leaves it as it is.

        Raises:
            CommandError: there is no such player.
        """
        _finite("player", *position, *(turn or STILL))
        game = self.simulation.game_state
        team_name = {"left": game.left_team_name, "right": game.right_team_name}.get(team, team)
        known = {f"{player.init.team} {player.init.number}": player for player in self.players}
        player = known.get(f"{team_name} {number}")
        if player is None:
            raise CommandError(unknown("player", f"{team} {number}", known))
        x, y, z, w = turn or player.turn
        self.simulation.request_place_player(number, team_name, position, (w, x, y, z))
        self._forward()

    def _forward(self) -> None:
        self._mujoco.mj_forward(self.simulation.mj_model, self.simulation.mj_data)


def _with_named_shapes(load: Callable[..., Any], *which: str) -> Any:
    """Load a model whose shapes all have names, as rcsssmj ends where one without touches the ball: those of a K1."""
    spec = load(*which)
    for number, shape in enumerate(spec.geoms if spec is not None else ()):
        shape.name = shape.name or f"{shape.parent.name}_{number}"
    return spec


def require_rcsssmj() -> None:
    """Do nothing where the simulator's package can be imported.

    Raises:
        ConfigError: it cannot; the text says what to install.
    """
    part("games.soccer.sim.soccer_sim:SoccerSimulation")


def part(place: str) -> Any:
    """Something of the simulator, as ``module:attribute``.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        return resolve(f"rcsssmj.{place}")
    except ConfigError as error:
        raise ConfigError(
            f"a simulation in this process needs the Python package rcsssmj (pip install rcsssmj==0.2.1): {error}"
        ) from error


def _finite(thing: str, *numbers: float) -> None:
    """MuJoCo does not survive other numbers."""
    for number in numbers:
        if not isfinite(number):
            raise CommandError(f"{thing}: {number} is not a finite number")


@contextmanager
def _mujoco_silent() -> Iterator[None]:
    """MuJoCo warns of the garbage of a new robot on the console and in a file MUJOCO_LOG.TXT; it is dealt with."""
    mujoco = part("sim.simulation:mujoco")
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: None)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
