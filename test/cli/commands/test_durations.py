# SPDX-License-Identifier: Apache-2.0
"""Times that commands are given: finite, 0 or more, or a usage error before anything begins."""

import pytest

from embodiment_bridge.cli.command_line import main, parser


@pytest.mark.parametrize(
    "words",
    [
        ["record", "--seconds"],
        ["run-bml", "dance.json", "--wait"],
        ["run-plan", "plan.xml", "--wait"],
        ["run-plan", "plan.xml", "--timeout"],
        ["bml", "dry-run", "dance.json", "--until"],
        ["bml", "record-motion", "out.yaml", "--seconds"],
        ["bml", "record-motion", "out.yaml", "--wait"],
    ],
)
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("-1", "-1 s is not a time"),
        ("nan", "nan s is not a time"),
        ("inf", "inf s is not a time"),
        ("soon", "'soon'"),
    ],
)
def test_what_is_no_time_is_refused(
    words: list[str], value: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*words, value])
    assert ended.value.code == 2
    assert reason in capsys.readouterr().err


def test_times_are_read() -> None:
    assert parser().parse_args(["record", "--seconds", "2.5"]).seconds == 2.5
    assert parser().parse_args(["record"]).seconds == 0.0
