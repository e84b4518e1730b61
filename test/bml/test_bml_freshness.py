# SPDX-License-Identifier: Apache-2.0
"""Documents that are too old: what counts as a time, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.bml.reading.envelope import age_refusal, time_of
from embodiment_bridge.bml.reading.reader import metadata_of

NOON = 1515405600.0  # 2018-01-08 10:00:00 UTC


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("20180108100000", NOON),
        ("2018-01-08T10:00:00", NOON),
        ("2018-01-08T10:00:00Z", NOON),
        ("2018-01-08T18:00:00+08:00", NOON),
        (1515405600, NOON),
        (1515405600.5, NOON + 0.5),
        ("20181308100000", None),
        ("yesterday", None),
        ("", None),
        (True, None),
        (None, None),
        ([], None),
        (float("nan"), None),
        (1e300, None),
        ("9" * 1000, None),
    ],
)
def test_times(value, seconds):
    assert time_of(value) == seconds


@pytest.mark.parametrize(
    ("metadata", "now", "text"),
    [
        ({"req_time": "20180108100000"}, NOON + 60.0, ""),
        ({"req_time": "20180108100000"}, NOON - 60.0, ""),
        ({"req_time": "20180108100000"}, NOON + 61.0, "61 s before now, parameter max_age allows 60 s"),
        ({"req_time": "20180108100000"}, NOON - 3600.0, "3600 s after now"),
        ({"req_time": "soon"}, NOON, "is not a time"),
        ({}, NOON, ""),
    ],
)
def test_age(metadata, now, text):
    reason = age_refusal(metadata, 60.0, now)
    assert text in reason
    assert bool(reason) == bool(text)
    assert age_refusal(metadata, 0.0, now) == ""


def test_it_can_be_required():
    assert "no req_time" in age_refusal({}, 60.0, NOON, required=True)
    assert age_refusal({}, 0.0, NOON, required=True) == ""


@given(
    st.one_of(
        st.text(), st.floats(), st.integers(), st.lists(st.none()), st.dictionaries(st.text(), st.none())
    )
)
def test_any_value_gets_an_answer(value):
    assert isinstance(age_refusal({"req_time": value}, 60.0, NOON), str)


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ('{"action": {"type": "delay"}, "req_time": "20180108100000"}', "20180108100000"),
        (
            '{"action": {"type": "subtree", "ref": "nobody knows"}, "req_time": 1}',
            1,
        ),  # cannot be run, but has its time
        ('{"type": "delay", "duration": 1}', None),
        ("{", None),
        ("[" * 100_000, None),
        ("[]", None),
    ],
)
def test_metadata_of_any_text(text, time):
    assert metadata_of(text).get("req_time") == time
