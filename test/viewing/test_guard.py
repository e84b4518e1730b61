# SPDX-License-Identifier: Apache-2.0
"""The gate on the wire: what viser's server really answers."""

import http.client
import socket
import threading
from contextlib import closing
from urllib.parse import urlparse

import pytest
import viser
import websocket
from websockets.asyncio import server

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.viewing.page import Page

TOKEN = "abcdefghij-KLMNOP_0123"


@pytest.fixture
def page():
    page = Page("127.0.0.1", 0)
    yield page
    page.close()


@pytest.fixture
def open_page():
    page = Page("0.0.0.0", 0, TOKEN)
    yield page
    page.close()


def get(page, target="/", **headers):
    """(status, headers, text)"""
    port = urlparse(page.url).port
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30.0)) as connection:
        connection.request("GET", target, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()


def test_title_of_the_page_is_text():
    page = Page("127.0.0.1", 0, title="<b> & co")
    try:
        assert "<title>&lt;b&gt; &amp; co</title>" in get(page)[2]
    finally:
        page.close()


def shake_hands(page, target="/", **options):
    port = urlparse(page.url).port
    address = f"ws://127.0.0.1:{port}{target}"
    subprotocols = [f"viser-v{viser.__version__}"]
    websocket.create_connection(address, subprotocols=subprotocols, timeout=30.0, **options).close()


def test_a_button_is_pressed_by_a_page_of_this_server_alone(open_page):
    pressed = []
    open_page.add_buttons(lambda button: pressed.append(button) or (["stop"], ""), lambda _: None)
    cookie = f"embodiment_bridge_viewer_{urlparse(open_page.url).port}={TOKEN}"
    own = {"Host": f"127.0.0.1:{urlparse(open_page.url).port}", "Cookie": cookie, "X-Press": "stop"}
    assert get(open_page, "/buttons", **own)[::2] == (200, "stop")
    assert get(open_page, "/buttons", **{**own, "X-Press": "rm -rf"})[0] == 200
    for change, status in (
        ({"Cookie": ""}, 401),
        ({"Origin": "http://evil.example"}, 403),
        ({"Host": "evil.example"}, 403),
    ):
        assert get(open_page, "/buttons", **{**own, **change})[0] == status
    assert pressed == ["stop", ""]


def test_a_page_that_does_not_steer_has_no_buttons(page):
    assert get(page, "/buttons", **{"X-Press": "stop"})[::2] == (200, "")


@pytest.mark.parametrize("sent", [b"", b"GET", b"\x16\x03\x01\r\n\r\n"])
def test_a_visitor_without_a_request_is_not_logged(caplog, sent):
    """A browser opens connections in reserve, and closes them unused."""
    page = Page("127.0.0.1", 0)
    with socket.create_connection(("127.0.0.1", urlparse(page.url).port), timeout=30.0) as visitor:
        visitor.sendall(sent)
        visitor.shutdown(socket.SHUT_WR)
        while visitor.recv(4096):
            pass
    assert get(page)[0] == 200
    page.close()
    assert caplog.records == []


def test_own_page(page):
    status, headers, text = get(page)
    assert status == 200
    assert "<html" in text
    assert headers["X-Frame-Options"] == "DENY"
    assert "unsafe-eval'" not in headers["Content-Security-Policy"].replace("wasm-unsafe-eval", "")
    assert f"ws://127.0.0.1:{urlparse(page.url).port} " in headers["Content-Security-Policy"]
    shake_hands(page)
    shake_hands(page, origin=page.url)


def test_foreign_page_gets_neither_file_nor_link(page):
    assert get(page, Origin="http://evil.example")[0] == 403
    with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
        shake_hands(page, origin="http://evil.example")
    assert page.refused == 2


def test_name_that_was_made_to_lead_here(page):
    status, headers, text = get(page, Host="evil.example")
    assert status == 403
    assert "'evil.example'" in text
    assert headers["Content-Type"].startswith("text/plain")
    with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
        shake_hands(page, host="evil.example", origin="http://evil.example")


def test_query_does_not_choose_the_server(page):
    status, headers, _ = get(page, "/?websocket=ws://evil.example")
    assert (status, headers["Location"]) == (303, "/")


def test_other_machines_need_the_token(open_page):
    assert get(open_page)[0] == 401
    with pytest.raises(websocket.WebSocketBadStatusException, match="401"):
        shake_hands(open_page)
    status, headers, _ = get(open_page, f"/?token={TOKEN}")
    assert (status, headers["Location"]) == (303, "/")
    cookie = headers["Set-Cookie"].partition(";")[0]
    assert get(open_page, Cookie=cookie)[0] == 200
    shake_hands(open_page, cookie=cookie)
    shake_hands(open_page, target=f"/?token={TOKEN}")


def test_token_is_made_where_none_is_given():
    page = Page("0.0.0.0", 0)
    try:
        assert get(page)[0] == 401
        assert "token" not in page.url
        entry = urlparse(page.entry)
        assert entry.hostname == socket.gethostname().lower()
        assert len(entry.query) >= len("token=") + 32
        assert get(page, f"/?{entry.query}")[0] == 303
    finally:
        page.close()


def test_token_on_loopback_where_one_is_given():
    page = Page("127.0.0.1", 0, TOKEN)
    try:
        assert get(page)[0] == 401
    finally:
        page.close()


def test_page_without_a_host_is_refused():
    with pytest.raises(ConfigError, match="parameter host: ''"):
        Page("", 0)


def test_viser_that_serves_otherwise_is_not_served(monkeypatch):
    """Another version could make its server by other means: then there is no page, rather than one without a gate."""
    start = viser.infra.WebsockServer.start
    real = server.serve

    def start_otherwise(self):
        server.serve = real  # the guard sets it back
        start(self)

    monkeypatch.setattr(viser.infra.WebsockServer, "start", start_otherwise)
    before = set(threading.enumerate())
    with pytest.raises(ConfigError, match="cannot be guarded"):
        Page("127.0.0.1", 0)
    assert server.serve is real
    assert set(threading.enumerate()) == before
