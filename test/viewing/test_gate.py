# SPDX-License-Identifier: Apache-2.0
"""Which requests come through, by their headers."""

import socket

import pytest

from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.same_origin import own_names
from embodiment_bridge.viewing.gate import TOKEN_VARIABLE, Gate, Request, token_of_user

TOKEN = "abcdefghij-KLMNOP_0123"
OK = None


def status(gate, target="/", host="127.0.0.1:8080", origin=None, cookie=None, upgrade=False):
    """None where it comes through."""
    values = [[value] if isinstance(value, str) else value or [] for value in (host, origin, cookie)]
    answer = gate.check(Request(target, *values, upgrade=upgrade))
    return None if answer is None else answer.status


@pytest.mark.parametrize(
    ("host", "origin", "expected"),
    [
        ("127.0.0.1:8080", None, OK),
        ("localhost:8080", None, OK),
        ("LocalHost:9000", "http://localhost:9000", OK),  # `ssh -L 9000:127.0.0.1:8080`
        ("localhost.", None, OK),
        ("[::1]:8080", "http://[::1]:8080", OK),
        ("127.0.0.1:8080", "http://127.0.0.1:8080", OK),
        ("127.0.0.1:8080", "https://127.0.0.1:8080", OK),  # behind a proxy with TLS
        # a page of somebody else's
        ("127.0.0.1:8080", "http://evil.example", 403),
        ("127.0.0.1:8080", "http://127.0.0.1:8081", 403),
        ("127.0.0.1:8080", "http://localhost:8080", 403),
        ("127.0.0.1:8080", "http://127.0.0.1:8080.evil.example", 403),
        ("127.0.0.1:8080", "null", 403),
        ("127.0.0.1:8080", "", 403),
        ("127.0.0.1:8080", ["http://127.0.0.1:8080", "http://evil.example"], 403),
        # a name that was made to lead here
        ("evil.example:8080", None, 403),
        ("evil.example:8080", "http://evil.example:8080", 403),
        ("127.0.0.1.evil.example", None, 403),
        ("localhost.evil.example", None, 403),
        ("evil-localhost", None, 403),
        ("192.168.1.5:8080", None, 403),
        ("2130706433", None, 403),
        # not one name
        (None, None, 403),
        ("", None, 403),
        (["127.0.0.1", "127.0.0.1"], None, 403),
        ("127.0.0.1:8080, evil.example", None, 403),
        ("127.0.0.1@evil.example", None, 403),
        ("127.0.0.1;script-src *", None, 403),
        ("127.0.0.1:999999", None, 403),
        ("[::1", None, 403),
    ],
)
@pytest.mark.parametrize("upgrade", [False, True])
def test_loopback(host, origin, expected, upgrade):
    gate = Gate([], loopback=True, token="", port=8080)
    assert status(gate, host=host, origin=origin, upgrade=upgrade) == expected
    assert gate.refused == (expected is not OK)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("192.168.1.5:8080", OK),
        ("[fd00::5]:8080", OK),
        ("robot.lab:8080", OK),
        ("Robot.Lab:8080", OK),
        ("localhost:8080", OK),
        ("evil.example:8080", 403),
        ("lab:8080", 403),
    ],
)
def test_host_where_other_machines_connect(host, expected):
    gate = Gate(["robot.lab"], loopback=False, token=TOKEN, port=8080)
    assert status(gate, host=host, cookie=f"embodiment_bridge_viewer_8080={TOKEN}") == expected


COOKIE = f"embodiment_bridge_viewer_8080={TOKEN}"


@pytest.mark.parametrize(
    ("target", "cookie", "upgrade", "expected"),
    [
        ("/", None, False, 401),
        ("/", None, True, 401),
        ("/?token=", None, False, 401),
        (f"/?token={TOKEN}x", None, False, 401),
        (f"/?token={TOKEN[:-1]}", None, True, 401),
        ("/?token=%ff%00", None, True, 401),
        (f"/?other={TOKEN}", None, False, 401),
        (f"/?token={TOKEN}", None, False, 303),
        (f"/?token={TOKEN}", None, True, OK),
        ("/", COOKIE, False, OK),
        ("/", COOKIE, True, OK),
        ("/", f"a=b; {COOKIE}; c=d", True, OK),
        ("/", ["a=b", COOKIE], True, OK),
        ("/", COOKIE + "x", True, 401),
        ("/", "embodiment_bridge_viewer_8080=\xff", True, 401),
        ("/", f"embodiment_bridge_viewer_8081={TOKEN}", True, 401),
        ("/?websocket=ws://evil.example", COOKIE, False, 303),
    ],
)
def test_token(target, cookie, upgrade, expected):
    gate = Gate([], loopback=False, token=TOKEN, port=8080)
    assert status(gate, target, cookie=cookie, upgrade=upgrade) == expected
    assert gate.refused == (expected == 401)


def test_token_is_kept_in_a_cookie_and_leaves_the_address():
    gate = Gate([], loopback=False, token=TOKEN, port=8080)
    answer = gate.check(Request(f"/?token={TOKEN}", ["10.0.0.1"], [], [], upgrade=False))
    headers = dict(answer.headers)
    assert headers["Location"] == "/"
    assert headers["Set-Cookie"].startswith(f"{COOKIE};")
    assert "HttpOnly" in headers["Set-Cookie"]
    assert TOKEN not in answer.text


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("/?websocket=ws://evil.example", "/"),
        ("/index.html?playbackPath=//evil.example/x", "/index.html"),
        ("//evil.example/?x", "/evil.example/"),
        ("/\\evil.example?x", "/evil.example"),
    ],
)
def test_no_query_tells_the_page_where_to_connect_to(target, place):
    gate = Gate([], loopback=True, token="", port=8080)
    answer = gate.check(Request(target, ["127.0.0.1"], [], [], upgrade=False))
    assert (answer.status, dict(answer.headers)["Location"]) == (303, place)


def test_own_names():
    assert own_names("robot.lab") == ["robot.lab", socket.gethostname(), f"{socket.gethostname()}.local"]
    assert own_names("0.0.0.0") == [socket.gethostname(), f"{socket.gethostname()}.local"]


def test_token_of_the_user(tmp_path):
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    assert token_of_user(str(file), {TOKEN_VARIABLE: "0" * 32}) == TOKEN
    assert token_of_user("", {TOKEN_VARIABLE: TOKEN}) == TOKEN
    assert token_of_user("", {}) is None


@pytest.mark.parametrize("text", ["", "short", "with blanks in it, long", "x" * 201, "é" * 20, f"{TOKEN};"])
def test_a_bad_token_is_refused_and_not_repeated(tmp_path, text):
    file = tmp_path / "token"
    file.write_text(text)
    for path, env in ((str(file), {}), ("", {TOKEN_VARIABLE: text})):
        with pytest.raises(ConfigError, match=r"token_file|EMBODIMENT_BRIDGE_VIEWER_TOKEN") as caught:
            token_of_user(path, env)
        assert not text or text not in str(caught.value)


def test_a_token_file_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match=r"token_file: .*absent: cannot be read: No such file"):
        token_of_user(str(tmp_path / "absent"), {})
