# SPDX-License-Identifier: Apache-2.0
"""The viewer as a user has it: nodes on the graph, a page in a browser, a robot that moves."""

from urllib.parse import urlparse

import numpy as np
import pytest
from chromium import Chromium, find_chromium
from embodiment_bridge.msg import Feelings

DANCE = """{"type": "sequence", "name": "dance", "loop": 50, "behaviors": [
    {"type": "body", "action": "HEAD_SHAKE", "duration": 2}, {"type": "body", "action": "STEP_FORWARD"}]}"""
SCENE = (slice(80, 400), slice(0, 300))  # of the picture, without the panel


def test_page_shows_the_robot_as_it_moves(stage, tmp_path):
    if find_chromium() is None:
        pytest.skip("chromium is not installed")
    assert stage.viewer.url.startswith("http://127.0.0.1:")
    stage.feelings.publish(Feelings(names=["joy"], levels=[0.75]))
    with Chromium(tmp_path / "profile", (640, 400)) as browser:
        browser.open(stage.viewer.url)
        browser.until(lambda: "link: ready" in browser.text(), "the link's state")
        browser.until(lambda: "joy" in browser.text(), "feelings")
        stage.runtime.executor.create_task(lambda: stage.bml.send(DANCE, source="test"))
        browser.until(lambda: "▶ body HEAD_SHAKE" in browser.text(), "the running path")
        assert "▶ sequence dance" in browser.text()
        before = browser.picture()[SCENE]
        assert np.ptp(before) > 150, "the page is blank"
        browser.until(lambda: moved(before, browser.picture()[SCENE]), "other pixels")
        outside = [url for url in browser.asked if urlparse(url).hostname not in (None, "127.0.0.1")]
        assert [url for url in outside if not url.startswith("blob:http://127.0.0.1")] == []


def moved(before, after):
    return np.count_nonzero(np.abs(after - before).max(axis=2) > 60) > 50
