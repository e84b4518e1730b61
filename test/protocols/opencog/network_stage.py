# SPDX-License-Identifier: Apache-2.0
"""A Router on a thread, a proxy on a session, and somebody who notes what is heard."""

import threading
import time
from contextlib import contextmanager

from waiting import THREAD, until

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.link.session import Phase, Session
from embodiment_bridge.protocols.opencog.network.element import Address, Element
from embodiment_bridge.protocols.opencog.network.outbox import Kind, Letter, Outbox
from embodiment_bridge.protocols.opencog.network.proxy import Habits, Oac, Proxy
from embodiment_bridge.standins.oac.router import Router


class RunningRouter:
    """Serves on a thread; ``got`` are the messages for the element fido, which is part of it."""

    def __init__(self, port=0, **options):
        self.router = Router("127.0.0.1", port, **options)
        self.port = self.router.port
        self.got = []
        self.router.attach("fido", self.got.append)
        self.router.attach("SPAWNER", self.got.append)
        self._closing = threading.Event()
        self._jobs = []
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self):
        while not self._closing.is_set():
            self.router.step(0.01)
            while self._jobs:
                self._jobs.pop(0)()

    def do(self, job):
        done = threading.Event()
        self._jobs.append(lambda: (job(), done.set()))
        assert done.wait(THREAD)

    def say(self, text, kind=1, sender="fido"):
        self.do(lambda: self.router.send(sender, "PROXY", kind, text.encode()))

    def texts(self, kind=1):
        return [message.payload.decode() for message in list(self.got) if message.type == kind]

    def close(self):
        self._closing.set()
        self._thread.join()
        self.router.close()


class Notes:
    """A listener that notes."""

    def __init__(self):
        self.heard, self.presence, self.ticks = [], [], 0

    def hear(self, message):
        self.heard.append((message.sender, message.type, message.payload.decode()))

    def met(self, oac, *, anew):
        self.presence.append((oac, "anew" if anew else "met"))

    def missed(self, oac):
        self.presence.append((oac, "missed"))

    def about_to_tick(self, oac):
        self.ticks += 1


class RunningProxy:
    """A proxy with an OAC fido, connected to a Router."""

    def __init__(
        self, port, *, acks=False, silence=60.0, oacs=None, start=True, handshake_timeout=10.0, **habits
    ):
        self.element = Element(Address("PROXY", router_port=port), acks=acks, silence=silence)
        self.outbox = Outbox(self.element.wake)
        self.notes = Notes()
        self.statuses = []
        habits = Habits(**{"tick_period": 0.0, "return_time": 0.2, **habits})
        oacs = [Oac("fido")] if oacs is None else oacs
        self.proxy = Proxy(self.element, self.outbox, oacs, self.notes, habits, time.perf_counter)
        self.session = Session(
            self.element.open_link,
            self.proxy,
            self.statuses.append,
            handshake_timeout=handshake_timeout,
            wait=lambda s: threading.Event().wait(min(s, 0.05)),
        )
        if start:
            self.session.start()

    @property
    def ready(self):
        return self.session.status.phase is Phase.READY

    def put(self, text, kind=Kind.RESULT, to="fido"):
        self.outbox.put(Letter(to, text.encode, kind))

    def close(self):
        self.session.stop()
        self.element.close()


@contextmanager
def network(acks=False, router_options=None, **options):
    router = RunningRouter(acks=acks, **(router_options or {}))
    try:
        proxy = RunningProxy(router.port, acks=acks, **options)
        try:
            until(
                lambda: "PROXY" in router.router.members
            )  # without acks a proxy is ready before it is known
            yield router, proxy
        finally:
            proxy.close()
    finally:
        router.close()


def restart(port, **options):
    """A Router on a port that one has just left."""
    deadline = time.monotonic() + THREAD
    while True:
        try:
            return RunningRouter(port, **options)
        except LinkError:
            assert time.monotonic() < deadline
            time.sleep(0.02)
