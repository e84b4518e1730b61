# SPDX-License-Identifier: Apache-2.0
"""Resolves a host name to the addresses that may be connected to. It is resolved once, and each address is checked."""

import ipaddress
import queue
import socket
import threading
from dataclasses import dataclass
from typing import Final

from embodiment_bridge.bml.rules.url_policy import address_refusal, is_trusted
from embodiment_bridge.fetching.deadline import SLICE_S, Deadline
from embodiment_bridge.fetching.rules import FetchError, FetchRules

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
