# SPDX-License-Identifier: Apache-2.0
"""What the panel says, and that nobody can put words of HTML into it."""

import math
import re
from html import unescape

import pytest
from embodiment_bridge.msg import BodyStatus, HeardMessage, LinkState, TreeNode, TreeSnapshot

from embodiment_bridge.viewing import panels


def words(html):
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", html)).split())


def tree(*nodes):
    made = [
        TreeNode(type=kind, label=label, status=status, parent=parent)
        for kind, label, status, parent in nodes
    ]
    return TreeSnapshot(state="RUNNING", elapsed=1.26, nodes=made)


def test_tree_shows_its_running_path():
    html = panels.tree_html(
        tree(
            ("sequence", "", "RUNNING", -1),
            ("body", "STEP_FORWARD", "SUCCESS", 0),
            ("loop", "", "RUNNING", 0),
            ("body", "HEAD_SHAKE", "RUNNING", 2),
            ("wait", "", "INVALID", 2),
        )
    )
    assert words(html) == (
        "Behaviour tree: running, 1.3 s ▶ sequence ✔ body STEP_FORWARD ▶ loop ▶ body HEAD_SHAKE · wait"
    )
    bold = [words(line) for line in re.findall(r"<div[^>]*font-weight:700[^>]*>.*?</div>", html)]
    assert bold == ["▶ sequence", "▶ loop", "▶ body HEAD_SHAKE"]
    assert [float(v) for v in re.findall(r"padding-left:([\d.]+)em", html)] == [0.0, 0.9, 0.9, 1.8, 1.8]


def test_a_pause_is_shown_where_nothing_runs():
    assert words(panels.tree_html(TreeSnapshot(state="PAUSED"))) == (
        "Behaviour tree paused: nothing begins before Go on"
    )
    assert words(panels.tree_html(TreeSnapshot(state="ENDED", run_id="1"))) == "Behaviour tree nothing runs"


@pytest.mark.parametrize("parent", [-1, 5, 0, -(2**31)])
def test_tree_with_a_parent_that_is_none(parent):
    assert "▶ body" in words(panels.tree_html(tree(("body", "", "RUNNING", parent))))


def test_large_tree_is_cut():
    nodes = [("sequence", "", "RUNNING", index - 1) for index in range(panels.MOST_NODES + 7)]
    html = panels.tree_html(tree(*nodes))
    assert html.count("▶") == panels.MOST_NODES
    assert "… and 7 more" in html


def test_bars():
    html = panels.bars_html("Feelings", ["joy", "fear", "odd"], [0.25, 7.0, math.nan], "#fff")
    assert words(html) == "Feelings joy 0.25 fear 7.00 odd nan"
    assert re.findall(r"width:(\d+)%;height", html) == ["25", "100", "0"]
    assert panels.bars_html("Feelings", [], [], "#fff") == ""


def test_status():
    links = {"link": LinkState(state=LinkState.BACKOFF, peer="tcp://127.0.0.1:1", reason="refused")}
    stopped = BodyStatus(posture=BodyStatus.STANDING, torque=False, reason="emergency stop")
    assert panels.BAD in panels.status_html({}, stopped)
    assert panels.GOOD not in panels.status_html({}, stopped)
    assert panels.GOOD not in panels.status_html({}, BodyStatus(posture=BodyStatus.STANDING, torque=False))
    assert panels.GOOD in panels.status_html({}, BodyStatus(posture=BodyStatus.STANDING, torque=True))
    body = BodyStatus(posture=BodyStatus.FALLEN, torque=True, stopped=True, reason="on its back")
    assert words(panels.status_html(links, body)) == (
        "Status link: backoff tcp://127.0.0.1:1 refused body: fallen, torque on, stopped on its back"
    )
    assert panels.status_html({}, None) == ""
    assert "unknown" in panels.status_html({"link": LinkState(state=99)}, None)


EVIL = "<img src=x onerror=alert(1)>"


@pytest.mark.parametrize(
    "html",
    [
        panels.heard_html([HeardMessage(sender=EVIL, text=EVIL)]),
        panels.bars_html("Feelings", [EVIL], [0.5], "#fff"),
        panels.status_html({EVIL: LinkState(peer=EVIL, reason=EVIL)}, BodyStatus(reason=EVIL)),
        panels.tree_html(TreeSnapshot(state=EVIL, nodes=[TreeNode(type=EVIL, name=EVIL, label=EVIL)])),
    ],
    ids=["heard", "bars", "status", "tree"],
)
def test_texts_stay_texts(html):
    assert "onerror" in html
    assert "<img" not in html


def test_long_text_is_cut():
    html = panels.heard_html([HeardMessage(sender="a", text="b" * 10_000)])
    assert len(html) < 1000
