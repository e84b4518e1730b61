# SPDX-License-Identifier: Apache-2.0
"""Converters of 0.1 have the methods of now, whichever of the optional ones they have."""

import pytest

from embodiment_bridge.body.state import BodyState
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.protocols.old_converter import adapted

STATE = BodyState(1.0, (), ())
pytestmark = pytest.mark.filterwarnings("ignore:embodiment_bridge:DeprecationWarning")


class Least:
    """What every converter of 0.1 has."""

    def codec_options(self):
        return {"dialect": "old"}

    def greet(self):
        return ["hello"]

    def body_state(self, event):
        return STATE if event == "state" else None

    def answer(self, event, targets):
        return [event, targets]

    def messages(self, event, state, stamp):
        return [(event, (state, stamp))]


class Most(Least):
    """With all that could be left out."""

    def remarks(self):
        return ["it is old"]

    def heed(self, wanted):
        self.wanted = wanted

    def natives(self):
        return {"wave": None}

    def take(self, name, message):
        return f"{name}: {message}"


@pytest.mark.parametrize("kind", [Least, Most])
def test_what_every_one_has(kind):
    made = adapted(kind())
    assert made.codec_options() == {"dialect": "old"}
    assert made.handshake() == ["hello"]
    assert made.body_state("state") is STATE
    assert made.answer(Cycle("state", STATE, "targets")) == ["state", "targets"]
    assert list(made.messages(Cycle("state", STATE), "stamp")) == [("state", (STATE, "stamp"))]


def test_what_may_be_left_out():
    made = adapted(Least())
    made.set_demand(lambda topic: True)
    assert not made.warnings()
    assert not made.native_skills()
    with pytest.raises(CommandError, match="say: this protocol takes no requests"):
        made.handle_request("say", "hello")


def test_what_is_there_is_used():
    old = Most()
    made = adapted(old)
    made.set_demand(str.isupper)
    assert old.wanted is str.isupper
    assert made.warnings() == ["it is old"]
    assert made.native_skills() == {"wave": None}
    assert made.handle_request("say", "hello") == "say: hello"


def test_one_of_now_is_left_as_it_is():
    made = adapted(Least())
    assert adapted(made) is made


@pytest.mark.filterwarnings("default:embodiment_bridge:DeprecationWarning")
def test_its_author_is_told():
    with pytest.warns(DeprecationWarning, match=r"Least is a converter of 0\.1; derive it from"):
        adapted(Least())
