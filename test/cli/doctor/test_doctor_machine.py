# SPDX-License-Identifier: Apache-2.0
"""Checks of what is installed and of the machine: each verdict, and the looking itself on made-up trees."""

import fcntl
import os
import socket
from pathlib import Path

import pytest
from doctor_stage import expect

from embodiment_bridge.cli.doctor import examination, machine, middleware
from embodiment_bridge.cli.doctor.finding import Verdict
from embodiment_bridge.core.listening import Listener, find_listener

OK, WARN, FAIL = Verdict.OK, Verdict.WARN, Verdict.FAIL


@pytest.mark.parametrize(
    ("version", "error", "executor", "env", "verdict", "text"),
    [
        ("7.1.6", "", "EventsExecutor", {}, OK, "7.1.6 (jazzy), EventsExecutor"),
        ("9.1.2", "", "EventsExecutor", {"ROS_DISTRO": "kilted"}, OK, "kilted"),
        ("12.0.0", "", "EventsExecutor", {}, OK, "distribution not known"),
        ("10.0.3", "", "EventsExecutor", {"ROS_DISTRO": "lyrical"}, OK, "10.0.3 (lyrical)"),
        (
            "10.0.3",
            "",
            "EventsExecutor",
            {"ROS_DISTRO": "jazzy"},
            WARN,
            "is of lyrical, but ROS_DISTRO=jazzy",
        ),
        ("7.1.6", "", "SingleThreadedExecutor", {}, WARN, "SingleThreadedExecutor"),
        ("7.1.6", "", "EventsExecutor", {"ROS_DISTRO": "humble"}, WARN, "ROS_DISTRO=humble"),
        ("", "ImportError: librcl.so", "", {}, FAIL, "librcl.so"),
    ],
)
def test_rclpy(version, error, executor, env, verdict, text) -> None:
    expect(machine.check_rclpy(version, error, executor, env), verdict, text)


def test_importable() -> None:
    expect(machine.check_importable("tf2_msgs", "", "build"), OK, "can be imported")
    expect(machine.check_importable("tf2_msgs", "No module", "build"), FAIL, "No module; build")


class TestSources:
    @pytest.fixture
    def trees(self, tmp_path) -> tuple[Path, Path, Path]:
        checkout, share, code = tmp_path / "checkout", tmp_path / "share", tmp_path / "site/embodiment_bridge"
        for name in ("msg/A.msg", "launch/body/b.launch.xml", "embodiment_bridge/__init__.py"):
            write(checkout / name, "same")
        for path in (share / "msg/A.msg", share / "launch/body/b.launch.xml", code / "__init__.py"):
            write(path, "same")
        write(checkout / "package.xml", "<package/>")
        return checkout, share, code

    def test_no_sources(self, tmp_path) -> None:
        expect(machine.check_sources(None, tmp_path, tmp_path), OK, "no sources")

    def test_the_same(self, trees) -> None:
        expect(machine.check_sources(*trees), OK, "the same")

    def test_another_message(self, trees) -> None:
        write(trees[0] / "msg/A.msg", "other")
        expect(machine.check_sources(*trees), FAIL, "1 differ")

    def test_a_message_that_was_never_built(self, trees) -> None:
        write(trees[0] / "action/New.action", "new")
        expect(machine.check_sources(*trees), FAIL, "action/New.action")

    @pytest.mark.parametrize("name", ["launch/body/b.launch.xml", "embodiment_bridge/__init__.py"])
    def test_another_file(self, trees, name) -> None:
        write(trees[0] / name, "other")
        expect(machine.check_sources(*trees), WARN, name)

    def test_code_of_the_checkout_itself(self, trees) -> None:
        checkout, share, _ = trees
        write(checkout / "embodiment_bridge/new.py", "new")
        expect(machine.check_sources(checkout, share, checkout / "embodiment_bridge"), OK, "the same")

    def test_code_that_is_linked_to_a_checkout(self, trees, tmp_path, monkeypatch) -> None:
        link = tmp_path / "share/embodiment_bridge/python/embodiment_bridge"
        link.parent.mkdir(parents=True)
        link.symlink_to(trees[0] / "embodiment_bridge")
        monkeypatch.setattr(examination, "CODE", link)
        monkeypatch.chdir(tmp_path)
        *_, sources = examination._installation({}, tmp_path)
        expect(sources, FAIL, f"2 differ from {trees[0]}: launch/body/b.launch.xml, msg/A.msg")

    def test_finding_a_checkout(self, trees, tmp_path) -> None:
        assert machine.find_checkout([tmp_path, trees[0]], "embodiment_bridge") == trees[0]
        assert machine.find_checkout([tmp_path], "embodiment_bridge") is None


@pytest.mark.parametrize(
    ("seconds", "error", "verdict", "text"),
    [
        (0.31, "", OK, "0.31 s"),
        (4.25, "", WARN, "needed 4.2 s and more than one try"),
        (None, "", FAIL, "within 2 s"),
        (None, "RCLError: no", FAIL, "RCLError: no"),
    ],
)
def test_round_trip(seconds, error, verdict, text) -> None:
    expect(middleware.check_round_trip(seconds, error), verdict, text)


def test_load_comes_before_firewalls() -> None:
    advice = middleware.check_round_trip(None, "").advice
    assert 0 <= advice.find("its load is") < advice.find("firewall")


def test_a_round_trip_that_fails_is_tried_again(monkeypatch) -> None:
    answers = iter([False, True])
    monkeypatch.setattr(middleware, "_answered", lambda clock: next(answers))
    times = iter([10.0, 12.5])
    assert middleware.round_trip(lambda: next(times)) == 2.5


def test_two_nodes_answer_each_other(monkeypatch) -> None:
    monkeypatch.setattr(middleware, "PATIENCE", 20.0)  # the machine may be busy
    seconds = middleware.round_trip()
    assert seconds is not None
    assert seconds > 0.0


def test_round_trip_ends_when_nothing_is_heard() -> None:
    late = iter([0.0, *[0.0, middleware.PATIENCE] * middleware.TRIES])
    assert middleware.round_trip(lambda: next(late)) is None
    assert not list(late)


@pytest.mark.parametrize(
    ("leftovers", "free", "verdict", "text"),
    [
        (0, 64 << 20, OK, "64 MB free"),
        (3, 64 << 20, WARN, "3 segments were left"),
        (0, 31 << 20, WARN, "--shm-size"),
        (0, None, WARN, "UDP"),
    ],
)
def test_shared_memory(leftovers, free, verdict, text) -> None:
    expect(middleware.check_shared_memory(leftovers, free), verdict, text)


def test_leftovers_are_those_that_nobody_holds(tmp_path) -> None:
    for name in (
        "fastrtps_1",
        "fastrtps_1_el",
        "fastrtps_port7_el",
        "fastdds_2_el",
        "fastdds_port9_sl",
        "other_el",
    ):
        (tmp_path / name).touch()
    with (tmp_path / "fastrtps_1_el").open() as held, (tmp_path / "fastdds_port9_sl").open() as shared:
        fcntl.flock(held, fcntl.LOCK_EX)
        fcntl.flock(shared, fcntl.LOCK_SH)
        assert middleware.count_leftovers(tmp_path) == 2
    assert middleware.count_leftovers(tmp_path) == 4
    assert middleware.count_leftovers(tmp_path / "absent") == 0


@pytest.mark.parametrize(
    ("port", "listener", "verdict", "text"),
    [
        (60000, None, OK, "free"),
        (60000, Listener(7, "python /venv/bin/rcssservermj --sync"), OK, "rcssservermj listens"),
        (60000, Listener(7, "nginx"), WARN, "process 7 (nginx)"),
        (60000, Listener(7, "rcssserver3d"), WARN, "process 7 (rcssserver3d)"),
        (60000, Listener(), WARN, "another user"),
        (3100, Listener(7, "/opt/bin/rcssserver3d --script-path x"), OK, "rcssserver3d listens"),
        (3200, Listener(7, "python embodiment_bridge peer simspark"), OK, "peer simspark listens"),
        (3200, Listener(7, "nginx"), WARN, "process 7 (nginx)"),
    ],
)
def test_port(port, listener, verdict, text) -> None:
    expect(machine.check_port(port, listener), verdict, text)


class TestFindListener:
    HEADER = (
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    )
    ROW = "   0: 0100007F:{port:04X} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000  0  0 {inode} 1\n"

    @pytest.fixture
    def proc(self, tmp_path) -> Path:
        rows = self.ROW.format(port=60000, state="0A", inode=42) + self.ROW.format(
            port=60001, state="01", inode=43
        )
        write(tmp_path / "net/tcp", self.HEADER + rows)
        write(tmp_path / "17/cmdline", "python\0server.py\0")
        (tmp_path / "17/fd").mkdir()
        (tmp_path / "17/fd/0").symlink_to("/dev/null")
        (tmp_path / "17/fd/3").symlink_to("socket:[42]")
        return tmp_path

    def test_the_process_that_listens(self, proc) -> None:
        assert find_listener(60000, proc) == Listener(17, "python server.py")

    def test_a_connection_is_no_listener(self, proc) -> None:
        assert find_listener(60001, proc) is None

    def test_a_process_that_may_not_be_looked_at(self, proc) -> None:
        (proc / "17/fd/3").unlink()
        assert find_listener(60000, proc) == Listener()

    def test_ourselves(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            listener = find_listener(server.getsockname()[1])
        assert listener is not None
        assert listener.pid == os.getpid()


def test_program() -> None:
    expect(machine.check_program("espeak-ng", "/usr/bin/espeak-ng", "speech"), OK, "/usr/bin/espeak-ng")
    expect(machine.check_program("espeak-ng", None, "speech"), OK, "absent: needed only for speech")


def test_library() -> None:
    assert machine.find_distribution("pytest") == pytest.__version__
    assert machine.find_distribution("no-such-distribution") is None


@pytest.mark.parametrize(
    ("timers", "verdict", "text"),
    [
        ({}, OK, "no adapter"),
        ({"ttyUSB0": 1}, OK, "ttyUSB0"),
        ({"ttyUSB0": 16, "ttyUSB1": 1}, WARN, "ttyUSB0: latency timer 16 ms, at most 62 answers/s"),
    ],
)
def test_serial(timers, verdict, text) -> None:
    expect(machine.check_serial(timers), verdict, text)


def test_latency_timers_of_the_kernel(tmp_path) -> None:
    write(tmp_path / "ttyUSB0/latency_timer", "16\n")
    write(tmp_path / "ttyUSB1/latency_timer", "gone")
    (tmp_path / "ttyUSB2").mkdir()
    assert machine.latency_timers(tmp_path.glob("*")) == {"ttyUSB0": 16}


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
