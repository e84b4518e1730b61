# SPDX-License-Identifier: Apache-2.0
"""Recordings whose recorder was killed: what was written up to a second before is there."""

import os
import signal
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import pytest
from bag_files import BEGIN, STRING, mcap, text, write_texts
from waiting import PROCESS, until

from embodiment_bridge.bags import writer as bag_writer
from embodiment_bridge.bags.reader import BagReader
from embodiment_bridge.bags.writer import BagWriter, definition
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.launching.environment import find_share

RECORDER = """
import sys, time
from pathlib import Path
sys.path[:0] = {path!r}
from bag_files import STRING, text
from embodiment_bridge.bags.writer import BagWriter, definition
from embodiment_bridge.launching.environment import find_share
writer = BagWriter(Path({bag!r}))
number = writer.add_topic("/said", STRING, definition(STRING, find_share), [])
while True:
    stamp = time.monotonic_ns()
    writer.take(number, stamp, text("x"))
    print(stamp, flush=True)
    time.sleep(0.01)
"""


def said(bag: Path) -> list[float]:
    with BagReader(bag) as reader:
        return [message.time for message in reader.messages({"/said"})]


def test_recorder_that_is_killed_loses_the_last_second_at_most(tmp_path) -> None:
    script = RECORDER.format(path=sys.path, bag=str(tmp_path / "bag"))
    stamps: list[int] = []
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as recorder:
        reading = threading.Thread(target=lambda: stamps.extend(map(int, recorder.stdout)))
        reading.start()
        until(lambda: len(stamps) > 1 and stamps[-1] - stamps[0] > 2_500_000_000, lambda: stamps, PROCESS)
        os.kill(recorder.pid, signal.SIGKILL)
        reading.join()
    times = said(tmp_path / "bag")
    told = [(stamp - stamps[0]) / 1e9 for stamp in stamps]
    assert times == pytest.approx(told[: len(times)], abs=1e-6)
    # on a busy machine the flush comes late, and the recorder itself may be held up
    held_up = max(after - before for before, after in pairwise(told))
    assert told[-1] - times[-1] <= 2.0 * bag_writer.FLUSH_S + held_up
    with BagReader(tmp_path / "bag") as reader:
        assert reader.cut
        assert reader.duration == pytest.approx(times[-1], abs=1e-6)


@pytest.mark.parametrize("lost", [1, 8, 30, 37, 100, 400])
def test_file_that_just_ends_is_played_up_to_there(tmp_path, monkeypatch, lost) -> None:
    monkeypatch.setattr(bag_writer, "FLUSH_S", 0.0)
    writer = BagWriter(tmp_path / "bag")
    number = writer.add_topic("/said", STRING, definition(STRING, find_share), [])
    for place in range(20):
        writer.take(number, BEGIN + place * 10**9, text(str(place)))
        until(lambda told=place + 1: writer.totals.written == told)
    writer.close()
    (file,) = (tmp_path / "bag").glob("*.mcap")
    (tmp_path / "bag" / "metadata.yaml").unlink()
    whole = said(tmp_path / "bag")
    file.write_bytes(file.read_bytes()[:-lost])
    assert said(tmp_path / "bag") == whole == [float(place) for place in range(20)]
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 4] + bytes(5000))
    assert said(tmp_path / "bag") == whole[: len(said(tmp_path / "bag"))]
    assert 2 < len(said(file)) < 20


def test_messages_without_a_summary_are_sorted(tmp_path) -> None:
    """A recorder takes messages on several threads, so their stamps are not quite in order."""
    bag = write_texts(tmp_path / "bag", {0.2: "b", 0.1: "a", 0.3: "c"})
    (file,) = bag.glob("*.mcap")
    data = file.read_bytes()
    (bag / "metadata.yaml").unlink()
    file.write_bytes(data[: data.index(b"\x0f\x04\x00\x00\x00\x00\x00\x00\x00")])
    assert said(bag) == pytest.approx([0.0, 0.1, 0.2])


def test_folder_of_several_files_without_metadata_names_them(tmp_path) -> None:
    for name in ("a_0.mcap", "a_1.mcap"):
        (tmp_path / name).write_bytes(mcap(b""))
    with pytest.raises(ConfigError, match=r"each of its files plays: a_0\.mcap, a_1\.mcap"):
        BagReader(tmp_path)
