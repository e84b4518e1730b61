# SPDX-License-Identifier: Apache-2.0
"""Whatever numbers a server sends, nothing of it raises, moves a joint beyond its stop or spoils what comes after."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nao_stage import STAMP, Nao

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.protocols.converter import Cycle
from embodiment_bridge.wire.framing import Framer, frame

SESSION = Path(__file__).parents[2] / "data/simspark/samples"
NUMBER = re.compile(r"-?\d+(\.\d+)?")
VALUES = ("nan", "inf", "-inf", "1e308", "-1e308", "1e-308", "-0", "0", "999999999999999999", "1e5", "-7")


def payloads():
    found = [found.payload.decode() for name in ("rare", "session") for found in frames(name)]
    return [text for text in found if "HJ" in text]


def frames(name):
    return Framer().feed((SESSION / f"{name}.bin").read_bytes())


def spoilt(text, data):
    """The text with some of its numbers, but not its time, replaced."""
    places = [match.span() for match in NUMBER.finditer(text) if match.start() > 30]
    chosen = data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=8, unique=True))
    for start, end in sorted(chosen, reverse=True):
        text = text[:start] + data.draw(st.sampled_from(VALUES)) + text[end:]
    return text


def take(nao, text):
    for event in nao.codec.feed(frame(text.encode())):
        before = nao.state
        nao.state = nao.converter.body_state(event) or before
        targets = nao.runner.step(nao.state, 0.02) if nao.state else None
        nao.tell(nao.converter.answer(Cycle(event, nao.state, targets)))
        if nao.state is not before:
            nao.told += nao.converter.messages(Cycle(event, nao.state), STAMP)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_numbers_that_cannot_be_are_lived_with(data):
    nao = Nao()
    time = 1.0
    texts = payloads()
    for _ in range(4):
        time += 0.02
        text = spoilt(data.draw(st.sampled_from(texts)), data)
        text = re.sub(r"\(now [^)]*\)", f"(now {time:.2f})", text, count=1)
        take(nao, text.replace("(GS ", "(GS (unum 2) (team left) ", 1) if "(unum" not in text else text)
    for sent in nao.sent:
        speeds = [float(value) for value in re.findall(rb"\([rlh]+[ale]+\d ([^)]+)\)", sent)]
        assert all(abs(speed) <= 6.15 for speed in speeds)


@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e308])
def test_one_bad_picture_does_not_lose_the_place(bad):
    nao = Nao().run(2.0)
    place = nao.state.base_position
    take(
        nao, f"(time (now {nao.state.time + 0.02:.2f}))(See (G1R (pol {bad} 1 2)) (F1R (pol 3 {bad} {bad})))"
    )
    nao.run(0.1)
    assert nao.state.base_position == pytest.approx(place, abs=0.02)


def test_stream_of_nothing_but_the_same_percept_ends_the_link():
    nao = Nao().run(0.2)
    text = nao.talk._last
    with pytest.raises(LinkError, match="repeats"):
        take(nao, text) or [take(nao, text) for _ in range(30)]
