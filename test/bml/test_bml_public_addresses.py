# SPDX-License-Identifier: Apache-2.0
"""Which addresses a document may name: a table, the same on every Python."""

from ipaddress import ip_address

import pytest

from embodiment_bridge.bml.rules.url_policy import NOT_PUBLIC_4, NOT_PUBLIC_6, address_refusal, is_public

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
