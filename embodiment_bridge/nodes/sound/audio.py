# SPDX-License-Identifier: Apache-2.0
"""Connects a player to the graph: the topic ``audio_state``, and a timer that runs while something plays."""

import math
from collections.abc import Callable

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.parameter import NodeValues
from embodiment_bridge.media.cue import ChannelState
from embodiment_bridge.media.player import Player
from embodiment_bridge.msg import AudioState
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.sound.media_parameters import Surroundings, make_player
from embodiment_bridge.nodes.sound.mouth_light import MouthLight

PERIOD = 0.05  # s of wall time
# A sound that is being loaded, paused or held is published every so many periods: the player still runs.
REPEAT_PERIODS = 20


class Audio:
    """A player with its topics. ``serve`` updates and publishes its state and may be called at any time.

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
        message = AudioState(
            channel=state.channel,
            state=state.state,
            id=state.id,
            url=state.url,
            text=state.text,
            volume=state.volume,
            heard_volume=state.heard_volume,
            position=state.position,
            length=math.nan if state.length is None else state.length,
            output=state.output,
            ending=state.ending,
            reason=state.reason,
            word=state.word,
            phoneme=state.phoneme,
            mouth=state.mouth,
        )
        message.header.stamp = self._node.get_clock().now().to_msg()
        self._topic.publish(message)
