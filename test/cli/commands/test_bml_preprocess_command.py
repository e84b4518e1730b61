# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge bml preprocess` as people call it."""

import json
from contextlib import nullcontext
from http import HTTPStatus

import pytest

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.cli.command_line import main
from embodiment_bridge.core.errors import CommandError
from embodiment_bridge.media.files.cache import MediaCache, key_of
from embodiment_bridge.media.files.sources import MediaSources
from embodiment_bridge.media.speech.programs import EspeakSpeaker
from embodiment_bridge.media.speech_service import SpeechService
from embodiment_bridge.nodes.base import signals
from embodiment_bridge.nodes.sound.media_parameters import with_media_roots


@pytest.fixture
def document(tmp_path):
    path = tmp_path / "greet.json"
    path.write_text('{"type": "speak", "name": "hi", "content": "hello you"}')
    return str(path)


def test_links_are_files_unless_told(document, tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["bml", "preprocess", "--out", str(out), document]) == 0
    player = json.loads(capsys.readouterr().out)
    assert (player["type"], player["name"], player["content"]) == ("player", "hi", "hello you")
    assert player["url"].startswith(f"file://{out}/")
    assert len(list(out.iterdir())) == 2
    assert main(["bml", "preprocess", "--out", str(out), "--url", "https://a.example/s/", document]) == 0
    assert json.loads(capsys.readouterr().out)["url"].startswith("https://a.example/s/")


def test_no_sound_is_ever_deleted(document, tmp_path, capsys):
    """A kept document links to it, and in the folder there may be files of others."""
    others = [tmp_path / "out" / name for name in (key_of("kept") + ".wav", "song.mp3")]
    others[0].parent.mkdir()
    for path in others:
        with path.open("wb") as file:
            file.truncate(600_000_000)  # a hole, which takes no room
    assert main(["bml", "preprocess", "--out", str(tmp_path / "out"), document]) == 0
    assert json.loads(capsys.readouterr().out)["type"] == "player"
    assert all(path.exists() for path in others)


def test_problems_are_told_at_their_places(document, tmp_path, capsys):
    path = tmp_path / "bad.json"
    path.write_text('{"type": "speak", "content": "a", "voice": "nobody"}')
    assert main(["bml", "preprocess", "--out", str(tmp_path / "out"), str(path)]) == 1
    assert ": SPEECH_FAILED: " in capsys.readouterr().err
    path.write_text('{"type": "speek"}')
    assert main(["bml", "preprocess", "--out", str(tmp_path / "out"), str(path)]) == 1
    assert "/type: UNKNOWN_TYPE" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "which document"),
        (["--serve", "--port", "0", "x.json"], "leave out FILE (x.json), or --serve"),
        (["--host", "0.0.0.0", "x"], "--host is for --serve"),
        (["--port", "0", "x"], "--port is for --serve"),
        (["--serve", "--port", "0", "--url", "http://["], "'http://[' cannot be read"),
        (["--serve", "--port", "0", "--url", "http://a.example:99999"], "cannot be read: Port out of range"),
        (["--url", "media.example/speech", "x"], "has no scheme or no host"),
        (["--url", "https:///speech", "x"], "has no scheme or no host"),
        (["--speech", "piper", "x"], "piper_model"),
        (["--speech", "cloud", "x"], "template"),
        (["--speech", "cloud", "--speech-url", "https://{text}/", "x"], "fixed"),
        (
            ["--speech", "cloud", "--speech-url", "https://a.example/{text}", "--speech-key", "NO_SUCH", "x"],
            "NO_SUCH",
        ),
    ],
)
def test_bad_calls(words, reason, tmp_path, capsys):
    assert main(["bml", "preprocess", "--out", str(tmp_path / "out"), *words]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "status"), [([], HTTPStatus.OK), (["--strict"], HTTPStatus.UNPROCESSABLE_ENTITY)]
)
def test_a_service_is_as_strict_as_told(words, status, tmp_path, monkeypatch):
    answers, close = [], SpeechService.close

    def ask_and_close(service):
        answers.append(service.answer(b'{"type": "Delay", "duration": 1}')[0])
        close(service)

    monkeypatch.setattr(SpeechService, "close", ask_and_close)
    monkeypatch.setattr(signals, "stop_on_signals", lambda: nullcontext(lambda: True))
    assert main(["bml", "preprocess", "--serve", "--port", "0", "--out", str(tmp_path / "out"), *words]) == 0
    assert answers == [status]


def preprocess(root, tmp_path, capsys, *words):
    path = tmp_path / "document.json"
    path.write_text(json.dumps(root))
    code = main(["bml", "preprocess", "--out", str(tmp_path / "out"), *words, str(path)])
    told = capsys.readouterr()
    return code, json.loads(told.out) if told.out else None, told.err


@pytest.fixture
def no_voice(monkeypatch):
    monkeypatch.setattr(
        "embodiment_bridge.media.speech.choice.libraries", lambda **_: ["/no/such/libespeak-ng.so"]
    )


def test_a_document_without_text_needs_no_voice(no_voice, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(EspeakSpeaker, "_running", lambda _: pytest.fail("espeak-ng was started"))
    root = {"type": "delay", "duration": 1}
    assert preprocess(root, tmp_path, capsys) == (0, root, "")


def test_the_fallback_is_played_where_no_voice_is(no_voice, tmp_path, capsys):
    root = {"type": "speak", "content": "hello"}
    code, _, told = preprocess(root, tmp_path, capsys)
    assert (code, "SPEECH_FAILED" in told, "pip install espeakng-loader" in told) == (1, True, True)
    code, player, told = preprocess(root, tmp_path, capsys, "--fallback", "https://a.example/beep.wav")
    assert (code, player["url"]) == (0, "https://a.example/beep.wav")
    assert told.startswith("warning : SPEECH_FAILED")


def test_subtrees_are_given_as_to_run_bml(tmp_path, capsys):
    (tmp_path / "greet.json").write_text('{"type": "speak", "content": "${what}"}')
    greet = {"type": "subtree", "ref": "greet", "args": {"what": "hello"}}
    root = {"type": "sequence", "behaviors": [greet, {"type": "speak", "content": "bye"}]}
    assert "UNKNOWN_SUBTREE" in preprocess(root, tmp_path, capsys)[2]
    code, done, told = preprocess(root, tmp_path, capsys, "--subtree", f"greet={tmp_path / 'greet.json'}")
    assert (code, done["behaviors"][0], done["behaviors"][1]["type"]) == (0, greet, "player")
    assert told.startswith("warning /behaviors/0: SUBTREE_SPEAKS: the subtree 'greet' has text to speak")


def test_a_template_is_refused_at_its_places(tmp_path, capsys):
    root = {"type": "sequence", "behaviors": [{"type": "speak", "content": "${who}", "voice": "${voice}"}]}
    code, _, told = preprocess(root, tmp_path, capsys, "--fallback", "https://a.example/beep.wav")
    assert (code, [line.split(": ")[:2] for line in told.splitlines()]) == (
        1,
        [["/behaviors/0/content", "OPEN_PARAMETER"], ["/behaviors/0/voice", "OPEN_PARAMETER"]],
    )
    assert not list((tmp_path / "out").iterdir())


def test_the_robot_on_this_machine_plays_the_links(document, tmp_path, capsys, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "link"))
    assert main(["bml", "preprocess", document]) == 0
    player = json.loads(capsys.readouterr().out)
    policy = with_media_roots(UrlPolicy(), {"media_roots": [""]})
    sources = MediaSources(policy, MediaCache(tmp_path / "cache", 1_000_000))
    assert sources.path_of(player["url"]).suffix == ".wav"
    assert sources.marks_of(player["marks_url"]).suffix == ".json"
    (tmp_path / "other.wav").write_bytes(b"")
    with pytest.raises(CommandError, match="not under a media folder"):
        sources.path_of((tmp_path / "other.wav").as_uri())
