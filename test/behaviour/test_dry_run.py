# SPDX-License-Identifier: Apache-2.0
"""The times that the sample documents take, and what a dry run says."""

import json
from itertools import pairwise
from pathlib import Path

import pytest
from virtual_run import SKILLS, body, delay, dry_run, fail, forever, lines, loop, par, play, player, seq

from embodiment_bridge.core.errors import ConfigError

SAMPLES = Path(__file__).parents[1] / "data" / "bml"
STORY = "http://cloud.example/story?n=1"
REPLIES = {STORY: '{"type": "player", "action": "play", "url": "http://media.example/story.mp3"}'}


class Media(dict):
    """Voice 3 s, alarm 1 s, all else 20 s."""

    def get(self, url, default=None):
        if "alarm" in url:
            return 1.0
        return 3.0 if "/tts" in url or "voice" in url else 20.0


def sample(name, **options):
    text = (SAMPLES / f"{name}.json").read_bytes()
    return list(dry_run(text, SKILLS, media=Media(), replies=REPLIES, **options))


def starts(seen, kind, *nodes):
    begun = [line for line in seen if line.get("event") == "start" and line["type"] == kind]
    return [line["t"] for line in begun if not nodes or line["node"] in nodes]


@pytest.mark.parametrize(
    ("name", "outcome", "t"),
    [
        ("01_seed_play_music", "FAILED", 23.2),
        ("02_seed_body_steps", "SUCCEEDED", 4.0),
        ("03_seed_delay", "SUCCEEDED", 2.0),
        ("04_song_with_eye_colours", "SUCCEEDED", 23.0),
        ("05_sing_and_dance", "FAILED", 24.2),
        ("07_reply_speak_processed", "SUCCEEDED", 4.0),
        ("08_alarm_with_timeout", "STOPPED", 30.0),
        ("09_fetch_story_with_fallback", "SUCCEEDED", 43.6),
        ("10_player_controls", "SUCCEEDED", 6.5),
        ("11_self_test_all_actions", "SUCCEEDED", 20.0),
        ("12_tolerated_spellings", "SUCCEEDED", 20.0),
    ],
)
def test_samples_end(name, outcome, t):
    last = sample(name)[-1]
    assert (last["outcome"], last["t"]) == (outcome, t)


def test_speech_needs_a_length():
    assert sample("06_reply_speak_unprocessed", speech=3.0)[-1] == {"outcome": "SUCCEEDED", "t": 4.0}
    assert sample("06_reply_speak_unprocessed")[-1]["outcome"] == "REJECTED"


def test_sample_music():
    seen = sample("01_seed_play_music")
    assert starts(seen, "player") == [0.0, 3.0]
    assert starts(seen, "request") == [23.0]


def test_sample_steps():
    seen = sample("02_seed_body_steps")
    assert starts(seen, "body", "/behaviors/0") == [0.0, 1.0]
    assert starts(seen, "body", "/behaviors/1") == [2.0]
    assert starts(seen, "body", "/behaviors/2") == [3.0]


def test_sample_colours():
    seen = sample("04_song_with_eye_colours")
    assert starts(seen, "body") == [float(t) for t in range(23)]
    halted = [line for line in seen if line.get("event") == "halted"]
    assert {line["t"] for line in halted} == {23.0}
    assert {line["type"] for line in halted} == {"loop", "sequence"}


def test_sample_dance():
    seen = sample("05_sing_and_dance")
    performance = [line for line in seen if line.get("name") == "performance"]
    assert [(line["event"], line["t"]) for line in performance] == [("start", 3.0), ("success", 23.0)]
    assert starts(seen, "request") == [24.0]


def test_sample_story():
    seen = sample("09_fetch_story_with_fallback")
    assert starts(seen[:-1], "request", "/behaviors/1/behavior/behaviors/1") == [21.0, 22.2, 23.4]
    failures = [line for line in seen if line.get("event") == "failure"]
    assert (failures[0]["node"], failures[0]["t"]) == ("/behaviors/0/behaviors/1", 20.0)  # the watchdog
    assert starts(seen[:-1], "sequence", "/behaviors/2") == [23.6]


def test_sample_self_test_does_all_actions():
    seen = sample("11_self_test_all_actions")
    begun = [line for line in seen if line.get("event") == "start" and line["type"] == "body"]
    assert {line["message"].lower() for line in begun} == set(SKILLS)


@pytest.mark.parametrize("name", [path.stem for path in sorted(SAMPLES.glob("*.json"))])
def test_lines_are_json_in_the_order_of_time(name):
    seen = sample(name, speech=3.0)
    assert json.loads(json.dumps(seen, allow_nan=False)) == seen
    assert all(a["t"] <= b["t"] for a, b in pairwise(seen))
    assert all({"t", "event", "node", "type"} <= line.keys() for line in seen[:-1])
    assert "outcome" in seen[-1]
    assert not any("outcome" in line for line in seen[:-1])


@pytest.mark.parametrize("name", [path.stem for path in sorted((SAMPLES / "invalid").glob("*.json"))])
def test_faulty_documents_are_rejected_or_end(name):
    text = (SAMPLES / "invalid" / f"{name}.json").read_bytes()
    last = list(dry_run(text, SKILLS, media=Media(), until=60.0))[-1]
    doubtful = {"b15_unreachable": "ERROR", "b16_busy_forever": "ERROR"}
    assert last["outcome"] == doubtful.get(name, "REJECTED")


def test_every_start_has_an_end():
    for root in (
        par(forever(body(slot=0.3)), seq(delay(1), fail(1)), play()),
        loop(3, par(delay(1), body(slot=0.5), succeed_on_one=True)),
    ):
        seen = lines(root)[:-1]
        begun = sum(line["event"] == "start" for line in seen)
        over = sum(line["event"] in ("success", "failure", "halted") for line in seen)
        assert begun == over


def test_an_endless_document_is_given_up():
    last = lines(forever(body(slot=1)), until=100.0)[-1]
    assert (last["outcome"], last["t"]) == ("ERROR", 100.0)
    assert "--until" in last["reason"]


def test_the_limit_is_not_in_the_way_of_what_ends_at_it():
    assert lines(delay(100.0), until=100.0)[-1] == {"outcome": "SUCCEEDED", "t": 100.0}


def test_a_song_paused_for_good_is_given_up_with_the_reason():
    last = lines(par(play(), seq(delay(2), player("pause"))))[-1]
    assert last["outcome"] == "ERROR"
    assert "paused" in last["reason"]


def test_a_failure_names_the_leaf():
    last = lines(seq(delay(1), par(fail(1), delay(5))))[-1]
    assert last == {"outcome": "FAILED", "t": 2.0, "reason": "fails after 1 s, as written", "node": "/1/0"}


def test_fetched_documents_are_told_apart():
    seen = sample("09_fetch_story_with_fallback")
    story = [line for line in seen if line.get("document") == 1]
    assert {line["node"] for line in story} == {""}
    assert [(line["event"], line["t"]) for line in story] == [("start", 0.2), ("halted", 20.0)]


@pytest.mark.parametrize("media", [{"u": -1.0}, {"u": float("nan")}])
def test_a_bad_length_is_refused(media):
    with pytest.raises(ConfigError, match="length of u"):
        lines(delay(1), media=media)


def test_it_is_lazy():
    text = '{"type": "loop", "loop": -1, "behavior": {"type": "delay", "duration": 1}}'
    endless = dry_run(text, {}, until=1e12)
    assert [next(endless)["t"] for _ in range(1000)][-1] > 300
