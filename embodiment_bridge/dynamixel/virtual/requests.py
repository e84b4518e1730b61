# SPDX-License-Identifier: Apache-2.0
"""Answers requests to virtual buses, JSON objects a line, on a Unix socket (docs/virtual_servos.md)."""

import contextlib
import json
import select
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from embodiment_bridge.core.closed_on_exit import OwnThread
from embodiment_bridge.core.errors import BridgeError, ConfigError, LinkError, unknown
from embodiment_bridge.dynamixel.virtual.bus import VirtualBus
from embodiment_bridge.dynamixel.virtual.drive import MotorDrive
from embodiment_bridge.dynamixel.virtual.faults import Option, Rule
from embodiment_bridge.dynamixel.virtual.line import VirtualClock
from embodiment_bridge.wire.framing import Line, LineFramer

MAX_FAULTS: Final = 250  # on all buses together
Answer = dict[str, Any]


class ActiveFault(NamedTuple):
    """Represents a fault with its number. id: of the servo; None for any. hits: how often it has struck."""

    fault: int
    kind: str
    id: int | None
    hits: int


class Requests:
    """Answers requests about ``buses`` (by name); any thread may call it."""

    def __init__(self, buses: Mapping[str, VirtualBus]) -> None:
        self._buses = buses
        self._rules: dict[int, tuple[VirtualBus, Rule]] = {}
        self._number = 0
        self._lock = threading.Lock()
        self._known: Mapping[str, Callable[[dict[str, Any]], Answer]] = {
            "fault": self._fault,
            "heal": self._heal,
            "faults": self._faults,
            "snapshot": self._snapshot,
            "statistics": self._statistics,
            "load": self._load,
            "advance": self._advance,
        }

    def answer(self, request: Any) -> Answer:
        """Return ``{"ok": true, ...}``, or ``{"ok": false, "error": ...}`` with the reason; never raises."""
        try:
            if not isinstance(request, dict) or not isinstance(request.get("do"), str):
                raise ConfigError(f'a request is {{"do": ...}} with one of: {", ".join(self._known)}')
            given = dict(request)
            wanted = given.pop("do")
            if wanted not in self._known:
                raise ConfigError(unknown("request", wanted[:80], self._known))
            with self._lock:
                return {"ok": True, **self._known[wanted](given)}
        except BridgeError as error:
            return {"ok": False, "error": str(error)}

    def inject(self, kind: str, options: Mapping[str, Option]) -> int:
        """Begin a fault; returns its number. options: as of the request ``fault``.

        Raises:
            ConfigError: the fault or an option is unknown, or a value is out of its range.
        """
        with self._lock:
            return int(self._fault({"kind": kind, **options})["fault"])

    def heal(self, fault: int | None = None, bus: str = "") -> None:
        """End one fault, or all of a bus (empty: of all buses).

        Raises:
            ConfigError: there is no such fault or bus.
        """
        with self._lock:
            self._heal({"fault": fault, **({"bus": bus} if bus else {})})

    def faults(self) -> list[ActiveFault]:
        """Return the faults that have not ended."""
        with self._lock:
            return self._active()

    def _bus(self, given: dict[str, Any]) -> VirtualBus:
        name = given.pop("bus", None)
        if name is None and len(self._buses) == 1:
            return next(iter(self._buses.values()))
        if not isinstance(name, str) or name not in self._buses:
            raise ConfigError(unknown("bus", str(name)[:80], self._buses))
        return self._buses[name]

    def _fault(self, given: dict[str, Any]) -> Answer:
        bus = self._bus(given)
        self._forget_ended()
        if len(self._rules) >= MAX_FAULTS:
            raise ConfigError(f"there are {MAX_FAULTS} faults already: heal some first")
        kind = given.pop("kind", "")
        rule = bus.inject(kind if isinstance(kind, str) else "", **given)
        self._number += 1
        self._rules[self._number] = (bus, rule)
        return {"fault": self._number}

    def _heal(self, given: dict[str, Any]) -> Answer:
        number = given.pop("fault", None)
        if number is not None:
            if not isinstance(number, int) or number not in self._rules:
                raise ConfigError(unknown("fault", str(number), map(str, self._rules)))
            bus, rule = self._rules.pop(number)
            bus.heal(rule)
            return {}
        named = "bus" in given
        chosen = [self._bus(given)] if named else list(self._buses.values())
        for bus in chosen:
            bus.heal()
        self._rules = {key: pair for key, pair in self._rules.items() if pair[0] not in chosen}
        return {}

    def _forget_ended(self) -> None:
        """Forget the faults that have ended."""
        alive = {id(rule) for bus in self._buses.values() for rule in bus.faults.rules}
        self._rules = {key: pair for key, pair in self._rules.items() if id(pair[1]) in alive}

    def _active(self) -> list[ActiveFault]:
        self._forget_ended()
        return [
            ActiveFault(number, rule.kind, rule.id, rule.hits) for number, (_, rule) in self._rules.items()
        ]

    def _faults(self, given: dict[str, Any]) -> Answer:
        return {"faults": [one._asdict() for one in self._active()]}

    def _snapshot(self, given: dict[str, Any]) -> Answer:
        bus = self._bus(given)
        shot = bus.snapshot()
        if "id" in given:
            bus.servo(given["id"])  # raises with the known ids
            return {"servos": {str(given["id"]): shot[given["id"]]}}
        return {"servos": {str(id): items for id, items in shot.items()}}

    def _statistics(self, given: dict[str, Any]) -> Answer:
        bus = self._bus(given)
        return {**bus.statistics(), "supply_v": round(bus.supply.voltage, 3)}

    def _load(self, given: dict[str, Any]) -> Answer:
        bus = self._bus(given)
        servo = bus.servo(given.get("id", -1))
        torque = _number(given, "torque_nm", 1000.0)
        if not isinstance(servo.drive, MotorDrive):
            raise ConfigError(f"servo {servo.id} belongs to a simulator, which has its own loads")
        servo.drive.load = (lambda position, velocity: torque) if torque else None
        servo.drive.disturb()
        return {}

    def _advance(self, given: dict[str, Any]) -> Answer:
        bus = self._bus(given)
        seconds = _number(given, "seconds", 3600.0)
        if not isinstance(bus.clock, VirtualClock):
            raise ConfigError("the bus runs in real time; only a virtual clock can be advanced")
        bus.clock.advance(seconds)
        return {"now": bus.clock.now()}


def option_value(name: str, text: str) -> Option:
    """Return a fault's option given as text: a number, true, false or null as JSON, else the text itself.

    Raises:
        ConfigError: the text is a list or an object.
    """
    try:
        value: Option = json.loads(text)
    except (ValueError, RecursionError):
        return text
    if isinstance(value, dict | list):
        raise ConfigError(f"option {name!r} is {text[:80]!r}; it must be a number or a word")
    return value


def _number(given: Mapping[str, Any], name: str, upper: float) -> float:
    value = given.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= upper:
        raise ConfigError(f"{name} is {value!r:.80}; it must be a number up to {upper:g}")
    return float(value)


# The control socket of virtual buses: a Unix socket with one JSON object per line for requests and answers.

MAX_LINE: Final = 65536  # bytes
MAX_CLIENTS: Final = 16
POLL_S: Final = 0.2  # after which the thread checks again whether it is to end
TIMEOUT_S: Final = 5.0


class ControlSocket(OwnThread):
    """Listens at ``path`` on a thread of its own, from its construction until ``close``. Only its owner may open it.

    Raises:
        LinkError: it cannot listen at ``path``.
    """

    def __init__(self, path: str, requests: Requests) -> None:
        super().__init__()
        self.path = Path(path)
        self._requests = requests
        self._listener = _listen(self.path)
        self._clients: dict[socket.socket, LineFramer] = {}
        self._start(f"control of servos {path}")

    def close(self) -> None:
        """Stop listening and close all connections."""
        super().close()
        for client in self._clients:
            client.close()
        self._listener.close()
        self.path.unlink(missing_ok=True)

    def _serve(self) -> None:
        while not self._closing.is_set():
            ready, _, _ = select.select([self._listener, *self._clients], (), (), POLL_S)
            for each in ready:
                if each is self._listener:
                    self._accept()
                else:
                    self._serve_client(each)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            client, _ = self._listener.accept()
            if len(self._clients) >= MAX_CLIENTS:
                client.close()
                return
            client.settimeout(TIMEOUT_S)
            self._clients[client] = LineFramer(MAX_LINE)

    def _serve_client(self, client: socket.socket) -> None:
        try:
            data = client.recv(MAX_LINE)
            for line in self._clients[client].feed(data):
                request = _parse(line.text) if isinstance(line, Line) else None
                answer = self._requests.answer(request)
                client.sendall(json.dumps(answer).encode() + b"\n")
        except OSError:
            data = b""
        if not data:
            del self._clients[client]
            client.close()


def ask(path: str, request: dict[str, Any]) -> dict[str, Any]:
    """Send a request to the buses behind a control socket; returns their answer.

    Raises:
        LinkError: the socket does not answer.
        ConfigError: the request is refused; the text gives the reason.
    """
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(TIMEOUT_S)
            client.connect(path)
            client.sendall(json.dumps(request).encode() + b"\n")
            answer = json.loads(client.makefile("rb").readline())
    except (OSError, ValueError) as error:
        raise LinkError(f"{path}: no answer from virtual servos: {error}") from error
    if not isinstance(answer, dict) or not answer.pop("ok", False):
        raise ConfigError(str(answer.get("error") if isinstance(answer, dict) else answer))
    return answer


def _parse(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _listen(path: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    try:
        if path.is_socket() and not _is_served(path):
            path.unlink()  # left behind by a process that was killed
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen()
    except OSError as error:
        listener.close()
        raise LinkError(f"{path}: cannot listen: {error}") from error
    return listener


def _is_served(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(TIMEOUT_S)
        try:
            probe.connect(str(path))
        except OSError:
            return False
        return True
