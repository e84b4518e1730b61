# SPDX-License-Identifier: Apache-2.0
"""Sliders show where the joints are, so that a touch moves a joint by what the touch says, and with care."""

import time
from pathlib import Path
from types import SimpleNamespace

import msgspec.msgpack
import pytest
from sensor_msgs.msg import JointState
from test_steering import Seen
from test_viewer_node import visitor
from waiting import until

from embodiment_bridge.nodes.base.messages import seconds
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.urdf import read_urdf
from embodiment_bridge.viewing import controls
from embodiment_bridge.viewing.controls import LEAST_S, PEAK, REST_S, SLIDING, TURNING, Controls
from embodiment_bridge.viewing.page import Page

URDF = Path(__file__).parents[2] / "urdf"
YAW = "head_yaw"
LIFT = """<robot name="lift"><link name="base"/><link name="fork"/><link name="wheel"/>
  <joint name="lift" type="prismatic"><parent link="base"/><child link="fork"/>
    <limit lower="0" upper="1" velocity="1" effort="1"/></joint>
  <joint name="roll" type="continuous"><parent link="base"/><child link="wheel"/>
    <limit velocity="1" effort="1"/></joint>
</robot>"""


def touch(tab, slider, value):
    """A person moves a slider on a page."""
    message = {"type": "GuiUpdateMessage", "uuid": slider._impl.uuid, "updates": {"value": value}}
    tab.send_binary(msgspec.msgpack.encode(message))


class Driver:
    """Keeps what a page asks of the joints."""

    def __init__(self):
        self.moves = []

    def move_joint(self, name, position, seconds):
        self.moves.append((name, pytest.approx(position), pytest.approx(seconds)))


class Stand:
    """The controls of one robot on a page that is open."""

    def __init__(self, page, tab, robot):
        self.tab, self.driver = tab, Driver()
        self.controls = Controls(page, "robot", self.driver, {}, keys=False)
        self.controls.show_joints(read_urdf(robot))
        self.sliders = self.controls._sliders

    def until(self, condition):
        until(condition)

    def touched(self, name, value):
        """What the driver is asked when a person does this."""
        before = len(self.driver.moves)
        touch(self.tab, self.sliders[name], value)
        self.until(lambda: len(self.driver.moves) > before)
        return self.driver.moves[-1]


@pytest.fixture
def stand(request):
    page = Page("127.0.0.1", 0)
    try:
        with visitor(page.url) as tab:
            made = Stand(page, tab, getattr(request, "param", URDF / "mock.urdf"))
            made.until(lambda: page.visitors == 1)
            yield made
    finally:
        page.close()


def test_sliders_follow_the_joints(stand):
    slider = stand.sliders[YAW]
    stand.controls.show_positions({YAW: 0.5, "no_such": 1.0}, 0.0)
    assert slider.value == pytest.approx(0.5, abs=slider.step)
    stand.controls.show_positions({YAW: 9.0}, 0.0)
    assert slider.value == slider.max
    stand.controls.show_positions({YAW: float("nan")}, 0.0)
    assert slider.value == slider.max
    for far, end in ((1.7e308, slider.max), (-1.7e308, slider.min)):
        stand.controls.show_positions({YAW: far}, 0.0)
        assert slider.value == pytest.approx(end)
    assert stand.driver.moves == []


def test_the_noise_of_a_joint_moves_no_slider(stand):
    slider = stand.sliders[YAW]
    values = set()
    for noise in (-0.3, 0.0, 0.3):
        stand.controls.show_positions({YAW: slider.min + (50.0 + noise) * slider.step}, 0.0)
        values.add(slider.value)
    assert len(values) == 1


def test_a_far_touch_takes_its_time(stand):
    stand.controls.show_positions({YAW: 0.5}, time.monotonic())
    assert stand.touched(YAW, 0.6) == (YAW, 0.6, LEAST_S)
    assert stand.touched(YAW, -0.5) == (YAW, -0.5, PEAK * 1.0 / TURNING)


@pytest.mark.parametrize("stand", [LIFT], indirect=True, ids=["lift"])
def test_a_joint_that_slides_is_slower_and_one_without_end_has_no_slider(stand):
    assert list(stand.sliders) == ["lift"]
    stand.controls.show_positions({"lift": 0.0, "roll": 0.0}, time.monotonic())
    assert stand.touched("lift", 0.8) == ("lift", 0.8, PEAK * 0.8 / SLIDING)


def test_a_slider_stays_for_a_moment_where_a_person_puts_it(stand, monkeypatch):
    monkeypatch.setattr(controls, "time", SimpleNamespace(monotonic=lambda: 100.0))
    stand.controls.show_positions({YAW: 0.5}, 100.0)
    stand.touched(YAW, -0.5)
    slider = stand.sliders[YAW]
    stand.controls.show_positions({YAW: 0.4}, 100.0 + 0.9 * REST_S)
    assert slider.value == pytest.approx(-0.5)
    stand.controls.show_positions({YAW: 0.3}, 100.0 + REST_S)
    assert slider.value == pytest.approx(0.3, abs=slider.step)


def test_a_joint_whose_place_is_not_known_stays(stand):
    touch(stand.tab, stand.sliders[YAW], 0.5)
    stand.until(lambda: f"{YAW} stays" in stand.controls._news.content)
    assert stand.driver.moves == []


def test_a_touch_swings_no_joint(stage):
    shown = stage.viewer._drivers[0].shown
    seen = Seen(stage)
    places = []  # time in s, and angle in rad

    def take(message):
        places.append((seconds(message.header.stamp), message.position[list(message.name).index(YAW)]))

    def is_at(angle):
        return abs(seen.joints[YAW] - angle) < 0.02

    with visitor(stage.viewer.url) as tab:
        stage.until(lambda: YAW in shown._sliders)
        seen.driver.move_joint(YAW, 0.8, 0.5)
        stage.until(lambda: is_at(0.8))
        stage.until(lambda: abs(shown._sliders[YAW].value - 0.8) < 0.03)
        stage.brain.create_subscription(JointState, "joint_states", take, profile("sensor"))
        stage.until(lambda: places)
        touch(tab, shown._sliders[YAW], 0.0)
        stage.until(lambda: is_at(0.0) and places[-1][1] < 0.02)
    begin = next(when for when, angle in places if angle < 0.78)
    end = next(when for when, angle in places if angle < 0.02)
    assert 0.76 / (end - begin) < 0.5  # rad/s on average: a busy machine has peaks of its own
