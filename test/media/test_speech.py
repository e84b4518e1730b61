# SPDX-License-Identifier: Apache-2.0
"""Speech: what programs say, with which marks; and a machine without a voice."""

import os
import stat
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sound_stage import write_wav
from waiting import until

from embodiment_bridge.bml.base.texts import words_of
from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.media.files import marks as mark_files
from embodiment_bridge.media.files.cache import MediaCache
from embodiment_bridge.media.files.marks import Marks
from embodiment_bridge.media.files.wav import wav_length
from embodiment_bridge.media.speech.choice import SpeechChoice, open_speaker
from embodiment_bridge.media.speech.cloud import CloudSettings, CloudSpeaker, speech_fetcher
from embodiment_bridge.media.speech.programs import (
    SYSTEM_LIBRARIES,
    EspeakSpeaker,
    PiperSpeaker,
    libraries,
    marks_of,
)
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


@pytest.fixture(scope="module")
def espeak():
    speaker = EspeakSpeaker(dict(os.environ))
    assert speaker.identity.startswith("espeak-ng 1.")  # now it runs
    yield speaker
    speaker.close()


@pytest.fixture
def store(espeak, tmp_path):
    return SpeechStore(espeak, MediaCache(tmp_path, 10_000_000))


def test_every_word_has_its_mark(store):
    speech = store.get(Spoken("Look over there, a bird!"))
    assert [place for _, place in speech.marks.words] == [0, 1, 2, 3, 4]
    times = [at for at, _ in speech.marks.words]
    assert times == sorted(times)
    assert times[-1] < wav_length(str(speech.path))
    assert "b" in [name for _, name in speech.marks.phonemes]


def test_chinese_is_read_as_chinese(store, espeak):
    speech = store.get(Spoken("你好，世界"))
    assert [place for _, place in speech.marks.words] == [0, 1, 2, 3]
    assert "(en)" not in [name for _, name in speech.marks.phonemes]
    assert espeak.voice_of(Spoken("x", language="zh-CN")) in ("cmn", "cmn-latn-pinyin")


@pytest.mark.parametrize(
    ("version", "voice"), [("1.51", "cmn-latn-pinyin"), ("1.52.0", "cmn"), ("1.50", "cmn-latn-pinyin")]
)
def test_the_broken_mandarin_voice_is_not_used(espeak, monkeypatch, version, voice):
    monkeypatch.setattr(espeak, "version", version)
    assert espeak.voice_of(Spoken("x", language="zh")) == voice


def test_a_language_with_its_region(store):
    assert store.get(Spoken("hallo", language="de-AT")).path.is_file()


def test_markup_is_text_and_no_order(store):
    """Neither SSML nor espeak's own phonemes: a longer text is a longer sound, tags are read out."""
    plain = wav_length(str(store.get(Spoken("hello")).path))
    assert wav_length(str(store.get(Spoken("<break time='30s'/> hello")).path)) < 15
    assert wav_length(str(store.get(Spoken("<p>hello</p>")).path)) > plain
    assert wav_length(str(store.get(Spoken("[[h@loU]]")).path)) > plain


def test_the_rate_makes_it_shorter(store):
    slow, fast = (wav_length(str(store.get(Spoken("one two three", rate=r)).path)) for r in (0.5, 2.0))
    assert fast < 0.6 * slow


@pytest.mark.parametrize("voice", ["../../etc/passwd", "/etc/passwd", "nobody", "a" * 80, "en\n"])
def test_voices_that_are_none(store, voice):
    with pytest.raises(SpeechError, match="voice"):
        store.get(Spoken("hello", voice=voice))
    assert store.get(Spoken("hello")).path.is_file()  # the next one is spoken


@pytest.mark.parametrize(
    ("text", "reason"), [("", "no text"), (" \n", "no text"), ("a" * 4001, "at most 4000")]
)
def test_texts_that_cannot_be_spoken(store, text, reason):
    with pytest.raises(SpeechError, match=reason):
        store.get(Spoken(text))


@settings(max_examples=25, deadline=None)
@given(text=st.text(min_size=1, max_size=60))
def test_any_text_is_spoken_or_refused(espeak, tmp_path_factory, text):
    try:
        _, marks = espeak.speak(Spoken(text), tmp_path_factory.getbasetemp() / "any.wav", NEVER)
    except (SpeechError, UnicodeError):
        return
    assert list(marks.words) == sorted(marks.words)


def test_after_a_crash_the_next_text_is_spoken(espeak, tmp_path):
    speaker = EspeakSpeaker(dict(os.environ))
    speaker.speak(Spoken("once"), tmp_path / "a.wav", NEVER)
    first = speaker.pid
    os.kill(first, 9)
    until(lambda: speaker._ended != "")
    speaker.speak(Spoken("again"), tmp_path / "a.wav", NEVER)
    assert speaker.pid != first
    speaker.close()


def test_our_process_loads_nothing_of_espeak(espeak):
    assert "libespeak" in Path(f"/proc/{espeak.pid}/maps").read_text()
    assert "libespeak" not in Path("/proc/self/maps").read_text()
    assert "espeakng_loader" not in sys.modules


def test_a_text_is_spoken_once(tmp_path):
    class Counting:
        identity, calls = "counting", 0

        def speak(self, spoken, path, cancelled):
            self.calls += 1
            write_wav(path, 0.5)
            return ".wav", Marks(((0.0, 0),), ((0.1, "a"),))

    speaker = Counting()
    store = SpeechStore(speaker, MediaCache(tmp_path, 1_000_000))
    assert store.get(Spoken("a")) == store.get(Spoken("a"))
    assert store.get(Spoken("a", rate=2.0)) != store.get(Spoken("a"))
    assert speaker.calls == 2


def piper(tmp_path, script):
    program = tmp_path / "piper"
    program.write_text(f"#!{sys.executable} -IS\nimport sys, time\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "voice.onnx").write_text("")
    return piper_of(program, tmp_path)


def piper_of(program, tmp_path):
    return PiperSpeaker(str(program), str(tmp_path / "voice.onnx"), {"PATH": "/usr/bin:/bin"})


def test_piper_gets_the_text_on_its_input(tmp_path):
    speaker = piper(tmp_path, "open(sys.argv[4], 'w').write(sys.stdin.read() + ' '.join(sys.argv[5:]))")
    suffix, marks = speaker.speak(Spoken("hello\n; rm -rf $HOME", rate=2.0), tmp_path / "out", NEVER)
    assert (suffix, marks) == (".wav", Marks())
    assert (tmp_path / "out").read_text() == "hello ; rm -rf $HOME\n--length_scale 0.5"


def test_piper_that_fails_or_hangs(tmp_path):
    with pytest.raises(SpeechError, match="code 3"):
        piper(tmp_path, "sys.exit(3)").speak(Spoken("a"), tmp_path / "out", NEVER)
    asked = threading.Event()
    asked.set()
    with pytest.raises(SpeechError, match="canceled"):
        piper(tmp_path, "time.sleep(60)").speak(Spoken("a"), tmp_path / "out", asked.is_set)
    gone = piper(tmp_path, "")
    (tmp_path / "piper").unlink()
    with pytest.raises(LinkError, match="cannot be started"):
        gone.speak(Spoken("a"), tmp_path / "out", NEVER)
    with pytest.raises(ConfigError, match="piper_command"):
        piper_of(tmp_path / "none", tmp_path)
    with pytest.raises(ConfigError, match="piper_model"):
        PiperSpeaker("piper", "", {})


TEMPLATE = "https://tts.example/v1?q={text}&l={language}&r={rate}&v={voice}"


def test_the_cloud_gets_a_quoted_url_and_the_key(tmp_path, monkeypatch):
    monkeypatch.setenv("TTS_KEY", "s3cret")
    asked = []

    def fetch(url, file, *, max_bytes, accept, total_s, cancelled, headers):
        asked.append((url, headers))
        file.write(b"OggS")
        return "audio/ogg"

    speaker = CloudSpeaker(CloudSettings(TEMPLATE, "TTS_KEY"), fetch)
    assert speaker.speak(Spoken("a&b=c#d 你{voice}"), tmp_path / "x", NEVER)[0] == ".ogg"
    assert asked == [
        (
            "https://tts.example/v1?q=a%26b%3Dc%23d%20%E4%BD%A0%7Bvoice%7D&l=zh&r=1&v=",
            {"Authorization": "Bearer s3cret"},
        )
    ]
    assert "s3cret" not in speaker.identity


def test_a_cloud_that_answers_with_a_page(tmp_path):
    speaker = CloudSpeaker(CloudSettings(TEMPLATE), lambda *_, **__: "text/html")
    with pytest.raises(SpeechError, match="text/html"):
        speaker.speak(Spoken("a"), tmp_path / "x", NEVER)
    with pytest.raises(SpeechError, match="URL of"):
        speaker.url_of(Spoken("你" * 1000))


@pytest.mark.parametrize(
    "template",
    [
        "",
        "https://a.example/",
        "https://{text}.example/",
        "https://a.example/{text}{key}",
        "{text}",
        "http://[/{text}",
    ],
)
def test_bad_templates(template):
    with pytest.raises(ConfigError, match="speech template"):
        CloudSettings(template)


def test_the_key_is_needed_and_goes_over_tls_only(monkeypatch):
    monkeypatch.delenv("TTS_KEY", raising=False)
    with pytest.raises(ConfigError, match="TTS_KEY has no key"):
        CloudSpeaker(CloudSettings(TEMPLATE, "TTS_KEY"), lambda *_, **__: "")
    with pytest.raises(ConfigError, match="https only"):
        speech_fetcher(CloudSettings("http://tts.example/{text}", "TTS_KEY"))


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        (SpeechChoice("espeek"), "did you mean 'espeak'"),
        (SpeechChoice("cloud"), "template"),
    ],
)
def test_choices_of_speech(choice, reason):
    with pytest.raises(ConfigError, match=reason):
        open_speaker(choice, {})


def test_marks_come_back_from_their_file(tmp_path):
    marks = Marks(((0.0, 0), (0.5, 1)), ((0.0, "h"), (0.1, "@")))
    (tmp_path / "m").write_text(mark_files.to_text(marks))
    assert mark_files.from_file(tmp_path / "m") == marks


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"format": 2}',
        '{"format": 1, "words": 3}',
        '{"format": 1, "words": [[0]]}',
        '{"format": 1, "words": [[-1, 0]]}',
        '{"format": 1, "words": [[NaN, 0]]}',
        '{"format": 1, "words": [[0, -1]]}',
        '{"format": 1, "words": [[0, 1e9]]}',
        '{"format": 1, "phonemes": [[true, "a"]]}',
        "[" * 5000,
    ],
)
def test_bad_marks(tmp_path, text):
    (tmp_path / "m").write_text(text)
    with pytest.raises(ConfigError):
        mark_files.from_file(tmp_path / "m")


def test_the_mouth():
    marks = Marks((), ((0.0, "_"), (0.1, "m"), (0.2, "a"), (0.3, "aI"), (0.5, "_:")))
    assert [marks.mouth(at) for at in (0.05, 0.15, 0.25, 0.35, 9.0)] == [0.0, 0.0, 1.0, 0.9, 0.0]


@pytest.mark.parametrize(
    ("text", "told", "words"),
    [
        (
            "well-known",
            [[0.0, 0, 1], [0.2, 2, 3], [0.4, 99, 1]],
            ((0.0, 0),),
        ),  # one word that is said in parts
        ("你好，世界", [[0.1, 0, 1], [0.9, 3, 1], [1.2, 4, 1]], ((0.1, 0), (0.5, 1), (0.9, 2), (1.2, 3))),
        ("a b c", [[0.5, 2, 1]], ((0.0, 0), (0.5, 1), (1.25, 2))),
        ("a b", [], ((0.0, 0), (1.0, 1))),
        ("...", [], ()),
    ],
)
def test_each_word_has_one_mark(text, told, words):
    assert marks_of(text, {"words": told, "phonemes": [], "length": 2.0}).words == words


def test_the_first_library_that_works_is_used(espeak, tmp_path):
    assert libraries()[1:] == libraries(system_first=True)[:-1] == SYSTEM_LIBRARIES
    assert espeak.library == libraries()[0]  # that of the wheel
    speaker = EspeakSpeaker({}, ["/no/such/libespeak-ng.so", libraries()[0]])
    assert speaker.identity == espeak.identity
    speaker.close()


class OneAfterTheOther:
    """A voice that speaks for two at once: each sound is there before either is put away."""

    identity = "two at once"

    def __init__(self) -> None:
        self._both = threading.Barrier(2, timeout=20.0)

    def speak(self, spoken, path, cancelled=NEVER):
        write_wav(path, 0.1)
        self._both.wait()
        return ".wav", Marks()

    def close(self) -> None:
        pass


def test_the_same_text_spoken_by_two_at_once_is_spoken_by_both(tmp_path, monkeypatch):
    voice, found = OneAfterTheOther(), []
    put_away = threading.Barrier(2, timeout=20.0)
    replace = Path.replace

    def together(self, target):
        moved = replace(self, target)
        if not str(target).endswith(".json"):
            put_away.wait()
        return moved

    monkeypatch.setattr(Path, "replace", together)
    stores = [SpeechStore(voice, MediaCache(tmp_path, 10_000_000)) for _ in range(2)]
    threads = [
        threading.Thread(target=lambda store=store: found.append(store.get(Spoken("hello"))))
        for store in stores
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20.0)
    assert [speech.path.suffix for speech in found] == [".wav", ".wav"]
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []


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
