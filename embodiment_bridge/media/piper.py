# SPDX-License-Identifier: Apache-2.0
"""piper, a neural speech program, with a voice file of the user's (GPL-3.0: it stays a program of its own)."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.media.marks import Marks
from embodiment_bridge.media.speech import Cancelled, SpeechError, Spoken

LONGEST_S, LOOK_S = 60.0, 0.05


class PiperSpeaker:
    """A ``Speaker``: one run of the program for each text. piper tells no marks.

    Raises:
        ConfigError: there is no voice file, or no such program.
    """

    def __init__(self, command: str, model: str, environment: Mapping[str, str]) -> None:
        if not model or not Path(model).is_file():
            raise ConfigError(
                f"piper needs a voice file (parameter piper_model); {model or 'none'} is no file"
            )
        if shutil.which(command, path=environment.get("PATH")) is None:
            raise ConfigError(f"piper's program (parameter piper_command) {command!r} is not there")
        self._command, self._model, self._environment = command, model, environment

    @property
    def identity(self) -> str:
        """See ``Speaker``."""
        return f"piper {Path(self._model).resolve()}"

    def speak(self, spoken: Spoken, path: Path, cancelled: Cancelled) -> tuple[str, Marks]:
        """See ``Speaker``; the text goes through standard input, on one line."""
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
                text = None  # it is on its way
                if cancelled():
                    break
        if process.poll() is None:
            process.kill()
            process.communicate()
            raise SpeechError("canceled" if cancelled() else f"piper took over {LONGEST_S:g} s")
        if process.returncode != 0:
            raise SpeechError(f"piper ended with code {process.returncode}")
        return ".wav", Marks()

    def close(self) -> None:
        """See ``Speaker``; nothing is left running."""
