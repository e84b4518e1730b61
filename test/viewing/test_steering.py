# SPDX-License-Identifier: Apache-2.0
"""The page steers: what it asks is done on the graph, and ends with the page."""

import json
import math
import urllib.request
from types import SimpleNamespace

import pytest
from diagnostic_msgs.msg import DiagnosticStatus
from embodiment_bridge.msg import BodyStatus, TreeSnapshot
from geometry_msgs.msg import PoseStamped
from rclpy.parameter import Parameter
from rclpy.task import Future
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from viewed import Viewed
from waiting import GRAPH

from embodiment_bridge.launching.executables import viewer
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.viewing.buttons import HEADER, PATH
from embodiment_bridge.viewing.controls import floor_under

PAGE, OTHER_PAGE = 7, 8


class Seen:
    """The robot as the graph shows it, and what the page is told."""

    def __init__(self, stage):
        self.stage = stage
        self.posture, self.x, self.joints = None, 0.0, {}
        self.told = []
        self.controls = False
        brain = stage.brain
        brain.create_subscription(BodyStatus, "body_status", self._body, profile("latched"))
        brain.create_subscription(PoseStamped, "pose", self._pose, profile("sensor"))
        brain.create_subscription(JointState, "joint_states", self._joints, profile("sensor"))
        stage.until(lambda: self.posture == BodyStatus.STANDING and self.joints)
        (self.driver,) = stage.viewer._drivers
        self.driver.shown = self
        stage.until(lambda: self.driver._skills.server_is_there)
        stage.until(lambda: self.driver._documents.server_is_there)
        stage.until(lambda: self.driver._velocity.get_subscription_count())

    def _body(self, message):
        self.posture = message.posture

    def _pose(self, message):
        self.x = message.pose.position.x

    def _joints(self, message):
        self.joints = dict(zip(message.name, message.position, strict=True))

    def tell(self, text, *, bad=False):
        self.told.append((text, bad))

    def steers(self, on):
        self.controls = on

    def until_told(self, words, *, bad):
        self.stage.until(lambda: any(words in text and is_bad == bad for text, is_bad in self.told))

    def until_walks(self):
        self.stage.until(lambda: self.posture == BodyStatus.WALKING)

    def until_stands(self):
        self.stage.until(lambda: self.posture == BodyStatus.STANDING)


@pytest.fixture
def seen(stage):
    return Seen(stage)


def test_what_a_page_began_ends_with_it_and_with_no_other_page(seen):
    seen.driver.do_skill(PAGE, "walk", {"distance": "15"})
    seen.until_walks()
    seen.driver.leave(OTHER_PAGE)
    seen.driver.do_skill(PAGE, "head_shake", {})
    seen.until_told("head_shake: succeeded", bad=False)
    assert seen.posture == BodyStatus.WALKING
    seen.driver.leave(PAGE)
    seen.until_told("walk distance=15: canceled", bad=False)
    seen.until_stands()


def test_a_document_of_a_page_that_is_gone_is_canceled(seen):
    walk = {"type": "sequence", "loop": 100, "behaviors": [{"type": "body", "action": "STEP_FORWARD"}]}
    seen.driver.run_document(PAGE, "walk", json.dumps(walk))
    seen.until_walks()
    seen.driver.leave(PAGE)
    seen.until_told("walk: canceled", bad=False)
    seen.until_stands()


def test_a_document_of_a_page_runs_without_a_pause(seen):
    """Its client says often enough on keep_alive that it is there: the tree pauses the runs of a silent one."""
    states = []
    seen.stage.brain.create_subscription(
        TreeSnapshot, "behavior_tree/tree", lambda tree: states.append(tree.state), profile("state")
    )
    document = {
        "type": "loop",
        "loop": 4,
        "behavior": {"type": "body", "action": "HEAD_SHAKE", "duration": 1},
    }
    seen.driver.run_document(PAGE, "shake", json.dumps(document))
    seen.until_told("shake: succeeded", bad=False)
    assert "RUNNING" in states
    assert not {"PAUSING", "PAUSED", "RESUMING"} & set(states)


def test_a_page_that_is_gone_begins_nothing_any_more(seen):
    seen.driver.leave(PAGE)
    seen.driver.drive(PAGE, 1.0, 0.0)
    seen.driver.do_skill(PAGE, "walk", {"distance": "15"})
    seen.driver.do_skill(OTHER_PAGE, "head_shake", {})
    seen.until_told("head_shake: succeeded", bad=False)
    assert seen.posture == BodyStatus.STANDING
    assert all("walk" not in text for text, _ in seen.told)


def test_stop_ends_everything(seen):
    seen.driver.do_skill(PAGE, "walk", {"distance": "15"})
    seen.until_walks()
    seen.driver.stop()
    seen.until_told("walk distance=15: canceled", bad=False)
    seen.until_stands()


def pressed(stage, button=""):
    """What the page is told when it asks for its buttons, after this one was pressed."""
    request = urllib.request.Request(f"{stage.viewer.url}{PATH}", headers={HEADER: button} if button else {})
    with urllib.request.urlopen(request, timeout=GRAPH) as answer:
        return answer.read().decode().partition("\n")[0].split()


def beside_the_buttons(stage):
    """What the page shows beside its buttons."""
    with urllib.request.urlopen(f"{stage.viewer.url}{PATH}", timeout=GRAPH) as answer:
        return answer.read().decode().partition("\n")[2]


def test_the_button_stop_ends_everything(seen):
    seen.stage.until(lambda: pressed(seen.stage) == ["stop"])  # this body has no emergency stop
    seen.stage.until(lambda: seen.controls)
    seen.driver.do_skill(PAGE, "walk", {"distance": "15"})
    seen.until_walks()
    pressed(seen.stage, "stop")
    seen.until_told("walk distance=15: canceled", bad=False)
    seen.until_stands()


def test_the_emergency_stop_of_a_body_is_pressed_and_released(seen):
    asked = []

    def serve(request, response):
        asked.append(request.data)
        response.success, response.message = True, "stopped" if request.data else "released"
        return response

    seen.stage.call(lambda: seen.stage.brain.create_service(SetBool, "emergency_stop", serve))
    seen.stage.until(lambda: pressed(seen.stage) == ["stop", "emergency_stop", "release"])
    seen.driver.do_skill(PAGE, "walk", {"distance": "15"})
    seen.until_walks()
    pressed(seen.stage, "emergency_stop")
    seen.until_told("emergency stop: stopped", bad=False)
    seen.until_told("walk distance=15: canceled", bad=False)  # nothing goes on after the release
    seen.until_stands()
    pressed(seen.stage, "release")
    seen.until_told("release: released", bad=False)
    assert asked == [True, False]


def test_a_press_that_nobody_answers_is_told_of(seen, monkeypatch, capfd):
    answer = Future()
    hangs = SimpleNamespace(service_is_ready=lambda: True, call_async=lambda _: answer)
    monkeypatch.setattr(seen.driver, "_emergency", hangs)
    pressed(seen.stage, "emergency_stop")
    seen.until_told("emergency stop: not answered", bad=True)
    seen.stage.until(lambda: "/shown: emergency stop: not answered" in beside_the_buttons(seen.stage))
    level, text, _ = seen.stage.viewer.diagnose()
    assert (level, "not answered" in text) == (DiagnosticStatus.ERROR, True)
    assert capfd.readouterr().err.count("/shown: emergency stop: not answered") == 1  # the log
    seen.stage.call(lambda: answer.set_result(SetBool.Response(success=True, message="stopped")))
    seen.until_told("emergency stop: stopped", bad=False)
    assert beside_the_buttons(seen.stage) == ""


def test_a_press_after_the_robot_has_left_is_told_of(seen, monkeypatch):
    seen.driver._has_emergency = True  # it had one; its driver is out of sight
    pressed(seen.stage, "emergency_stop")
    seen.until_told("emergency stop: the robot does not answer", bad=True)
    seen.stage.until(lambda: "cut the supply" in beside_the_buttons(seen.stage))


def test_a_page_of_what_obeys_nothing_has_no_buttons_and_no_controls():
    with Runtime() as runtime, Viewed(runtime) as stage:
        values = [Parameter("port", value=0), Parameter("namespaces", value=["/a_monitor"])]
        stage.viewer = stage.call(
            lambda: runtime.add(
                viewer(parameter_overrides=values, context=runtime.context, namespace="watch")
            )
        )
        stage.until(lambda: stage.viewer.url)
        looks = []
        stage.until(lambda: stage.viewer._drivers)
        (driver,) = stage.viewer._drivers
        look = driver.look
        driver.look = lambda: looks.append(look())
        stage.until(lambda: len(looks) > 2)
        assert pressed(stage) == pressed(stage, "stop") == []
        assert not driver.shown._all.visible


def test_pads_drive_and_the_robot_stands_when_they_are_released(seen):
    for _ in range(3):
        seen.driver.drive(PAGE, 1.0, 0.0)
    seen.until_walks()
    seen.until_stands()
    assert seen.x > 0.01


def test_the_floor_is_walked_to(seen):
    seen.driver.go_to(PAGE, 0.4, 0.0)
    seen.until_told("go_to x=0.400 y=0.000: succeeded", bad=False)
    assert seen.x == pytest.approx(0.4, abs=0.15)


def test_a_slider_moves_its_joint(seen):
    seen.driver.move_joint("head_yaw", 0.5, 0.4)
    seen.stage.until(lambda: abs(seen.joints["head_yaw"] - 0.5) < 0.02)


def test_a_slider_moves_nothing_while_a_document_runs(seen):
    seen.driver.see_tree("RUNNING")
    seen.driver.move_joint("head_yaw", 0.5, 0.4)
    seen.until_told("head_yaw stays", bad=True)
    seen.driver.see_tree("ENDED")
    seen.driver.move_joint("head_pitch", 0.5, 0.4)
    seen.stage.until(lambda: abs(seen.joints["head_pitch"] - 0.5) < 0.02)
    assert abs(seen.joints["head_yaw"]) < 0.02


def test_problems_of_a_document_and_refused_skills_are_shown(seen):
    seen.driver.run_document(PAGE, "mine.json", '{"type": "body", "action": "HEAD_SHAKK"}')
    seen.until_told("UNKNOWN_ACTION", bad=True)
    seen.driver.do_skill(PAGE, "go_to", {"thing": "bal"})
    seen.until_told("did you mean 'ball'", bad=True)
    seen.driver.call("resume")
    seen.until_told("resume: nothing is paused", bad=True)


@pytest.mark.parametrize(
    ("origin", "direction", "place"),
    [
        ((0.0, 0.0, 2.0), (1.0, 0.0, -1.0), (2.0, 0.0)),
        ((1.0, -1.0, 1.0), (0.0, 0.5, -0.5), (1.0, 0.0)),
        ((0.0, 0.0, 2.0), (1.0, 0.0, 0.1), None),
        ((0.0, 0.0, 2.0), (1.0, 0.0, -0.001), None),  # 2 km away
        ((0.0, 0.0, -1.0), (0.0, 0.0, -1.0), None),
        ((0.0, 0.0, 1.0), (math.nan, 0.0, -1.0), None),
    ],
)
def test_floor_under_the_mouse(origin, direction, place):
    found = floor_under(origin, direction)
    assert found == (None if place is None else pytest.approx(place))
