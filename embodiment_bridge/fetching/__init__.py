# SPDX-License-Identifier: Apache-2.0
"""Guarded HTTP(S): what documents may make the robot fetch, from where, how long and how much.

Made of the standard library's ``http.client`` and ``ssl``. The guard is in the socket: the address that was checked is
the one that is connected to, every byte counts against one deadline and one size, and all of it can be given up. The
known clients (requests, urllib3, httpx) resolve names themselves, have time-outs per operation and decode
compressed bodies by default; each would have to be opened up to the socket for the same guard.
"""

from embodiment_bridge.fetching.fetcher import Fetcher, Reply
from embodiment_bridge.fetching.rules import FetchError, FetchRules, shown

__all__ = ["FetchError", "FetchRules", "Fetcher", "Reply", "shown"]
