# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge doctor` as it is used, and what it finds in the environment."""

import json
import sys
from pathlib import Path

import pytest
from doctor_stage import expect

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.cli.commands import doctor
from embodiment_bridge.cli.doctor import middleware
from embodiment_bridge.cli.doctor.examination import examine
from embodiment_bridge.cli.doctor.finding import Verdict, fail, ok, warn
from embodiment_bridge.cli.doctor.machine import check_clock, check_locale, check_log_folder, check_python


@pytest.mark.parametrize(
    ("findings", "code"),
    [([ok("a", "b")], 0), ([ok("a", "b"), warn("c", "d", "e")], 0), ([fail("a", "b", "c"), ok("d", "e")], 1)],
)
def test_exit_code(findings, code, monkeypatch, capsys) -> None:
    monkeypatch.setattr(doctor, "examine", lambda env: iter(findings))
    assert main(["doctor"]) == code
    assert capsys.readouterr().out.splitlines() == [str(finding) for finding in findings]


def test_json_lines(monkeypatch, capsys) -> None:
    monkeypatch.setattr(doctor, "examine", lambda env: iter([warn("a", "b", "c")]))
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"verdict": "warn", "what": "a", "finding": "b", "do": "c"}


def test_every_check_says_something_of_this_machine() -> None:
    findings = list(examine({"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}))
    named = {finding.what for finding in findings}
    assert len(named) == len(findings)
    assert {
        "python",
        "rclpy",
        "interfaces",
        "round trip",
        "shared memory",
        "port 60000",
        "port 3100",
        "serial ports",
    } <= named
    assert [
        str(f) for f in findings if f.what in ("rclpy", "interfaces") and f.verdict is not Verdict.OK
    ] == []


def test_folders_that_cannot_be_looked_at_are_findings() -> None:
    nowhere = "/" + "x" * 300  # for root, too, that is no folder that can be asked for
    env = {
        "AMENT_PREFIX_PATH": nowhere,
        "LD_LIBRARY_PATH": f"{nowhere}/lib",
        "ROS_LOG_DIR": nowhere,
        "ROS_SECURITY_ENABLE": "true",
        "ROS_SECURITY_KEYSTORE": nowhere,
    }
    verdicts = {finding.what: finding.verdict for finding in examine(env)}
    assert verdicts["AMENT_PREFIX_PATH"] is Verdict.FAIL
    assert verdicts["security"] is Verdict.FAIL
    assert "log folder" in verdicts


def test_a_broken_import_is_a_finding(monkeypatch) -> None:
    monkeypatch.setattr("embodiment_bridge.nodes.base.runtime.make_executor", None)
    (finding,) = [f for f in examine({}) if f.what == "rclpy"]
    assert finding.verdict is Verdict.FAIL
    assert "TypeError" in finding.text


def test_starts_where_libraries_are_missing_and_names_them(monkeypatch, capsys) -> None:
    for name in [*sys.modules]:
        if name.partition(".")[0] == "lxml":
            monkeypatch.setitem(sys.modules, name, None)
        elif name.startswith(("embodiment_bridge.cli.commands", "embodiment_bridge.launching.d")):
            monkeypatch.delitem(sys.modules, name)
    assert main(["doctor", "--json"]) == 1
    findings = {one["what"]: one for one in map(json.loads, capsys.readouterr().out.splitlines())}
    assert findings["lxml"]["verdict"] == "fail"
    assert "python3-lxml" in findings["lxml"]["do"]


OK, WARN, FAIL = Verdict.OK, Verdict.WARN, Verdict.FAIL
VENV = ("/home/me/.venv", "/usr")
SYSTEM = ("/usr", "/usr")
OURS = "/home/me/.venv/share/embodiment_bridge/config/fastdds_loopback.xml"


def test_line_and_json_of_a_finding() -> None:
    assert str(ok("clock", "good")) == "ok    clock: good"
    assert str(warn("a", "b", "do c")) == "warn  a: b; do c"
    assert fail("a", "b", "c").as_dict() == {"verdict": "fail", "what": "a", "finding": "b", "do": "c"}


@pytest.mark.parametrize(
    ("version", "prefixes", "env", "verdict", "text"),
    [
        ((3, 11, 2), VENV, {}, OK, "3.11.2 in /home/me/.venv"),
        ((3, 12, 3), SYSTEM, {"AMENT_PREFIX_PATH": "/opt/ros/jazzy"}, OK, "setup file"),
        ((3, 14, 0), SYSTEM, {"AMENT_PREFIX_PATH": "/opt/ros/lyrical"}, OK, "setup file"),
        ((3, 12, 3), SYSTEM, {}, WARN, "make venv"),
        ((3, 14, 0), VENV, {}, FAIL, "make PYTHON=python3.12 venv"),
        ((3, 9, 9), VENV, {}, FAIL, "too old"),
        ((3, 9, 9), SYSTEM, {"AMENT_PREFIX_PATH": "/opt/ros/humble"}, FAIL, "too old"),
    ],
)
def test_python(version, prefixes, env, verdict, text) -> None:
    expect(check_python(version, *prefixes, env), verdict, text)


@pytest.mark.parametrize(("encoding", "verdict"), [("utf-8", OK), ("UTF8", OK), ("ANSI_X3.4-1968", WARN)])
def test_locale(encoding, verdict) -> None:
    expect(check_locale(encoding), verdict, encoding)


def test_clock() -> None:
    expect(check_clock(1_800_000_000.0, 1_700_000_000.0), OK, "2027-01-15")
    expect(check_clock(0.0, 1_700_000_000.0), WARN, "1970-01-01")


def test_log_folder() -> None:
    expect(check_log_folder(Path("/a"), True), OK, "/a")
    expect(check_log_folder(Path("/a"), False), FAIL, "ROS_LOG_DIR")


@pytest.mark.parametrize(
    ("domain", "verdict", "text"),
    [
        (None, OK, "domain 0"),
        ("", OK, "domain 0"),
        ("0", OK, "0"),
        ("101", OK, "101"),
        ("102", WARN, "any program"),
        ("214", WARN, "any program"),
        ("215", OK, "215"),
        ("232", OK, "232"),
        ("233", FAIL, "'233' is not a number from 0 to 232"),
        ("-1", FAIL, "'-1'"),
        ("seven", FAIL, "'seven'"),
        ("1.5", FAIL, "'1.5'"),
        ("\u0663", FAIL, "is not a number"),
    ],
)
def test_domain(domain, verdict, text) -> None:
    expect(middleware.check_domain({} if domain is None else {"ROS_DOMAIN_ID": domain}), verdict, text)


@pytest.mark.parametrize(
    ("env", "verdict", "text"),
    [
        ({}, OK, "not set"),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}, OK, "this machine only"),
        (
            {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SYSTEM_DEFAULT", "FASTRTPS_DEFAULT_PROFILES_FILE": OURS},
            OK,
            "loopback",
        ),
        (
            {"ROS_AUTOMATIC_DISCOVERY_RANGE": "SYSTEM_DEFAULT", "FASTRTPS_DEFAULT_PROFILES_FILE": "mine.xml"},
            WARN,
            "other",
        ),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET"}, WARN, "other machines"),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "SYSTEM_DEFAULT"}, WARN, "other machines"),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF"}, WARN, "do not see each other"),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "localhost"}, FAIL, "not one of LOCALHOST"),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "ROS_LOCALHOST_ONLY": "0"}, WARN, "out of date"),
    ],
)
def test_discovery(env, verdict, text) -> None:
    expect(middleware.check_discovery(env), verdict, text)


def test_middleware(tmp_path) -> None:
    expect(middleware.check_middleware({}, [tmp_path]), FAIL, "make venv")
    (tmp_path / "librmw_fastrtps_cpp.so").touch()
    folders = [tmp_path / "absent", tmp_path]
    expect(middleware.check_middleware({}, folders), OK, "rmw_fastrtps_cpp")
    expect(middleware.check_middleware({"RMW_IMPLEMENTATION": ""}, folders), OK, "rmw_fastrtps_cpp")
    other = {"RMW_IMPLEMENTATION": "rmw_zenoh_cpp"}
    expect(middleware.check_middleware(other, folders), FAIL, "unset RMW_IMPLEMENTATION")


def make_prefix(folder: Path, package: str = "embodiment_bridge") -> Path:
    """A ROS prefix that has one package."""
    (folder / middleware.MARKER).mkdir(parents=True)
    (folder / middleware.MARKER / package).touch()
    (folder / "lib").mkdir()
    return folder


class TestPrefixes:
    def test_python_s_own_prefix(self, tmp_path) -> None:
        ours = make_prefix(tmp_path / "venv")
        expect(middleware.check_prefixes({}, ours, ours / "lib/embodiment_bridge"), OK, str(ours))

    def test_a_sourced_workspace(self, tmp_path) -> None:
        ros = make_prefix(tmp_path / "ros", "rclpy")
        ours = make_prefix(tmp_path / "install")
        env = {"AMENT_PREFIX_PATH": f"{ours}:{ros}"}
        expect(middleware.check_prefixes(env, Path("/usr"), ours / "lib/embodiment_bridge"), OK, str(ours))

    def test_nothing_built(self, tmp_path) -> None:
        finding = middleware.check_prefixes({}, tmp_path, tmp_path)
        expect(finding, FAIL, f"not set, and {tmp_path} has no package")
        assert finding.advice == "run `make venv`"

    def test_set_to_a_place_without_this_package(self, tmp_path) -> None:
        ours, ros = make_prefix(tmp_path / "venv"), make_prefix(tmp_path / "ros", "rclpy")
        finding = middleware.check_prefixes({"AMENT_PREFIX_PATH": str(ros)}, ours, ours)
        expect(finding, FAIL, "unset AMENT_PREFIX_PATH")

    def test_a_prefix_that_is_gone(self, tmp_path) -> None:
        ours = make_prefix(tmp_path / "venv")
        env = {"AMENT_PREFIX_PATH": f"{tmp_path / 'gone'}:{ours}"}
        expect(middleware.check_prefixes(env, ours, ours), WARN, "gone")

    def test_code_of_another_place(self, tmp_path) -> None:
        ours = make_prefix(tmp_path / "venv")
        expect(middleware.check_prefixes({}, ours, tmp_path / "checkout"), WARN, "unset PYTHONPATH")


class TestLibraries:
    def test_nothing_set(self, tmp_path) -> None:
        expect(middleware.check_libraries({}, make_prefix(tmp_path / "venv")), OK, "no other")

    def test_as_the_wheels_set_it(self, tmp_path) -> None:
        ours = make_prefix(tmp_path / "venv")
        env = {"LD_LIBRARY_PATH": f"{ours / 'lib'}:/usr/local/lib", middleware.GUARD: "1"}
        expect(middleware.check_libraries(env, ours), OK, "no other")

    def test_as_a_setup_file_sets_it(self, tmp_path) -> None:
        ros = make_prefix(tmp_path / "ros", "rclpy")
        env = {"LD_LIBRARY_PATH": str(ros / "lib"), "AMENT_PREFIX_PATH": str(ros)}
        expect(middleware.check_libraries(env, Path("/usr")), OK, "no other")

    def test_of_another_environment(self, tmp_path) -> None:
        ours, other = make_prefix(tmp_path / "venv"), make_prefix(tmp_path / "other", "rclpy")
        env = {"LD_LIBRARY_PATH": f"{other / 'lib'}:{ours / 'lib'}", middleware.GUARD: "1"}
        finding = middleware.check_libraries(env, ours)
        expect(finding, FAIL, str(other / "lib"))
        assert finding.advice == "unset LD_LIBRARY_PATH _ROS_WHEELS_BOOTSTRAP_COMPLETE"

    def test_guard_alone_was_inherited(self, tmp_path) -> None:
        env = {middleware.GUARD: "1"}
        expect(middleware.check_libraries(env, make_prefix(tmp_path / "venv")), FAIL, "was inherited")
