# SPDX-License-Identifier: Apache-2.0
"""A program that plays files through GStreamer's playbin, worked by JSON lines; uses the standard library and gi only.

    python3 gstreamer_helper.py [SINK]        SINK: a GStreamer sink, e.g. fakesink; default autoaudiosink

It is told, one JSON object per line, ``do`` being

    play     id, path, volume (0 to 1), fade (s)      a regular file, from its beginning
    pause resume   id                                 answered by paused, playing
    stop     id, fade (s)                             fades out, then stopped
    volume   id, volume
    quit                                              as the end of its input does

and tells ``event``: ready (sound: whether there is a device), playing, paused, ended, stopped, failed (reason),
position (position, length: s; five times a second). Only files are opened: every element that could open anything
else, also out of a playlist, is taken out of GStreamer's registry first.
"""

import json
import os
import sys
from typing import Any

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

PLAY_AUDIO, SOFT_VOLUME = 0x2, 0x10  # of playbin's flags
TELL_MS = 200
FADE_STEP_MS = 10
MAX_LINE = 100_000
PIPELINES = 16
# Formats that are lists of other places to open.
LISTS = ("hlsdemux", "hlsdemux2", "dashdemux", "dashdemux2", "mssdemux", "mssdemux2", "sdpdemux", "sdpsrc")


def tell(**message: Any) -> None:
    """One line to whoever started us."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def open_files_only() -> None:
    """Take out of the registry what could open anything but a file."""
    registry = Gst.Registry.get()
    for factory in registry.get_feature_list(Gst.ElementFactory):
        opens = factory.get_uri_type() == Gst.URIType.SRC and factory.get_name() != "filesrc"
        if opens or factory.get_name() in LISTS:
            registry.remove_feature(factory)


def has_device(name: Any) -> bool:
    """Whether this sink reaches a sound device; autoaudiosink falls back to a fakesink of its own."""
    sink = Gst.ElementFactory.make(name, None)
    if sink is None:
        return False
    ready = sink.set_state(Gst.State.READY) != Gst.StateChangeReturn.FAILURE
    inner = []
    if isinstance(sink, Gst.Bin):
        children = sink.iterate_elements()
        while True:
            result, element = children.next()
            if result != Gst.IteratorResult.OK:
                break
            inner.append(element.get_factory().get_name())
    sink.set_state(Gst.State.NULL)
    return ready and "fakesink" not in (name, *inner)


class Sound:
    """One pipeline."""

    def __init__(self, sounds: Any, wish: Any, sink_name: Any) -> None:
        self.sounds = sounds
        self.id = wish["id"]
        self.wanted = Gst.State.PLAYING
        self.volume = float(wish.get("volume", 1.0))
        self.gain = 1.0  # of fading
        self.fading = 0
        self.bin = Gst.ElementFactory.make("playbin", None)
        sink = Gst.ElementFactory.make(sink_name, None)
        if self.bin is None or sink is None:
            raise RuntimeError(f"GStreamer has no playbin or no {sink_name} here")
        if sink_name == "fakesink":
            sink.set_property("sync", True)
        self.bin.set_property("audio-sink", sink)
        self.bin.set_property("flags", PLAY_AUDIO | SOFT_VOLUME)
        self.bin.set_property("uri", Gst.filename_to_uri(wish["path"]))
        bus = self.bin.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)
        fade = float(wish.get("fade", 0.0))
        if fade > 0:
            self.gain = 0.0
            self.fade(1.0, fade)
        self.apply()
        self.bin.set_state(Gst.State.PLAYING)

    def apply(self) -> None:
        """The volume, faded."""
        self.bin.set_property("volume", max(0.0, min(1.0, self.volume * self.gain)))

    def fade(self, goal: Any, seconds: Any, then: Any = None) -> None:
        """Bring the gain to ``goal``."""
        if self.fading:
            GLib.source_remove(self.fading)
        steps = max(1, round(seconds * 1000 / FADE_STEP_MS))
        change = (goal - self.gain) / steps

        def step() -> bool:
            self.gain = min(1.0, max(0.0, self.gain + change))
            self.apply()
            if abs(self.gain - goal) > 1e-6:
                return True
            self.fading = 0
            if then is not None:
                then()
            return False

        self.fading = GLib.timeout_add(FADE_STEP_MS, step)

    def set(self, state: Any) -> None:
        """Pause or go on."""
        self.wanted = state
        if self.bin.set_state(state) == Gst.StateChangeReturn.SUCCESS:
            self.tell_state(state)  # at once: there may be no message of it

    def tell_state(self, state: Any) -> None:
        """Playing or paused, and where."""
        if state == self.wanted:
            position, length = self.where()
            tell(
                event="playing" if state == Gst.State.PLAYING else "paused",
                id=self.id, position=position, length=length,
            )  # fmt: skip

    def where(self) -> "tuple[float, float]":
        """(position, length) in s; a length of -1 is not known."""
        there, position = self.bin.query_position(Gst.Format.TIME)
        known, length = self.bin.query_duration(Gst.Format.TIME)
        return (position / Gst.SECOND if there else 0.0, length / Gst.SECOND if known else -1.0)

    def stop(self, seconds: Any) -> None:
        """Fade out and end."""
        if seconds > 0 and self.wanted == Gst.State.PLAYING:
            self.fade(0.0, seconds, lambda: self.end(event="stopped"))
        else:
            self.end(event="stopped")

    def end(self, **message: Any) -> None:
        """Release everything, and tell why."""
        if self.sounds.pop(self.id, None) is None:
            return
        if self.fading:
            GLib.source_remove(self.fading)
            self.fading = 0
        position, _ = self.where()
        self.bin.set_state(Gst.State.NULL)
        self.bin.get_bus().remove_signal_watch()
        tell(id=self.id, position=position, **message)

    def on_message(self, _: Any, message: Any) -> None:
        """What the pipeline says."""
        if message.type == Gst.MessageType.EOS:
            self.end(event="ended")
        elif message.type == Gst.MessageType.ERROR:
            error, _ = message.parse_error()
            self.end(event="failed", reason=error.message)
        elif message.type == Gst.MessageType.STATE_CHANGED and message.src is self.bin:
            _, new, _ = message.parse_state_changed()
            if new in (Gst.State.PLAYING, Gst.State.PAUSED) and new == self.wanted:
                self.tell_state(new)


class Program:
    """All sounds, and the loop."""

    def __init__(self, sink_name: Any) -> None:
        self.sink_name = sink_name
        self.sounds: dict[str, Sound] = {}
        self.loop = GLib.MainLoop()
        self.unread = b""

    def run(self) -> None:
        """Serve until the end of the input."""
        GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN | GLib.IO_HUP, self.on_input)
        GLib.timeout_add(TELL_MS, self.tell_positions)
        tell(event="ready", sound=has_device(self.sink_name), version=Gst.version_string())
        self.loop.run()
        for sound in list(self.sounds.values()):
            sound.end(event="stopped")

    def on_input(self, descriptor: Any, _: Any) -> bool:
        """Lines; the end of the input is the end of this program."""
        chunk = os.read(descriptor, 65536)
        if not chunk:
            self.loop.quit()
            return False
        *lines, self.unread = (self.unread + chunk).split(b"\n")
        if len(self.unread) > MAX_LINE:
            self.loop.quit()
            return False
        for line in lines:
            self.take(line)
        return True

    def take(self, line: Any) -> None:
        """One command."""
        wish = {}
        try:
            wish = json.loads(line)
            self.do(wish)
        except Exception as error:  # noqa: BLE001 - told, and the other sounds go on
            tell(event="failed", id=wish.get("id", "") if isinstance(wish, dict) else "", reason=str(error))

    def do(self, wish: Any) -> None:
        """What a command says."""
        action, sound = wish["do"], self.sounds.get(wish.get("id"))
        if action == "quit":
            self.loop.quit()
        elif action == "play":
            if len(self.sounds) >= PIPELINES:
                raise RuntimeError(f"{PIPELINES} sounds play at once already")
            self.sounds[wish["id"]] = Sound(self.sounds, wish, self.sink_name)
        elif sound is None:
            return  # it has just ended by itself, and that was told
        elif action in ("pause", "resume"):
            sound.set(Gst.State.PAUSED if action == "pause" else Gst.State.PLAYING)
        elif action == "stop":
            sound.stop(float(wish.get("fade", 0.0)))
        elif action == "volume":
            sound.volume = float(wish["volume"])
            sound.apply()

    def tell_positions(self) -> bool:
        """Where everything is that plays."""
        for sound in self.sounds.values():
            if sound.wanted == Gst.State.PLAYING:
                position, length = sound.where()
                tell(event="position", id=sound.id, position=position, length=length)
        return True


def main() -> None:
    """See the text at the top."""
    Gst.init(None)
    open_files_only()
    Program(sys.argv[1] if len(sys.argv) > 1 else "autoaudiosink").run()


if __name__ == "__main__":
    main()
