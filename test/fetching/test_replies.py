# SPDX-License-Identifier: Apache-2.0
"""What is asked of a server, and which of its replies are taken, byte by byte; there is no network."""

import io
import socket
from types import SimpleNamespace

import pytest

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.fetching import Fetcher, FetchError, FetchRules
from embodiment_bridge.fetching.connection import Place

FETCHER = Fetcher(FetchRules(UrlPolicy(trusted_hosts=frozenset({"a.example"}))))


class Server:
    """Whoever is connected to gives the next of the written replies, and hangs up."""

    def __init__(self) -> None:
        self.replies: list[bytes] = []
        self.places: list[tuple[str, int]] = []
        self.ends: list[socket.socket] = []

    def connect(self, places, rules, deadline) -> socket.socket:
        self.places += [(place.address, place.port) for place in places]
        ours, theirs = socket.socketpair()
        self.ends.append(theirs)
        theirs.sendall(self.replies.pop(0))
        theirs.shutdown(socket.SHUT_WR)
        return ours

    def asked(self) -> list[str]:
        """The first line of each request."""
        return [end.recv(65536).partition(b"\r\n")[0].decode() for end in self.ends]


@pytest.fixture
def server(monkeypatch):
    """Names are their own addresses, and TLS changes nothing."""
    made = Server()
    where = "embodiment_bridge.fetching"
    monkeypatch.setattr(f"{where}.connection._connected", made.connect)
    monkeypatch.setattr(
        f"{where}.fetcher.places_of", lambda host, port, *_: [Place(socket.AF_INET, host, port)]
    )
    plain = SimpleNamespace(wrap_socket=lambda raw, **_: raw)
    monkeypatch.setattr(f"{where}.connection.tls_context", lambda _: plain)
    yield made
    for end in made.ends:
        end.close()


def reply(body: bytes = b"{}", status: str = "200 OK", **headers: str) -> bytes:
    """Bytes of a reply; a header that is empty is left out, ``_`` in its name is ``-``."""
    usual = {"Content_Type": "application/json", "Content_Length": str(len(body))}
    lines = [f"{name.replace('_', '-')}: {text}" for name, text in {**usual, **headers}.items() if text]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode() + body


def chunked(body: bytes) -> bytes:
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)


def fetch(server, *replies: bytes, url: str = "http://a.example/", **options):
    """The body; the code of the error when the fetch fails."""
    server.replies = list(replies)
    try:
        return FETCHER.fetch_bytes(url, **options).body
    except FetchError as error:
        return error.code


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://a.example/", ("a.example", 80)),
        ("https://a.example/", ("a.example", 443)),
        ("HTTPS://A.Example./", ("a.example", 443)),
        ("http://a.example:81/", ("a.example", 81)),
        ("https://a.example:80/", ("a.example", 80)),
    ],
)
def test_which_place_is_asked(server, url, place):
    assert fetch(server, reply(), url=url) == b"{}"
    assert server.places == [place]


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://a.example", "/"),
        ("http://a.example?a=1", "/?a=1"),
        ("http://a.example/b?a=1#c", "/b?a=1"),
        ("http://a.example/b#c", "/b"),
        ("http://a.example/\u97f3?\u97f3=%20", "/%E9%9F%B3?%E9%9F%B3=%20"),
    ],
)
def test_what_is_asked(server, url, target):
    assert fetch(server, reply(), url=url) == b"{}"
    assert server.asked() == [f"GET {target} HTTP/1.1"]


@pytest.mark.parametrize("status", [300, 301, 302, 303, 304, 305, 307, 308, 309])
def test_statuses_that_lead_elsewhere(server, status):
    followed = status in {301, 302, 303, 307, 308}
    there = reply(status=f"{status} Elsewhere", Location="/b")
    assert fetch(server, there, reply(b"[]")) == (b"[]" if followed else "BAD_STATUS")
    assert server.asked() == ["GET / HTTP/1.1", "GET /b HTTP/1.1"][: 1 + followed]


@pytest.mark.parametrize("status", [199, 201, 204, 206, 400, 404, 500])
def test_other_statuses(server, status):
    assert fetch(server, reply(status=f"{status} So")) == "BAD_STATUS"


@pytest.mark.parametrize(
    ("url", "location", "result"),
    [
        ("http://a.example/", "http://a.example/b", b"[]"),
        ("http://a.example/", "https://a.example/b", b"[]"),
        ("https://a.example/", "https://a.example/b", b"[]"),
        ("https://a.example/", "HTTPS://a.example/b", b"[]"),
        ("https://a.example/", "//a.example/b", b"[]"),
        ("https://a.example/", "http://a.example/b", "URL_REFUSED"),
        ("HTTPS://a.example/", "http://a.example/b", "URL_REFUSED"),
        ("https://a.example/", "file:///b", "URL_REFUSED"),
        ("http://a.example/", "file:///b", "URL_REFUSED"),
        ("http://a.example/", "http://127.0.0.1/b", "URL_REFUSED"),
        ("http://a.example/", "http://[::1/", "BROKEN_REPLY"),
        ("http://a.example/", "", "BAD_STATUS"),
    ],
)
def test_where_a_redirect_may_lead(server, url, location, result):
    assert fetch(server, reply(status="302 Found", Location=location), reply(b"[]"), url=url) == result
    assert len(server.places) == (2 if result == b"[]" else 1)


def test_three_redirects_are_followed(server):
    there = reply(status="302 Found", Location="/")
    assert fetch(server, there, there, there, reply()) == b"{}"
    assert fetch(server, there, there, there, there, reply()) == "TOO_MANY_REDIRECTS"
    assert len(server.replies) == 1


@pytest.mark.parametrize(
    ("options", "request_line"),
    [
        ({"method": "POST", "body": b"words"}, "POST / HTTP/1.1"),
        ({"headers": {"X-Key": "secret"}}, "GET / HTTP/1.1"),
    ],
)
def test_redirects_that_are_not_followed(server, options, request_line):
    assert fetch(server, reply(), **options) == b"{}"
    assert fetch(server, reply(status="302 Found", Location="/b"), **options) == "BAD_STATUS"
    assert server.asked() == [request_line] * 2


@pytest.mark.parametrize(
    ("content_type", "taken"),
    [
        ("application/json", "application/json"),
        ("Application/JSON ; charset=utf-8; x", "application/json"),
        ("text/json", "text/json"),
        ("application/bml+json", "application/bml+json"),
        ("text/html", ""),
        ("application/jsonx", ""),
        ("", ""),
    ],
)
def test_types_of_documents(server, content_type, taken):
    result = fetch(server, reply(Content_Type=content_type))
    assert result == (b"{}" if taken else "WRONG_TYPE")
    if taken:
        server.replies = [reply(Content_Type=content_type, X_BML_Signature="abc")]
        found = FETCHER.fetch_bytes("http://a.example/")
        assert (found.content_type, found.signature) == (taken, "abc")


def test_types_of_sounds(server):
    server.replies = [reply(b"RIFF", Content_Type=name) for name in ("audio/wav", "application/json")]
    file = io.BytesIO()
    assert FETCHER.fetch_to("http://a.example/", file, max_bytes=4) == "audio/wav"
    with pytest.raises(FetchError, match="WRONG_TYPE"):
        FETCHER.fetch_to("http://a.example/", file, max_bytes=4)
    assert file.getvalue() == b"RIFF"


@pytest.mark.parametrize(
    ("headers", "result"),
    [
        ({"Content_Encoding": " Identity "}, b"{}"),
        ({"Content_Encoding": "gzip"}, "ENCODED"),
        ({"Content_Encoding": "gzip", "Transfer_Encoding": "chunked"}, "ENCODED"),
        ({"Transfer_Encoding": "gzip"}, "ENCODED"),
        ({"Transfer_Encoding": "gzip, chunked"}, "ENCODED"),
    ],
)
def test_encodings(server, headers, result):
    assert fetch(server, reply(**headers)) == result


WHOLE = b"0123456789"


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        (reply(WHOLE), WHOLE),
        (reply(WHOLE, Content_Length=""), WHOLE),
        (reply(chunked(WHOLE), Content_Length="", Transfer_Encoding="chunked"), WHOLE),
        (reply(chunked(WHOLE), Content_Length="3", Transfer_Encoding="chunked"), WHOLE),  # RFC 9112, 6.3
        (reply(chunked(WHOLE), Content_Length="999", Transfer_Encoding="chunked"), WHOLE),
        (reply(WHOLE + b"x", Content_Length=""), "TOO_LARGE"),
        (reply(chunked(WHOLE + b"x"), Content_Length="", Transfer_Encoding="Chunked "), "TOO_LARGE"),
        (reply(WHOLE, Content_Length="11"), "TOO_LARGE"),
        (reply(WHOLE[:5], Content_Length="10"), "BROKEN_REPLY"),
        (reply(WHOLE, Content_Length="5"), WHOLE[:5]),  # what comes after it belongs to no reply
        (reply(WHOLE, Content_Length="ten"), "BROKEN_REPLY"),
        (reply(WHOLE, Content_Length="-5"), "BROKEN_REPLY"),
        (b"nonsense", "BROKEN_REPLY"),
        (b"", "BROKEN_REPLY"),
    ],
)
def test_lengths(server, answer, result):
    assert fetch(server, answer, max_bytes=10) == result


def test_a_reply_that_says_that_it_is_too_large_is_not_read(server):
    server.replies = [reply(WHOLE + b"x")]
    file = io.BytesIO()
    with pytest.raises(FetchError, match="TOO_LARGE: the body has more than 10 bytes"):
        FETCHER.fetch_to("http://a.example/", file, max_bytes=10, accept=("*",))
    assert file.getvalue() == b""
