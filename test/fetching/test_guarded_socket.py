# SPDX-License-Identifier: Apache-2.0
"""Limits of what a fetch reads from a connection: the number of bytes, and the time until the first one."""

import socket
import threading

import pytest

from embodiment_bridge.fetching import FetchError
from embodiment_bridge.fetching.connection import GuardedSocket
from embodiment_bridge.fetching.rules import SLICE_S, Deadline

PATIENCE_S = 30.0


@pytest.fixture
def pair():
    ours, theirs = socket.socketpair()
    yield ours, theirs
    ours.close()
    theirs.close()


def guarded(raw, *, first_byte_s=PATIENCE_S, max_bytes=1000):
    return GuardedSocket(raw, Deadline(PATIENCE_S, lambda: False), first_byte_s, max_bytes)


def test_as_many_bytes_as_are_allowed_are_read_and_no_more(pair):
    ours, theirs = pair
    theirs.sendall(b"12345")
    file = guarded(ours, max_bytes=5).makefile("rb")
    assert file.read(5) == b"12345"
    theirs.sendall(b"6")
    with pytest.raises(FetchError, match="more than 5 bytes") as caught:
        file.read(1)
    assert caught.value.code == "TOO_LARGE"


def test_a_first_byte_that_is_late_but_in_time_is_waited_for(pair):
    ours, theirs = pair
    later = threading.Timer(2.5 * SLICE_S, theirs.sendall, [b"x"])
    later.start()
    try:
        assert guarded(ours).makefile("rb").read(1) == b"x"
    finally:
        later.join()


def test_a_first_byte_that_does_not_come_in_time(pair):
    with pytest.raises(FetchError, match=r"did not begin within 0\.05 s") as caught:
        guarded(pair[0], first_byte_s=0.05).makefile("rb").read(1)
    assert caught.value.code == "TIMED_OUT"
