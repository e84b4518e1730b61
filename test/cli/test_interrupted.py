# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while a command is still being loaded."""

from argparse import Namespace

from embodiment_bridge.cli import command_line


def interrupted(_: Namespace) -> int:
    raise KeyboardInterrupt


def test_ctrl_c_ends_a_command_without_a_traceback(monkeypatch, capsys) -> None:
    monkeypatch.setattr(command_line, "_parse", lambda *_: Namespace(run=interrupted))
    assert command_line.main(["doctor"]) == 130
    assert capsys.readouterr().err == ""
