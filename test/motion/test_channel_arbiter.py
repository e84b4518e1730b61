# SPDX-License-Identifier: Apache-2.0
"""The newest claim of a channel wins."""

import pytest

from embodiment_bridge.motion.joints.posture import ChannelArbiter

# claims in order -> what the last one takes from whom, and who holds what in the end
CASES = [
    ([("a", "head")], {}, {"head": "a"}),
    ([("a", "head"), ("b", "waist")], {}, {"head": "a", "waist": "b"}),
    ([("a", "head"), ("b", "head")], {"a": ("head",)}, {"head": "b"}),
    ([("a", "arm_l arm_r"), ("b", "arm_r")], {"a": ("arm_l", "arm_r")}, {"arm_r": "b", "arm_l": None}),
    (
        [("a", "head"), ("b", "waist"), ("c", "head waist")],
        {"a": ("head",), "b": ("waist",)},
        {"head": "c", "waist": "c"},
    ),
    ([("a", "head"), ("a", "head waist")], {}, {"head": "a", "waist": "a"}),
]


@pytest.mark.parametrize(("claims", "lost", "holders"), CASES)
def test_claims(claims, lost, holders) -> None:
    arbiter = ChannelArbiter()
    for claim, channels in claims:
        losers = arbiter.claim(claim, channels.split())
    assert losers == lost
    assert {channel: arbiter.holder(channel) for channel in holders} == holders


def test_release_frees_only_its_own_channels() -> None:
    arbiter = ChannelArbiter()
    arbiter.claim("a", ["head", "waist"])
    arbiter.claim("b", ["legs"])
    assert arbiter.release("a") == ("head", "waist")
    assert arbiter.release("a") == ()
    assert (arbiter.holder("head"), arbiter.holder("legs")) == (None, "b")
    assert arbiter.held("b") == ("legs",)
