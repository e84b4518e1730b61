# SPDX-License-Identifier: Apache-2.0
"""Somebody else's page in the operator's browser, and names with scripts in them."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlparse

import pytest
import viser
from chromium import Chromium, find_chromium
from embodiment_bridge.msg import (
    BodyStatus,
    Feelings,
    HeardMessage,
    LinkState,
    PhysiologyLevels,
    PsiDemands,
    TreeNode,
    TreeSnapshot,
)
from visualization_msgs.msg import Marker, MarkerArray

from embodiment_bridge.viewing.page import Page
from embodiment_bridge.viewing.robot_view import RobotView

EVIL = "evil.example"
FLAGS = (f"--host-resolver-rules=MAP {EVIL} 127.0.0.1",)
SCRIPT = "<img src=x onerror=\"window.owned='%s'\"><script>window.owned=1</script>"
CONNECT = """new Promise(end => {
  const link = new WebSocket("%s", "viser-v%s");
  link.onopen = () => end("open");
  link.onerror = () => end("refused");
})"""


@pytest.fixture
def page():
    if find_chromium() is None:
        pytest.skip("chromium is not installed")
    page = Page("127.0.0.1", 0)
    yield page
    page.close()


@contextmanager
def hostile_server():
    """Somebody else's server; gives its port, and the paths that it was asked for."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<title>hostile</title><body>look here")

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1], asked
        finally:
            server.shutdown()
            thread.join()


def connect(url):
    return CONNECT % (url.replace("http", "ws"), viser.__version__)


def test_foreign_page_cannot_reach_the_robot(page, tmp_path):
    port = urlparse(page.url).port
    with hostile_server() as (evil, _), Chromium(tmp_path / "profile", (640, 400), FLAGS) as browser:
        browser.open(f"http://{EVIL}:{evil}/")
        browser.until(lambda: "look here" in browser.text(), "the hostile page")
        assert browser.value("location.hostname") == EVIL
        for host in ("127.0.0.1", "localhost", EVIL):
            assert browser.value(connect(f"http://{host}:{port}")) == "refused", host
        assert page.refused == 3
        # The hostile name leads here from now on.
        browser.open(f"http://{EVIL}:{port}/")
        browser.until(lambda: "is not a name of this viewer" in browser.text(), "the refusal")
        assert browser.value(connect(f"http://{EVIL}:{port}")) == "refused"
        assert page.visitors == 0


def test_own_page_goes_nowhere_else(page, tmp_path):
    """Neither by its address, from which viser takes where to connect to, nor by a script that got in."""
    with hostile_server() as (evil, asked), Chromium(tmp_path / "profile", (640, 400), FLAGS) as browser:
        browser.open(f"{page.url}/?websocket=ws://{EVIL}:{evil}/by_query")
        browser.until(lambda: page.visitors == 1, "a visitor")
        assert browser.value("location.href") == f"{page.url}/"
        assert browser.value(connect(f"http://{EVIL}:{evil}/by_script")) != "open"
        assert (
            browser.value(f"fetch('http://{EVIL}:{evil}/by_fetch').then(() => 'sent', () => 'refused')")
            == "refused"
        )
        assert browser.value("new Function('return 1')()") is None
        assert browser.value(connect(page.url)) == "open"
    assert asked == []


def test_names_with_scripts_are_only_names(page, tmp_path):
    def name(of):
        return SCRIPT % of

    marker = Marker(ns=name("ns"), type=Marker.TEXT_VIEW_FACING, text=name("entity"))
    marker.header.frame_id = name("frame")
    node = TreeNode(
        parent=-1, type=name("type"), label=name("skill"), name=name("name"), status=name("status")
    )
    messages = [
        ("behavior_tree/tree", TreeSnapshot(nodes=[node], state=name("state"))),
        ("feelings", Feelings(names=[name("feeling")], levels=[0.5])),
        ("physiology", PhysiologyLevels(names=[name("level")], levels=[0.5])),
        ("psi_demands", PsiDemands(names=[name("demand")], levels=[0.5])),
        ("link_state", LinkState(peer=name("peer"), reason=name("reason"))),
        ("body_status", BodyStatus(reason=name("fall"))),
        ("heard", HeardMessage(sender=name("sender"), text=name("words"))),
        ("markers", MarkerArray(markers=[marker])),
    ]
    view = RobotView(page, 0, name("title"))
    for topic, message in messages:
        view.take(topic, message)
    view.refresh(0.0)
    shown = (
        "type",
        "skill",
        "name",
        "state",
        "feeling",
        "level",
        "demand",
        "peer",
        "reason",
        "fall",
        "sender",
        "words",
    )
    with Chromium(tmp_path / "profile", (640, 400)) as browser:
        browser.open(page.url)
        for one in shown:
            browser.until(lambda one=one: name(one).lower() in browser.text().lower(), one)
        assert browser.value("document.querySelectorAll('img[src=x]').length") == 0
        assert browser.value("typeof window.owned") == "undefined"
