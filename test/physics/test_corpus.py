# SPDX-License-Identifier: Apache-2.0
"""Robots of public packages that nobody made for this one; `make soak` writes docs/robots.md."""

import os

import pytest
from corpus_judge import FOLDER, fetch, judge, judge_all, robots_in, share_of, table
from physics_stage import ARM, ROOT

PAGE = ROOT / "docs/robots.md"
TABLE = "<!-- made by test/physics/test_corpus.py -->\n"
EVERY = int(os.environ.get("EMBODIMENT_BRIDGE_CORPUS_EVERY", "1"))  # of so many robots one
AIM = {"read": 0.99, "physics": 0.95, "tf": 0.95}


@pytest.mark.soak
def test_robots_of_public_packages() -> None:
    robots = [path for folder in fetch() for path in robots_in(folder)]
    kinds = [path.suffix for path in robots]
    assert kinds.count(".urdf") >= 300
    assert kinds.count(".xml") >= 70
    found = judge_all(robots[::EVERY], os.cpu_count() or 2)
    head = PAGE.read_text(encoding="utf-8").partition(TABLE)[0]
    said = f"{len(found)} of {len(robots)} robots were tried.\n\n"
    PAGE.write_text(f"{head}{TABLE}\n{said}{table(found)}", encoding="utf-8")
    shares = {column: share_of(list(found.values()), column) for column in AIM}
    missed = {column: share for column, share in shares.items() if share[0] < AIM[column] * share[1]}
    assert not missed, f"less than hoped; see {PAGE}"


@pytest.mark.parametrize(
    ("change", "column", "why"),
    [
        (("", ""), "", ""),
        (('range="-1.5 1.5"', 'range="-1.5 1.5" damping="1e6"'), "physics", "of its range"),
        (("</worldbody>", "</worldbdy>"), "physics", "not well-formed XML"),
    ],
)
def test_the_judge_sees_what_is_not_whole(tmp_path, change, column, why) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM.replace(*change), encoding="utf-8")
    found = judge(path)
    assert {name for name, text in found.items() if text} == ({column} if column else set())
    assert why in found.get(column, "")
    if not why:
        assert {"read", "physics", "tf", "viewer"} == set(found)


def test_the_judge_sees_a_link_of_tf_that_is_elsewhere(tmp_path, monkeypatch) -> None:
    path = tmp_path / "arm.xml"
    path.write_text(ARM, encoding="utf-8")
    monkeypatch.setattr(
        "corpus_judge.describe",
        lambda *_: (
            """<robot name="r"><link name="base_link"/><link name="arm"/>
      <joint name="shoulder" type="fixed"><parent link="base_link"/><child link="arm"/></joint></robot>"""
        ),
    )
    assert "link 'arm' is" in judge(path)["tf"]


def test_the_table_counts(tmp_path) -> None:
    robot = FOLDER / "package/robot.urdf"
    text = table({robot: {"read": "", "physics": "it | <fell>"}})
    assert "| package | URDF | 1 | 1 of 1 |  |  | 0 of 1 |  |  |" in text
    assert "* `package/robot.urdf`, physics: it / &lt;fell>" in text
