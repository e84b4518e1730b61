# SPDX-License-Identifier: Apache-2.0
"""Guarded HTTP(S): limits what documents may make the robot fetch: from where, for how long and how much.

It uses the standard library's ``http.client`` and ``ssl``. The guard is in the socket: the address that was checked is
the one that is connected to, every byte counts against one deadline and one size limit, and a fetch can be cancelled
at any time. The usual clients (requests, urllib3, httpx) resolve names themselves, have time-outs per operation and
decode compressed bodies by default; the same guard would need changes in each of them down to the socket.
"""

from embodiment_bridge.fetching.fetcher import Fetcher, Reply
from embodiment_bridge.fetching.rules import FetchError, FetchRules, shown

__all__ = ["FetchError", "FetchRules", "Fetcher", "Reply", "shown"]
