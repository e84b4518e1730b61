# SPDX-License-Identifier: Apache-2.0
"""What the parameters open, and that every refusal names the one that does."""

import re
from pathlib import Path

import pytest

from embodiment_bridge.bml.rules.url_policy import url_refusal
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.nodes.sound.fetch_parameters import PARAMETERS, fetch_rules
from embodiment_bridge.nodes.tree import bml_server
from embodiment_bridge.nodes.tree.bml_server import start_document

CLOSED = {parameter.name: parameter.default for parameter in PARAMETERS}
PAGE = (Path(__file__).parents[2] / "docs/requests.md").read_text(encoding="utf-8")
SEED = "http://gxrobot.com/reqest?type=next"


def refusal(url, **values):
    return url_refusal(url, fetch_rules({**CLOSED, **values}).policy)


@pytest.mark.parametrize(
    ("url", "values", "named"),
    [
        (SEED, {}, "parameter fetch_plain_http"),
        (SEED, {"fetch_plain_http": True}, "parameter fetch_hosts"),
        ("https://a.example:8443/", {"fetch_hosts": ["a.example"]}, "parameter fetch_private_hosts"),
        ("https://127.0.0.1/", {"fetch_hosts": ["*"]}, "parameter fetch_private_hosts"),
        ("https://localhost/", {"fetch_hosts": ["*"]}, "parameter fetch_private_hosts"),
    ],
)
def test_refusal_names_what_opens(url, values, named):
    assert named in refusal(url, **values)


@pytest.mark.parametrize(
    ("url", "values"),
    [
        ("https://a.example/", {"fetch_hosts": ["A.Example"]}),
        ("https://b.example/", {"fetch_hosts": ["*"]}),
        (SEED, {"fetch_plain_http": True, "fetch_hosts": ["gxrobot.com"]}),
        (SEED, {"fetch_plain_http": True, "fetch_host_map": ["gxrobot.com=127.0.0.1:7830"]}),
        ("https://127.0.0.1:7830/", {"fetch_private_hosts": ["127.0.0.1:7830"]}),
        ("https://127.0.0.1:1/", {"fetch_private_hosts": ["127.0.0.1"]}),
        ("https://[::1]:7830/", {"fetch_private_hosts": ["[::1]:7830"]}),
        ("https://robot.local/", {"fetch_private_hosts": ["robot.local"]}),
    ],
)
def test_opened(url, values):
    assert refusal(url, **values) == ""


@pytest.mark.parametrize(
    ("url", "values"),
    [
        ("https://b.example/", {"fetch_hosts": ["a.example"]}),
        ("https://a.example.b.example/", {"fetch_hosts": ["a.example"]}),
        ("https://127.0.0.1:22/", {"fetch_private_hosts": ["127.0.0.1:7830"]}),
        ("https://169.254.169.254/", {"fetch_hosts": ["*"], "fetch_private_hosts": ["127.0.0.1"]}),
        ("file:///etc/passwd", {"fetch_hosts": ["*"]}),
    ],
)
def test_still_closed(url, values):
    assert refusal(url, **values)


@pytest.mark.parametrize("entry", ["a", "a=b", "a=b:x", "a=b:0", "a=b:65536", "=b:1", "a=:1", "a/b=c:1"])
def test_bad_host_map(entry):
    with pytest.raises(ConfigError, match="fetch_host_map"):
        fetch_rules({**CLOSED, "fetch_host_map": [entry]})


@pytest.mark.parametrize("name", ["https://a.example", "u@a.example", " a.example"])
@pytest.mark.parametrize("parameter", ["fetch_hosts", "fetch_private_hosts"])
def test_a_host_is_no_url(parameter, name):
    with pytest.raises(ConfigError, match=parameter):
        fetch_rules({**CLOSED, parameter: [name]})


def test_host_map_of_an_ipv6_address():
    rules = fetch_rules({**CLOSED, "fetch_host_map": ["a.example=[::1]:80"]})
    assert rules.host_map == {"a.example": ("::1", 80)}


def test_start_document(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("{}")
    nothing = {"start_url": "", "start_file": ""}
    assert start_document(nothing) == ""
    assert start_document({**nothing, "start_file": str(path)}) == "{}"
    assert '"url": "https://a.example/"' in start_document({**nothing, "start_url": "https://a.example/"})


@pytest.mark.parametrize(
    ("content", "url", "text"),
    [
        (None, "", "No such file"),
        (b"\xff", "", "not UTF-8, at byte 0"),
        (b" " * (bml_server.MAX_BYTES + 1), "", "1048577 bytes are more than the limit of 1048576"),
        (b"{}", "https://a.example/", "only one of them"),
    ],
)
def test_bad_start_file(tmp_path, content, url, text):
    path = tmp_path / "a.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=text):
        start_document({"start_url": url, "start_file": str(path)})


def test_the_page_has_every_parameter():
    named = set(re.findall(r"`([a-z_]+)`", PAGE))
    assert {parameter.name for parameter in (*PARAMETERS, *bml_server.PARAMETERS)} <= named
