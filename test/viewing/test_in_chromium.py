# SPDX-License-Identifier: Apache-2.0
"""The viewer as a user has it in a browser: it shows the robot, steers it, and is no door for somebody else's page."""

import socket
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlparse

import numpy as np
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
from std_srvs.srv import SetBool
from test_steering import Seen
from visualization_msgs.msg import Marker, MarkerArray

from embodiment_bridge.viewing.page import Page
from embodiment_bridge.viewing.robot_view import RobotView

DANCE = """{"type": "sequence", "name": "dance", "loop": 50, "behaviors": [
    {"type": "body", "action": "HEAD_SHAKE", "duration": 2}, {"type": "body", "action": "STEP_FORWARD"}]}"""
SCENE = (slice(80, 400), slice(0, 300))  # of the picture, without the panel
PRESS = """(() => { for (const b of document.querySelectorAll('button'))
    if (b.innerText.trim() === '%s') { b.click(); return true; } return false; })()"""
DROP = """(() => { const transfer = new DataTransfer();
    transfer.items.add(new File(['%s'], 'mine.json'));
    return document.body.dispatchEvent(
        new DragEvent('drop', {dataTransfer: transfer, bubbles: true, cancelable: true})); })()"""
IN_VIEW = """[...document.querySelectorAll('button')].some(button => {
    const at = button.getBoundingClientRect(), x = at.x + at.width / 2, y = at.y + at.height / 2;
    return button.innerText.trim() === '%s' && at.width > 40
        && at.left >= 0 && at.right <= innerWidth && at.top >= 0 && at.bottom <= innerHeight
        && (x < innerWidth * 0.3 || y < innerHeight * 0.2) // not before the robot, which is in the middle
        && button.contains(document.elementFromPoint(x, y)); })"""
FOLD = "(document.querySelector('.tabler-icon-chevrons-right')?.parentElement ?? document.body).click()"
EVIL = "evil.example"
SCRIPT = "<img src=x onerror=\"window.owned='%s'\"><script>window.owned=1</script>"
CONNECT = """new Promise(end => {
  const link = new WebSocket("%s", "viser-v%s");
  link.onopen = () => end("open");
  link.onerror = () => end("refused");
})"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """One for all tests: its start, and the first page in it, take longer than what they look at."""
    if find_chromium() is None:
        pytest.skip("chromium is not installed")
    flags = (f"--host-resolver-rules=MAP {EVIL} 127.0.0.1",)
    with Chromium(tmp_path_factory.mktemp("profile"), (640, 400), flags) as made:
        yield made


def open_page(browser, stage, width, height, scale=0.25):
    resize(browser, width, height, scale)
    browser.asked.clear()
    browser.open(stage.viewer.url)
    browser.until(lambda: "link: ready" in browser.text(), "the link's state")


def resize(browser, width, height, scale=0.25):
    """``scale``: pixels drawn by a pixel of the layout; few are drawn soon where software draws them."""
    metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
    browser.call("Emulation.setDeviceMetricsOverride", **metrics)


def test_page_shows_the_robot_as_it_moves(browser, stage):
    assert stage.viewer.url.startswith("http://127.0.0.1:")
    stage.feelings.publish(Feelings(names=["joy"], levels=[0.75]))
    open_page(browser, stage, 640, 400, scale=1)
    browser.until(lambda: "joy" in browser.text(), "feelings")
    stage.call(lambda: stage.bml.send(DANCE, source="test"))
    browser.until(lambda: "▶ body HEAD_SHAKE" in browser.text(), "the running path")
    assert "▶ sequence dance" in browser.text()
    before = browser.picture()[SCENE]
    assert np.ptp(before) > 150, "the page is blank"
    browser.until(lambda: moved(before, browser.picture()[SCENE]), "other pixels")
    outside = [url for url in browser.asked if urlparse(url).hostname not in (None, "127.0.0.1")]
    assert [url for url in outside if not url.startswith("blob:http://127.0.0.1")] == []


def moved(before, after):
    return np.count_nonzero(np.abs(after - before).max(axis=2) > 60) > 50


def test_a_person_steers(browser, stage):
    """One page for all steps, because a page takes long to load."""
    stage.call(lambda: stage.brain.create_service(SetBool, "emergency_stop", lambda _, response: response))
    open_page(browser, stage, 390, 844)
    assert browser.value("document.title") == "embodiment_bridge"
    assert "loading" not in browser.text()
    a_document_is_dropped_on_the_page(browser)
    the_buttons_are_in_view_at_every_size_and_over_everything(browser)
    the_page_drives_stops_and_ends_what_it_drove(browser, stage)


def a_document_is_dropped_on_the_page(browser):
    taken = browser.value(DROP % '{"type": "body", "action": "HEAD_SHAKK"}')
    assert taken is False, "the browser would show the file"
    browser.until(lambda: "mine.json: rejected" in browser.text(), "the problem")
    assert "did you mean" in browser.text()
    browser.value(DROP % '{"type": "body", "action": "HEAD_SHAKE", "duration": 0.5}')
    browser.until(lambda: "mine.json: succeeded" in browser.text(), "the end of the document")


def the_buttons_are_in_view_at_every_size_and_over_everything(browser):
    for folded in (False, True):
        for width, height in ((390, 844), (900, 600), (1400, 860)):
            resize(browser, width, height)
            for word in ("Stop", "Emergency stop", "Release"):
                what = f"{word} in view at {width} x {height}, {folded=}"
                browser.until(lambda word=word: browser.value(IN_VIEW % word), what)
        browser.value(FOLD)


def the_page_drives_stops_and_ends_what_it_drove(browser, stage):
    seen = Seen(stage)
    resize(browser, 640, 400)
    browser.until(lambda: browser.value(PRESS % "Stop"), "the button Stop")
    seen.until_told("stop: ", bad=False)

    def walks():
        for kind in ("keyDown", "keyUp"):
            browser.call("Input.dispatchKeyEvent", type=kind, key="w", code="KeyW", windowsVirtualKeyCode=87)
        return seen.posture == BodyStatus.WALKING

    browser.until(walks, "a walk by the key W")
    seen.until_stands()
    (page,) = stage.viewer._page._server.get_clients()
    seen.driver.do_skill(page, "walk", {"distance": "15"})
    seen.until_walks()
    browser.open("about:blank")
    seen.until_told("walk distance=15: canceled", bad=False)
    seen.until_stands()


@pytest.fixture
def page():
    """A page without a robot."""
    made = Page("127.0.0.1", 0)
    yield made
    made.close()


@contextmanager
def hostile_server():
    """Somebody else's server; gives its port, and the paths that it was asked for."""
    asked = []
    sockets = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<title>hostile</title><body>look here")

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        """Ends the connections that the browser keeps in reserve, for which a thread would wait on and on."""

        def process_request(self, request, client_address):
            sockets.append(request)
            super().process_request(request, client_address)

        def server_close(self):
            super().server_close()
            for each in sockets:
                with suppress(OSError):  # most were closed after their answer
                    each.shutdown(socket.SHUT_RDWR)

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_address[1], asked
        finally:
            server.shutdown()
            thread.join()


def connect(url):
    return CONNECT % (url.replace("http", "ws"), viser.__version__)


def test_foreign_page_cannot_reach_the_robot(browser, page):
    port = urlparse(page.url).port
    with hostile_server() as (evil, _):
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


def test_own_page_goes_nowhere_else(browser, page):
    """Neither by its address, from which viser takes where to connect to, nor by a script that got in."""
    with hostile_server() as (evil, asked):
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


def test_names_with_scripts_are_only_names(browser, page):
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
    browser.open(page.url)
    for one in shown:
        browser.until(lambda one=one: name(one).lower() in browser.text().lower(), one)
    assert browser.value("document.querySelectorAll('img[src=x]').length") == 0
    assert browser.value("typeof window.owned") == "undefined"
