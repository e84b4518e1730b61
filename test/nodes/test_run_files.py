# SPDX-License-Identifier: Apache-2.0
"""Which log files of runs stay."""

import shutil

import pytest
from run_executor_stage import PerformerStage

from embodiment_bridge.nodes.tree.runs.run_files import RunFiles


@pytest.fixture
def stage(tmp_path):
    """Files, two of which stay, and the warnings."""
    warnings = []
    files = RunFiles(str(tmp_path), 2, warnings.append)
    yield files, warnings
    files.close()


def run(files, run_id):
    files.begin(run_id)("a line")
    files.end(run_id)


def names(folder):
    """The ids of the runs that have a file, the oldest first."""
    return [path.stem.rpartition("_")[2] for path in sorted(folder.iterdir())]


def test_the_newest_stay(stage, tmp_path):
    files, warnings = stage
    for run_id in ("a1", "a2", "a3"):
        run(files, run_id)
    assert (names(tmp_path), warnings) == (["a2", "a3"], [])


def test_runs_that_are_refused_leave_no_file_and_take_none_away(stage, tmp_path):
    files, warnings = stage
    run(files, "a1")
    files.begin("a2")("the first line")
    for number in range(10):
        refused = f"b{number}"
        files.begin(refused)("the header")
        files.drop(refused)
        files.end(refused)
    write = files.begin("a3")
    files.drop("nobody")
    write("more")
    files.close()
    assert (names(tmp_path), warnings) == (["a2", "a3"], [])
    assert [path.read_text() for path in sorted(tmp_path.iterdir())] == ["the first line\n", "more\n"]


def test_the_performer_drops_the_file_of_a_run_that_is_refused(stage, tmp_path, monkeypatch):
    files, _ = stage
    run_executor = PerformerStage(monkeypatch, files)
    for run_id, wishes in (("a1", {}), ("a2", {"on_new": "reject"})):
        refusal = run_executor.goal(run_id, **wishes)
    assert "gives way" in refusal
    assert names(tmp_path) == ["a1"]


def test_a_file_that_is_being_written_stays(stage, tmp_path):
    files, warnings = stage
    write = files.begin("a1")
    for run_id in ("a2", "a3", "a4"):
        run(files, run_id)
    write("the last line")
    assert (names(tmp_path), warnings) == (["a1", "a3", "a4"], [])
    files.end("a1")
    assert names(tmp_path) == ["a3", "a4"]


def test_those_of_runs_that_were_killed_do_not_pile_up(stage, tmp_path):
    files, warnings = stage
    for run_id in ("a1", "a2", "a3"):
        files.begin(run_id)("a line")
    RunFiles(str(tmp_path), 2, warnings.append)
    assert (names(tmp_path), warnings) == (["a2", "a3"], [])


def test_a_folder_that_is_gone_is_told_and_ends_no_run(stage, tmp_path):
    files, warnings = stage
    files.begin("a1")
    shutil.rmtree(tmp_path)
    files.end("a1")
    (warning,) = warnings
    assert warning.startswith(f"old logs stay in {tmp_path}")
    assert files.begin("a2")("a line") is None
    assert "no log of run a2" in warnings[1]


def test_robots_with_one_folder_leave_each_others_files(stage, tmp_path):
    files, warnings = stage
    others = [
        RunFiles(str(tmp_path), 2, warnings.append, name) for name in ("/robot2", "/team/robot2", "/robot2_1")
    ]
    for number, one in enumerate(others):
        one.begin(f"{number}aa")("a line")
    for run_id in ("a1", "a2", "a3"):
        run(files, run_id)
        run(others[0], run_id)
    RunFiles(str(tmp_path), 1, warnings.append, "/robot2").close()
    assert sorted(path.stem.partition("_")[2] for path in tmp_path.iterdir()) == [
        "a2", "a3", "robot2_1_2aa", "robot2_a3", "team.robot2_1aa",
    ]  # fmt: skip
    assert warnings == []
    for one in others:
        one.close()
