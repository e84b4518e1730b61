# SPDX-License-Identifier: Apache-2.0
"""Connects a player to the graph, and to one run as its ``MediaPort``."""

import math
from collections.abc import Callable
from dataclasses import asdict
from itertools import count

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer
from std_msgs.msg import String
from typing_extensions import override

from embodiment_bridge.behaviour.engine.ports import MediaPort, SoundReport, SoundRequest, SoundStatus
from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.parameter import NodeValues
from embodiment_bridge.media import cue as say
from embodiment_bridge.media.cue import SPEECH, ChannelState, Cue
from embodiment_bridge.media.player import Player
from embodiment_bridge.media.speech.store import MAX_TEXT
from embodiment_bridge.msg import AudioState
from embodiment_bridge.nodes.base.bridge_node import BridgeNode
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.sound.media_parameters import Surroundings, make_player
from embodiment_bridge.nodes.sound.mouth_light import MouthLight

STATUS = {
    say.LOADING: SoundStatus.RUNNING,
    say.PLAYING: SoundStatus.RUNNING,
    say.ENDED: SoundStatus.ENDED,
    say.STOPPED: SoundStatus.STOPPED,
    say.REPLACED: SoundStatus.REPLACED,
    say.FAILED: SoundStatus.FAILED,
}


class RunMedia(MediaPort):
    """Implements the player as the ``MediaPort`` of one run: ``hold`` freezes only what this run plays."""

    def __init__(self, player: Player, run_id: str) -> None:
        self._player, self._run_id = player, run_id

    @property
    @override
    def speaks(self) -> bool:
        return self._player.speaks

    @override
    def start(self, request: SoundRequest) -> None:
        cue = Cue(
            request.id,
            self._run_id,
            request.channel or say.MAIN,
            url=request.url,
            text=request.content,
            voice=request.voice,
            language=request.language,
            rate=1.0 if request.rate is None else request.rate,
            volume=request.volume,
            fade=request.fade,
            marks_url=request.marks_url,
        )
        self._player.start(cue)

    @override
    def report(self, request_id: str) -> SoundReport:
        status = self._player.status_of(request_id)
        outcome = STATUS[status.status]
        return SoundReport(request_id, outcome, status.held, status.reason, status.words, status.left)

    @override
    def cancel(self, request_id: str) -> None:
        self._player.cancel(request_id)

    @override
    def command(self, action: str, volume: float | None, channel: str = "") -> str:
        return self._player.command(action, volume, channel)

    @override
    def hold(self, on: bool) -> None:
        self._player.hold(self._run_id, on)


PERIOD = 0.05  # s of wall time
# A sound that is being loaded, paused or held is published every so many periods: the player still runs.
REPEAT_PERIODS = 20


class Audio:
    """Joins a player with its topics. ``serve`` updates and publishes its state and may be called at any time.

    Raises:
        ConfigError: a parameter cannot be used.
    """

    def __init__(
        self,
        node: Node,
        values: NodeValues,
        policy: UrlPolicy,
        surroundings: Surroundings,
        now: Callable[[], float],
    ) -> None:
        self._node = node
        self._timer: Timer | None = None
        self._ticks = 0
        self._steady = Clock(clock_type=ClockType.STEADY_TIME)
        self._mouth = MouthLight(node, values)
        self._topic = node.create_publisher(AudioState, "audio_state", profile("state"))
        self.player: Player = make_player(values, policy, surroundings, now, self._tell, self._publish)

    def serve(self) -> None:
        """Update and publish the state of the player; a timer repeats this while something plays."""
        self.player.poll()
        if self.player.busy and self._timer is None:
            self._timer = self._node.create_timer(PERIOD, self._tick, clock=self._steady)

    @property
    def output(self) -> str:
        """Name of the sound output, for diagnostics."""
        output = self.player.output
        return "none yet" if output is None else output.name

    def destroy(self) -> None:
        """Stop all sound, and remove everything from the graph."""
        self._stop_timer()
        self.player.close()
        self._mouth.destroy()
        self._node.destroy_publisher(self._topic)

    def _tick(self) -> None:
        self.player.poll()
        states = self.player.states()
        self._mouth.show(states)
        if not self.player.busy:
            self._stop_timer()
            return
        self._ticks += 1
        again = self._ticks % REPEAT_PERIODS == 0
        for state in states:
            if state.state == "playing" or (again and state.state != "idle"):
                self._publish(state)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._node.destroy_timer(self._timer)
            self._timer = None

    def _tell(self, text: str) -> None:
        self._node.get_logger().info(text)

    def _publish(self, state: ChannelState) -> None:
        if self._topic.get_subscription_count() == 0:
            return
        values = asdict(state)
        del values["speaks"]  # only for the light of the mouth
        message = AudioState(**values | {"length": math.nan if state.length is None else state.length})
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._topic.publish(message)


TOPIC = "speak"
CHANNEL = SPEECH


class SpeechTopic:
    """Serves the topic ``speak`` with ``audio`` while ``node`` is active: each text is spoken, an empty one ends it.

    ``audio_state`` shows the state of a text.
    """

    def __init__(self, node: BridgeNode, audio: Audio) -> None:
        self._node, self._audio = node, audio
        self._numbers = count(1)
        node.create_subscription(String, TOPIC, self._take, profile("command"))

    def stop(self) -> None:
        """End what is spoken."""
        self._audio.player.forget(TOPIC)
        self._audio.serve()

    def _take(self, message: String) -> None:
        player, text = self._audio.player, message.data.strip()
        player.forget(TOPIC)  # a newer text ends the one before
        if text and not self._node.active:
            self._node.get_logger().warning(f"{TOPIC}: nothing is spoken: the node is inactive")
        elif len(text) > MAX_TEXT:
            self._node.get_logger().warning(
                f"{TOPIC}: a text of {len(text)} characters is longer than {MAX_TEXT}"
            )
        elif text:
            player.start(Cue(f"{TOPIC}/{next(self._numbers)}", TOPIC, CHANNEL, text=text))
        self._audio.serve()
