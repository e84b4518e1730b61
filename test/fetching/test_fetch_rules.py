# SPDX-License-Identifier: Apache-2.0
"""The limits of fetches, which docs/requests.md promises, and what is shown of a URL."""

from pathlib import Path

import pytest

from embodiment_bridge.fetching import FetchRules, shown
from embodiment_bridge.fetching.connection import MAX_LOOKUPS
from embodiment_bridge.fetching.fetcher import MAX_DOCUMENT, TOTAL_S

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
