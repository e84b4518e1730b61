# SPDX-License-Identifier: Apache-2.0
"""The parts that benchmarks share; nothing here is about how long anything takes."""

import importlib
import math
import re
import socket
from itertools import pairwise
from pathlib import Path

import pytest

from embodiment_bridge.protocols.rcsssmj.codec import Codec
from embodiment_bridge.wire.codec import Malformed, Unknown
from embodiment_bridge.wire.framing import Framer, frame

FOLDER = Path(__file__).parents[2] / "benchmarks"
RECORDED = 60  # percepts in the recording, so that twice as many are more than one round


@pytest.fixture
def part(monkeypatch):
    """Imports a module of the benchmarks by name."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


@pytest.fixture
def server(part):
    """(process, ports) of a replay server that is much faster than the real one."""
    with part("processes").Child("replay_server.py", "--rate", 1000) as process:
        yield process, process.line()


def join(port):
    link = socket.create_connection(("127.0.0.1", port), timeout=20.0)
    link.sendall(frame(b"(init T1 us 1)"))
    return link


def test_percepts_come_round_after_round_while_time_goes_on(server) -> None:
    process, ports = server
    codec, times = Codec(), []
    with join(ports["port"]) as link:
        while len(times) < 2 * RECORDED:
            events = codec.feed(link.recv(65536))
            assert not [event for event in events if isinstance(event, Malformed | Unknown)]
            times += [event.time_s for event in events]
            link.sendall(frame(b"(syn)"))
    assert all(earlier < later for earlier, later in pairwise(times))
    (robot,) = process.finish()
    assert robot["sent"] >= len(times)
    assert robot["came"] > 1
    assert len(robot["ms"]) == robot["came"] - 1
    assert all(0.0 < late < 1e5 for late in robot["ms"])


def test_robots_join_by_their_first_frame_and_leave_alone(server) -> None:
    process, ports = server
    with socket.create_connection(("127.0.0.1", ports["port"])), join(ports["port"]) as second:
        assert second.recv(10)
        with join(ports["port"]) as third:
            assert third.recv(10)
        assert second.recv(65536)
    silent, *others = process.finish()
    assert silent == {"sent": 0, "came": 0, "ms": []}
    assert all(robot["sent"] > 0 for robot in others)


def test_monitor_gets_one_message(server) -> None:
    _, ports = server
    with socket.create_connection(("127.0.0.1", ports["monitor_port"]), timeout=20.0) as link:
        data = b""
        while piece := link.recv(100):
            data += piece
    assert [found.payload for found in Framer().feed(data)] == [b"(ready)"]


def test_child_that_ends_is_named_with_what_it_said(part) -> None:
    said = r"(?s)replay_server.py said nothing: .*invalid float value: 'fast'"
    child = part("processes").Child("replay_server.py", "--rate", "fast")
    with child, pytest.raises(RuntimeError, match=said):
        child.line()


@pytest.mark.parametrize(
    ("limits", "met", "aim"),
    [
        ({}, None, ""),
        ({"at_most": 2.0}, True, "at most 2"),
        ({"at_most": 1.9}, False, "at most 1.9"),
        ({"at_least": 2.0}, True, "at least 2"),
        ({"at_least": 2.1}, False, "at least 2.1"),
        ({"at_most": 0.5, "peer": "other", "peer_value": 4.0}, True, "at most 0.5"),
        ({"at_most": 0.4, "peer": "other", "peer_value": 4.0}, False, "at most 0.4"),
    ],
)
def test_aim_is_about_the_ratio_where_there_is_a_peer(part, limits, met, aim) -> None:
    made = part("rows").row("a", 2.0, "s", **limits)
    assert (made["met"], made["aim"]) == (met, aim)
    assert made["ratio"] == (0.5 if "peer" in limits else None)
    assert made["peer"] == ("other: 4 s" if "peer" in limits else "")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (12345, "12345"), (1234.5, "1234"), (0.01234, "0.0123"), (1e-7, "1e-07"), (-2.5, "-2.5")],
)
def test_numbers_have_three_figures(part, value, text) -> None:
    assert part("rows").number(value) == text


def test_percentile(part) -> None:
    percentile = part("rows").percentile
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([3.0, 1.0, 2.0], 0.99) == 3.0
    assert math.isnan(percentile([], 0.5))


def test_results_are_a_table(part) -> None:
    row, markdown = part("rows").row, part("run").markdown
    text = markdown([row("a", 1.5, "ms", peer="b", peer_value=3.0, at_most=0.4), row("c", 7, "messages")])
    assert text.splitlines() == [
        "| what | ours | peer | ratio | aim | met? |",
        "| --- | --- | --- | --- | --- | --- |",
        "| a | 1.5 ms | b: 3 ms | 0.50 | at most 0.4 | no |",
        "| c | 7 messages |  |  |  |  |",
    ]


def test_every_benchmark_says_what_it_measures(part) -> None:
    for name in part("run").NAMES:
        module = part(f"bench_{name}")
        assert callable(module.run)
        assert "\n" not in part("run").summary(module).strip(".")


def test_no_benchmark_moves_the_robot_of_the_user() -> None:
    with_nodes = [
        path for path in FOLDER.glob("bench_*.py") if re.search(r"rclpy|Runtime\(", path.read_text())
    ]
    assert with_nodes
    assert [path.name for path in with_nodes if "    isolate()\n" not in path.read_text()] == []


@pytest.mark.parametrize(
    ("load", "words", "written"), [(0.1, (), True), (9e9, (), False), (9e9, ("--output",), True)]
)
def test_results_of_a_busy_machine_are_written_when_that_is_wanted(
    part, monkeypatch, tmp_path, load, words, written
) -> None:
    run, results = part("run"), tmp_path / "RESULTS.md"
    monkeypatch.setattr(part("bench_media"), "run", list)
    monkeypatch.setattr(run, "RESULTS", results)
    monkeypatch.setattr(run, "NAMES", ["media"])
    monkeypatch.setattr(run.os, "getloadavg", lambda: (load, 0.0, 0.0))
    monkeypatch.setattr(run.sys, "argv", ["run.py", *words, *([str(results)] if words else [])])
    assert run.main() == 0
    assert results.exists() == written


def test_results_replace_those_of_the_same_name_and_leave_others(part, tmp_path) -> None:
    run, path = part("run"), tmp_path / "RESULTS.md"
    for name, text in (("media", "old"), ("bml", "one\n\n| a | b |"), ("media", "new")):
        run.replace_section(path, name, f"## {name}\n\n{text}\n")
    written = path.read_text()
    assert written == f"{run.TITLE}\n## bml\n\none\n\n| a | b |\n\n## media\n\nnew\n"
