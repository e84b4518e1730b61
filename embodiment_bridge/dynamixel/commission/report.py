# SPDX-License-Identifier: Apache-2.0
"""The report of a commissioning, in Markdown, with a row for the table of verified servos."""

import platform
from datetime import datetime
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.dynamixel.commission.checklist import LEFT_OUT, Outcome, Result
from embodiment_bridge.dynamixel.commission.subject import Subject


def report(subject: Subject, outcome: Outcome, version: str, now: datetime) -> str:
    """The text. ``version`` of this package; ``now`` with a time zone."""
    found = outcome.found
    row = (
        subject.table.model,
        found.firmware,
        f"ADAPTER, {subject.baud}",
        f"{now:%Y-%m-%d}",
        version,
        _summary(outcome),
    )
    done = "passed" if outcome.passed else "not passed"
    rows = "\n".join(f"| {each.step} | {each.result} | {_cell(each)} |" for each in outcome.results)
    afterwards = f"\nNot set back: {outcome.afterwards}.\n" if outcome.afterwards else ""
    return f"""\
# {subject.table.model}, firmware {found.firmware}: {done}

{now:%Y-%m-%d %H:%M %Z}, embodiment_bridge {version}, {platform.system()} {platform.machine()}

| | |
|---|---|
| servo | id {found.id}, model number {found.model_number}, protocol {found.protocol}.0 |
| port | {subject.port} at {subject.baud} bit/s |

| step | result | |
|---|---|---|
{rows}
{afterwards}
For the table of verified servos:

| model | firmware | port, rate | date | embodiment_bridge | result |
|---|---|---|---|---|---|
| {" | ".join(map(str, row))} |
"""


def _cell(result: Result) -> str:
    return result.text.replace("|", "/").replace("\n", " ")


def _summary(outcome: Outcome) -> str:
    missing = [each.step for each in outcome.results if each.result == LEFT_OUT]
    if outcome.passed:
        return "all steps passed"
    bad = [f"{each.step} failed" for each in outcome.results if each.result == "failed"]
    return "; ".join([*bad, *([f"without {', '.join(missing)}"] if missing else [])]) or "incomplete"


def check_report(path: str) -> None:
    """Make sure, before anything moves, that ``write_report`` can write this file. It leaves no file.

    Raises:
        ConfigError: it cannot, or the file exists.
    """
    write_report(path, "")
    Path(path).unlink()


def write_report(path: str, text: str) -> None:
    """Write the report; an existing file is not overwritten.

    Raises:
        ConfigError: it cannot be written.
    """
    try:
        with Path(path).open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise ConfigError(f"{path}: the report cannot be written: {error.strerror or error}") from error
