# SPDX-License-Identifier: Apache-2.0
"""Speech by piper, a neural speech program, with a voice file of the user.

piper is under the GPL-3.0: it runs as a program of its own.
"""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from typing_extensions import override

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.media.files.marks import Marks
from embodiment_bridge.media.speech.store import Cancelled, Speaker, SpeechError, Spoken

LONGEST_S, LOOK_S = 60.0, 0.05


class PiperSpeaker(Speaker):
    """A ``Speaker`` that runs piper once for each text. piper gives no marks.

    Raises:
        ConfigError: the voice file or the program does not exist.
    """

    def __init__(self, command: str, model: str, environment: Mapping[str, str]) -> None:
        if not model or not Path(model).is_file():
            raise ConfigError(f"piper needs a voice file (parameter piper_model); {model!r} is not a file")
        if shutil.which(command, path=environment.get("PATH")) is None:
            raise ConfigError(f"piper's program (parameter piper_command) {command!r} is not found")
        self._command, self._model, self._environment = command, model, environment

    @property
    @override
    def identity(self) -> str:
        return f"piper {Path(self._model).resolve()}"

    @override
    def speak(self, spoken: Spoken, path: Path, cancelled: Cancelled) -> tuple[str, Marks]:
        """Speak a text; it goes to standard input, on one line, because piper speaks each line by itself."""
        words = [self._command, "--model", self._model, "--output_file", str(path)]
        words += ["--length_scale", f"{1 / spoken.rate:.4g}"]
        try:
            process = subprocess.Popen(
                words,
                env=dict(self._environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise LinkError(f"piper cannot be started: {error}") from error
        text: bytes | None = " ".join(spoken.text.split()).encode() + b"\n"
        for _ in range(round(LONGEST_S / LOOK_S)):
            try:
                process.communicate(text, timeout=LOOK_S)
                break
            except subprocess.TimeoutExpired:
                text = None  # it has been written
                if cancelled():
                    break
        if process.poll() is None:
            process.kill()
            process.communicate()
            raise SpeechError("canceled" if cancelled() else f"piper took over {LONGEST_S:g} s")
        if process.returncode != 0:
            raise SpeechError(f"piper ended with code {process.returncode}")
        return ".wav", Marks()

    @override
    def close(self) -> None:
        """Do nothing: the program ends after each text."""
