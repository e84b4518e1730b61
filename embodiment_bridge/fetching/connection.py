# SPDX-License-Identifier: Apache-2.0
"""Resolves a host once, checks each address, and connects with a limit on time and bytes."""

import http.client
import io
import ipaddress
import queue
import socket
import ssl
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from typing_extensions import Buffer, override

from embodiment_bridge.bml.rules.url_policy import address_refusal, is_trusted
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.core.input_file import MOST_TEXT, check_file
from embodiment_bridge.fetching.rules import SLICE_S, Deadline, FetchError, FetchRules

MAX_LOOKUPS: Final = 8  # at the same time; a resolver that gets no answer keeps its thread for half a minute
MAX_ADDRESSES: Final = 16  # of one name
_lookups = threading.BoundedSemaphore(MAX_LOOKUPS)


@dataclass(frozen=True, slots=True)
class Place:
    """An address to connect to: an IP address as text, and a port."""

    family: int
    address: str
    port: int


def places_of(host: str, port: int, rules: FetchRules, deadline: Deadline) -> list[Place]:
    """The addresses of a host that may be connected to, at least one.

    Raises:
        FetchError: one of the addresses is not allowed, the host has none, or the lookup took too long.
    """
    mapped = rules.host_map.get(host)
    if mapped is not None:
        return _looked_up(*mapped, deadline)
    places = _looked_up(host, port, deadline)
    if not is_trusted(host, port, rules.policy):
        for place in places:
            refusal = address_refusal(ipaddress.ip_address(place.address))
            if refusal:
                hint = rules.policy.hint(rules.policy.opens_private)
                raise FetchError("ADDRESS_REFUSED", f"the host {host[:60]!r} is refused: {refusal}{hint}")
    return places


def _looked_up(host: str, port: int, deadline: Deadline) -> list[Place]:
    found: queue.SimpleQueue[list[Place] | OSError | UnicodeError] = queue.SimpleQueue()
    if not _lookups.acquire(blocking=False):
        raise FetchError("BUSY", f"{MAX_LOOKUPS} names are being looked up already")
    threading.Thread(target=_look_up, args=(host, port, found), name="name lookup", daemon=True).start()
    while True:
        try:
            answer = found.get(timeout=deadline.left(SLICE_S))
        except queue.Empty:
            continue
        if isinstance(answer, Exception):
            raise FetchError("UNKNOWN_HOST", f"{host[:60]!r}: {answer}") from answer
        return answer


def _look_up(host: str, port: int, found: "queue.SimpleQueue[list[Place] | OSError | UnicodeError]") -> None:
    try:
        answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        # Only link-local addresses have a zone (fe80::1%eth0); they are refused, or were given by the operator.
        found.put([Place(family, str(at[0]), port) for family, *_, at in answers[:MAX_ADDRESSES]])
    except (OSError, UnicodeError) as error:
        found.put(error)
    finally:
        _lookups.release()


# OpenSSL's codes for a certificate without a trusted authority.
UNKNOWN_AUTHORITY: Final = (2, 18, 19, 20, 21)
OVERHEAD: Final = 65_536  # bytes of headers and of chunk sizes beside the body; http.client alone takes 6 MB


class GuardedSocket:
    """The part of a socket that ``http.client`` uses."""

    def __init__(self, raw: socket.socket, deadline: Deadline, first_byte_s: float, max_bytes: int) -> None:
        self._raw = raw
        self._deadline = deadline
        self._reader = _Reader(raw, deadline, first_byte_s, max_bytes)

    def sendall(self, data: bytes) -> None:
        """Send within the deadline."""
        self._raw.settimeout(self._deadline.left(self._deadline.total_s))
        self._raw.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        """The received bytes as a file."""
        return io.BufferedReader(self._reader)

    def close(self) -> None:
        """Do nothing: ``http.client`` calls this before it reads a reply after which the server hangs up."""

    def hang_up(self) -> None:
        """Close the connection."""
        self._raw.close()


class _Reader(io.RawIOBase):
    """Reads a socket; fails at the deadline, when the first byte is late, and after ``max_bytes``."""

    def __init__(self, raw: socket.socket, deadline: Deadline, first_byte_s: float, max_bytes: int) -> None:
        super().__init__()
        self._raw = raw
        self._deadline = deadline
        self._first_byte_s = first_byte_s
        self._first_by = time.monotonic() + first_byte_s
        self._max_bytes = self._bytes_left = max_bytes
        self._began = False

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: Buffer) -> int:
        while True:
            self._raw.settimeout(self._deadline.left(SLICE_S))
            try:
                count = self._raw.recv_into(buffer)
            except TimeoutError:
                if not self._began and time.monotonic() > self._first_by:
                    text = f"the reply did not begin within {self._first_byte_s:g} s"
                    raise FetchError("TIMED_OUT", text) from None
                continue
            self._began = True
            self._bytes_left -= count
            if self._bytes_left < 0:
                raise FetchError(
                    "TOO_LARGE", f"the reply has more than {self._max_bytes} bytes, headers included"
                )
            return count


class GuardedConnection(http.client.HTTPConnection):
    """A connection for one request to an address that was checked before."""

    def __init__(self, host: str, port: int, *, secure: bool) -> None:
        super().__init__(host, port)
        self.default_port = 443 if secure else 80  # which the Host header leaves out
        self._secure = secure

    def reach(self, places: Sequence[Place], rules: FetchRules, deadline: Deadline, max_bytes: int) -> None:
        """Connect to the first of the places that answers.

        Raises:
            FetchError: none answers, or TLS fails.
        """
        raw = _connected(places, rules, deadline)
        try:
            if self._secure:
                raw.settimeout(deadline.left(rules.first_byte_s))
                raw = tls_context(rules.ca_file).wrap_socket(raw, server_hostname=self.host)
        except OSError as error:
            raw.close()
            if isinstance(error, FetchError):
                raise
            hint = rules.policy.hint(rules.opens_ca) if _is_unknown_authority(error) else ""
            raise FetchError("UNREACHABLE", f"no TLS with {self.host[:60]!r}: {error}{hint}") from error
        self._guarded = GuardedSocket(raw, deadline, rules.first_byte_s, max_bytes + OVERHEAD)
        self.sock = self._guarded

    def hang_up(self) -> None:
        """Close what ``reach`` opened."""
        self.close()
        self._guarded.hang_up()

    @override
    def connect(self) -> None:
        """Raises FetchError: ``http.client`` must not connect by itself, because it would resolve the name again."""
        raise FetchError("BROKEN_REPLY", "the connection was closed")


@cache
def tls_context(ca_file: str = "") -> ssl.SSLContext:
    """TLS 1.2 or newer with the certificates of the system and of ``ca_file``; cached, as it takes a tenth of a second.

    Raises:
        ConfigError: the file cannot be read, or has no certificate.
    """
    context = ssl.create_default_context()
    if ca_file:
        check_file(Path(ca_file), MOST_TEXT, "certificates of")
        try:
            context.load_verify_locations(ca_file)
        except OSError as error:  # ssl.SSLError is one
            raise ConfigError(f"certificates of {ca_file}: {error.strerror or error}") from error
    return context


def _is_unknown_authority(error: OSError) -> bool:
    return isinstance(error, ssl.SSLCertVerificationError) and error.verify_code in UNKNOWN_AUTHORITY


def _connected(places: Sequence[Place], rules: FetchRules, deadline: Deadline) -> socket.socket:
    reasons = []
    for place in places:
        raw = socket.socket(place.family, socket.SOCK_STREAM)
        try:
            raw.settimeout(deadline.left(rules.connect_s))
            raw.connect((place.address, place.port))
        except OSError as error:
            raw.close()
            if isinstance(error, FetchError):
                raise
            reasons.append(f"{place.address} port {place.port}: {error}")
        else:
            return raw
    raise FetchError("UNREACHABLE", "; ".join(reasons) or "the host has no address")
