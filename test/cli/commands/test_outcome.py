# SPDX-License-Identifier: Apache-2.0
"""How commands tell what came of a performance."""

from types import SimpleNamespace

import pytest

from embodiment_bridge.cli.ending import exit_code, where_and_why


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        ("SUCCEEDED", 0),
        ("STOPPED", 0),
        ("FAILED", 1),
        ("REJECTED", 3),
        ("CANCELED", 4),
        ("PREEMPTED", 4),
        ("ERROR", 4),
    ],
)
def test_every_outcome_has_an_exit_code(outcome: str, code: int) -> None:
    assert exit_code(outcome) == code


@pytest.mark.parametrize(("outcome", "code"), [("CANCELED", 130), ("SUCCEEDED", 0), ("FAILED", 1)])
def test_a_run_that_was_canceled_by_ctrl_c_ends_as_shells_expect(outcome: str, code: int) -> None:
    assert exit_code(outcome, interrupted=True) == code


@pytest.mark.parametrize(
    ("pointer", "reason", "told"),
    [
        ("", "", ""),
        ("", "fails after 2 s, as written", ": fails after 2 s, as written"),
        ("/behaviors/2", "", " at /behaviors/2"),
        ("/behaviors/2", "stopped by a stop node", " at /behaviors/2: stopped by a stop node"),
        ("", ": NO_BODY: there is none", ": NO_BODY: there is none"),
        ("/action", "/action: UNKNOWN_ACTION: unknown", ": /action: UNKNOWN_ACTION: unknown"),
        ("/action", "/action/x: a longer pointer", " at /action: /action/x: a longer pointer"),
    ],
)
def test_no_pointer_is_told_twice_and_the_root_has_none(pointer: str, reason: str, told: str) -> None:
    assert where_and_why(SimpleNamespace(pointer=pointer, reason=reason)) == told
