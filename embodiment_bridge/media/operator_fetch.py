# SPDX-License-Identifier: Apache-2.0
"""The guarded fetcher for the one host of a speech service, which the operator trusts by naming it."""

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.fetching import Fetcher, FetchRules
from embodiment_bridge.media.cloud_speech import MAX_URL, CloudSettings
from embodiment_bridge.media.sources import Fetch


def speech_fetcher(settings: CloudSettings, ca_file: str = "") -> Fetch:
    """Fetches from the host of the template, whatever its address, and from nowhere else.

    ca_file: of certification authorities besides those of the system.

    Raises:
        ConfigError: a key would go over plain http to another machine.
    """
    local = settings.host in ("localhost", "127.0.0.1", "::1")
    if settings.key_variable and not settings.template.startswith("https:") and not local:
        raise ConfigError("the key of a speech service goes over https only")
    hosts = frozenset({settings.host})
    policy = UrlPolicy(("https", "http"), hosts=hosts, trusted_hosts=hosts, max_length=MAX_URL)
    return Fetcher(FetchRules(policy, ca_file=ca_file)).fetch_to
