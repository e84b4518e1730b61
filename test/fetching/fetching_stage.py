# SPDX-License-Identifier: Apache-2.0
"""Fetches that must fail."""

import pytest

from embodiment_bridge.fetching import FetchError


def refused(fetcher, url, **options):
    """The error with which a fetch ends."""
    with pytest.raises(FetchError) as caught:
        fetcher.fetch_bytes(url, **options)
    return caught.value
