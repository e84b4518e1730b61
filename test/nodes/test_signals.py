# SPDX-License-Identifier: Apache-2.0
"""Every signal that ends a process by default is a question; others stay as they are."""

import signal

import pytest

from embodiment_bridge.nodes.base.signals import (
    do_at_once,
    do_no_more,
    ending_signals,
    interrupted_by_signals,
    stop_on_signals,
)

ENDING = (
    signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGVTALRM,
    signal.SIGPROF, signal.SIGXCPU, signal.SIGIO, signal.SIGPWR, signal.SIGRTMIN, signal.SIGRTMAX, signal.SIGRTMIN + 3,
)  # fmt: skip


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_that_ends_a_process_asks_it_to_end(number) -> None:
    before = signal.getsignal(number)
    with stop_on_signals() as stopped:
        assert not stopped()
        signal.raise_signal(number)
        assert stopped()
    assert signal.getsignal(number) == before


@pytest.mark.parametrize("number", ENDING)
def test_a_signal_interrupts_once_and_the_next_one_does_not_cut_the_end_short(number) -> None:
    before = signal.getsignal(number)
    done: list[str] = []

    def work() -> None:
        try:
            signal.raise_signal(number)
            done.append("went on")
        finally:
            signal.raise_signal(number)
            done.append("tidied up")

    with pytest.raises(KeyboardInterrupt), interrupted_by_signals():
        work()
    assert done == ["tidied up"]
    assert signal.getsignal(number) == before


def test_what_is_ignored_stays_ignored_as_by_nohup() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stop_on_signals() as stopped:
            signal.raise_signal(signal.SIGHUP)
            assert not stopped()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_signals_that_do_not_end_a_process_or_say_that_it_is_broken_are_left_alone() -> None:
    left = {signal.SIGCHLD, signal.SIGWINCH, signal.SIGTSTP, signal.SIGCONT, signal.SIGSEGV, signal.SIGKILL}
    assert not left & set(ending_signals())


def test_what_cannot_wait_for_a_loop_is_done_in_the_handler() -> None:
    done: list[int] = []

    def act() -> None:
        done.append(1)

    do_at_once(act)
    with stop_on_signals():
        signal.raise_signal(signal.SIGTERM)
        assert done == [1]
        do_no_more(act)
        do_no_more(act)
        signal.raise_signal(signal.SIGTERM)
    assert done == [1]
