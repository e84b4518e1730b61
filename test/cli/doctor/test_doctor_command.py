# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge doctor` as it is used."""

import json
import sys

import pytest

from embodiment_bridge.cli.command_line import main
from embodiment_bridge.cli.commands import doctor
from embodiment_bridge.cli.doctor.examination import examine
from embodiment_bridge.cli.doctor.finding import Verdict, fail, ok, warn


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
