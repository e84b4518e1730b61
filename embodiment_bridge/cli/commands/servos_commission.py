# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge servos PORT commission`: a checklist for the first day with a real servo, and its report."""

import argparse
import json
import math
import sys
from datetime import datetime
from typing import TYPE_CHECKING

from embodiment_bridge import __version__
from embodiment_bridge.cli.options import Within
from embodiment_bridge.cli.terminal import say
from embodiment_bridge.core.errors import ConfigError

if TYPE_CHECKING:
    from embodiment_bridge.dynamixel.bus.registers import Registers
    from embodiment_bridge.dynamixel.commission.checklist import Result
    from embodiment_bridge.dynamixel.commission.subject import Subject

TEXT = """\
One servo, with nothing on its horn, is read, held, moved a little with little force, and stopped; then its cable is
pulled by hand, and a driver that holds it is killed. The first step that fails ends it. At the end its torque is off,
and all registers are as before, also after Ctrl-C, SIGTERM or a closed terminal; after kill -9 only the torque is off,
and the next checklist of the servo, or --restore, sets the registers back.
The report is Markdown, with a row for docs/dynamixel.md: please send it.
Steps: state, hold, move, limits, stop, watchdog, cable, kill. Exit code 1 if one fails.
"""
READY = "have you seen that nothing is on the horn, and can you cut the power? Type yes to begin: "


def add(command: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    command.description = TEXT
    command.formatter_class = argparse.RawDescriptionHelpFormatter
    command.add_argument("--id", type=int, help="of the servo (default: the only one on the bus)")
    command.add_argument(
        "--move",
        type=Within(1.0, 45.0),
        default=8.0,
        metavar="DEG",
        help="how far it moves (default: %(default)g)",
    )
    command.add_argument(
        "--force",
        type=Within(1.0, 100.0),
        default=25.0,
        metavar="PERCENT",
        help="of the full voltage that it may use (default: %(default)g)",
    )
    command.add_argument(
        "--without", action="append", default=[], metavar="STEP", help="leave out a step; may be given again"
    )
    command.add_argument(
        "--patience",
        type=Within(1.0, 3600.0),
        default=60.0,
        metavar="S",
        help="for the cable (default: %(default)g)",
    )
    command.add_argument("--report", metavar="FILE", help="(default: commission_MODEL_ID_TIME.md)")
    command.add_argument(
        "--restore", action="store_true", help="set back the registers that a killed checklist has left, only"
    )
    command.add_argument("--yes", action="store_true", help="begin without asking")


def act(registers: "Registers", arguments: argparse.Namespace) -> int:
    """Go through the checklist and write the report. Exit code 0, or 1 if a step failed."""
    from embodiment_bridge.dynamixel.commission.checklist import (
        NAMES,
        check_names,
        check_report,
        commission,
        find_one,
        report,
        write_report,
    )
    from embodiment_bridge.dynamixel.commission.steps import Options
    from embodiment_bridge.dynamixel.commission.subject import Subject
    from embodiment_bridge.nodes.base.signals import interrupted_by_signals

    with registers:
        check_names(NAMES, arguments.without)
        found = find_one(registers, arguments.id)
        subject = Subject(arguments.port, arguments.baud, arguments.wait, found, registers)
        say(f"{subject.table.model} with id {found.id}, firmware {found.firmware}")
        if subject.changed:
            say(f"a checklist that was killed has left changed: {', '.join(subject.changed)}")
        if arguments.restore:
            return _restore(subject)
        begin = datetime.now().astimezone()
        file = arguments.report or f"commission_{subject.table.name}_{found.id}_{begin:%Y%m%dT%H%M%S}.md"
        check_report(file)
        if not arguments.yes and not _is_ready():
            raise ConfigError("not begun: it must be answered with yes, or given --yes")
        options = Options(math.radians(arguments.move), arguments.force / 100.0, arguments.patience, say)
        try:
            with interrupted_by_signals():
                try:
                    outcome = commission(
                        subject,
                        options,
                        without=arguments.without,
                        on_step=lambda name: say(f"{name} ..."),
                        on_result=_print,
                    )
                except KeyboardInterrupt:
                    if left := subject.leave():  # once more: the signal may have come in the middle of it
                        say(f"IT MAY STILL BE DRIVEN: {left}")
                    raise
        finally:
            subject.close()
    if outcome.afterwards:
        say(f"IT MAY STILL BE DRIVEN, or is not as before: {outcome.afterwards}")
    write_report(file, report(subject, outcome, __version__, datetime.now().astimezone()))
    say(f"report: {file}")
    return 1 if outcome.failed else 0


def _restore(subject: "Subject") -> int:
    if subject.changed and subject.read("torque_enable"):
        raise ConfigError("its torque is on: what it holds would fall; switch it off by hand (torque_enable)")
    left = subject.leave() if subject.changed else ""
    say(f"not set back: {left}" if left else "its registers are as before")
    return 1 if left else 0


def _is_ready() -> bool:
    sys.stderr.write(f"embodiment_bridge: {READY}")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() == "yes"


def _print(result: "Result") -> None:
    sys.stdout.write(json.dumps({"step": result.step, "result": result.result, "text": result.text}) + "\n")
    sys.stdout.flush()
