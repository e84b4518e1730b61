# SPDX-License-Identifier: Apache-2.0
"""A body without a voice speaks with the sound player of its robot."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from embodiment_bridge.msg import AudioState

from embodiment_bridge.bml import read
from embodiment_bridge.bml.rules.operator_rules import allowed_to, check_channels, parse_table
from embodiment_bridge.body.body_file import read_body
from embodiment_bridge.body.state import BodyState, SkillReport, SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.runner import MotionRunner
from embodiment_bridge.nodes.body import speaking as module
from embodiment_bridge.nodes.body.skill_queue import SkillQueue
from embodiment_bridge.nodes.body.speaking import (
    CUT_OFF,
    CUT_S,
    NOBODY,
    OTHER,
    SAY,
    SILENT_S,
    UNTOLD,
    UNTOLD_S,
    Voice,
    with_voice,
)

BODIES = Path(__file__).parents[2] / "config/bodies"


class Player:
    """What stands for the topics: the texts that arrive, and whether somebody listens."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.listens = 1
        self.voice = Voice(self)
        self.get_logger = lambda: SimpleNamespace(warning=self.texts.append)

    def create_publisher(self, *_args):
        publish = lambda message: self.texts.append(message.data)  # noqa: E731
        return SimpleNamespace(publish=publish, get_subscription_count=lambda: self.listens)

    def create_subscription(self, _kind, topic, take, _role):
        setattr(self, topic, take)

    def says(self, text: str, **fields) -> None:
        self.audio_state(AudioState(channel="speech", text=text, **fields))


def speak(player: Player, text: str = "hello", slot: float = 0.0):
    speaking = player.voice.begin(SAY, {"text": text}, slot)
    speaking.step(0.1)
    return speaking


def test_it_is_done_when_the_player_has_ended_and_the_slot_is_over() -> None:
    player = Player()
    speaking = speak(player, slot=0.35)
    assert player.texts == ["hello"]
    player.says("hello", state="playing", position=0.5, length=2.0)
    speaking.step(0.1)
    assert (speaking.done, speaking.progress) == (False, 0.25)
    player.says("hello", ending="ended")
    speaking.step(0.1)
    assert not speaking.done
    speaking.step(0.1)
    assert (speaking.done, speaking.failure) == (True, "")


def test_why_it_fails() -> None:
    player = Player()
    speaking = speak(player)
    player.says("hello", ending="failed", reason="no voice")
    speaking.step(0.1)
    assert (speaking.done, speaking.failure) == (True, "no voice")

    speaking = speak(player)
    speaking.step(SILENT_S)
    assert speaking.failure == "the sound player has not begun to speak within 15 s"
    assert player.texts[-1] == "", "a player that only hung would speak it later"

    player.listens = 0
    assert speak(player).failure == NOBODY
    player.say(SimpleNamespace(data="hello"))
    assert player.texts[-1] == f"say refused: {NOBODY}"
    with pytest.raises(CommandError, match="no text to say"):
        speak(player, " ")


@pytest.fixture
def clock(monkeypatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


@pytest.mark.parametrize("state", ["loading", "playing", "paused"])
def test_a_text_whose_player_dies_in_the_middle_fails(clock: list[float], state: str) -> None:
    player = Player()
    speaking = speak(player)
    for _ in range(3 * int(UNTOLD_S)):  # as long as the player is there, it may take its time
        player.says("hello", state=state)
        speaking.step(1.0)
        clock[0] += 1.0
    for _ in range(int(UNTOLD_S)):
        assert not speaking.done
        speaking.step(1.0)
        clock[0] += 1.0
    speaking.step(1.0)
    assert (speaking.done, speaking.failure) == (True, UNTOLD)
    assert player.texts[-1] == ""


def test_a_gap_of_the_body_or_a_fast_simulation_is_no_end_of_the_player(clock: list[float]) -> None:
    player = Player()
    speaking = speak(player)
    player.says("hello", state="playing")
    speaking.step(0.1)
    # This process stood still, and what the player told meanwhile is taken after the step.
    clock[0] += 10 * UNTOLD_S
    speaking.step(10 * UNTOLD_S)
    assert not speaking.done
    player.says("hello", ending="ended")
    speaking.step(0.1)
    assert (speaking.done, speaking.failure) == (True, "")


@pytest.mark.parametrize("seen", ["all", "end", "replaced", "other", "own"])
def test_a_text_that_another_one_cuts_off_fails_whatever_is_seen_of_it(seen: str) -> None:
    player = Player()
    speaking = speak(player)
    if seen == "all":
        player.says("hello", state="playing")
        speaking.step(0.1)
    if seen in ("all", "end", "replaced"):
        player.says("hello", ending="replaced" if seen == "replaced" else "stopped")
        speaking.step(0.1)
    if seen == "own":
        player.say(SimpleNamespace(data="good bye"))
    elif seen != "replaced":
        player.says("good bye", state="playing")
    if seen == "other":
        speaking.step(0.1)
        assert not speaking.done  # that may be from before
        speaking.step(SILENT_S)
    speaking.step(0.1)
    assert (speaking.done, speaking.failure) == (True, OTHER)
    speaking.stop()
    assert "" not in player.texts  # the other one goes on


def test_a_text_that_the_player_was_told_to_stop_was_not_spoken_to_its_end() -> None:
    player = Player()
    speaking = speak(player)
    player.says("hello", ending="stopped")
    speaking.step(CUT_S)
    assert not speaking.done
    speaking.step(0.1)
    assert (speaking.done, speaking.failure) == (True, CUT_OFF)


def test_of_two_texts_in_one_step_the_newer_one_is_spoken() -> None:
    player, reports = Player(), list[SkillReport]()
    body = with_voice(read_body(BODIES / "desk_humanoid.yaml"))
    queue = SkillQueue(MotionRunner(body, player.voice.skills(body)), reports.append)
    rest = tuple(joint.rest for joint in body.joints)
    for text in ("hello", "good bye"):
        queue.start(SkillRequest(text, "say", {"text": text}))
    for count in range(3):
        queue.step(BodyState(0.01 * count, rest, rest))
    assert player.texts == ["good bye"]
    assert [one.id for one in reports if one.status.ended] == ["hello"]


def test_who_may_not_be_heard_may_not_say_anything() -> None:
    body = with_voice(read_body(BODIES / "desk_humanoid.yaml"))
    skills = {info.name: info for info in body.skill_infos()}
    document = read('{"type": "body", "action": "SAY", "parameters": {"text": "hello"}}').document
    allowed = allowed_to(parse_table(["cloud=-audio"]), "cloud")
    assert [one.code for one in check_channels(document, skills, allowed)] == ["CHANNEL_NOT_ALLOWED"]
    assert not check_channels(document, skills, allowed_to(parse_table(["cloud=audio"]), "cloud"))


def test_a_cancel_ends_the_speech() -> None:
    player = Player()
    speaking = speak(player)
    speaking.stop()
    speaking.stop()
    assert (player.texts, speaking.done) == (["hello", ""], True)


def test_a_loss_of_the_body_ends_the_speech_at_once_and_no_later_one() -> None:
    player, reports = Player(), list[SkillReport]()
    body = with_voice(read_body(BODIES / "desk_humanoid.yaml"))
    queue = SkillQueue(MotionRunner(body, player.voice.skills(body)), reports.append)
    rest = tuple(joint.rest for joint in body.joints)
    queue.start(SkillRequest("1", "say", {"text": "hello"}))
    for count in range(3):
        queue.step(BodyState(0.01 * count, rest, rest))
    assert player.texts == ["hello"]
    queue.lost("emergency stop")
    assert player.texts == ["hello", ""]
    assert [(one.id, one.reason) for one in reports if one.status is SkillStatus.FAILED] == [
        ("1", "emergency stop")
    ]
    told = len(reports)
    queue.step(BodyState(9.0, rest, rest))
    assert (player.texts, len(reports)) == (["hello", ""], told)


def test_a_body_whose_own_voice_is_not_here_speaks_with_the_player() -> None:
    desk = read_body(BODIES / "desk_humanoid.yaml")
    assert with_voice(read_body(BODIES / "t1.yaml")).skills["say"] is SAY
    by_joints = replace(desk, skills={"say": replace(desk.skills["head_shake"], name="say")})
    assert with_voice(by_joints) is by_joints
    spoken = with_voice(desk)
    assert spoken.skills["say"] is SAY
    assert spoken.available(SAY)
    assert replace(spoken, skills=desk.skills) == desk
