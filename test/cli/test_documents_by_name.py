# SPDX-License-Identifier: Apache-2.0
"""Documents named on a command line: files, and shipped ones by name from anywhere."""

import json

import pytest

from embodiment_bridge.cli.files import read_document, shipped_documents
from embodiment_bridge.core.errors import ConfigError


@pytest.mark.parametrize("name", ["dance.json", "dance"])
def test_a_shipped_document_is_found_from_anywhere(name, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_document(name) == shipped_documents()["dance"].read_text(encoding="utf-8")
    assert json.loads(read_document(name))["type"]


def test_a_file_here_comes_first(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dance.json").write_text("mine")
    assert read_document("dance.json") == "mine"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("danse.json", "did you mean 'dance.json'"),
        ("dance.yaml", "unknown shipped document 'dance.yaml'"),
        ("./dance.json", "dance.json: cannot be read: No such file"),
        ('{"type": "sequence", "name": "' + "x" * 300 + '"}', "unknown shipped document"),
    ],
)
def test_one_that_is_nowhere_is_an_error_with_the_choices(name, text, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=text):
        read_document(name)


def test_a_file_in_another_encoding_is_named_with_it(tmp_path) -> None:
    path = tmp_path / "show.json"
    path.write_bytes('{"type": "speak", "content": "你好"}'.encode("gbk"))
    with pytest.raises(ConfigError, match=r"show\.json: not UTF-8, at byte 30 \(looks like GBK\)"):
        read_document(str(path))
