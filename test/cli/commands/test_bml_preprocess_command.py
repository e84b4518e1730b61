# SPDX-License-Identifier: Apache-2.0
"""`embodiment_bridge bml preprocess` as people call it."""

import json
import shutil

import pytest

from embodiment_bridge.cli.command_line import main


@pytest.fixture
def document(tmp_path):
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed")
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
