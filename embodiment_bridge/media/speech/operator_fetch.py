# SPDX-License-Identifier: Apache-2.0
"""The guarded fetcher for the host of a speech service; the operator trusts that host by naming it."""

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.fetching import Fetcher, FetchRules
from embodiment_bridge.media.files.sources import Fetch
from embodiment_bridge.media.speech.cloud import MAX_URL, CloudSettings


def speech_fetcher(settings: CloudSettings, ca_file: str = "") -> Fetch:
    """A fetcher for the host of the template, whatever its address, and for no other host.

    ca_file: PEM file of certification authorities that are trusted besides those of the system; empty: none.

    Raises:
        ConfigError: the key would be sent to another machine without https.
    """
    local = settings.host in ("localhost", "127.0.0.1", "::1")
    if settings.key_variable and not settings.template.startswith("https:") and not local:
        raise ConfigError("the key of a speech service is sent over https only")
    hosts = frozenset({settings.host})
    policy = UrlPolicy(("https", "http"), hosts=hosts, trusted_hosts=hosts, max_length=MAX_URL)
    return Fetcher(FetchRules(policy, ca_file=ca_file)).fetch_to
