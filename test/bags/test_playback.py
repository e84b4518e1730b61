# SPDX-License-Identifier: Apache-2.0
"""When a recording hands over what: in order, at its speed, from where it was told to go on."""

import time

import pytest
from bag_files import BEGIN, STRING, text, write_texts
from embodiment_bridge.srv import PlayLog
from rclpy.qos import DurabilityPolicy, QoSProfile
from rclpy.serialization import deserialize_message
from std_msgs.msg import String
from waiting import until

from embodiment_bridge.bags.playback import Playback
from embodiment_bridge.bags.reader import BagReader
from embodiment_bridge.bags.writer import BagWriter, definition
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.environment import find_share
from embodiment_bridge.nodes.bags.bag_playback import _obey
from embodiment_bridge.nodes.bags.bag_qos import to_play, to_store

TIMES = [0.0, 0.2, 0.4, 60.0, 64.0]  # s; nobody is held up for so long as the great gap lasts


class Played:
    """A playback of five texts, and what it handed over."""

    def __init__(self, path, **options) -> None:
        self.reader = BagReader(write_texts(path / "bag", {when: str(when) for when in TIMES}))
        self.times: list[float] = []
        self.ticks: list[float] = []
        self.playback = Playback(self.reader, {"/said"}, self._take, self.ticks.append, **options)

    def _take(self, message) -> None:
        self.times.append(message.time)

    def wait_for(self, number: int) -> None:
        until(lambda: len(self.times) >= number, lambda: self.times)

    def close(self) -> None:
        self.playback.close()
        self.reader.close()


@pytest.fixture
def play(tmp_path):
    stages: list[Played] = []

    def make(**options) -> Played:
        stages.append(Played(tmp_path, **options))
        return stages[-1]

    yield make
    for stage in stages:
        stage.close()


def test_all_in_order_and_the_clock_never_back(play) -> None:
    stage = play(speed=200.0)
    assert stage.playback.paused
    stage.playback.resume()
    until(lambda: stage.playback.ended)
    assert stage.times == TIMES
    assert stage.ticks == sorted(stage.ticks)
    assert stage.ticks[-1] == 64.0
    assert stage.playback.position == 64.0


def test_pause_holds_and_resume_goes_on(play) -> None:
    stage = play(speed=1.0)
    stage.playback.resume()
    stage.wait_for(3)
    stage.playback.pause()
    here = stage.playback.position
    assert 0.4 <= here < 60.0
    assert stage.playback.position == here
    stage.playback.set_speed(500.0)
    assert stage.playback.position == here
    stage.playback.resume()
    until(lambda: stage.playback.ended)
    assert stage.times == TIMES


def test_seek_forwards_backwards_and_beyond(play) -> None:
    stage = play(speed=500.0)
    stage.playback.seek(4.0)
    stage.playback.resume()
    until(lambda: stage.playback.ended)
    assert stage.times == [60.0, 64.0]
    stage.playback.seek(0.3)
    stage.wait_for(5)
    assert stage.times[2:5] == [0.4, 60.0, 64.0]
    stage.playback.seek(1e6)
    until(lambda: stage.playback.ended)
    assert stage.playback.position == 64.0


def test_ended_one_begins_again_when_resumed(play) -> None:
    stage = play(speed=500.0)
    stage.playback.resume()
    until(lambda: stage.playback.ended)
    stage.playback.resume()
    stage.wait_for(10)
    assert stage.times == TIMES * 2


@pytest.mark.parametrize("loop", [False, True])
def test_a_seek_in_the_moment_of_the_end_is_not_lost(play, loop) -> None:
    stages: list[Played] = []
    asked: list[float] = []

    def now() -> float:
        if stages and not asked and stages[0].times[-1:] == TIMES[-1:]:
            asked.append(4.0)
            stages[0].playback.seek(4.0)
        return time.monotonic()

    stages.append(play(speed=500.0, loop=loop, now=now))
    stages[0].playback.resume()
    stages[0].wait_for(7)
    assert stages[0].times[:7] == [*TIMES, 60.0, 64.0]
    if not loop:
        until(lambda: stages[0].playback.ended)
        assert stages[0].playback.position == 64.0


def test_position_while_a_jump_begins() -> None:
    class Jumping:
        """The thread of the playback takes the jump away after it was looked at."""

        _paused, _ended, _mark = True, False, (2.0, 0.0)

        def __init__(self) -> None:
            self._jumps = [1.0]

        @property
        def _jump(self) -> float | None:
            return self._jumps.pop() if self._jumps else None

    assert Playback.position.fget(Jumping()) == 1.0


def test_loop(play) -> None:
    stage = play(speed=500.0, loop=True)
    stage.playback.resume()
    stage.wait_for(12)
    assert stage.times[:12] == (TIMES * 3)[:12]
    assert stage.playback.rounds >= 2
    assert not stage.playback.ended


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan"), 1001.0])
def test_bad_speeds(play, speed) -> None:
    with pytest.raises(ConfigError, match="speed"):
        play().playback.set_speed(speed)


@pytest.mark.parametrize("place", [-0.1, float("nan"), float("inf")])
def test_bad_places(play, place) -> None:
    with pytest.raises(ConfigError, match="time"):
        play().playback.seek(place)


@pytest.mark.parametrize(
    "request_",
    [
        PlayLog.Request(action=PlayLog.Request.RESUME),
        PlayLog.Request(seek=True, time=0.5),
        PlayLog.Request(set_speed=True, speed=2.0),
    ],
)
def test_one_that_broke_off_says_why_and_plays_no_more(play, request_) -> None:
    def broken(*_):
        raise ConfigError("the recording is damaged at byte 7")

    stage = play()
    stage.reader.messages = broken
    stage.playback.seek(1.0)
    until(lambda: stage.playback.error)
    with pytest.raises(ConfigError, match="damaged at byte 7"):
        _obey(stage.playback, request_)


LATCHED = to_store(QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL))


@pytest.fixture
def latched_bag(tmp_path):
    """A description, static transforms of two publishers, and a topic that is not latched."""
    writer = BagWriter(tmp_path / "latched")
    about = definition(STRING, find_share)
    numbers = {
        "description": writer.add_topic("/robot_description", STRING, about, [LATCHED]),
        "map": writer.add_topic("/map_parts", STRING, about, [LATCHED, LATCHED]),
        "static": writer.add_topic("/tf_static", STRING, about, [LATCHED]),
        "said": writer.add_topic("/said", STRING, about, []),
    }
    told = [
        "description a",
        "map a",
        "static a",
        "said a",
        "map b",
        "static b",
        "description b",
        "said b",
        "said c",
    ]
    for when, what in enumerate(told):
        writer.take(numbers[what.split()[0]], BEGIN + when * 10**9, text(what))
    writer.close()
    with BagReader(tmp_path / "latched") as reader:
        yield reader


def texts_of(messages) -> list[str]:
    return [deserialize_message(message.data, String).data for message in messages]


@pytest.mark.parametrize("paused", [True, False])
def test_after_a_jump_what_was_latched_comes_first(latched_bag, paused) -> None:
    played: list = []
    playback = Playback(latched_bag, set(latched_bag.topics), played.append, lambda _: None, speed=100.0)
    try:
        playback.seek(7.5)
        if not paused:
            playback.resume()
        before = ["map a", "static a", "map b", "static b", "description b"]
        wanted = before if paused else [*before, "said c"]
        until(lambda: texts_of(played) == wanted, lambda: texts_of(played))
        playback.pause()
        playback.seek(1.0)
        until(lambda: texts_of(played) == [*wanted, "description a"], lambda: texts_of(played))
    finally:
        playback.close()


def test_late_subscriber_of_several_publishers_gets_the_last_of_each(latched_bag) -> None:
    """Of a recording nobody knows whose a message is, so all are kept where there were several publishers."""
    depths = {name: to_play(topic).depth for name, topic in latched_bag.topics.items()}
    assert depths == {"/robot_description": 1, "/map_parts": 2, "/tf_static": 2, "/said": 100}
