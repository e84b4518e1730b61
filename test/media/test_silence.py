# SPDX-License-Identifier: Apache-2.0
"""A machine without a voice: texts take their time, and their words begin."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embodiment_bridge.bml.base.texts import words_of
from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.media.files.cache import MediaCache
from embodiment_bridge.media.files.wav import wav_length
from embodiment_bridge.media.speech.programs import EspeakSpeaker
from embodiment_bridge.media.speech.store import (
    OrSilence,
    SilentSpeaker,
    SpeechError,
    SpeechStore,
    Spoken,
    times_of,
)
from embodiment_bridge.nodes.sound.media_parameters import PARAMETERS, Surroundings, make_player

NEVER = bool


@pytest.fixture
def absent():
    speaker = EspeakSpeaker({}, ["/no/such/libespeak-ng.so"])
    yield speaker
    speaker.close()


def test_no_espeak_here(absent, tmp_path):
    with pytest.raises(SpeechError, match=r"pip install espeakng-loader.*/no/such/libespeak-ng.so"):
        SpeechStore(absent, MediaCache(tmp_path, 1_000_000)).get(Spoken("a"))


def test_silence_takes_over_and_is_told_once(absent, tmp_path):
    told = []
    store = SpeechStore(OrSilence(absent, told.append), MediaCache(tmp_path, 10_000_000))
    assert store.get(Spoken("Look there!")).marks.words == store.get(Spoken("Look there! ")).marks.words
    assert len(told) == 1
    assert "espeakng-loader" in told[0]
    store.close()


@pytest.mark.parametrize("text", ["Look over there, a bird!", "今天天气很好，我们一起去公园玩吧！"])
@pytest.mark.parametrize("rate", [0.5, 1.0])
def test_silence_is_as_long_as_speech(text, rate, tmp_path):
    spoken, speaker = Spoken(text, rate=rate), EspeakSpeaker({})
    _, heard = speaker.speak(spoken, tmp_path / "heard.wav", NEVER)
    speaker.close()
    suffix, marks = SilentSpeaker().speak(spoken, tmp_path / "silent.wav", NEVER)
    assert suffix == ".wav"
    assert [place for _, place in marks.words] == [place for _, place in heard.words]
    length = wav_length(str(tmp_path / "heard.wav"))
    assert wav_length(str(tmp_path / "silent.wav")) == pytest.approx(length, rel=0.25)
    assert marks.words[-1][0] == pytest.approx(heard.words[-1][0], rel=0.25)


@given(text=st.text(min_size=1, max_size=200), rate=st.floats(0.1, 10.0))
def test_silence_of_any_text(text, rate):
    length, marks = times_of(text, rate)
    assert [place for _, place in marks.words] == list(range(len(words_of(text))))
    assert list(marks.words) == sorted(marks.words)
    assert 0.0 < length < 250.0
    assert all(0.0 <= at < length for at, _ in marks.words)


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"speech": "piper"}, "piper_model"),
        ({"speech": "cloud"}, "speech_url"),
        ({"speech": "cloud", "speech_url": "https://a.example/{txt}"}, "did you mean 'text'"),
        (
            {"speech": "cloud", "speech_url": "https://a.example/{text}", "speech_key_variable": "NO_SUCH"},
            "NO_SUCH",
        ),
    ],
)
def test_a_player_without_its_voice_is_refused_before_a_document_comes(parameters, reason):
    values = {one.name: one.default for one in PARAMETERS} | {"fetch_ca_file": "", **parameters}
    surroundings = Surroundings(dict, share=Path)
    with pytest.raises(ConfigError, match=reason):
        make_player(values, UrlPolicy(), surroundings, lambda: 0.0, print, print)
