# SPDX-License-Identifier: Apache-2.0
"""Percepts of a player, in the order and form of rcssserver3d 0.7.3."""

from collections.abc import Iterator

from embodiment_bridge.standins.simspark.anatomy import apply, transposed
from embodiment_bridge.standins.simspark.player import WEIGHT_N, Player
from embodiment_bridge.standins.simspark.sight import Eye
from embodiment_bridge.standins.simspark.world import World

SEE_EVERY = 3  # percepts
_FOOT_OF = {"rlj5": ("rf", "rfoot"), "llj5": ("lf", "lfoot")}  # joint after which the force of a foot is sent
_TOES_OF = {"rlj6": ("rf1", "rfoot"), "llj6": ("lf1", "lfoot")}  # likewise, of a robot that has them


class Perceptors:
    """The sensors of one player. ``true_pose``: also send its true pose (mypos, myorien)."""

    def __init__(self, world: World, player: Player, *, true_pose: bool = False) -> None:
        self._world = world
        self._player = player
        self._eye = Eye(world.random if world.noise else None)
        self._true_pose = true_pose
        self._count = 0
        toes = any(joint.name == "rlj7" for joint in player.robot.joints)
        self._soles = {**_FOOT_OF, **_TOES_OF} if toes else _FOOT_OF

    def percept(self) -> str:
        """The message of this cycle."""
        text = "".join(self._lists())
        self._count += 1
        return text

    def _lists(self) -> Iterator[str]:
        player = self._player
        yield f"(time (now {self._world.now:.2f}))"
        yield self._game()
        while player.heard:
            yield player.heard.popleft()
        yield "(GYR (n torso) (rt {:.2f} {:.2f} {:.2f}))".format(*player.rates)
        yield "(ACC (n torso) (a {:.2f} {:.2f} {:.2f}))".format(*player.acceleration)
        for joint in player.robot.joints:
            if joint.name == "raj1" and self._count % SEE_EVERY == 0:
                yield self._eye.see(self._world, player, true_pose=self._true_pose)
            yield f"(HJ (n {joint.name}) (ax {player.angles[joint.name]:.2f}))"
            if joint.name in self._soles:
                yield self._foot(*self._soles[joint.name])

    def _game(self) -> str:
        game, player = self._world.game, self._player
        who = ""
        if player.side and not player.told_side:
            player.told_side = True
            who = f"(unum {player.number}) (team {player.side}) "
        scores = f"(sl {game.scores['left']}) (sr {game.scores['right']})"
        return f"(GS {who}{scores} (t {game.time:.2f}) (pm {game.play_mode}))"

    def _foot(self, name: str, part: str) -> str:
        """The ground force in the foot's frame: the standing soles share the weight."""
        standing = self._player.on_ground
        if part not in standing:
            return ""
        up = (0.0, 0.0, WEIGHT_N * 2 / (len(standing) * len(self._soles)))
        force = apply(transposed(self._player.parts[part].turn), up)
        return "(FRP (n {}) (c 0.00 -0.01 -0.01) (f {:.2f} {:.2f} {:.2f}))".format(name, *force)
