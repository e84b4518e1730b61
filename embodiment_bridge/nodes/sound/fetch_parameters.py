# SPDX-License-Identifier: Apache-2.0
"""Parameters that say what a robot may fetch for documents. By default it fetches nothing."""

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.parameter import NodeValues, Parameter
from embodiment_bridge.fetching import FetchRules
from embodiment_bridge.fetching.connection import tls_context
from embodiment_bridge.fetching.signature import read_key

PARAMETERS = (
    Parameter(
        "fetch_hosts",
        [""],
        "Host names that documents may fetch from (documents and media); * for every public host.",
        safety=True,
    ),
    Parameter(
        "fetch_private_hosts",
        [""],
        "Hosts, or host:port, that may have inner addresses and other ports than 80 and 443: 127.0.0.1:7830.",
        safety=True,
    ),
    Parameter("fetch_plain_http", False, "Whether http is allowed beside https.", safety=True),
    Parameter(
        "fetch_host_map",
        [""],
        "name=address:port: connect there for that host, which is allowed by it: gxrobot.com=127.0.0.1:7830.",
    ),
    Parameter(
        "fetch_ca_file",
        "",
        "PEM file of certification authorities that https servers may have besides those of the system.",
    ),
    Parameter(
        "signature_key_file",
        "",
        "File of the key by which fetched documents must be signed (X-BML-Signature); empty: they need not be.",
        safety=True,
    ),
    Parameter("fetch_timeout", 10.0, "The longest that fetching a document may take in all, s.", 0.1, 600.0),
    Parameter("fetch_max_bytes", 1 << 20, "Largest document, bytes.", 1, 1 << 20, safety=True),
    Parameter(
        "prefetch",
        5.0,
        "The next document of a chain is fetched so long before its turn, s, where that is known; 0 never.",
        0.0,
        3600.0,
    ),
    Parameter(
        "max_chain", 0, "How often a document may replace the one before in a run; 0: any number.", 0, 10**9
    ),
)


def fetch_rules(values: NodeValues) -> FetchRules:
    """Return the rules that the parameters give.

    Refusals of the policy name the parameter that would allow the fetch.

    Raises:
        ConfigError: a value cannot be used.
    """
    hosts = {_host("fetch_hosts", name) for name in values["fetch_hosts"] or () if name}
    private = {_host("fetch_private_hosts", name) for name in values["fetch_private_hosts"] or () if name}
    host_map = dict(_mapped(entry) for entry in values["fetch_host_map"] or () if entry)
    policy = UrlPolicy(
        schemes=("https", "file", "package", *(("http",) if values["fetch_plain_http"] else ())),
        hosts=None if "*" in hosts else frozenset(hosts),
        trusted_hosts=frozenset(private | host_map.keys()),
        opens_http="parameter fetch_plain_http",
        opens_hosts="parameter fetch_hosts",
        opens_private="parameter fetch_private_hosts",
    )
    ca_file = values["fetch_ca_file"]
    try:
        if ca_file:
            tls_context(ca_file)
    except ConfigError as error:
        raise ConfigError(f"parameter fetch_ca_file: {error}") from error
    return FetchRules(policy, host_map, ca_file=ca_file, opens_ca="parameter fetch_ca_file")


def signature_key(values: NodeValues) -> bytes:
    """Return the key of signatures; empty: documents need no signature.

    Raises:
        ConfigError: its file cannot be read, or is not a key.
    """
    path = values["signature_key_file"]
    return read_key(path, "parameter signature_key_file") if path else b""


def _host(parameter: str, name: str) -> str:
    if "/" in name or "@" in name or name != name.strip():
        raise ConfigError(f"parameter {parameter}: {name!r} is not a host name; URLs are not accepted here")
    return name.lower()


def _mapped(entry: str) -> tuple[str, tuple[str, int]]:
    name, _, place = entry.partition("=")
    address, _, port = place.rpartition(":")
    if not (name and address and port.isdecimal() and len(port) < 6 and 0 < int(port) < 65536):
        raise ConfigError(f"parameter fetch_host_map: {entry!r} is not name=address:port")
    return _host("fetch_host_map", name), (address.strip("[]"), int(port))
