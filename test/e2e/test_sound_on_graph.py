# SPDX-License-Identifier: Apache-2.0
"""Sound in real runs on the real graph: spoken gestures, exact pauses, ends; and the player's own node."""

import json
import os

import pytest
from embodiment_bridge.msg import AudioState
from embodiment_bridge.srv import PlayerCommand
from graph_stage import Stage
from run_stage import RunStage
from std_msgs.msg import String

from embodiment_bridge.launching.executables import media_player
from embodiment_bridge.nodes.base.messages import seconds
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.standins.bml.replies import wav

NOD = {"type": "body", "action": "HEAD_SHAKE", "duration": 0.2}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "song.wav").write_bytes(wav("music", "a", 2.0))
    (tmp_path / "eight.wav").write_bytes(wav("music", "a", 8.0))
    (tmp_path / "long.wav").write_bytes(wav("music", "a", 60.0))
    return tmp_path


@pytest.fixture
def stages(folder):
    made = []

    def make(runtime, namespace, **parameters):
        usual = {"sound": "null", "media_cache": str(folder / "cache"), "media_roots": [str(folder)]}
        stage = RunStage(runtime, namespace, **{**usual, **parameters})
        made.append(stage)
        stage.heard = stage.collect(AudioState, "audio_state", "events")
        stage.join()
        return stage

    yield make
    for stage in made:
        stage.close()


def play(folder, name="song.wav", **more):
    return {"type": "player", "action": "play", "url": (folder / name).as_uri(), **more}


def test_a_paused_run_plays_exactly_as_long_as_its_sound(stages, folder):
    with Runtime() as runtime:
        stage = stages(runtime, "/pause")
        stage.begin(json.dumps(play(folder)))
        stage.until(lambda: any(one.state == "playing" for one in stage.heard))
        stage.pause()
        stage.until(lambda: stage.heard[-1].state == "held")
        position = stage.heard[-1].position
        stage.steps(50)
        assert stage.heard[-1].position == position
        assert stage.control("resume").success
        result = stage.finish()
        stage.until(lambda: stage.heard[-1].ending == "ended")
    assert result.outcome == "SUCCEEDED"
    began = next(seconds(one.header.stamp) for one in stage.heard if one.state == "playing")
    loading = began - seconds(
        stage.told("start")[0].header.stamp
    )  # on another thread, while the clock runs on
    # Ticks of the fast mock's clock are coarse.
    assert result.elapsed - loading == pytest.approx(2.0, abs=0.4)


def test_a_paused_run_holds_the_device_where_it_is(stages, folder):
    with Runtime() as runtime:
        stage = stages(runtime, "/device", body={"speed": 1.0}, sound="device", sound_backend="null")
        stage.begin(json.dumps(play(folder, "eight.wav")))
        stage.until(lambda: any(one.state == "playing" and one.position > 0.2 for one in stage.heard))
        output = stage.tree._run_executor.ports.audio.player.output
        helper = output.pid
        stage.pause()
        stage.until(lambda: stage.heard[-1].state == "held")
        stage.until(lambda: all(since is None for _, since in output._playing.values()))  # it has said so
        held = stage.tree._run_executor.ports.audio.player.states()[0].position
        stage.steps(20)
        assert stage.tree._run_executor.ports.audio.player.states()[0].position == held
        assert stage.control("resume").success
        assert stage.finish().outcome == "SUCCEEDED"
        stage.until(lambda: bool(stage.heard[-1].ending))
        assert stage.heard[-1].position == pytest.approx(8.0, abs=0.05)
        stage.tree.close()
    with pytest.raises(ProcessLookupError):  # gone, and no zombie
        os.kill(helper, 0)


@pytest.mark.parametrize("voice", [True, False])
def test_a_gesture_on_a_word(stages, monkeypatch, voice):
    if not voice:  # the words have their times all the same
        monkeypatch.setattr(
            "embodiment_bridge.media.speech.choice.libraries", lambda **_: ["/no/such/library.so"]
        )
    say = {"type": "speak", "name": "s1", "content": "Look over there, a bird!"}
    document = {"type": "parallel", "behaviors": [say, {**NOD, "start": {"at": "s1", "mark": "there"}}]}
    with Runtime() as runtime:
        stage = stages(runtime, f"/words{voice:d}", body={"speed": 1.0})
        stage.begin(json.dumps(document))
        result = stage.finish()
        stage.until(lambda: any(one.ending for one in stage.heard))
    assert result.outcome == "SUCCEEDED"
    assert not any("MARK_NOT_HEARD" in one.code for one in stage.events)
    words = list(dict.fromkeys(one.word for one in stage.heard if one.word))
    assert words == ["Look", "over", "there", "a", "bird"]
    assert (max(one.mouth for one in stage.heard) > 0.5) == voice


def test_stop_silences_and_the_next_run_plays(stages, folder):
    with Runtime() as runtime:
        stage = stages(runtime, "/stop")
        stage.begin(json.dumps(play(folder, "long.wav")))
        stage.until(lambda: any(one.state == "playing" for one in stage.heard))
        assert stage.control("stop").success
        assert stage.finish().outcome == "CANCELED"
        stage.until(lambda: stage.heard[-1].ending == "stopped")
        stage.begin(json.dumps(play(folder)))
        assert stage.finish().outcome == "SUCCEEDED"


def test_a_guest_sounds_while_the_suspended_run_is_silent(stages, folder):
    with Runtime() as runtime:
        stage = stages(runtime, "/guest")
        stage.begin(json.dumps(play(folder, channel="music")), suspendable=True)
        stage.until(lambda: any(one.state == "playing" for one in stage.heard))
        guest = stage.guest(json.dumps(play(folder, channel="voice")), on_new="suspend")
        stage.until(lambda: guest.result is not None)
        assert guest.result.outcome == "SUCCEEDED"
        assert stage.finish().outcome == "SUCCEEDED"
    music = [one.state for one in stage.heard if one.channel == "music"]
    assert "held" in music
    assert music.index("held") < len(music) - 1 - music[::-1].index("playing")


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ({"type": "player", "action": "play", "url": "file:///etc/passwd"}, "URL_REFUSED"),
        ({"type": "player", "action": "play", "url": "http://127.0.0.1/a.wav"}, "URL_REFUSED"),
        ({"type": "speak", "content": "hello"}, "UNRESOLVED_SPEAK"),
    ],
)
def test_what_may_not_be_is_refused_before_it_begins(stages, document, code):
    with Runtime() as runtime:
        stage = stages(runtime, "/refused", speech="none")
        stage.begin(json.dumps(document))
        result = stage.finish()
    assert result.outcome == "REJECTED"
    assert code in result.problems[0]


class PlayerStage(Stage):
    """The player's own node, and somebody who works it."""

    def __init__(self, runtime, folder, **parameters):
        super().__init__(runtime, "/alone")
        values = {"media_cache": str(folder / "cache"), "media_roots": [str(folder)], **parameters}
        self.node = self.add(media_player, **values)
        self.heard = self.collect(AudioState, "audio_state", "events")
        self.until(lambda: self.node.active and self.watcher.count_publishers("audio_state") > 0)

    def do(self, action, **wishes):
        return self.call(PlayerCommand, "player_command", action=action, **wishes)


@pytest.mark.parametrize("sound", ["null", "device"])
def test_the_player_alone(folder, sound):
    with Runtime() as runtime:
        stage = PlayerStage(runtime, folder, sound=sound, sound_backend="null")
        url = (folder / "long.wav").as_uri()
        assert stage.do("play", url=url, volume=40.0, set_volume=True).id
        stage.until(lambda: any(one.state == "playing" for one in stage.heard))
        assert stage.do("pause").success
        stage.until(lambda: stage.heard[-1].state == "paused")
        stage.heard.clear()  # of the pause itself one message may still come; it is told again as long as it lasts
        stage.until(lambda: len(stage.heard) >= 3)
        assert {one.state for one in stage.heard} == {"paused"}
        assert stage.do("resume").success
        assert stage.do("setVolume", volume=20.0).success
        stage.until(lambda: stage.heard[-1].state == "playing" and stage.heard[-1].volume == 20.0)
        assert stage.do("stop").success
        stage.until(lambda: stage.heard[-1].ending == "stopped")
        assert stage.heard[-1].output == sound
        for action, wishes, why in (
            ("dance", {}, "unknown player action"),
            ("play", {}, "needs a url"),
            ("speak", {}, "needs a text"),
            ("speak", {"text": "a", "rate": 99.0}, "a rate is"),
            ("setVolume", {"volume": 101.0}, "a volume is"),
            ("pause", {"channel": "a b"}, "a channel is"),
        ):
            answer = stage.do(action, **wishes)
            assert (answer.success, why in answer.message) == (False, True)
        stage.do("play", url="file:///etc/passwd")
        stage.until(lambda: stage.heard[-1].ending == "failed")
        assert "refused" in stage.heard[-1].reason
        stage.do("stop")
        assert stage.node._audio.player._sounds == {}  # nothing stays of what is over
        stage.node.close()


def test_a_deactivated_tree_is_silent(stages):
    with Runtime() as runtime:
        stage = stages(runtime, "/silenced", speech="silent")
        text = "a text that is long enough to be interrupted in the middle of it, and longer"
        speak = stage.publisher(String, "speak")

        def spoken():
            return [one for one in stage.heard if one.channel == "speech"]

        speak.publish(String(data=text))
        stage.until(lambda: any(one.state == "playing" for one in spoken()))
        stage.tree.trigger_deactivate()
        stage.until(lambda: spoken()[-1].ending == "stopped")
        count = len(spoken())
        speak.publish(String(data=text))
        stage.steps(50)
        assert len(spoken()) == count
        stage.tree.trigger_activate()
        speak.publish(String(data=text))
        stage.until(lambda: spoken()[-1].state == "playing")
