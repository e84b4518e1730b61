# SPDX-License-Identifier: Apache-2.0
"""Leaves that make a sound or control the player."""

import math
from dataclasses import replace

from py_trees.common import Status

from embodiment_bridge.behaviour.engine.context import Playing
from embodiment_bridge.behaviour.engine.loading import Rejected
from embodiment_bridge.behaviour.engine.node import Node
from embodiment_bridge.behaviour.engine.ports import SoundReport, SoundRequest, SoundStatus
from embodiment_bridge.behaviour.nodes.leaves import Leaf
from embodiment_bridge.behaviour.nodes.tree_builder import makes
from embodiment_bridge.bml.nodes import sound as bml
from embodiment_bridge.core.errors import CommandError, unknown


class Sound(Leaf):
    """Plays a medium or speaks a text, to the end. Stopped or replaced on purpose is a success."""

    def __init__(self, name: str, wanted: SoundRequest) -> None:
        super().__init__(name)
        self.wanted = wanted  # its id is given anew for each execution

    def reset(self) -> None:
        """Forget the sound of the last execution."""
        self.playing: Playing | None = None

    def start(self) -> None:
        """Ask the player for it."""
        request = replace(self.wanted, id=self.context.new_id())
        self.playing = Playing(self.context.ports.media, request, self.t_start)
        if self.origin.name:
            self.context.sounds[self.origin.name] = self.playing
        self.context.ports.media.start(request)

    def poll(self) -> None:
        """End with the sound; its end is seen, not scheduled."""
        report = self.look()
        now = max(self.context.clock.seconds, self.t_start)
        if report.status is SoundStatus.FAILED:
            self.finish(Status.FAILURE, now, report.reason or "cannot be played")
        elif report.status.ended:
            if report.status is SoundStatus.REPLACED:
                text = report.reason or "a newer sound took the channel"
                self.context.journal.warn(now, self.origin, "REPLACED", text)
            message = "" if report.status is SoundStatus.ENDED else report.status.value
            self.finish(Status.SUCCESS, now, message)

    def left_s(self) -> float:
        left = None if self.playing is None else self.playing.left
        return math.inf if left is None else left

    def look(self) -> SoundReport:
        """Return the newest report."""
        if self.playing is None:
            raise CommandError("the sound was not begun")
        return self.playing.look()

    def cancel(self) -> None:
        """Fade out."""
        if self.playing is not None and not self.playing.ended:
            self.context.ports.media.cancel(self.playing.request.id)

    def leave(self) -> None:
        """Mark the sound as over."""
        if self.playing is not None:
            self.playing.over = True

    def port_released(self) -> bool:
        """Return whether it is silent."""
        return self.look().status.ended

    def port_held(self) -> bool | None:
        """Return whether it is frozen; None when it is over."""
        report = self.look()
        return None if report.status.ended else report.held


@makes("speak")
def make_speak(node: bml.Speak, children: list[Node], nesting: int) -> Node:
    wanted = SoundRequest(
        "",
        content=node.content,
        voice=node.voice,
        language=node.language,
        rate=node.rate,
        volume=node.volume,
        channel=node.channel,
    )
    return Sound(node.name, wanted)


class PlayerCommand(Leaf):
    """Does pause, resume, stop or setVolume on the player's channel, at once, also when nothing plays."""

    def __init__(self, name: str, action: str, volume: float | None, channel: str = "") -> None:
        super().__init__(name)
        self.action = action
        self.volume = volume
        self.channel = channel

    def may_start(self) -> bool:
        """Return True, unless an earlier node still waits to start: the order in the document is kept."""
        return self.context.starts_allowed or not self.context.waiting

    def start(self) -> None:
        """Tell the player."""
        remark = self.context.ports.media.command(self.action, self.volume, self.channel)
        self.finish(Status.SUCCESS, self.t_start, remark)


@makes("player")
def make_player(node: bml.Player, children: list[Node], nesting: int) -> Node:
    if node.action == "play":
        wanted = SoundRequest(
            "",
            url=node.url,
            content=node.content,
            volume=node.volume,
            channel=node.channel,
            marks_url=node.marks_url,
            fade=node.fade_s,
        )
        return Sound(node.name, wanted)
    if node.action not in bml.ACTIONS:
        raise Rejected.because(
            node.pointer, "UNKNOWN_ACTION", unknown("player action", node.action, bml.ACTIONS)
        )
    return PlayerCommand(node.name, node.action, node.volume, node.channel)
