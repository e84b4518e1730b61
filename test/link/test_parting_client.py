# SPDX-License-Identifier: Apache-2.0
"""A client that leaves without harm: it says so first, and takes what is still sent."""

import socket
import threading

import pytest
from waiting import THREAD

from embodiment_bridge.link.transports import tcp
from embodiment_bridge.link.transports.tcp import PartingClient


def serve(listener, talk):
    thread = threading.Thread(target=lambda: talk(listener.accept()[0]))
    thread.start()
    return thread


def test_server_can_send_until_it_has_heard_that_the_client_leaves():
    after = []

    def talk(link):
        with link:
            link.sendall(b"hello")
            while link.recv(100):
                pass
            link.sendall(b"one more that was under way" * 1000)  # this would break on a closed connection
            link.sendall(b"and another" * 1000)
            after.append("sent")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = serve(listener, talk)
        client = PartingClient(*listener.getsockname())
        assert client.read(THREAD)
        drop = client._drop
        client._drop = lambda timeout: drop(THREAD if timeout else 0.0)  # the server may be slow
        client.close()
        client.close()
        thread.join(THREAD)
    assert after == ["sent"]


def test_client_leaves_right_after_the_server_has_sent_something(monkeypatch):
    monkeypatch.setattr(tcp, "PARTING", THREAD)
    left, closing = [], threading.Event()

    def talk(link):
        with link:
            link.sendall(b"old")
            assert closing.wait(THREAD)
            link.settimeout(0.1)
            with pytest.raises(TimeoutError):  # the client waits for what comes next
                link.recv(100)
            link.settimeout(THREAD)
            link.sendall(b"new")
            left.append(link.recv(100))

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = serve(listener, talk)
        client = PartingClient(*listener.getsockname())
        assert client.read(THREAD) == b"old"
        drop = client._drop

        def dropped(timeout):
            drop(timeout)
            closing.set()

        client._drop = dropped
        client.close()
        thread.join(THREAD)
    assert left == [b""]


def test_server_that_goes_on_sending_is_left_at_last():
    broken = []

    def talk(link):
        with link:
            try:
                while True:
                    link.sendall(b"x" * 1000)
            except OSError:
                broken.append(True)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = serve(listener, talk)
        client = PartingClient(*listener.getsockname())
        client.close()
        thread.join(THREAD)
    assert broken


def test_silent_server_is_left():
    ended = threading.Event()

    def talk(link):
        with link:
            ended.wait(THREAD)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = serve(listener, talk)
        PartingClient(*listener.getsockname()).close()
        ended.set()
        thread.join(THREAD)
