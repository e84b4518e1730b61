# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge bag show BAG`: show what a recording holds, and the runs of documents on its timeline."""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from embodiment_bridge.cli.command_line import Commands, declare
from embodiment_bridge.cli.terminal import say
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.unicode_text import one_line

EVENTS = "embodiment_bridge/msg/NodeEvent"
ENDS = ("success", "failure", "halted", "skipped")  # of the root of a document
MOST_RUNS = 1000
LONGEST = 200  # characters of a run's id and reason
WIDE = 40  # characters of the timeline
EXAMPLES = """\
examples:
  embodiment_bridge bag show dance
  embodiment_bridge bag show dance --json | jq '.runs[].outcome'
"""
SHOW_EXAMPLES = f"""{EXAMPLES}\
Times are seconds from the beginning of the recording. A run of a document is known by the events of behavior_tree; its
outcome is the status of the document's root, and an open run has none. The timeline has the length of the recording.
With --json a JSON object: bag, begin_ns, length, cut, topics, runs, error, and left_out (runs beyond {MOST_RUNS}).
Exit code 0; 1 if the recording is damaged, after what could be read; 2 if it cannot be opened.
"""


def add(commands: Commands) -> None:
    """Declare the command."""
    group = declare(commands, "bag", "Look into recordings.", EXAMPLES)
    actions = group.add_subparsers(metavar="ACTION", required=True)
    command = declare(
        actions, "show", "Show topics, rates, gaps and runs of a recording.", SHOW_EXAMPLES, run
    )
    command.add_argument("bag", metavar="BAG", help="a rosbag2 directory, or a file of one")
    command.add_argument("--json", action="store_true", help="one JSON object")


@dataclass(slots=True)
class Traffic:
    """Counts the messages of one topic. Times in s of the recording; rate in Hz."""

    name: str
    type: str
    messages: int = 0
    first: float | None = None
    last: float | None = None
    rate: float | None = None  # of two messages or more
    longest_gap: float | None = None
    gap_begin: float | None = None

    def take(self, time: float) -> None:
        """Count a message."""
        self.messages += 1
        if self.first is None or self.last is None:
            self.first = self.last = time
            return
        gap = time - self.last
        if self.longest_gap is None or gap > self.longest_gap:
            self.longest_gap, self.gap_begin = gap, self.last
        self.last = time
        self.rate = (self.messages - 1) / (time - self.first) if time > self.first else None


@dataclass(slots=True)
class RecordedRun:
    """Tells of a run as far as its events are in the recording; times in s of the recording.

    reason: for people, what the last node that ended with a word said; empty when the run succeeded.
    """

    topic: str
    run_id: str
    begin: float
    end: float | None = None
    outcome: str | None = None
    reason: str = ""


class RecordedRuns:
    """Gathers the runs out of the events of trees."""

    def __init__(self) -> None:
        self.left_out = 0  # at least so many runs
        self._runs: dict[tuple[str, str], RecordedRun] = {}
        self._last_left_out = ""

    def __iter__(self) -> Iterator[RecordedRun]:
        """The runs in the order of their beginnings."""
        return iter(self._runs.values())

    def take(self, topic: str, time: float, data: bytes) -> None:
        """Take the next event.

        Raises:
            ConfigError: it is damaged.
        """
        from rclpy.serialization import deserialize_message

        from embodiment_bridge.msg import NodeEvent

        try:
            event: NodeEvent = deserialize_message(data, NodeEvent)
        except Exception as error:  # the middleware raises what it likes
            raise ConfigError(f"topic {topic}: the event at {time:.3f} s is damaged: {error}") from error
        run_id = event.run_id[:LONGEST]
        if (topic, run_id) not in self._runs and len(self._runs) >= MOST_RUNS:
            self.left_out += run_id != self._last_left_out
            self._last_left_out = run_id
            return
        run = self._runs.setdefault((topic, run_id), RecordedRun(topic, run_id, time))
        if event.message and event.event in ENDS and run.end is None:
            run.reason = f"{event.pointer or '/'}: {event.message}"[:LONGEST]
        if event.document or event.pointer:
            return
        if event.event == "start":
            run.end, run.outcome, run.reason = None, None, ""
        elif event.event in ENDS:
            run.end, run.outcome = time, event.status[:LONGEST]
            run.reason = "" if event.event == "success" else run.reason


def run(arguments: argparse.Namespace) -> int:
    """Show it. Exit code 0, 1 if the recording is damaged.

    Raises:
        ConfigError: it cannot be opened.
    """
    from embodiment_bridge.bags.reader import BagReader
    from embodiment_bridge.launching.environment import prepare

    prepare()
    runs, error = RecordedRuns(), ""
    with BagReader(Path(arguments.bag)) as reader:
        topics = {name: Traffic(name, topic.type_name) for name, topic in sorted(reader.topics.items())}
        try:
            for message in reader.messages(set(topics)):
                traffic = topics[message.topic]
                traffic.take(message.time)
                if traffic.type == EVENTS:
                    runs.take(message.topic, message.time, message.data)
        except ConfigError as found:
            error = str(found)
        begin, length, cut = reader.begin, reader.duration, reader.cut
    if arguments.json:
        facts = {
            "bag": arguments.bag, "begin_ns": begin, "length": length, "cut": cut,
            "topics": [asdict(one) for one in topics.values()], "runs": [asdict(one) for one in runs],
            "left_out": runs.left_out, "error": error,
        }  # fmt: skip
        sys.stdout.write(json.dumps(facts) + "\n")
    else:
        end = "cut off there: its recorder was killed" if cut else "whole"
        print_line(f"{arguments.bag}: {length:.3f} s, {end}")
        print_line(f"{len(topics)} topics")
        for traffic in topics.values():
            print_line(_topic(traffic))
        print_line(f"{len(list(runs))} runs")
        for one in runs:
            print_line(_run(one, length))
        if runs.left_out:
            print_line(f"  at least {runs.left_out} more runs are not shown")
    if error:
        say(error)
    return int(bool(error))


def print_line(text: str) -> None:
    """Write a line on standard output, whatever characters the recording has."""
    sys.stdout.write(f"{one_line(text)}\n")


def _topic(traffic: Traffic) -> str:
    rate = "" if traffic.rate is None else f"{traffic.rate:.2f} Hz"
    gap = ""
    if traffic.longest_gap is not None:
        gap = f"longest gap {traffic.longest_gap:.3f} s at {traffic.gap_begin:.3f} s"
    return f"  {traffic.messages:8} {rate:>11}  {traffic.name} [{traffic.type}] {gap}".rstrip()


def _run(one: RecordedRun, length: float) -> str:
    """Return the line of a run: begin, end, outcome, its place in the recording, id, reason."""
    end = length if one.end is None else one.end
    first, last = (
        round((WIDE - 1) * min(max(time / length, 0.0), 1.0)) if length > 0.0 else 0
        for time in (one.begin, end)
    )
    bar = "." * first + "=" * (last - first + 1) + "." * (WIDE - 1 - last)
    until = "" if one.end is None else f"{one.end:.3f}"
    outcome = one.outcome or "open"
    return f"  {one.begin:9.3f} to {until:>9} s  {outcome:<8} {bar}  {one.topic} {one.run_id} {one.reason}".rstrip()
