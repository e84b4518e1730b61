# SPDX-License-Identifier: Apache-2.0
"""Holds of all skills and of those of one source."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from motion_stage import DT, T1, MovedBody

from embodiment_bridge.body.state import SkillRequest, SkillStatus
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.motion.skills.holds import HOLD_S, LONGEST_SOURCE, SOURCE_LIMIT, Holds


def begun(stage: MovedBody, name: str, source: str, slot: float = 2.0) -> str:
    stage.runner.start(SkillRequest(name, name, {}, slot, source))
    return name


def test_one_source_stands_while_the_other_moves_and_then_goes_on_exactly() -> None:
    stage, free = MovedBody(), MovedBody()
    for one in (stage, free):
        begun(one, "nod", "a")
        begun(one, "lift", "b", 1.5)
        one.run(0.6)
    stage.runner.hold(True, "a")
    stage.run(0.3)
    yaw, left = stage.angle("yaw"), stage.angle("left")
    assert stage.last("nod").held
    assert not stage.last("lift").held
    stage.run(1.0)
    assert stage.angle("yaw") == yaw
    assert stage.angle("left") < left - 0.1
    assert stage.status("lift") is SkillStatus.SUCCEEDED
    assert not stage.runner.held  # that is about everything
    stage.runner.hold(False, "a")
    stage.run(4.0)
    free.run(4.0)
    assert stage.status("nod") is SkillStatus.SUCCEEDED
    assert stage.angle("yaw") == pytest.approx(free.angle("yaw"), abs=1e-3)


def test_what_is_held_starts_when_it_is_let_go_and_loses_its_channel_to_others() -> None:
    stage = MovedBody()
    stage.runner.hold(True, "a")
    begun(stage, "nod", "a")
    stage.run(1.0)
    assert stage.angle("yaw") == 0.0
    stage.runner.start(SkillRequest("look", "look", {}, 1.0, "b"))
    stage.run(1.2)
    assert stage.status("nod") is SkillStatus.REPLACED
    assert stage.angle("yaw") == pytest.approx(0.8, abs=1e-3)


def test_a_hold_of_all_is_above_that_of_a_source() -> None:
    stage = MovedBody()
    begun(stage, "nod", "a")
    stage.run(0.5)
    stage.runner.hold(True)
    stage.runner.hold(False, "a")
    stage.run(0.5)
    assert stage.runner.held
    assert stage.last("nod").held


def test_a_held_walk_stands_and_another_source_may_walk() -> None:
    stage = MovedBody(T1)
    begun(stage, "walk", "a", 0.0)
    stage.run(1.5)
    stage.runner.hold(True, "a")
    stage.run(3.0)
    assert (stage.runner.status, stage.last("walk").held) == ("standing", True)
    stage.runner.start(SkillRequest("other", "step_forward", {"distance": 0.5}, 0.0, "b"))
    stage.run(0.6)
    assert stage.status("walk") is SkillStatus.REPLACED
    assert stage.runner.status == "walking"


def test_a_velocity_is_over_in_time_while_the_body_is_held() -> None:
    stage = MovedBody(T1)
    stage.runner.set_velocity(0.3, 0.0)
    stage.run(0.1)
    stage.runner.hold(True)
    stage.run(3.0)  # nobody commands anything any more
    place = stage.state.base_position
    stage.runner.hold(False)
    for _ in range(50):
        stage.step()
        assert stage.runner.status == "standing"
    assert stage.state.base_position == pytest.approx(place)


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(["", "a", "b"])), max_size=12))
def test_rates_follow_what_was_asked_last(asked) -> None:
    holds = Holds()
    for on, source in asked:
        holds.ask(on, source, {"a", "b"})
        holds.step(0.03)
        assert 0.0 <= holds.rate_of(source) <= 1.0
    holds.step(2 * HOLD_S)
    for source in ("", "a", "b"):
        last = next((on for on, one in reversed(asked) if one == source), False)
        everybody = next((on for on, one in reversed(asked) if one == ""), False)
        assert holds.rate_of(source) == (0.0 if last or everybody else 1.0)


def test_a_hold_that_has_ended_leaves_nothing_behind() -> None:
    holds = Holds()
    assert (holds.any, holds.rate, holds.rate_of("a")) == (False, 1.0, 1.0)
    holds.ask(True, "a", {"a"})
    assert (holds.any, holds.holds("a"), holds.holds("b")) == (True, True, False)
    assert holds.rate_of("a") == 1.0
    for seconds, rate in ((0.05, 0.75), (0.1, 0.25), (0.05, 0.0)):  # at rest after 0.2 s
        holds.step(seconds)
        assert holds.rate_of("a") == pytest.approx(rate)
    assert (holds.rate, holds.rate_of("b")) == (1.0, 1.0)
    holds.ask(False, "a", {"a"})
    assert (holds.any, holds.holds("a")) == (False, False)
    holds.step(0.1)
    assert holds.rate_of("a") == pytest.approx(0.5)
    holds.step(0.1 + 1e-9)
    assert holds._rates == {}


def test_skills_that_begin_under_a_hold_begin_at_rest() -> None:
    holds = Holds()
    holds.ask(True, "a", {"b"})
    assert (holds.rate_of("a"), holds.rate_of("b")) == (0.0, 1.0)


def test_a_hold_of_all_holds_each_and_not_their_own_rates() -> None:
    holds = Holds()
    holds.ask(True, "", {"a"})
    assert (holds.any, holds.all, holds.holds("a"), holds.holds("")) == (True, True, True, True)
    holds.step(0.2 + 1e-9)
    assert (holds.rate, holds.rate_of("a"), holds._rates) == (0.0, 0.0, {})


def test_the_longest_name_of_a_source_is_taken() -> None:
    holds = Holds()
    holds.ask(True, "x" * 1000, ())
    assert holds.any


def test_a_source_that_is_held_already_may_be_held_again_when_there_are_many() -> None:
    holds, busy = Holds(), [f"busy {number}" for number in range(SOURCE_LIMIT)]
    for source in [*busy, busy[0], busy[-1]]:
        holds.ask(True, source, busy)
    assert holds.holds(busy[0])


def test_sources_without_skills_are_forgotten_when_there_are_too_many() -> None:
    holds = Holds()
    for number in range(SOURCE_LIMIT + 50):
        holds.ask(True, f"run {number}", {"run 3"})
        holds.step(DT)
    assert holds.holds("run 3")
    assert len(holds._rates) <= SOURCE_LIMIT
    busy = [f"busy {number}" for number in range(SOURCE_LIMIT)]
    holds = Holds()
    for source in busy:
        holds.ask(True, source, busy)
    with pytest.raises(CommandError, match="100 sources with skills are held already"):
        holds.ask(True, "one more", busy)
    with pytest.raises(CommandError, match="at most 1000 characters, not 1001"):
        holds.ask(True, "x" * (LONGEST_SOURCE + 1), ())
