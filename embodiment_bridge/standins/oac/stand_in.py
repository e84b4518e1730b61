# SPDX-License-Identifier: Apache-2.0
"""Router, Spawner and OACs in one thread, which `embodiment_bridge peer oac` runs."""

import sys
import time
from collections.abc import Callable
from typing import Any, Final

from embodiment_bridge.core.closed_on_exit import OwnThread
from embodiment_bridge.core.errors import ConfigError, unknown
from embodiment_bridge.protocols.opencog.router import wire
from embodiment_bridge.protocols.opencog.xml.events import DIALECTS
from embodiment_bridge.standins.oac.brain import Brain
from embodiment_bridge.standins.oac.router import Router
from embodiment_bridge.standins.oac.router_lines import Incoming
from embodiment_bridge.standins.oac.scripted_plans import Script

TURN: Final = 0.05  # s; a cycle of an OAC
LOADING_S: Final = 0.2  # s; a real one takes about 2
MAX_OACS: Final = 16
UNITS: Final = {"final": 1.0}  # units of length per metre; millimetres elsewhere


class OacPeer(OwnThread):
    """Listens after construction, serves on its own thread, ends with ``close``.

    Args:
        host: where the Router listens.
        port: its TCP port; 0 takes a free one, see ``port``.
        oac: the OAC that runs from the beginning; empty: each is loaded by LOAD_AGENT.
        proxy: the element whose messages that OAC processes; a loaded OAC processes those of its loader.
        script: which plans, see ``scripted_plans.py``. again: start again after the last.
        dialect: seed or final. validating: drop messages that the schema does not allow.
        acks: ack mode. single_actions: send each action of a plan by itself. heartbeat: s.
        verbose: log on standard error what happens.

    Raises:
        LinkError: it cannot listen there.
        ConfigError: there is no such script or dialect.
    """

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        oac: str = "fido",
        proxy: str = "PROXY",
        script: str = "demo",
        again: bool = False,
        dialect: str = "seed",
        validating: bool = True,
        acks: bool = False,
        single_actions: bool = False,
        heartbeat: float = 15.0,
        verbose: bool = False,
        answers: bool = True,
    ) -> None:
        super().__init__()
        if dialect not in DIALECTS:
            raise ConfigError(unknown("dialect", dialect, DIALECTS))
        self._make_script: Callable[[], Script] = lambda: Script(
            script, again=again, unit=UNITS.get(dialect, 1000.0)
        )
        self._make_script()
        self._options: dict[str, Any] = {
            "dialect": dialect,
            "validating": validating,
            "single_actions": single_actions,
        }
        self._verbose = verbose
        self.router = Router(host, port, acks=acks, heartbeat=heartbeat, answers=answers)
        self.host, self.port = self.router.host, self.router.port
        self.brains: dict[str, Brain] = {}
        self._loading: list[tuple[float, str]] = []
        self._jobs: list[Callable[[], None]] = []
        self.router.attach(wire.SPAWNER, self._spawn)
        if oac:
            self._add(oac, proxy)
        self._start("oac")

    def close(self) -> None:
        """Close all connections and stop listening; returns when that is done."""
        super().close()
        self.router.close()

    def do(self, job: Callable[[], None]) -> None:
        """Run a function on the stand-in's own thread, for access to its Router and OACs; returns at once."""
        self._jobs.append(job)

    def restart_oac(self, name: str) -> None:
        """Restart an OAC, which forgets everything. Only on the stand-in's own thread, see ``do``."""
        proxy = self.brains.pop(name).proxy
        self.router.announce(name, False)
        self._add(name, proxy)
        self.router.announce(name, True)
        self._loading.append((time.monotonic() + LOADING_S, name))

    def _serve(self) -> None:
        while not self._closing.is_set():
            self.router.step(TURN)
            while self._jobs:
                self._jobs.pop(0)()
            now = time.monotonic()
            for due, name in list(self._loading):
                if now >= due:
                    self._loading.remove((due, name))
                    self._succeed("LOAD", name)
            for brain in list(self.brains.values()):
                for out in brain.cycle(now):
                    self.router.send(brain.name, brain.proxy, out.type, out.payload)

    def _add(self, name: str, proxy: str) -> None:
        brain = Brain(name, proxy, self._make_script(), say=self._say, **self._options)
        self.brains[name] = brain
        self.router.attach(name, brain.receive)

    def _spawn(self, message: Incoming) -> None:
        match message.payload.decode("utf-8", "replace").split(" "):
            case ["LOAD_AGENT", name, _, _, _] if name in self.brains or len(self.brains) < MAX_OACS:
                self._add(name, message.sender)
                self._loading.append((time.monotonic() + LOADING_S, name))
            case ["UNLOAD_AGENT", name] if name in self.brains:
                self._succeed("UNLOAD", name)
                del self.brains[name]
                self.router.members.pop(name, None)

    def _succeed(self, what: str, name: str) -> None:
        text = f"SUCCESS {what} {name} {name}"
        brain = self.brains.get(name)
        if brain is not None:
            self.router.send(name, brain.proxy, wire.MessageType.STRING, text.encode())

    def _say(self, text: str) -> None:
        if self._verbose:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()
