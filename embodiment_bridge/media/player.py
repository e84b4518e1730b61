# SPDX-License-Identifier: Apache-2.0
"""The player: named channels with one sound on each; a newer sound takes the channel.

All methods return at once and are called on one thread; ``poll`` processes what loader and output have done
meanwhile. A sound is paused by a command or while its owner holds, and plays otherwise.
"""

import re
from collections.abc import Callable
from concurrent.futures import Future
from math import ceil

from embodiment_bridge.bml.base.texts import words_of
from embodiment_bridge.core.errors import BridgeError, CommandError, unknown
from embodiment_bridge.media import cue as cues
from embodiment_bridge.media.channels import Channel, Loudness, PlayingSound, state_of
from embodiment_bridge.media.cue import ChannelState, Cue, CueStatus
from embodiment_bridge.media.loader import Loaded, Loader
from embodiment_bridge.media.outputs import output as outputs

MAX_SOUNDS = 64  # limit of sounds that are not over
MAX_CHANNELS = 16
KEPT = (cues.MAIN, cues.SPEECH)  # channels with their volumes, whether something plays on them or not
CHANNEL = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")


class Player:
    """Plays sounds on named channels.

    Args:
        loader: loads the sounds.
        open_output: begins to open the output; called for the first sound. Sounds wait for it.
        loudness: limits of the volume.
        fade_in: s, for sounds without a fade of their own.
        on_change: called with the state of a channel that has changed.
    """

    def __init__(
        self,
        loader: Loader,
        open_output: Callable[[], "Future[outputs.Output]"],
        loudness: Loudness | None = None,
        fade_in: float = 0.0,
        on_change: Callable[[ChannelState], None] = lambda _: None,
    ) -> None:
        self._loader, self._open_output = loader, open_output
        self._opening: Future[outputs.Output] | None = None
        self._loudness = loudness or Loudness()
        self._fade_in = fade_in
        self._on_change = on_change
        self._sounds: dict[str, PlayingSound] = {}
        self._channels: dict[str, Channel] = {cues.MAIN: Channel(cues.MAIN)}
        self._holding: set[str] = set()

    @property
    def speaks(self) -> bool:
        """Whether texts can be spoken."""
        return self._loader.speaks

    @property
    def busy(self) -> bool:
        """Whether a sound is being loaded, plays or is paused."""
        return any(channel.sound is not None for channel in self._channels.values())

    @property
    def output(self) -> outputs.Output | None:
        """The output; None before it is open, or when it cannot be opened."""
        opening = self._opening
        if opening is None or not opening.done() or opening.cancelled() or opening.exception() is not None:
            return None
        return opening.result()

    def start(self, cue: Cue) -> None:
        """Begin a sound; if that is not possible, the sound ends as FAILED."""
        if self._opening is None:
            self._opening = self._open_output()
        sound = self._sounds[cue.id] = PlayingSound(cue)
        try:
            channel = self._channel(cue.channel)
            if sum(one.status not in cues.OVER for one in self._sounds.values()) > MAX_SOUNDS:
                raise CommandError(f"the player has {MAX_SOUNDS} sounds already")
            if cue.volume is not None:
                _check_volume(cue.volume)
                channel.volume = cue.volume
            self._loader.begin(cue)
        except BridgeError as error:
            self._over(sound, cues.FAILED, str(error))
            return
        if channel.sound is not None:
            self._end(channel.sound, cues.REPLACED, "a newer sound took the channel")
        channel.sound = sound
        channel.words = [word.text for word in words_of(cue.text)]
        self._changed(channel)

    def status_of(self, sound_id: str) -> CueStatus:
        """Return the status of a sound. A sound that is over is forgotten after this call."""
        sound = self._sounds.get(sound_id)
        if sound is None:
            return CueStatus(cues.FAILED, reason="there is no such sound")
        if sound.status in cues.OVER:
            del self._sounds[sound_id]
            return CueStatus(sound.status, reason=sound.reason, words=self._words(sound))
        return CueStatus(sound.status, self._is_held(sound), "", self._words(sound), self._left(sound))

    def cancel(self, sound_id: str) -> None:
        """Fade a sound out and release it; it is over after that."""
        sound = self._sounds.get(sound_id)
        if sound is not None:
            self._end(sound, cues.STOPPED)

    def command(self, action: str, volume: float | None = None, channel: str = "") -> str:
        """Do pause, resume, stop or setVolume on a channel; gives a note for the user, usually empty.

        Raises:
            CommandError: the action, the volume (percent) or the channel cannot be used.
        """
        if action not in cues.COMMANDS:
            raise CommandError(unknown("player action", action, cues.COMMANDS))
        one = self._channel(channel)
        if action == "setVolume":
            _check_volume(volume)
            one.volume = 0.0 if volume is None else volume
            self._send_volume(one)
            self._changed(one)
            heard = self._loudness.heard(one.volume)
            return "" if heard == one.volume else f"limited to {heard:g} percent"
        if one.sound is None:
            return "nothing plays"
        if action == "stop":
            self._end(one.sound, cues.STOPPED)
        else:
            one.sound.paused = action == "pause"
            self._settle(one.sound)
        self._changed(one)
        return ""

    def hold(self, owner: str, on: bool) -> None:
        """Pause or continue all sounds of one owner, including those that begin later."""
        (self._holding.add if on else self._holding.discard)(owner)
        for channel in self._channels.values():
            if channel.sound is not None and channel.sound.cue.owner == owner:
                self._settle(channel.sound)
                self._changed(channel)

    def forget(self, owner: str) -> None:
        """End and forget all sounds of an owner that is gone."""
        self._holding.discard(owner)
        for sound_id, sound in list(self._sounds.items()):
            if sound.cue.owner == owner:
                self._end(sound, cues.STOPPED)
                if sound.status not in cues.OVER:
                    self._over(sound, cues.STOPPED)  # the output fades out by itself
                del self._sounds[sound_id]

    def poll(self) -> None:
        """Process what loader and output have done since the last call."""
        output = self.output
        for loaded in self._loader.take():
            self._on_loaded(loaded)
        if output is None:
            self._give_up_without_output()
            return
        for event in output.events():
            self._on_event(event)
        for channel in self._channels.values():
            if channel.sound is not None:
                self._settle(channel.sound)
                self._send_volume(channel)

    def states(self) -> list[ChannelState]:
        """Return the state of each channel."""
        return [self._state(channel) for channel in self._channels.values()]

    def close(self) -> None:
        """End all sounds and the programs that were started for them. May wait a second or two.

        An output that is still being opened is closed once it is open: that may take long, and is not waited for.
        """
        for sound in list(self._sounds.values()):
            self._end(sound, cues.STOPPED)
        self._loader.close()
        if self._opening is not None and not self._opening.cancel():
            self._opening.add_done_callback(_close_output)  # at once, where it is open

    def _channel(self, name: str) -> Channel:
        name = name or cues.MAIN
        if name not in self._channels:
            if not CHANNEL.fullmatch(name):
                raise CommandError(
                    f"a channel is a letter, then at most 31 letters, digits and '_', not {name!r:.60}"
                )
            if len(self._channels) >= MAX_CHANNELS:
                self._drop_idle_channel()
            self._channels[name] = Channel(name)
        return self._channels[name]

    def _drop_idle_channel(self) -> None:
        """Make room for another channel: the oldest without a sound goes, with its volume."""
        idle = (one.name for one in self._channels.values() if one.sound is None and one.name not in KEPT)
        name = next(idle, None)
        if name is None:
            raise CommandError(f"there are {MAX_CHANNELS} channels with sounds already")
        del self._channels[name]

    def _is_held(self, sound: PlayingSound) -> bool:
        if sound.cue.owner in self._holding:
            return not sound.begun or sound.stands
        return sound.begun and sound.stands and not sound.paused

    def _settle(self, sound: PlayingSound) -> None:
        """Begin, pause or resume a sound at the output, as is wanted now."""
        output = self.output
        if output is None or sound.loaded is None or sound.status in cues.OVER or sound.stop_status:
            return
        still = sound.paused or sound.cue.owner in self._holding
        if not sound.begun:
            if not still:
                self._play(sound, sound.loaded, output)
        elif still != sound.asked_to_pause:
            sound.asked_to_pause = still
            (output.pause if still else output.resume)(sound.cue.id)

    def _play(self, sound: PlayingSound, loaded: Loaded, output: outputs.Output) -> None:
        channel = self._channel(sound.cue.channel)
        sound.begun = True
        channel.output_volume = self._loudness.heard(channel.volume)
        fade = self._fade_in if sound.cue.fade is None else sound.cue.fade
        output.play(
            sound.cue.id,
            str(loaded.path),
            volume=channel.output_volume / 100,
            fade=fade,
            length=loaded.length,
        )

    def _end(self, sound: PlayingSound, status: str, reason: str = "") -> None:
        """Stop a sound. One that has begun is over when the output has stopped it; a replaced one is over at once."""
        if sound.status in cues.OVER:
            return
        self._loader.cancel(sound.cue.id)
        output = self.output
        if sound.begun and output is not None:
            if not sound.stop_status:
                sound.stop_status = status
                output.stop(sound.cue.id)
            if status == cues.STOPPED:
                return
        self._over(sound, status, reason)

    def _over(self, sound: PlayingSound, status: str, reason: str = "") -> None:
        sound.status, sound.reason = status, reason
        channel = self._channels.get(sound.cue.channel or cues.MAIN)
        if channel is not None and (channel.sound is sound or channel.sound is None):
            channel.sound, channel.last = None, sound
            self._changed(channel)

    def _on_loaded(self, loaded: Loaded) -> None:
        sound = self._sounds.get(loaded.id)
        if sound is None or sound.status in cues.OVER:
            return
        if loaded.reason:
            self._over(sound, cues.FAILED, loaded.reason)
            return
        sound.loaded = loaded
        sound.length = loaded.length
        self._settle(sound)

    def _on_event(self, event: outputs.OutputEvent) -> None:
        sound = self._sounds.get(event.id)
        if sound is None or sound.status in cues.OVER:
            return
        sound.position = event.position
        sound.length = event.length or sound.length
        if event.kind == outputs.FAILED and not sound.stop_status:
            self._over(sound, cues.FAILED, event.reason)
        elif event.kind in outputs.LAST:
            self._over(sound, sound.stop_status or cues.ENDED)
        elif event.kind != outputs.POSITION:
            sound.status, sound.heard = cues.PLAYING, True
            sound.stands = event.kind == outputs.PAUSED
            self._changed(self._channel(sound.cue.channel))

    def _give_up_without_output(self) -> None:
        if self._opening is not None and self._opening.done():
            reason = "canceled" if self._opening.cancelled() else str(self._opening.exception())
            for channel in self._channels.values():
                if channel.sound is not None:
                    self._over(channel.sound, cues.FAILED, f"the sound output cannot be opened: {reason}")

    def _send_volume(self, channel: Channel) -> None:
        heard = self._loudness.heard(channel.volume)
        output, sound = self.output, channel.sound
        if output is not None and sound is not None and sound.begun and heard != channel.output_volume:
            channel.output_volume = heard
            output.set_volume(sound.cue.id, heard / 100)

    def _position(self, sound: PlayingSound) -> float:
        output = self.output
        playing = output is not None and sound.heard and sound.status not in cues.OVER
        return output.position(sound.cue.id) if output is not None and playing else sound.position

    def _words(self, sound: PlayingSound) -> int:
        return sound.marks.words_begun(self._position(sound)) if sound.heard else -1

    def _left(self, sound: PlayingSound) -> float | None:
        known = sound.heard and sound.length is not None
        return float(ceil(max(0.0, (sound.length or 0.0) - self._position(sound)))) if known else None

    def _changed(self, channel: Channel) -> None:
        self._on_change(self._state(channel))

    def _state(self, channel: Channel) -> ChannelState:
        sound = channel.sound or channel.last
        return state_of(
            channel,
            position=0.0 if sound is None else self._position(sound),
            heard_volume=self._loudness.heard(channel.volume),
            output="" if self.output is None else self.output.name,
            held=sound is not None and sound.cue.owner in self._holding,
        )


def _check_volume(volume: float | None) -> None:
    if volume is None or not 0 <= volume <= 100:
        raise CommandError(f"a volume is 0 to 100 percent, not {volume}")


def _close_output(opening: Future[outputs.Output]) -> None:
    if opening.exception() is None:
        opening.result().close()
