# SPDX-License-Identifier: Apache-2.0
"""Which URLs and which addresses a document may name: tables, the same on every Python."""

import ipaddress
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.bml.rules.url_policy import (
    NOT_PUBLIC_4,
    NOT_PUBLIC_6,
    UrlPolicy,
    address_refusal,
    is_public,
    url_refusal,
)

MEDIA = UrlPolicy(media_roots=("/srv/media/", "/opt/sounds"))

ALLOWED = [
    "http://gxrobot.com/voice?id=AABB.wav",
    "https://a.example",
    "HTTPS://A.Example./x#y",
    "https://a.example:443/",
    "http://a.example:80/",
    "http://8.8.8.8/",
    "http://[2606:4700::1111]/",
    "http://a.example/音.mp3",
    "http://a_b.example/",
    "package://sounds/a.wav",
]
REFUSED = [
    ("", "no scheme"),
    ("a.mp3", "no scheme"),
    ("//a.example/a", "no scheme"),
    ("ftp://a.example/a", "unknown scheme 'ftp'"),
    ("javascript:alert(1)", "unknown scheme"),
    ("data:text/plain,a", "unknown scheme"),
    ("http://a.example/" + "a" * 2032, "2049 characters, 2048 is the limit"),
    ("http://a.example/a b", "space"),
    ("http://a.example/a\nb", "control"),
    ("http://a.example\\@b.example/", "backslash"),
    ("http://a.example/\x00", "control"),
    ("http://a.example/\x9f", "control"),
    ("http:///a", "no host"),
    ("http://./", "no host"),
    ("http://u@a.example/", "user information"),
    ("http://u:p@a.example/", "user information"),
    ("http://a.example:8080/", "port 8080"),
    ("http://a.example:99999/", "port"),
    ("http://a.example:x/", "port"),
    ("http://[::1/", "cannot be read"),
    ("http://[fe80::1%25eth0]/", "not a public"),
    ("http://a%2eexample/", "characters"),
    ("http://１２７.0.0.1/", "characters"),
    ("http://localhost/", "this machine"),
    ("http://LOCALHOST./", "this machine"),
    ("http://a.localhost/", "this machine"),
    ("http://robot.local/", "its network"),
    ("http://127.0.0.1/", "not a public"),
    ("http://127.1/", "four decimal"),
    ("http://0x7f.1/", "four decimal"),
    ("http://0x/", "four decimal"),
    ("http://2130706433/", "four decimal"),
    ("http://0177.0.0.1/", "four decimal"),
    ("http://256.1.1.1/", "four decimal"),
    ("http://10.0.0.1/", "not a public"),
    ("http://192.168.1.1/", "not a public"),
    ("http://0.0.0.0/", "not a public"),
    ("http://100.64.0.1/", "not a public"),
    ("http://224.0.0.1/", "not a public"),
    ("http://169.254.169.254/latest/meta-data/", "not a public"),
    ("http://100.100.100.200/", "not a public"),
    ("http://168.63.129.16/", "metadata"),
    ("http://metadata.google.internal/", "metadata"),
    ("http://[::1]/", "not a public"),
    ("http://[fd00:ec2::254]/", "not a public"),
    ("http://[::ffff:127.0.0.1]/", "not a public"),
    ("http://[64:ff9b::7f00:1]/", "not a public"),
    ("http://[2002:7f00:1::]/", "not a public"),
    ("http://[v1.a]/", "IPv6"),
    ("file:///etc/passwd", "media folder (/srv/media/, /opt/sounds)"),
    ("file:///srv/media/../../etc/passwd", "'..'"),
    ("file:///srv/media/%2e%2e/passwd", "'..'"),
    ("file:///srv/mediathek/a.wav", "media folder"),
    ("file:///srv/media/a%00.wav", "'..'"),
    ("file://host/srv/media/a.wav", "no host"),
    ("file:a.wav", "absolute path"),
    ("package:///a.wav", "package://NAME/PATH"),
    ("package://a b/c", "space"),
    ("package://sounds", "path"),
    ("package://sounds/../a.wav", "'..'"),
]


@pytest.mark.parametrize("url", ALLOWED)
def test_allowed(url):
    assert url_refusal(url, MEDIA) == ""


@pytest.mark.parametrize(("url", "reason"), REFUSED)
def test_refused(url, reason):
    assert reason in url_refusal(url, MEDIA)


def test_files_need_a_media_folder():
    assert url_refusal("file:///srv/media/a%20b.wav", MEDIA) == ""
    assert url_refusal("file://localhost/opt/sounds/a.wav", MEDIA) == ""
    assert "none is set" in url_refusal("file:///srv/media/a.wav", UrlPolicy())


def test_hosts_can_be_listed():
    policy = UrlPolicy(hosts=frozenset({"a.example"}))
    assert url_refusal("http://A.example/", policy) == ""
    assert "not one of the allowed" in url_refusal("http://b.example/", policy)


def test_trusted_host_may_be_local_and_on_any_port():
    policy = UrlPolicy(
        hosts=frozenset({"a.example"}), trusted_hosts=frozenset({"127.0.0.1", "cloud.local", "::1"})
    )
    for url in ("http://127.0.0.1:41234/x", "http://cloud.local/", "http://[::1]:8000/"):
        assert url_refusal(url, policy) == ""
    assert "user information" in url_refusal("http://u@127.0.0.1/", policy)
    assert url_refusal("http://127.0.0.2/", policy)


def test_schemes_can_be_fewer():
    policy = UrlPolicy(schemes=("https",))
    assert url_refusal("https://a.example/", policy) == ""
    assert "unknown scheme 'http'" in url_refusal("http://a.example/", policy)


@pytest.mark.parametrize(
    ("address", "allowed"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("::ffff:8.8.8.8", True),
        ("64:ff9b::808:808", True),
        ("2002:808:808::", True),
        ("127.0.0.1", False),
        ("100.64.0.1", False),
        ("224.0.0.1", False),
        ("ff0e::1", False),
        ("fe80::1", False),
        ("::", False),
        ("::ffff:10.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
    ],
)
def test_addresses(address, allowed):
    assert (address_refusal(ipaddress.ip_address(address)) == "") == allowed


@given(st.text() | st.text().map(lambda t: "http://" + t) | st.text().map(lambda t: "file:///" + t))
def test_any_text_gets_an_answer(url):
    url_refusal(url, MEDIA)


@given(st.ip_addresses())
def test_address_as_host_gets_the_answer_of_the_address(address):
    host = f"[{address}]" if address.version == 6 else str(address)
    assert url_refusal(f"http://{host}/", MEDIA) == address_refusal(address)


@pytest.mark.parametrize(
    ("url", "trusted", "allowed"),
    [
        ("https://10.0.0.1/", "10.0.0.1:443", True),
        ("http://10.0.0.1/", "10.0.0.1:443", False),
        ("http://10.0.0.1/", "10.0.0.1:80", True),
        ("https://10.0.0.1/", "10.0.0.1:80", False),
        ("http://10.0.0.1:81/", "10.0.0.1:80", False),
        ("http://10.0.0.1:81/", "10.0.0.1:81", True),
        ("http://[fd00::1]/", "[fd00::1]:80", True),
        ("http://[fd00::1]:81/", "[fd00::1]:80", False),
        ("http://[fd00::1]/", "fd00::1:80", False),
    ],
)
def test_a_trusted_port_is_that_port_or_the_one_of_the_scheme(url, trusted, allowed):
    assert (url_refusal(url, UrlPolicy(trusted_hosts=frozenset({trusted}))) == "") is allowed


def test_the_longest_url():
    url = "http://a.example/"
    assert url_refusal(url, UrlPolicy(max_length=len(url))) == ""
    assert "17 characters, 16 is the limit" in url_refusal(url, UrlPolicy(max_length=len(url) - 1))


def test_a_refusal_says_what_would_open_it():
    policy = UrlPolicy(schemes=("https",), opens_http="allow_http", opens_private="trust")
    assert url_refusal("http://a.example/", policy) == "plain http is closed (opened by allow_http)"
    assert "unknown scheme 'ftp'" in url_refusal("ftp://a.example/", policy)
    assert url_refusal("https://127.0.0.1/", policy).endswith("is not a public address (opened by trust)")
    assert url_refusal("https://a.example/", policy) == ""


PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "191.255.255.255",
    "192.0.1.0",
    "192.0.3.0",
    "192.31.195.255",
    "192.31.197.0",
    "192.88.98.255",
    "192.88.100.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "198.51.99.255",
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "223.255.255.255",
    "2000::",
    "2001:200::",
    "2001:db7:ffff::",
    "2001:db9::",
    "2400::",
    "2606:4700::1111",
    "2620:4f:7fff::",
    "2620:4f:8001::",
    "2a00:1450::",
    "3ffe::",
    "3fff:1000::",
    "3fff:ffff::",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
]
NOT_PUBLIC = [
    "0.0.0.0",
    "0.255.255.255",
    "10.0.0.0",
    "10.255.255.255",
    "100.64.0.0",
    "100.127.255.255",
    "127.0.0.1",
    "127.255.255.255",
    "169.254.169.254",
    "172.16.0.0",
    "172.31.255.255",
    "192.0.0.0",
    "192.0.0.9",
    "192.0.0.10",
    "192.0.0.170",
    "192.0.0.192",
    "192.0.0.255",
    "192.0.2.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.88.99.0",
    "192.88.99.1",
    "192.88.99.255",
    "192.168.0.0",
    "192.168.255.255",
    "192.175.48.6",
    "198.18.0.0",
    "198.19.255.255",
    "198.51.100.7",
    "203.0.113.255",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.0",
    "255.255.255.255",
    "::",
    "::1",
    "::2",
    "::10.0.0.1",
    "::8.8.8.8",
    "::ffff:0:808:808",
    "64:ff9b:1::1",
    "64:ff9b:1::808:808",
    "100::1",
    "100:0:0:1::1",
    "200::1",
    "1fff::",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "2001:1::1",
    "2001:2::1",
    "2001:3::1",
    "2001:4:112::1",
    "2001:10::1",
    "2001:20::1",
    "2001:30::1",
    "2001:1ff:ffff::",
    "2001:db8::",
    "2001:db8:ffff::",
    "2620:4f:8000::1",
    "3fff::",
    "3fff:fff::",
    "4000::",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fdff::",
    "fe80::1",
    "fe80::1%eth0",
    "febf::",
    "fec0::1",
    "feff::",
    "ff02::1",
    "ff0e::1",
    "::ffff:10.0.0.1",
    "::ffff:192.0.0.192",
    "::ffff:127.0.0.1",
    "64:ff9b::127.0.0.1",
    "64:ff9b::c000:c0",
    "2002:7f00:1::",
    "2002:c058:6301::",
    "2002:a00:1::1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address):
    assert is_public(ip_address(address))
    assert address_refusal(ip_address(address)) == ""


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_not_public(address):
    assert not is_public(ip_address(address))
    assert "not a public address" in address_refusal(ip_address(address))


@pytest.mark.parametrize("network", [*NOT_PUBLIC_4, *NOT_PUBLIC_6], ids=str)
def test_all_of_a_special_block_is_refused(network):
    assert not is_public(network[0])
    assert not is_public(network[-1])
