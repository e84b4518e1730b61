# SPDX-License-Identifier: Apache-2.0
"""Documents that fetch documents, and runs without a client, on the real graph with a real HTTP server."""

import re
from pathlib import Path

import pytest
import yaml
from run_stage import RunStage
from std_msgs.msg import String

from embodiment_bridge.bml.authoring.builder import request
from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.standins.bml.server import BmlPeer

ROOT = Path(__file__).parents[2]
SEED = ROOT / "test/data/bml/01_seed_play_music.json"
PAGE = (ROOT / "docs/requests.md").read_text(encoding="utf-8")
SHAKE = '{"type": "body", "action": "HEAD_SHAKE", "duration": 0.3}'


@pytest.fixture
def stages(tmp_path):
    made = []

    def make(runtime, namespace, peer, **parameters):
        opened = {
            "sound": "null",
            "speech": "none",
            "media_cache": str(tmp_path / "cache"),
            "fetch_plain_http": True,
            "fetch_private_hosts": [f"127.0.0.1:{peer.port}"],
        }
        made.append(RunStage(runtime, namespace, **{**opened, **parameters}))
        made[-1].join()
        return made[-1]

    yield make
    for stage in made:
        stage.close()


def ends(stage):
    return [e for e in stage.events if e.event in ("success", "failure") and e.pointer == ""]


def test_the_first_example_as_printed(stages):
    """With the parameters of docs/requests.md: voice, music, then the chain of the reply. Its host is long gone."""
    with Runtime() as runtime, BmlPeer(songs=1, voice=0.2, music=0.3) as peer:
        page = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)[1].replace("7830", str(peer.port))
        opened = yaml.safe_load(page)["/**"]["ros__parameters"]
        stage = stages(runtime, "/seed", peer, **{"fetch_private_hosts": [""], **opened})
        stage.begin(SEED.read_text())
        result = stage.finish()
    assert (result.outcome, result.reason) == ("SUCCEEDED", "")
    doing = {name for feedback in stage.feedback for name in feedback.doing}
    assert {"song", "EYE_RED", "HEAD_SHAKE"} <= doing, "what the fetched documents do has names too"
    assert all(len(feedback.doing) == len(feedback.active) for feedback in stage.feedback)
    assert list(peer.asked) == [
        "/voice?id=AABBCCDDEEFFGGHHIIJJ.wav",
        "/music?id=BBCCDDEEFFGGHHIIJJKK.mp3",
        "/reqest?type=next",
        "/voice?id=0.wav",
        "/music?id=0.wav",
    ]
    assert {event.document for event in stage.events} == {0, 1}


def test_without_parameters_it_is_refused_and_they_are_named(stages):
    with Runtime() as runtime, BmlPeer() as peer:
        stage = stages(runtime, "/closed", peer, fetch_plain_http=False, fetch_private_hosts=[""])
        stage.begin(SEED.read_text())
        assert "parameter fetch_plain_http" in stage.finish().reason
        stage.begin('{"type": "request", "url": "https://a.example/next"}')
        assert "parameter fetch_hosts" in stage.finish().reason
        assert not peer.asked


def test_start_url(stages):
    with Runtime() as runtime, BmlPeer(songs=1, voice=0.1, music=0.2) as peer:
        stage = stages(runtime, "/starts", peer, start_url=f"{peer.url}/request?type=next")
        stage.until(
            lambda: any(e.document == 1 and e.pointer == "" and e.event == "success" for e in stage.events)
        )
    assert peer.asked[0] == "/request?type=next"


def test_start_file_and_topic(stages, tmp_path):
    path = tmp_path / "start.json"
    path.write_text(SHAKE)
    with Runtime() as runtime, BmlPeer() as peer:
        stage = stages(runtime, "/file", peer, start_file=str(path))
        stage.until(lambda: len(ends(stage)) == 1)
        sender = stage.watcher.create_publisher(String, "bml", profile("command"))
        stage.until(lambda: sender.get_subscription_count() == 1)
        sender.publish(String(data="{"))  # rejected, with a line in the log; nothing else is touched
        sender.publish(String(data=SHAKE))
        stage.until(lambda: len(ends(stage)) == 2)


def test_a_server_that_fails_is_asked_again(stages):
    with Runtime() as runtime, BmlPeer(fault="error") as peer:
        stage = stages(runtime, "/again", peer, start_url=f"{peer.url}/request", start_retry=0.1)
        stage.until(lambda: len(peer.asked) >= 1)
        peer.fault = ""
        peer.songs, peer.seconds = 1, {"voice": 0.1, "music": 0.1}
        stage.until(
            lambda: any(e.document == 1 and e.pointer == "" and e.event == "success" for e in stage.events)
        )


@pytest.mark.parametrize("fault", ["slow", "bomb", "loopback", "type", "drip"])
def test_a_bad_server_fails_the_run_and_nothing_else(stages, fault):
    with Runtime() as runtime, BmlPeer() as peer:
        stage = stages(runtime, f"/bad_{fault}", peer, fetch_timeout=0.4)
        stage.begin(request(f"{peer.url}/fault/{fault}").to_json())
        assert stage.finish().outcome == "FAILED"
        stage.begin(SHAKE)
        assert stage.finish().outcome == "SUCCEEDED"
