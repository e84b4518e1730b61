# SPDX-License-Identifier: Apache-2.0
"""What keeps a body safe from documents, on the real graph: guards, channels, time, signatures, secrets."""

import json
from hashlib import sha256

import pytest
from certificates import Authority
from embodiment_bridge.action import ExecuteActionPlan
from embodiment_bridge.msg import ActionPlan, PlanAction
from rclpy.action import ActionClient
from run_stage import RunStage
from std_msgs.msg import Float32, String

from embodiment_bridge.nodes.base.qos import profile
from embodiment_bridge.nodes.base.runtime import Runtime
from embodiment_bridge.standins.bml.replies import link
from embodiment_bridge.standins.bml.server import BmlPeer

SHAKE = {"type": "body", "action": "HEAD_SHAKE", "duration": 0.3}
LONG = {"type": "body", "action": "HEAD_SHAKE", "duration": 20.0}
STEP = {"type": "body", "action": "STEP_FORWARD", "duration": 1.0}
GUARDED = {"blackboard": ["charge=charge:data"], "guards": ["charge >= 15"]}


@pytest.fixture
def stages():
    made = []

    def make(runtime, namespace, **parameters):
        made.append(RunStage(runtime, namespace, **{"sound": "null", "speech": "none", **parameters}))
        made[-1].join()
        return made[-1]

    yield make
    for stage in made:
        stage.close()


def run(stage, value, **wishes):
    stage.begin(value if isinstance(value, str) else json.dumps(value), **wishes)
    return stage.finish()


class Battery:
    """A topic that tells how full it is."""

    def __init__(self, stage):
        self.stage, self.topic = stage, stage.watcher.create_publisher(Float32, "charge", profile("state"))

    def is_at(self, percent):
        def known():
            self.topic.publish(Float32(data=percent))
            return stage.tree._run_executor.feed.values()["charge"] == percent

        stage = self.stage
        stage.until(known)


def test_a_guard_refuses_and_ends_performances(stages):
    with Runtime() as runtime:
        stage = stages(runtime, "/guarded", **GUARDED)
        result = run(stage, SHAKE)
        assert (result.outcome, "VETOED" in result.problems[0]) == ("REJECTED", True)
        assert "it is not known" in result.reason
        battery = Battery(stage)
        battery.is_at(80.0)
        assert run(stage, SHAKE).outcome == "SUCCEEDED"
        stage.begin(json.dumps(LONG))
        stage.until(lambda: bool(stage.feedback) and bool(stage.feedback[-1].active))
        battery.is_at(10.0)
        result = stage.finish()
        assert result.outcome == "CANCELED"
        assert result.reason == "VETOED: parameter guards wants charge >= 15; it is 10.0"
        assert "it is 10.0" in run(stage, SHAKE).reason
        assert plan(stage, "walk").reason.startswith("VETOED")


def plan(stage, name, source="test"):
    client = ActionClient(stage.watcher, ExecuteActionPlan, "execute_action_plan")
    try:
        stage.until(client.server_is_ready)
        steps = ActionPlan(actions=[PlanAction(name=name, sequence=1)])
        answer = client.send_goal_async(ExecuteActionPlan.Goal(plan=steps, source=source))
        stage.until(answer.done)
        result = answer.result().get_result_async()
        stage.until(result.done)
        return result.result().result
    finally:
        client.destroy()


def test_what_starts_by_itself_waits_for_its_guards_and_comes_back(stages, tmp_path):
    path = tmp_path / "start.json"
    path.write_text(json.dumps(LONG))
    with Runtime() as runtime:
        stage = stages(runtime, "/waiting", start_file=str(path), start_retry=0.1, **GUARDED)
        battery = Battery(stage)
        battery.is_at(10.0)
        stage.steps(50)
        assert not stage.told("start")
        battery.is_at(80.0)
        stage.until(lambda: len(stage.told("start")) == 1)
        battery.is_at(10.0)
        stage.until(lambda: len(stage.told("halted")) == 1)
        battery.is_at(90.0)
        stage.until(lambda: len(stage.told("start")) == 2)


def test_a_source_has_its_channels(stages, tmp_path):
    (tmp_path / "step.json").write_text(json.dumps({"type": "sequence", "behaviors": [SHAKE, STEP]}))
    with Runtime() as runtime, BmlPeer(directory=str(tmp_path)) as peer:
        opened = {"fetch_plain_http": True, "fetch_private_hosts": [f"127.0.0.1:{peer.port}"]}
        stage = stages(runtime, "/channels", source_channels=["guest=-legs", "fetched=head"], **opened)
        both = json.dumps({"type": "sequence", "behaviors": [SHAKE, STEP]})
        assert run(stage, both).outcome == "SUCCEEDED"  # the source of these goals is another one
        guest = stage.guest(both)
        stage.until(lambda: guest.result is not None)
        assert guest.result.outcome == "REJECTED"
        assert guest.result.pointer == "/behaviors/1/action"
        assert "'guest' may not (parameter source_channels)" in guest.result.problems[0]
        result = run(stage, {"type": "request", "url": f"{peer.url}/documents/step.json"})
        assert result.outcome == "FAILED"
        assert "REPLY_REJECTED: /behaviors/1/action: CHANNEL_NOT_ALLOWED" in result.reason
        assert "'fetched' may not" in result.reason
        told = plan(stage, "wave", source="guest")
        assert "may not" not in told.actions[0].reason
        told = plan(stage, "step_forward", source="guest")
        assert "drives legs, which 'guest' may not" in told.actions[0].reason


def test_a_run_has_its_time_and_its_rate(stages):
    eyes = {"type": "loop", "loop": -1, "behavior": {"type": "body", "action": "EYE_RED"}}
    with Runtime() as runtime:
        stage = stages(runtime, "/limited", max_run_time=2.0, max_starts=2.0)
        result = run(stage, eyes)
        assert (result.outcome, result.elapsed) == ("ERROR", pytest.approx(2.0, abs=0.5))
        assert "max_run_time" in result.reason
        assert any(one.code == "START_LIMIT" for one in stage.events)
        assert len([one for one in stage.told("start") if one.type == "body"]) <= 2 + 2 * 3


def test_a_pause_is_no_silence(stages, capfd):
    with Runtime() as runtime:
        stage = stages(runtime, "/paused", dead_man=0.3)
        stage.begin(json.dumps({**LONG, "duration": 2.5}))
        stage.until(lambda: bool(stage.feedback) and bool(stage.feedback[-1].active))
        stage.pause()
        heard = stage.collect(String, "keep_alive", "events")
        stage.until(lambda: len(heard) > 12)  # five times in 0.3 s
        assert stage.control("resume").success
        assert stage.finish().outcome == "SUCCEEDED"
        last = len(heard)
        stage.steps(200)
        assert len(heard) <= last + 5  # nothing is told when nothing runs; some were on their way
    assert "has not been heard" not in capfd.readouterr().err


def test_events_tell_which_text_they_are_about(stages):
    with Runtime() as runtime, BmlPeer(songs=1, voice=0.1, music=0.2) as peer:
        opened = {"fetch_plain_http": True, "fetch_private_hosts": [f"127.0.0.1:{peer.port}"]}
        stage = stages(runtime, "/hashes", **opened)
        text = json.dumps({"type": "request", "url": f"{peer.url}/request?type=next"})
        run(stage, text)
        reply = link(peer.url, 0, last=True)
    hashes = {event.document: event.sha256 for event in stage.events}
    assert hashes == {number: sha256(one.encode()).hexdigest() for number, one in enumerate((text, reply))}


def test_documents_must_be_signed_where_there_is_a_key(stages, tmp_path):
    key = tmp_path / "key"
    key.write_bytes(b"a key that both have")
    (tmp_path / "a.json").write_text(json.dumps(SHAKE))
    with (
        Runtime() as runtime,
        BmlPeer(directory=str(tmp_path), sign_key=str(key)) as peer,
        BmlPeer(directory=str(tmp_path)) as other,
    ):
        places = [f"127.0.0.1:{one.port}" for one in (peer, other)]
        opened = {"fetch_plain_http": True, "fetch_private_hosts": places}
        stage = stages(runtime, "/signed", signature_key_file=str(key), **opened)
        result = run(stage, {"type": "request", "url": f"{other.url}/documents/a.json"})
        assert (result.outcome, result.reason.startswith("UNSIGNED")) == ("FAILED", True)
        assert run(stage, {"type": "request", "url": f"{peer.url}/documents/a.json"}).outcome == "SUCCEEDED"


def test_a_performance_over_https(stages, tmp_path):
    authority = Authority(tmp_path)
    host = "skills.example"
    with Runtime() as runtime, BmlPeer(songs=1, voice=0.1, music=0.2, tls=authority.server(host)) as peer:
        place = {"fetch_host_map": [f"{host}=127.0.0.1:{peer.port}"], "media_cache": str(tmp_path / "cache")}
        stage = stages(runtime, "/tls", fetch_ca_file=str(authority.file), **place)
        document = {"type": "request", "url": f"https://{host}/request?type=next"}
        assert run(stage, document).outcome == "SUCCEEDED"
        assert list(peer.asked) == ["/request?type=next", "/voice?id=0.wav", "/music?id=0.wav"]
        doubting = stages(runtime, "/doubting", **place)
        result = run(doubting, document)
        assert (result.outcome, "certificate verify failed" in result.reason) == ("FAILED", True)


def test_a_stale_goal_is_refused(stages):
    with Runtime() as runtime:
        stage = stages(runtime, "/stale", max_age=60.0)
        result = run(stage, {"action": SHAKE, "req_time": "20180108101105"})
        assert (result.outcome, "STALE" in result.problems[0]) == ("REJECTED", True)
        assert "max_age" in result.reason
        assert run(stage, SHAKE).outcome == "SUCCEEDED"


def test_secrets_of_urls_are_in_no_event_and_no_result(stages, capfd):
    url = "http://127.0.0.1:9/next?token=secret#secret"
    opened = {"fetch_plain_http": True, "fetch_private_hosts": ["127.0.0.1:9"], "start_url": url}
    with Runtime() as runtime:
        stage = stages(runtime, "/hidden", **opened)
        stage.until(lambda: len(stage.told("failure")) >= 1)
        play = {"type": "player", "action": "play", "url": url}
        result = run(stage, {"type": "selector", "behaviors": [play, {"type": "request", "url": url}]})
        assert result.outcome == "FAILED"
        refused = run(stage, {"type": "request", "url": "https://user:secret@a.example/?token=secret"})
        assert refused.outcome == "REJECTED"
    written = capfd.readouterr()
    told = [*stage.events, *stage.feedback, result, refused, written.out, written.err]
    assert not [one for one in told if "secret" in str(one)]
    assert any("http://127.0.0.1:9/next" in event.message for event in stage.events)
