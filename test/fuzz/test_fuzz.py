# SPDX-License-Identifier: Apache-2.0
"""Whatever is read, nothing but an error of this package is raised, and no input takes long.

`make test` reads what was found before and a few random inputs, the same each time; `make fuzz` takes others each time,
`make soak` 1,000,000 of each kind (``INPUTS=20000`` in the environment: so many). An input that is a finding is written
into the corpus.
"""

import hashlib
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from fuzz_targets import READERS, files, seeds, survive
from hypothesis import given, settings
from hypothesis import strategies as st
from mutations import mutated

CORPUS = Path(__file__).parent / "corpus"
INPUTS = int(os.environ.get("INPUTS", "1000000"))
LONGEST_S = 5.0  # s of CPU for one input, which is 30 kB at most; usual is a thousandth of a second
every_reader = pytest.mark.parametrize("name", READERS)


class TooLongError(BaseException):
    """An input took more CPU than any may; no exception, because some readers make an error of ours of any."""


@contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    def end(*_: object) -> None:
        raise TooLongError(f"more than {seconds:g} s of CPU for one input")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


def try_one(name: str, data: bytes) -> bool:
    try:
        with cpu_limit(LONGEST_S):
            return survive(name, data)
    except (Exception, TooLongError) as error:
        path = CORPUS / name / f"found_{hashlib.sha256(data).hexdigest()[:12]}"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        if isinstance(error, TooLongError):
            raise AssertionError(f"{name}: {error}") from error
        raise


@every_reader
def test_what_was_found_before_is_read_or_refused(name) -> None:
    before = [path.read_bytes() for path in files(name) if path.is_relative_to(CORPUS)]
    for data in before:
        try_one(name, data)
    taken = [try_one(name, data) for data in seeds(name) if data not in before]
    assert sum(taken) > len(taken) / 2, "most seeds are bad"


@every_reader
@settings(max_examples=5)
@given(seed=st.integers(0, 2**32))
def test_nearly_right_inputs_are_read_or_refused(name, seed) -> None:
    random = Random(seed)
    for _ in range(2):
        try_one(name, mutated(seeds(name), random))


@pytest.mark.soak
@every_reader
def test_a_million_inputs(name) -> None:
    random, good, begun = Random(), 0, time.process_time()
    for _ in range(INPUTS):
        good += try_one(name, mutated(seeds(name), random))
    taken = time.process_time() - begun
    sys.stdout.write(f"{name}: {INPUTS} inputs, {good} of them taken, {taken:.0f} s of CPU\n")
