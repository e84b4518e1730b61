# SPDX-License-Identifier: Apache-2.0
"""A client whose process is dead: when its run is paused, by the declared times and a clock of the test's own."""

from types import SimpleNamespace

import pytest
from std_msgs.msg import String

from embodiment_bridge.mock.hardware import LAG_S
from embodiment_bridge.motion.skills.holds import HOLD_S
from embodiment_bridge.nodes.body import keep_alive
from embodiment_bridge.nodes.body.keep_alive import CLIENT_S, LOOK_S, PER_LIMIT
from embodiment_bridge.nodes.tree.runs.document_rules import SAFETY_PARAMETERS
from embodiment_bridge.nodes.tree.runs.run_controls import SHARE, ClientWatch

AT_REST_WITHIN = 0.7  # s, promised in docs/language_model.md
LIMIT = next(one.default for one in SAFETY_PARAMETERS if one.name == "dead_man")


class FakeNode:
    """Timers never fire by themselves."""

    def create_subscription(self, kind, name, callback, qos):
        self.hear = callback
        return self

    def create_timer(self, period, callback, clock):
        return callback

    def destroy_timer(self, timer): ...

    def destroy_subscription(self, subscription): ...

    def get_logger(self):
        return SimpleNamespace(warning=lambda text: None)


class FakeDirector:
    def __init__(self):
        self.current, self.paused = SimpleNamespace(run_id="1"), False

    @property
    def is_paused(self):
        return self.paused

    def pause(self):
        self.paused = True
        return True

    def resume(self):
        self.paused = False


@pytest.fixture
def stage(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(keep_alive.DeadMan.__init__, "__defaults__", (lambda: clock[0], True))
    node, scheduler = FakeNode(), FakeDirector()
    watch = ClientWatch(node, LIMIT, scheduler, lambda: None)
    return clock, node, scheduler, watch


def look(stage) -> None:
    clock, _, _, watch = stage
    clock[0] += LOOK_S
    watch._switch.look()


def test_a_run_is_paused_early_enough_for_the_body_to_rest_in_time(stage) -> None:
    clock, node, scheduler, watch = stage
    node.hear(String(data="mcp/1.1"))
    watch.begin("mcp/1.1", "1")
    while not scheduler.paused:
        look(stage)
        assert clock[0] < 10.0
    slowing_down = HOLD_S + 2.0 * LAG_S
    assert clock[0] + slowing_down <= AT_REST_WITHIN
    node.hear(String(data="mcp/1.1"))
    assert not scheduler.paused


def test_a_client_that_lives_is_heard_several_times_before_that(stage) -> None:
    _, node, scheduler, watch = stage
    node.hear(String(data="mcp/1.1"))
    watch.begin("mcp/1.1", "1")
    period = CLIENT_S / PER_LIMIT
    assert SHARE * LIMIT / period >= 5.0
    for _ in range(100):
        for _ in range(int(4.0 * period / LOOK_S)):
            look(stage)
        node.hear(String(data="mcp/1.1"))  # three of four signs were lost
        assert not scheduler.paused
