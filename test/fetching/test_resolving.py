# SPDX-License-Identifier: Apache-2.0
"""Where a name may lead, with a resolver that says what the test wants; limits, and what is shown of a URL."""

import ipaddress
import threading
from pathlib import Path

import pytest
from fetching_stage import refused

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.fetching import Fetcher, FetchError, FetchRules, connection, shown
from embodiment_bridge.fetching.connection import MAX_LOOKUPS
from embodiment_bridge.fetching.fetcher import MAX_DOCUMENT, TOTAL_S

INNER = [
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "224.0.0.1",
    "0.0.0.0",
    "255.255.255.255",
    "::1",
    "::",
    "fe80::1",
    "fd00:ec2::254",
    "ff02::1",
    "::ffff:127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
]


@pytest.fixture
def names(monkeypatch):
    """What the resolver says, by name."""
    table = {}

    def look_up(host, port, *, type):
        assert type
        return [(2 if "." in at else 10, type, 6, "", (at, port)) for at in table[host].pop(0)]

    monkeypatch.setattr(connection.socket, "getaddrinfo", look_up)
    return table


@pytest.mark.parametrize("address", INNER)
@pytest.mark.parametrize("beside", [[], ["8.8.8.8"]])
def test_a_name_that_leads_inside(names, address, beside):
    """All addresses of a name count: a client could be made to take the bad one."""
    ipaddress.ip_address(address)
    names["a.example"] = [[*beside, address]]
    rules = FetchRules(UrlPolicy(opens_private="parameter p"))
    error = refused(Fetcher(rules), "http://a.example/")
    assert error.code == "ADDRESS_REFUSED"
    assert "opened by parameter p" in str(error)


@pytest.fixture
def reached(monkeypatch):
    """The addresses that a fetch would connect to."""
    found = []

    def connected(places, rules, deadline):
        found.extend((place.address, place.port) for place in places)
        raise FetchError("UNREACHABLE", "as planned")

    monkeypatch.setattr(connection, "_connected", connected)
    return found


def test_a_name_is_looked_up_once(names, reached):
    """The address that was checked is the one that is connected to, whatever the name says a moment later."""
    names["a.example"] = [["8.8.8.8"], ["127.0.0.1"]]
    assert refused(Fetcher(FetchRules(UrlPolicy())), "http://a.example/").code == "UNREACHABLE"
    assert reached == [("8.8.8.8", 80)]


def test_of_very_many_addresses_the_first_sixteen_count(names, reached):
    names["a.example"] = [[f"8.8.8.{number}" for number in range(17)]]
    assert refused(Fetcher(FetchRules(UrlPolicy())), "http://a.example/").code == "UNREACHABLE"
    assert reached == [(f"8.8.8.{number}", 80) for number in range(16)]


@pytest.mark.parametrize(
    ("trusted", "url", "code"),
    [
        ("a.example", "http://a.example/", "UNREACHABLE"),
        ("a.example:81", "http://a.example:81/", "UNREACHABLE"),
        ("a.example:81", "http://a.example/", "ADDRESS_REFUSED"),
        ("b.example", "http://a.example/", "ADDRESS_REFUSED"),
    ],
)
def test_a_trusted_name_may_lead_inside(names, reached, trusted, url, code):
    names["a.example"] = [["10.0.0.1"]]
    rules = FetchRules(UrlPolicy(trusted_hosts=frozenset({trusted})))
    assert refused(Fetcher(rules), url).code == code
    assert bool(reached) == (code == "UNREACHABLE")


def test_a_mapped_name_is_never_looked_up(names, reached):
    names["10.0.0.1"] = [["10.0.0.1"]]
    rules = FetchRules(
        UrlPolicy(trusted_hosts=frozenset({"a.example"})), host_map={"a.example": ("10.0.0.1", 7)}
    )
    assert refused(Fetcher(rules), "http://a.example/").code == "UNREACHABLE"
    assert reached == [("10.0.0.1", 7)]


def test_one_lookup_after_the_other(names, reached):
    """A lookup that has ended makes room for another."""
    names["a.example"] = [["8.8.8.8"]] * (connection.MAX_LOOKUPS + 1)
    codes = {refused(Fetcher(FetchRules(UrlPolicy())), "http://a.example/").code for _ in range(9)}
    assert codes == {"UNREACHABLE"}


def test_a_name_that_does_not_exist(monkeypatch):
    def look_up(host, port, *, type):
        raise OSError("no such name")

    monkeypatch.setattr(connection.socket, "getaddrinfo", look_up)
    assert refused(Fetcher(FetchRules(UrlPolicy())), "http://a.example/").code == "UNKNOWN_HOST"


def test_a_resolver_without_an_answer(monkeypatch):
    answered = threading.Event()
    monkeypatch.setattr(connection.socket, "getaddrinfo", lambda *_, type: answered.wait(5) and [])
    monkeypatch.setattr(connection, "_lookups", threading.BoundedSemaphore(2))
    fetcher = Fetcher(FetchRules(UrlPolicy()))
    try:
        codes = [refused(fetcher, "http://a.example/", total_s=0.1).code for _ in range(3)]
        lookups = [thread for thread in threading.enumerate() if thread.name == "name lookup"]
    finally:
        answered.set()
    for thread in lookups:
        thread.join()
    assert [thread.daemon for thread in lookups] == [True, True]  # no process waits for them
    assert codes == ["TIMED_OUT", "TIMED_OUT", "BUSY"]


PAGE = (Path(__file__).parents[2] / "docs/requests.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "promise",
    [
        f"{FetchRules().connect_s:g} s for an address, {FetchRules().first_byte_s:g} s for the first byte",
        f"at most {FetchRules().max_redirects}, never from https to http",
        f"lookups have their own threads, at most {MAX_LOOKUPS};",
        f"| `fetch_timeout` | {TOTAL_S:g} s |",
        f"| `fetch_max_bytes` | {MAX_DOCUMENT / (1 << 20):g} MiB |",
    ],
)
def test_the_limits_are_those_of_the_page(promise):
    assert promise in PAGE


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("https://user:word@a.example/path?token=1#x", "https://a.example/path?..."),
        ("http://a.example:81/path#x", "http://a.example:81/path"),
        ("http://[::1/", "a URL that cannot be read"),
        ("http://a.example/\x07\u202e", "http://a.example/??"),
        ("http://a.example/" + "x" * 300, "http://a.example/" + "x" * 183),  # 200 characters
    ],
)
def test_what_is_shown_of_a_url(url, text):
    assert shown(url) == text
