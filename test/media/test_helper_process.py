# SPDX-License-Identifier: Apache-2.0
"""Helper programs: what they complain of, and that neither silence nor floods of theirs hurt us."""

import os
import signal
import sys
import threading

import pytest
from waiting import until

from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.core.helper_process import HelperProcess
from embodiment_bridge.launching.environment import of_outside_program

ENVIRONMENT = of_outside_program(os.environ)


def helper(script, messages, ended):
    return HelperProcess(
        [sys.executable, "-I", "-S", "-c", script], ENVIRONMENT, messages.append, ended.append
    )


def sends(one, message):
    try:
        one.send(message)
    except LinkError:
        return False
    return True


def test_what_a_helper_complains_of_is_told():
    messages, ended = [], []
    one = helper(
        "import sys; print('{\"a\": 1}'); print([1], flush=True); sys.exit('no data here')", messages, ended
    )
    until(lambda: bool(ended))
    assert (messages, ended) == ([{"a": 1}], ["no data here"])
    until(lambda: not sends(one, {}))
    one.close()


def test_a_helper_that_reads_nothing_is_ended_and_blocks_nobody():
    messages, ended = [], []
    one = helper("import time; time.sleep(600)", messages, ended)
    assert any(not sends(one, {"text": "x" * 10_000}) for _ in range(100))
    until(lambda: bool(ended))
    one.close()


def test_a_helper_without_line_ends_is_ended(monkeypatch):
    monkeypatch.setattr("embodiment_bridge.core.helper_process.MAX_LINE", 10_000)
    messages, ended = [], []
    one = helper(
        "import sys, time; sys.stdout.write('x' * 100_000); sys.stdout.flush(); time.sleep(600)",
        messages,
        ended,
    )
    until(lambda: bool(ended))
    assert "over 10000 bytes" in ended[0]
    one.close()


def stubborn(ended):
    """A helper that ignores SIGTERM and the end of its input."""
    messages = []
    one = helper(
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('{}', flush=True); time.sleep(600)",
        messages,
        ended,
    )
    until(lambda: bool(messages))
    return one


def test_a_stubborn_helper_is_killed():
    ended = []
    stubborn(ended).close()
    until(lambda: bool(ended))
    assert threading.active_count() < 20


def test_close_waits_for_a_helper_that_is_slow_to_die(monkeypatch):
    one = stubborn([])
    monkeypatch.setattr(one._process, "kill", threading.Timer(1.0, one._process.kill).start)
    one.close()
    assert one._process.returncode == -signal.SIGKILL


def test_a_helper_that_is_no_program():
    with pytest.raises(LinkError, match="cannot be started"):
        HelperProcess(["/nonexistent"], {}, print, print)
