# SPDX-License-Identifier: Apache-2.0
"""The dead man's switch by a clock of the test's own: who is held when, and who is not."""

import pytest
from std_msgs.msg import String

from embodiment_bridge.motion.skills.holds import LONGEST_SOURCE
from embodiment_bridge.nodes.body.keep_alive import LOOK_S, MAX_KNOWN, DeadMan, KeepAlive


class Topic:
    def __init__(self):
        self.sent = []

    def publish(self, message):
        self.sent.append(message.data)


class FakeNode:
    """Timers never fire by themselves."""

    def __init__(self):
        self.timers, self.topic, self.warnings = 0, Topic(), []

    def get_logger(self):
        return self

    def warning(self, text):
        self.warnings.append(text)

    def create_publisher(self, kind, name, qos):
        assert (kind, name) == (String, "keep_alive")
        return self.topic

    def create_subscription(self, kind, name, callback, qos):
        self.hear = callback
        return self

    def create_timer(self, period, callback, clock):
        self.timers += 1
        return callback

    def destroy_timer(self, timer):
        self.timers -= 1

    def destroy_subscription(self, subscription):
        self.hear = None

    def destroy_publisher(self, topic):
        self.topic = None


class DeadManWatch:
    def __init__(self):
        self.node, self.now, self.told = FakeNode(), 0.0, []
        self.watch = DeadMan(self.node, lambda *news: self.told.append(news), lambda: self.now)

    def begin(self, source, skill="1", limit=0.5):
        self.node.hear(String(data=source))
        self.watch.begin(source, skill, limit)

    def wait(self, seconds, *alive):
        """Look ten times a second, while some are heard."""
        for _ in range(round(seconds / LOOK_S)):
            self.now += LOOK_S
            for source in alive:
                self.node.hear(String(data=source))
            self.watch.look()


@pytest.fixture
def stage():
    return DeadManWatch()


@pytest.mark.fault(
    "cut",
    body=("mock", "mujoco"),
    reaction="the skills of a brain that is not heard for 0.5 s stand, and go on when it is",
)
@pytest.mark.fault(
    "killed", body="mujoco", reaction="the skills of a brain that is not heard for 0.5 s stand"
)
def test_who_falls_silent_is_held_until_he_is_back(stage):
    stage.begin("run", "1", 0.5)
    stage.wait(3.0, "run")
    assert stage.told == []
    stage.wait(0.4)
    assert stage.told == []
    stage.wait(0.3)
    assert stage.told == [("run", True)]
    assert stage.watch.is_silent("run")
    stage.wait(3.0)
    assert stage.told == [("run", True)]
    for _ in range(2):
        stage.node.hear(String(data="run"))
        assert stage.told == [("run", True), ("run", False)]
    assert not stage.watch.is_silent("run")


def test_each_source_for_itself(stage):
    stage.begin("a", "1", 0.5)
    stage.begin("b", "2", 0.5)
    stage.wait(2.0, "b", "nobody")
    assert stage.told == [("a", True)]


def test_who_was_never_heard_is_not_held_but_warned_of(stage):
    """As where a tree has another namespace than the body, and its topic was not remapped."""
    stage.watch.begin("run", "1", 0.5)
    stage.wait(3.0, "somebody else")
    stage.watch.begin("other", "2", 0.5)
    stage.wait(3.0)
    assert stage.told == []
    assert len(stage.node.warnings) == 1
    assert (
        "'run' wants its skills held when it falls silent, but is never heard on keep_alive"
        in stage.node.warnings[0]
    )
    stage.wait(0.2, "run")
    stage.wait(1.0)
    assert stage.told == [("run", True)]


def test_few_sources_are_remembered(stage):
    for number in range(3 * MAX_KNOWN):
        stage.node.hear(String(data=str(number)))
    assert len(stage.watch._known) == MAX_KNOWN
    stage.node.hear(String(data="a" * (LONGEST_SOURCE + 1)))
    assert "a" * (LONGEST_SOURCE + 1) not in stage.watch._known
    stage.watch.begin(str(3 * MAX_KNOWN - 1), "1", 0.5)
    stage.wait(1.0)
    assert len(stage.told) == 1


def test_who_did_not_ask_for_it_is_not_watched(stage):
    stage.watch.begin("a", "1", 0.0)
    stage.watch.begin("b", "2", float("nan"))
    stage.wait(9.0)
    assert (stage.told, stage.node.timers) == ([], 0)


def test_the_end_of_its_skills_ends_the_hold(stage):
    stage.begin("run", "1", 0.5)
    stage.begin("run", "2", 0.5)
    stage.wait(1.0)
    stage.watch.end("run", "1")
    assert stage.told == [("run", True)]
    assert stage.node.timers == 1
    stage.watch.end("run", "2")
    assert stage.told == [("run", True), ("run", False)]
    assert stage.node.timers == 0
    stage.watch.end("run", "2")  # nothing is left of it
    assert not stage.watch.is_silent("run")


def test_a_new_skill_is_a_sign_of_life(stage):
    stage.begin("run", "1", 0.5)
    stage.wait(1.0)
    stage.begin("run", "2", 0.5)
    assert stage.told[-1] == ("run", False)


def test_a_look_that_is_late_blames_nobody(stage):
    """When this process stood still, nobody could be heard."""
    stage.begin("run", "1", 0.5)
    stage.wait(0.3, "run")
    stage.now += 5.0
    stage.watch.look()
    assert stage.told == []
    stage.wait(0.5)
    assert stage.told == [("run", True)]


def test_after_a_late_look_half_of_the_limit_is_left(stage):
    stage.begin("run", "1", 0.5)
    stage.now = 5.0
    stage.watch.look()
    stage.wait(0.2)
    assert stage.told == []
    stage.wait(0.1)
    assert stage.told == [("run", True)]


@pytest.mark.parametrize(("late", "told"), [(0.2, [("run", True)]), (0.201, [])])
def test_a_look_is_late_after_more_than_a_fifth_of_a_second(stage, late, told):
    stage.begin("run", "1", 0.1)
    stage.now = late
    stage.watch.look()
    assert stage.told == told


def test_the_limit_is_the_last_moment_at_which_a_source_counts_as_alive(stage):
    stage.begin("run", "1", 0.5)
    for now in (0.15, 0.3, 0.45, 0.5):
        stage.now = now
        stage.watch.look()
    assert stage.told == []
    stage.now = 0.501
    stage.watch.look()
    assert stage.told == [("run", True)]


def test_a_warning_comes_only_after_the_limit_from_the_begin(stage):
    stage.now = 10.0
    stage.watch.begin("run", "1", 0.5)
    for now in (10.0, 10.2, 10.5):
        stage.now = now
        stage.watch.look()
    assert stage.node.warnings == []
    stage.now = 10.51
    stage.watch.look()
    assert len(stage.node.warnings) == 1


def test_one_that_was_never_heard_hides_no_other(stage):
    stage.watch.begin("never heard", "1", 0.5)
    stage.begin("run", "2", 0.5)
    stage.wait(1.0)
    assert stage.told == [("run", True)]


def test_the_longest_name_is_heard_and_a_hundred_are_remembered(stage):
    stage.begin("x" * 1000)
    stage.wait(1.0)
    assert stage.told == [("x" * 1000, True)]
    for number in range(200):
        stage.node.hear(String(data=str(number)))
    assert list(stage.watch._known) == [str(number) for number in range(100, 200)]


def test_told_five_times_in_the_limit_and_no_more_often():
    node, clock = FakeNode(), [0.0]
    alive = KeepAlive(node, 0.5, lambda: clock[0])
    for tick in range(101):  # 50 a second
        clock[0] = tick * 0.02
        alive.tell(["run", "guest"])
    assert len(node.topic.sent) / 2 == pytest.approx(2.0 / 0.1, abs=3)
    assert set(node.topic.sent) == {"run", "guest"}


def test_each_fifth_of_the_limit_it_is_told():
    node, clock = FakeNode(), [0.0]
    alive = KeepAlive(node, 0.5, lambda: clock[0])
    counts = []
    for clock[0] in (0.0, 0.09, 0.1, 0.19, 0.2):
        alive.tell(["run"])
        counts.append(len(node.topic.sent))
    assert counts == [1, 1, 2, 2, 3]


def test_a_timer_tells_where_nothing_ticks():
    node, clock = FakeNode(), [0.0]
    alive = KeepAlive(node, 0.5, lambda: clock[0])
    alive.tell(["run"])
    alive.rest([])
    assert node.timers == 0
    alive.rest(["run", "guest"])
    alive.rest(["run", "guest"])
    assert node.timers == 1
    clock[0] = 0.1
    alive._beat()
    assert node.topic.sent == ["run", "run", "guest"]
    alive.tell([])
    assert node.timers == 0
    alive.rest(["run"])
    alive.destroy()
    assert (node.timers, node.topic) == (0, None)


def test_told_never_where_it_is_off():
    node = FakeNode()
    sent = node.topic.sent
    alive = KeepAlive(node, 0.0)
    alive.tell(["run"])
    alive.rest(["run"])
    assert (sent, node.timers) == ([], 0)
