# SPDX-License-Identifier: Apache-2.0
"""A T1 on the real RoboCup MuJoCo server, from a BML goal to where the robot stands afterwards."""

import json
from pathlib import Path

from sensor_msgs.msg import JointState

from embodiment_bridge.link.session import Phase

ROOT = Path(__file__).parents[2]
UPRIGHT = 0.6  # m, torso height at the end; a standing T1's is 0.63 m
FALLING = 0.5  # m, torso height that no step comes near


def sequence(*actions: str) -> str:
    return json.dumps({"type": "sequence", "behaviors": [{"type": "body", "action": a} for a in actions]})


def test_the_demo_document_moves_the_robot_and_leaves_it_upright(server, robots) -> None:
    robot = robots(server)
    robot.join()
    result = robot.run((ROOT / "config/bml/first_steps.json").read_text())
    assert (result.outcome, result.reason) == ("SUCCEEDED", "")
    watcher = robot.watcher
    assert watcher.lowest > FALLING
    assert watcher.z > UPRIGHT
    assert watcher.distance > 0.2
    assert watcher.turned > 0.3
    robot.until(lambda: watcher.posture == "standing")
    seen = {pointer for feedback in robot.feedback for pointer in feedback.active}
    assert {"/behaviors/1", "/behaviors/2/behaviors/0", "/behaviors/3", "/behaviors/4"} <= seen


def test_walks_for_eighteen_seconds_while_somebody_listens(server, robots) -> None:
    robot = robots(server)
    percepts = robot.collect(JointState, "joint_states", "events")
    robot.join()
    percepts.clear()
    result = robot.skill("walk", duration=18.0)
    assert (result.status, result.reason) == (result.SUCCEEDED, "")
    assert robot.watcher.distance > 4.0
    assert robot.watcher.z > UPRIGHT
    assert len(percepts) > 850  # of 900 in 18 s at 50 Hz, whoever was late


def test_absent_server_is_named_and_joined_when_it_comes(idle_server, robots) -> None:
    robot = robots(idle_server)
    watcher = robot.watcher
    robot.until(lambda: watcher.link == "waiting to try again")
    assert f"tcp://127.0.0.1:{idle_server.port}" in watcher.reason
    assert "refused" in watcher.reason
    robot.until(lambda: robot.skills.server_is_ready())
    result = robot.skill("stand")
    assert result.status == result.FAILED
    assert "the body is not there" in result.reason
    idle_server.start()
    robot.join()


def test_refused_init_says_why(server, robots) -> None:
    first = robots(server)
    first.join()
    second = robots(server, publish_clock=False, use_sim_time=False)
    second.until(lambda: second.watcher.link == "waiting to try again")
    assert "the number is taken in that team" in second.watcher.reason
    assert first.watcher.link == "ready"


def test_third_team_is_refused_and_a_team_with_a_blank_is_not_even_tried(server, robots) -> None:
    quiet = {"publish_clock": False, "use_sim_time": False}
    players = [robots(server, team=team, **quiet) for team in ("red", "blue")]
    for player in players:
        player.until(lambda player=player: player.watcher.link == "ready")
    players += [robots(server, team=team, **quiet) for team in ("green", "x y")]
    players[2].until(lambda: players[2].watcher.link == "waiting to try again")
    assert "two other teams" in players[2].watcher.reason
    assert players[3].watcher.link == "not seen"


def test_robot_that_leaves_while_it_is_made_is_not_left_behind(server, robots) -> None:
    """Else the server keeps it for ever, and its number stays taken."""
    quiet = {"publish_clock": False, "use_sim_time": False}
    first = robots(server, **quiet)
    phase = Phase.CLOSED

    def told() -> bool:
        nonlocal phase
        phase = first.agent._session.status.phase
        return phase in (Phase.HANDSHAKE, Phase.READY)

    for _ in range(20):  # this process may be too late to see that the robot is made
        first.until(lambda: first.agent.active and told())
        first.agent.trigger_deactivate()
        if phase is Phase.HANDSHAKE:
            break
        first.agent.trigger_activate()
    assert phase is Phase.HANDSHAKE
    second = robots(server, **quiet)
    second.join()


def test_killed_server_ends_the_goal_and_a_new_one_is_joined(server, robots) -> None:
    robot = robots(server)
    robot.join()
    robot.begin(sequence(*["STEP_FORWARD"] * 50))
    robot.until(lambda: any("/behaviors/1" in f.active for f in robot.feedback))
    server.kill()
    robot.until(lambda: robot.bml.result is not None)
    assert robot.bml.result.outcome == "FAILED"
    assert "tcp://127.0.0.1" in robot.bml.result.reason
    assert robot.bml.result.pointer.startswith("/behaviors/")
    robot.watcher.percepts = 0
    server.start()
    robot.join()
    assert robot.run(sequence("HEAD_SHAKE")).outcome == "SUCCEEDED"


def test_unknown_action_is_refused_with_its_pointer_and_disturbs_nothing(server, robots) -> None:
    robot = robots(server)
    robot.join()
    robot.begin(sequence(*["HEAD_SHAKE"] * 3))
    robot.until(lambda: bool(robot.feedback))
    other = type(robot.bml)(robot.watcher, lambda feedback: None)
    other.send(sequence("STAND", "HEAD_SHAKK"), source="test")
    robot.until(lambda: other.result is not None)
    assert other.result.outcome == "REJECTED"
    assert other.result.pointer == "/behaviors/1/action"
    assert "UNKNOWN_ACTION" in other.result.problems[0]
    other.destroy()
    robot.until(lambda: robot.bml.result is not None)
    assert robot.bml.result.outcome == "SUCCEEDED"


def test_new_goal_takes_the_place_of_the_one_that_runs(server, robots) -> None:
    robot = robots(server)
    robot.join()
    robot.begin(sequence(*["STEP_FORWARD"] * 20))
    robot.until(lambda: any(f.active for f in robot.feedback))
    other = type(robot.bml)(robot.watcher, lambda feedback: None)
    other.send(sequence("STAND"), source="test")
    robot.until(lambda: other.result is not None and robot.bml.result is not None)
    assert robot.bml.result.outcome == "PREEMPTED"
    assert other.result.outcome == "SUCCEEDED"
    other.destroy()


def test_cancel_brings_the_robot_to_a_stand(server, robots) -> None:
    robot = robots(server)
    robot.join()
    robot.begin(sequence(*["STEP_FORWARD"] * 20))
    robot.until(lambda: any("/behaviors/1" in f.active for f in robot.feedback))
    robot.bml.cancel()
    robot.until(lambda: robot.bml.result is not None)
    assert robot.bml.result.outcome == "CANCELED"
    robot.until(lambda: robot.watcher.posture == "standing")
    assert robot.watcher.z > UPRIGHT
