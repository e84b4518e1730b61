# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that is driven over its DevTools protocol."""

import base64
import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import time
import urllib.request
from pathlib import Path

import numpy as np
import websocket
from PIL import Image
from waiting import SIMULATION, until

from embodiment_bridge.launching.environment import of_outside_program

FLAGS = (
    "--headless", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--mute-audio", "--remote-debugging-port=0", "--remote-allow-origins=*",
    "--disable-dev-shm-usage",
)  # fmt: skip


def find_chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Chromium:
    """A context manager; the browser and all of its processes are gone at the end."""

    def __init__(self, folder: Path, size=(900, 600), more_flags=()):
        self._folder, self._size, self._more_flags = folder, size, more_flags
        self.asked = []  # addresses that the page asked for
        self._count = 0

    def __enter__(self):
        own = (f"--user-data-dir={self._folder}", f"--window-size={self._size[0]},{self._size[1]}")
        flags = [*FLAGS, *own, *self._more_flags]
        self._process = subprocess.Popen(
            [find_chromium(), *flags, "about:blank"],
            env=of_outside_program(os.environ) | {"HOME": str(self._folder)},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            self._socket = websocket.create_connection(self._address(), timeout=SIMULATION)
            self.call("Network.enable")
            self.call("Page.enable")
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_):
        self._socket.close()
        self._end()

    def _end(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _address(self):
        port_file = self._folder / "DevToolsActivePort"
        deadline = time.monotonic() + SIMULATION
        while not (port_file.is_file() and port_file.read_text().count("\n")):
            assert self._process.poll() is None, "chromium has ended"
            assert time.monotonic() < deadline, "chromium does not start"
            time.sleep(0.05)
        port = port_file.read_text().split()[0]
        while True:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=SIMULATION) as answer:
                pages = [page for page in json.load(answer) if page["type"] == "page"]
            if pages:
                return pages[0]["webSocketDebuggerUrl"]
            assert time.monotonic() < deadline, "chromium has no page"
            time.sleep(0.05)

    def call(self, method, **parameters):
        self._count += 1
        number = self._count
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("method") in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                about = message["params"]
                self.asked.append(about.get("url") or about["request"]["url"])
            if message.get("id") == number:
                assert "error" not in message, message
                return message["result"]

    def open(self, url):
        self.call("Page.navigate", url=url)

    def text(self):
        """All that can be read on the page."""
        return self.value("document.body.innerText") or ""

    def value(self, expression):
        """Of a script in the page, under the page's own rules; of a promise what it becomes, None for what has none."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True,
            allowUnsafeEvalBlockedByCSP=False,
        )  # fmt: skip
        return answer["result"].get("value")

    def until(self, condition, what, between=lambda: time.sleep(0.1)):
        """Wait until the condition holds; ``between`` goes before each look."""
        until(
            lambda: between() or condition(),
            lambda: f"{what}; the page says {self.text()!r}",
            SIMULATION,
        )

    def screenshot(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def picture(self):
        """A screenshot, (height, width, 3), 0 to 255."""
        with Image.open(io.BytesIO(self.screenshot())) as image:
            return np.asarray(image.convert("RGB"), dtype=np.int16)
