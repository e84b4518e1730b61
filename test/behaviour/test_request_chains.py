# SPDX-License-Identifier: Apache-2.0
"""Chains of documents: their guards, and asking for the next one ahead of its turn."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest
from virtual_run import VOICE, VirtualRun, box, delay, fail, loop, par, request, sel, seq

from embodiment_bridge.behaviour.rehearsal.rehearse import EXACT
from embodiment_bridge.behaviour.rehearsal.virtual_ports import VirtualRequests

URL = "http://cloud.example/next"
NEXT = {"type": "request", "url": URL}
AHEAD = replace(EXACT, prefetch_s=5.0)


def reply(*nodes):
    return json.dumps({"type": "sequence", "behaviors": list(nodes)})


def wait(seconds):
    return {"type": "delay", "duration": seconds}


class Counting(VirtualRequests):
    """Notes when it was asked, and what was given up."""

    def __init__(self, replies):
        super().__init__(replies)
        self.asked, self.given_up = [], []

    def start(self, request_id, url, read):
        self.asked.append(round(self._now, 6))
        super().start(request_id, url, read)

    def cancel(self, request_id):
        self.given_up.append(request_id)
        super().cancel(request_id)


def stage_of(root, answer, settings):
    return VirtualRun(root, requests=Counting({URL: answer}), settings=settings)


def test_a_document_that_takes_no_time_and_names_itself_is_ended():
    stage = stage_of(request(URL), json.dumps(NEXT), EXACT)
    stage.to_end(0.1)
    assert stage.ended[0] == "FAILED"
    assert stage.run.ending.reason.startswith(
        "REQUEST_LOOP: the same document that takes no time came 21 times"
    )


def test_the_same_document_with_time_in_it_goes_on():
    stage = stage_of(request(URL), reply(wait(1), NEXT), EXACT)
    stage.to(60.0, step=0.1)
    assert stage.ended is None


def test_the_length_of_a_chain_can_be_limited():
    stage = stage_of(request(URL), reply(wait(1), NEXT), replace(EXACT, max_chain=3))
    stage.to_end(0.1)
    assert stage.run.ending.reason == "CHAIN_TOO_LONG: 3 documents have followed each other already"


@pytest.mark.parametrize(
    ("before", "asked"),
    [
        (delay(12), 7.0),
        (delay(3), 0.0),
        (box(12, delay(1)), 7.0),
        (par(delay(3), delay(12)), 7.0),
        (par(delay(30), delay(12), succeed_on_one=True), 7.0),
        (seq(delay(8), delay(4)), 8.0),
        (loop(3, delay(4)), 8.0),
    ],
)
def test_asked_ahead(before, asked):
    stage = stage_of(seq(before, request(URL)), reply(wait(1)), AHEAD)
    stage.to_end(0.1)
    assert stage.requests.asked == [asked]
    plain = stage_of(seq(before, request(URL)), reply(wait(1)), EXACT)
    plain.to_end(0.1)
    length = plain.ended[1] - 0.2  # of the fetch, which now is over when its turn comes
    assert stage.ended == ("SUCCEEDED", pytest.approx(length, abs=0.11))


def test_a_chain_has_no_gaps():
    stage = stage_of(request(URL), reply(wait(6), NEXT), AHEAD)
    stage.to(61.0, step=0.05)
    assert len(stage.requests.asked) == 11
    assert stage.seen("replaced")[-1] == "replaced /behaviors/1"


def test_the_gap_between_replacements_holds_ahead_too():
    stage = stage_of(request(URL), reply(wait(0.1), NEXT), AHEAD)
    stage.to(10.0, step=0.05)
    times = [event.t for event in stage.events if event.event == "replaced"]
    assert min(b - a for a, b in pairwise(times)) >= 0.499


@pytest.mark.parametrize(
    "root",
    [
        par(seq(delay(2), request(URL)), delay(9)),
        box(9, seq(delay(2), request(URL))),
        loop(2, seq(delay(2), request(URL))),
        seq(seq(delay(2), request(URL)), delay(1)),
    ],
)
def test_only_in_tail_position(root):
    """Elsewhere a document may be fetched several times, and each time it may be another one."""
    stage = stage_of(root, reply(wait(1)), AHEAD)
    stage.to(1.9, step=0.1)
    assert stage.requests.asked == []


def test_a_chain_remembers_no_sounds_of_documents_before():
    class Numbered(Counting):
        def start(self, request_id, url, read):
            voice = {"type": "player", "action": "play", "url": VOICE, "name": f"voice {len(self.asked)}"}
            self._replies = {url: reply(voice, NEXT)}
            super().start(request_id, url, read)

    stage = VirtualRun(request(URL), requests=Numbered({}))
    stage.to(60.0, step=0.1)
    assert len(stage.seen("replaced")) > 10
    assert len(stage.run._context.sounds) == 1


def test_what_is_not_needed_is_given_up():
    stage = stage_of(sel(delay(2), request(URL)), reply(wait(1)), AHEAD)
    stage.to_end(0.1)
    assert stage.ended == ("SUCCEEDED", 2.0)
    assert len(stage.requests.given_up) == 1
    stage = stage_of(seq(fail(2), request(URL)), reply(wait(1)), AHEAD)
    stage.to_end(0.1)
    assert len(stage.requests.given_up) == 1


def test_a_cancel_gives_it_up():
    stage = stage_of(seq(delay(2), request(URL)), reply(wait(1)), AHEAD)
    stage.to(1.0, step=0.1)
    stage.run.cancel()
    stage.to_end(0.1)
    assert len(stage.requests.given_up) == 1


def test_a_port_that_cannot_be_asked_ahead_ends_nothing():
    class Broken(VirtualRequests):
        def start(self, request_id, url, read):
            raise RuntimeError("broken")

    stage = VirtualRun(seq(delay(2), request(URL)), requests=Broken({}), settings=AHEAD)
    stage.to(1.9, step=0.1)
    assert stage.ended is None
