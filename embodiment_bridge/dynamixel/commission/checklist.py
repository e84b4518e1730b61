# SPDX-License-Identifier: Apache-2.0
"""Does the steps in their order, stops at the first that fails, and writes the report in Markdown."""

import platform
from collections.abc import Callable, Container
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from embodiment_bridge.core.errors import BridgeError, ConfigError, LinkError, unknown
from embodiment_bridge.dynamixel.bus.registers import Found, Registers
from embodiment_bridge.dynamixel.commission.steps import STEPS, Options, StepError
from embodiment_bridge.dynamixel.commission.subject import Subject

PASSED, FAILED, LEFT_OUT, NOT_DONE = "passed", "failed", "left out", "not done"
NAMES: Final = tuple(name for name, _ in STEPS)


@dataclass(frozen=True, slots=True)
class Result:
    """Holds one step: its name; PASSED, FAILED, LEFT_OUT or NOT_DONE; what was measured or why it failed."""

    step: str
    result: str
    text: str = ""


@dataclass(slots=True)
class Outcome:
    """Holds the servo and the results of all steps; ``afterwards``: what could not be set back."""

    found: Found
    results: list[Result] = field(default_factory=list)
    afterwards: str = ""

    @property
    def passed(self) -> bool:
        """Whether every step was done and passed."""
        return not self.afterwards and all(each.result == PASSED for each in self.results)

    @property
    def failed(self) -> bool:
        """Whether a step failed, or the servo could not be left as it was."""
        return bool(self.afterwards) or any(each.result == FAILED for each in self.results)


def find_one(registers: Registers, id: int | None) -> Found:
    """Return the servo with ``id``, or the only one on the bus.

    Raises:
        LinkError: no servo answers.
        ConfigError: there are several, or the model is unknown.
    """
    found = [registers.ping(id)] if id is not None else registers.scan() or registers.scan(protocols=(1,))
    if not found:
        raise LinkError(f"{registers.port_name}: no servo answers at {registers.baud} baud: look with 'scan'")
    if len(found) > 1:
        ids = ", ".join(str(each.id) for each in found)
        raise ConfigError(f"there are servos {ids}: leave one on the bus, or name it with --id")
    registers.table(found[0].id)
    return found[0]


def check_names(names: Container[str], given: list[str]) -> None:
    """Refuse names of steps that do not exist."""
    for name in given:
        if name not in names:
            raise ConfigError(unknown("step", name, NAMES))


def commission(
    subject: Subject,
    options: Options,
    *,
    without: Container[str] = (),
    on_step: Callable[[str], None] = lambda name: None,
    on_result: Callable[[Result], None] = lambda result: None,
) -> Outcome:
    """Do all steps but those in ``without``. Whatever happens, the torque is off and the registers are set back then.

    on_step: called before each step; on_result: after it.
    """
    outcome = Outcome(subject.found)
    failed = False
    try:
        for name, step in STEPS:
            if failed or name in without:
                result = Result(name, NOT_DONE if failed else LEFT_OUT)
            else:
                on_step(name)
                try:
                    result = Result(name, PASSED, step(subject, options))
                except (StepError, BridgeError) as error:
                    result, failed = Result(name, FAILED, str(error)), True
            outcome.results.append(result)
            on_result(result)
    finally:
        outcome.afterwards = subject.leave()
    return outcome


def report(subject: Subject, outcome: Outcome, version: str, now: datetime) -> str:
    """Return the text. ``version`` of this package; ``now`` with a time zone."""
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
