# SPDX-License-Identifier: Apache-2.0
"""The monitor port of the stand-in."""

from random import Random
from typing import Final

from typing_extensions import override

from embodiment_bridge.standins.simspark.agents import Conversation, Recorded
from embodiment_bridge.standins.simspark.faults import Faults
from embodiment_bridge.standins.simspark.field import (
    AGENT_RADIUS,
    BALL_RADIUS,
    FIELD_LENGTH,
    FIELD_WIDTH,
    GOAL_WIDTH,
    PLAY_MODES,
)
from embodiment_bridge.standins.simspark.scene import SceneWriter
from embodiment_bridge.standins.simspark.trainer import Trainer
from embodiment_bridge.standins.simspark.world import HALF_TIME_S, World

STEP: Final = 2  # cycles of the world for one message: 25 a second
ENVIRONMENT: Final = (
    f"(FieldLength {FIELD_LENGTH:g})(FieldWidth {FIELD_WIDTH:g})(FieldHeight 40)(GoalWidth {GOAL_WIDTH:g})"
    f"(GoalDepth 0.6)(GoalHeight 0.8)(BorderSize 0)(FreeKickDistance 2)(WaitBeforeKickOff 30)"
    f"(AgentRadius {AGENT_RADIUS:g})(BallRadius {BALL_RADIUS:g})(BallMass 0.026)(RuleGoalPauseTime 3)"
    f"(RuleKickInPauseTime 1)(RuleHalfTime {HALF_TIME_S:g})(PassModeMinOppBallDist 1)(PassModeDuration 4)"
    f"(play_modes {' '.join(PLAY_MODES)})"
)


class RecordedMonitor(Recorded):
    """A recorded monitor stream, at its own rate."""

    _cycle = 0

    @override
    def message(self) -> str:
        self._cycle += 1
        return "" if self._cycle % STEP else super().message()


class MonitorConversation(Conversation):
    """Sends a monitor everything at first and when objects come or go, else changes. Monitors are trainers."""

    def __init__(self, world: World, trainer: Trainer, faults: Faults, random: Random) -> None:
        self._world = world
        self._trainer = trainer
        self._faults = faults
        self._random = random
        self._writer = SceneWriter()
        self._version = -1
        self._told: dict[str, str] = {}

    @override
    def hear(self, payload: bytes) -> None:
        self._trainer.obey(payload)

    @override
    def message(self) -> str:
        world, selected = self._world, self._trainer.selected
        if world.cycle % STEP:
            return ""
        game = self._game()
        if world.scene_version != self._version:
            self._version = world.scene_version
            lists = ENVIRONMENT + "".join(game.values())
            text = f"({lists}){self._writer.full(world, selected)}"
        else:
            changed = [item for name, item in game.items() if name == "time" or self._told.get(name) != item]
            text = f"({''.join(changed)}){self._writer.changes(world, selected)}"
        self._told = game
        return self._faults.spoil(text, self._random)

    @override
    def waits(self) -> bool:
        return False

    @override
    def leave(self) -> None:
        pass

    def _game(self) -> dict[str, str]:
        game = self._world.game
        items = {"time": f"(time {game.time:g})"}
        items |= {f"team_{side}": f"(team_{side} {name})" for side, name in sorted(game.teams.items())}
        items["half"] = f"(half {game.half})"
        items |= {f"score_{side}": f"(score_{side} {goals})" for side, goals in game.scores.items()}
        items["play_mode"] = f"(play_mode {PLAY_MODES.index(game.play_mode)})"
        return items
