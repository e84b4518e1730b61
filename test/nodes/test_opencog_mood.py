# SPDX-License-Identifier: Apache-2.0
"""An emotion whose goal is lost, as the behaviour tree is gone or never answers, is asked for again."""

from types import SimpleNamespace

import pytest

from embodiment_bridge.nodes.opencog import opencog_feelings
from embodiment_bridge.nodes.opencog.opencog_feelings import OpencogMood
from embodiment_bridge.protocols.opencog.world.feelings import rules_of

JOY = {"happiness": 0.9}
SKILLS = ("happy", "neutral")


class FakeClient:
    """A behaviour tree whose answers are the test's."""

    def __init__(self, *_):
        self.server_is_there, self.result, self.sent, self.canceled = True, None, [], 0

    def cancel(self):
        self.canceled += 1

    def send(self, document, **_):
        self.result = None
        self.sent.append(document)

    def end(self, outcome):
        self.result = SimpleNamespace(outcome=outcome)


@pytest.fixture
def stage(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(opencog_feelings, "BmlClient", FakeClient)
    monkeypatch.setattr(opencog_feelings, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    mood = OpencogMood(SimpleNamespace(), "", rules_of(["happiness=happy"]), 1.0, "test", print)

    def pass_s(seconds):
        for _ in range(round(2 * seconds)):
            clock[0] += 0.5
            mood.look_after(JOY, SKILLS)

    mood.look_after(JOY, SKILLS)
    assert len(mood._client.sent) == 1
    return mood._client, pass_s


def test_emotion_that_is_lost_is_asked_for_when_there_is_a_tree_again(stage):
    client, pass_s = stage
    client.server_is_there = False
    client.end("ERROR")
    pass_s(5.0)
    assert len(client.sent) == 1
    client.server_is_there = True
    pass_s(1.0)
    assert len(client.sent) == 2


def test_emotion_that_takes_long_is_waited_for(stage):
    client, pass_s = stage
    pass_s(20.0)
    assert len(client.sent) == 1
    client.end("SUCCEEDED")
    pass_s(10.0)
    assert len(client.sent) == 1  # it is shown


def test_emotion_that_is_asked_for_ends_with_what_asked(monkeypatch):
    monkeypatch.setattr(opencog_feelings, "BmlClient", FakeClient)
    mood = OpencogMood(SimpleNamespace(), "", rules_of(["happiness=happy"]), 1.0, "test", print)
    mood.close()
    assert mood._client.canceled == 0
    mood.look_after(JOY, SKILLS)
    mood.close()
    assert mood._client.canceled == 1
