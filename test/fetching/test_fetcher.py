# SPDX-License-Identifier: Apache-2.0
"""The guarded fetcher over sockets: replies of every kind, limits, cancels."""

import http.client
import io
import socket
import threading

import pytest
from fetching_stage import refused
from waiting import THREAD

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.fetching import Fetcher, FetchError, FetchRules, connection
from embodiment_bridge.fetching.connection import GuardedSocket
from embodiment_bridge.fetching.rules import SLICE_S, Deadline
from embodiment_bridge.standins.bml.replies import BOMB_MEGABYTES, FAULTS
from embodiment_bridge.standins.bml.server import BmlPeer

SOUNDS = ("audio/*",)


@pytest.fixture(scope="module")
def peer():
    with BmlPeer(songs=2, music=0.5) as server:
        yield server


@pytest.fixture(scope="module")
def fetcher(peer):
    trusted = frozenset({f"127.0.0.1:{peer.port}"})
    return Fetcher(FetchRules(UrlPolicy(schemes=("http", "https"), trusted_hosts=trusted), first_byte_s=0.3))


def test_a_document(peer, fetcher):
    reply = fetcher.fetch_bytes(peer.url + "/reqest?type=next")
    assert reply.content_type == "application/json"
    assert reply.body.startswith(b'{"type": "sequence"')


def test_a_sound_into_a_file(peer, fetcher):
    file = io.BytesIO()
    assert fetcher.fetch_to(peer.url + "/music?id=音", file, max_bytes=10_000, accept=SOUNDS) == "audio/wav"
    assert file.getvalue()[:4] == b"RIFF"
    assert peer.asked[-1] == "/music?id=%E9%9F%B3"


def test_the_stand_in_keeps_the_beginning_of_a_long_target(peer):
    client = http.client.HTTPConnection(peer.host, peer.port, timeout=10.0)
    client.request("GET", "/" + "x" * 50_000)
    assert client.getresponse().status == 404
    client.close()
    assert peer.asked[-1] == "/" + "x" * 1999


FAULT_CODES = {
    "slow": "TIMED_OUT",
    "drip": "TIMED_OUT",
    "endless": "TOO_LARGE",
    "bomb": "ENCODED",
    "large": "TOO_LARGE",
    "short": "BROKEN_REPLY",
    "type": "WRONG_TYPE",
    "untyped": "WRONG_TYPE",
    "error": "BAD_STATUS",
    "loopback": "URL_REFUSED",
    "metadata": "URL_REFUSED",
    "file": "URL_REFUSED",
    "circle": "TOO_MANY_REDIRECTS",
    "nowhere": "BAD_STATUS",
    "hang_up": "BROKEN_REPLY",
    "garbage": "BROKEN_REPLY",
}
TAKEN = {"not_json", "deep"}  # whole replies: what is in them is for the reader of documents


def test_every_fault_is_in_a_table():
    assert set(FAULTS) == FAULT_CODES.keys() | TAKEN


@pytest.mark.parametrize(("fault", "code"), FAULT_CODES.items())
def test_fault(peer, fetcher, fault, code):
    error = refused(fetcher, f"{peer.url}/fault/{fault}", total_s=0.6)
    assert error.code == code
    assert str(error).startswith(code)
    assert isinstance(error, LinkError)


@pytest.mark.parametrize("fault", sorted(TAKEN))
def test_bad_content_is_no_affair_of_the_fetcher(peer, fetcher, fault):
    assert fetcher.fetch_bytes(f"{peer.url}/fault/{fault}").body


def test_a_bomb_is_never_unpacked(peer, fetcher):
    file = io.BytesIO()
    with pytest.raises(FetchError, match="ENCODED"):
        fetcher.fetch_to(f"{peer.url}/fault/bomb", file, max_bytes=1 << 20, accept=("*",))
    assert file.getvalue() == b""
    assert BOMB_MEGABYTES >= 64


def test_dripping_is_measured_against_one_deadline(peer, fetcher):
    """Each byte comes well within any time-out of a single read; together they take too long."""
    error = refused(fetcher, f"{peer.url}/fault/drip", total_s=0.4)
    assert str(error) == "TIMED_OUT: the fetch took more than 0.4 s in all"


def test_no_first_byte(peer, fetcher):
    assert "the reply did not begin" in str(refused(fetcher, f"{peer.url}/fault/slow", total_s=5.0))


def test_headers_count_too(peer, monkeypatch):
    monkeypatch.setattr(connection, "OVERHEAD", 50)
    rules = FetchRules(UrlPolicy(trusted_hosts=frozenset({"127.0.0.1"})))
    error = refused(Fetcher(rules), peer.url + "/reqest", max_bytes=20)
    assert "headers included" in str(error)


def test_it_can_be_given_up(peer, fetcher):
    stop = threading.Event()
    asked = []

    def cancelled():
        asked.append(1)
        if len(asked) > 20:
            stop.set()
        return stop.is_set()

    assert refused(fetcher, f"{peer.url}/fault/drip", cancelled=cancelled).code == "CANCELED"


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"],
)
@pytest.mark.parametrize("wanted", ["", "*"])
def test_this_machine_in_all_its_spellings(peer, host, wanted):
    hosts = None if wanted else frozenset()
    rules = FetchRules(UrlPolicy(hosts=hosts, ports=frozenset({peer.port})))
    before = len(peer.asked)
    assert refused(Fetcher(rules), f"http://{host}:{peer.port}/reqest").code == "URL_REFUSED"
    assert len(peer.asked) == before


def test_closed_by_default(peer):
    assert refused(Fetcher(FetchRules()), "https://a.example/").code == "URL_REFUSED"
    assert refused(Fetcher(FetchRules()), peer.url).code == "URL_REFUSED"


def test_files_are_not_fetched(tmp_path):
    fetcher = Fetcher(FetchRules(UrlPolicy(media_roots=(str(tmp_path),))))
    assert "scheme to fetch by" in str(refused(fetcher, f"file://{tmp_path}/a.json"))


def test_a_key_is_not_carried_along_a_redirect(peer, fetcher):
    error = refused(fetcher, f"{peer.url}/fault/circle", headers={"X-Key": "secret"})
    assert error.code == "BAD_STATUS"


def test_host_map(peer):
    rules = FetchRules(
        UrlPolicy(hosts=frozenset(), trusted_hosts=frozenset({"gxrobot.com"})),
        host_map={"gxrobot.com": ("127.0.0.1", peer.port)},
    )
    body = Fetcher(rules).fetch_bytes("http://gxrobot.com/reqest?type=next").body
    assert b'"http://gxrobot.com/music?id=0.wav"' in body  # the server heard the name of the URL
    assert refused(Fetcher(rules), "http://other.example/").code == "URL_REFUSED"


def test_nobody_listens(peer):
    with BmlPeer() as gone:
        url = gone.url
    rules = FetchRules(UrlPolicy(trusted_hosts=frozenset({"127.0.0.1"})))
    assert refused(Fetcher(rules), url).code == "UNREACHABLE"


def test_tls_with_a_server_that_speaks_none(peer):
    rules = FetchRules(UrlPolicy(trusted_hosts=frozenset({"127.0.0.1"})))
    error = refused(Fetcher(rules), peer.url.replace("http:", "https:") + "/reqest")
    assert error.code == "UNREACHABLE"
    assert "no TLS" in str(error)


PATIENCE_S = 30.0


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    yield ours, theirs
    ours.close()
    theirs.close()


def guarded(raw, *, first_byte_s=PATIENCE_S, max_bytes=1000):
    return GuardedSocket(raw, Deadline(PATIENCE_S, lambda: False), first_byte_s, max_bytes)


def test_as_many_bytes_as_are_allowed_are_read_and_no_more(pair):
    ours, theirs = pair
    theirs.sendall(b"12345")
    file = guarded(ours, max_bytes=5).makefile("rb")
    assert file.read(5) == b"12345"
    theirs.sendall(b"6")
    with pytest.raises(FetchError, match="more than 5 bytes") as caught:
        file.read(1)
    assert caught.value.code == "TOO_LARGE"


def test_a_first_byte_that_is_late_but_in_time_is_waited_for(pair):
    ours, theirs = pair
    later = threading.Timer(2.5 * SLICE_S, theirs.sendall, [b"x"])
    later.start()
    try:
        assert guarded(ours).makefile("rb").read(1) == b"x"
    finally:
        later.join()


def test_a_first_byte_that_does_not_come_in_time(pair):
    with pytest.raises(FetchError, match=r"did not begin within 0\.05 s") as caught:
        guarded(pair[0], first_byte_s=0.05).makefile("rb").read(1)
    assert caught.value.code == "TIMED_OUT"


def test_a_target_that_is_no_url_is_a_bad_request_to_the_stand_in(peer):
    with socket.create_connection((peer.host, peer.port), timeout=THREAD) as client:
        client.sendall(b"GET http://[ HTTP/1.0\r\n\r\n")
        assert client.makefile("rb").readline().split()[1] == b"400"
