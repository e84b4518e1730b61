# SPDX-License-Identifier: Apache-2.0
"""Logs of monitor ports: where their messages are, and how they are played."""

import gc
import gzip
import tempfile
import threading

import pytest
from monitor_stage import SHORT, payloads

from embodiment_bridge.core.errors import ConfigError, LinkError
from embodiment_bridge.link.transports.log_link import LogLink, LogPlayer
from embodiment_bridge.link.transports.monitor_log import FRAME_PERIOD, MonitorLog
from embodiment_bridge.link.transports.tape import LogTape
from embodiment_bridge.protocols import registry
from embodiment_bridge.protocols.soccer_monitor.scene.events import MonitorState
from embodiment_bridge.wire.codec import Malformed

FULL = b"((time 0))(RSG 0 1)((nd))"
DIFF = b"((time 0))(RDS 0 1)((nd))"


def log_of(tmp_path, *lines):
    path = tmp_path / "sparkmonitor.log"
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return MonitorLog(path)


class Watch:
    """A clock that goes when it is told to."""

    now = 100.0

    def __call__(self):
        return self.now


def player_of(log, speed=1.0):
    watch = Watch()
    return LogPlayer(log, speed, watch), watch


def due(player):
    """The messages that are due now."""
    found = []
    while (index := player.due(0.0)) is not None:
        found.append(index)
    return found


@pytest.mark.parametrize("protocol", SHORT)
def test_log_with_a_message_per_line_is_what_the_port_sent(tmp_path, protocol):
    sent = payloads(SHORT[protocol])
    log = log_of(tmp_path, *sent)
    assert [log.message(i) for i in range(len(log.entries))] == sent
    stream = MonitorLog(SHORT[protocol])
    assert [stream.message(i) for i in range(len(stream.entries))] == sent
    assert [entry.full for entry in log.entries] == [entry.full for entry in stream.entries]
    assert log.entries[0].full


def test_first_message_of_a_log_parses(tmp_path):
    for protocol, path in SHORT.items():
        log = log_of(tmp_path, *payloads(path)[:2])
        link = LogLink(LogPlayer(log, 0.0, Watch()), registry.codec(protocol), Watch())
        (event,) = link.read(0.0)
        assert isinstance(event, MonitorState)
        assert event.scene.full
        assert event.environment is not None


def test_times_are_those_of_the_server_where_it_tells_them(tmp_path):
    rows = [b"((RSMP 1 0)((gt 1 0)%.2f)((sg 1 0)diff(nd)))" % t for t in (5.0, 5.04, 5.12, 1.0, 1.04, 900.0)]
    log = log_of(tmp_path, *rows)
    assert [entry.seconds for entry in log.entries] == pytest.approx([0.0, 0.04, 0.12, 0.32, 0.36, 0.56])
    assert [e.seconds for e in log_of(tmp_path, FULL, DIFF, DIFF).entries] == pytest.approx([0.0, 0.2, 0.4])


def test_times_of_a_stream_are_those_of_its_index(tmp_path):
    path = tmp_path / "stream.bin"
    path.write_bytes(b"".join(len(m).to_bytes(4, "big") + m for m in (FULL, DIFF, DIFF)) + b"\0\0")
    path.with_suffix(".idx").write_text("7.5 0 25\n7.9 29 25\n8.5 58 25\n")
    assert [entry.seconds for entry in MonitorLog(path).entries] == pytest.approx([0.0, 0.4, 1.0])


@pytest.mark.parametrize("row", ["x 0 25", ""])
def test_bad_index_is_named(tmp_path, row):
    path = tmp_path / "stream.bin"
    path.write_bytes(len(FULL).to_bytes(4, "big") + FULL)
    path.with_suffix(".idx").write_text(f"1.0 0 25\n{row}\n")
    with pytest.raises(ConfigError, match=r"index .*stream\.idx: a line is not"):
        MonitorLog(path)


def test_time_of_an_index_does_not_go_back(tmp_path):
    path = tmp_path / "stream.bin"
    path.write_bytes((len(FULL).to_bytes(4, "big") + FULL) * 3)
    path.with_suffix(".idx").write_text("5 0 25\n4 29 25\n6 58 25\n")
    assert [entry.seconds for entry in MonitorLog(path).entries] == [0.0, 0.0, 1.0]


def test_messages_beyond_an_index_that_broke_off_go_on_from_its_end(tmp_path):
    path = tmp_path / "stream.bin"
    path.write_bytes(b"".join(len(m).to_bytes(4, "big") + m for m in (FULL, DIFF, DIFF, DIFF, DIFF)))
    path.with_suffix(".idx").write_text("7 0 25\n8 29 25\n9 58 25\n")
    log = MonitorLog(path)
    times = [entry.seconds for entry in log.entries]
    assert times == pytest.approx([0.0, 1.0, 2.0, 2.0 + FRAME_PERIOD, 2.0 + 2 * FRAME_PERIOD])
    assert log.before(1.5) == (0, 1)


def test_marks_and_blank_lines_are_not_part_of_messages(tmp_path):
    log = log_of(tmp_path, b"", b"[draw 1 2]" + FULL, b"   ", DIFF + b"\r", b"[only a mark]")
    assert [log.message(i) for i in range(len(log.entries))] == [FULL, DIFF]


@pytest.mark.parametrize(
    ("content", "reason"), [(b"", "no message"), (b"\0\0", "no message"), (b"\xff" * 40, "no message")]
)
def test_file_without_messages_is_refused(tmp_path, content, reason):
    path = tmp_path / "bad.log"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=reason):
        MonitorLog(path)


def test_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"nothing\.log"):
        MonitorLog(tmp_path / "nothing.log")


def test_line_that_is_too_long_is_malformed_and_the_next_is_played(tmp_path):
    log = log_of(tmp_path, FULL, b"(" * (1 << 20), DIFF)
    link = LogLink(LogPlayer(log, 0.0, Watch()), registry.codec("simspark_monitor"), Watch())
    events = [event for _ in range(6) for event in link.read(0.0)]
    assert any(isinstance(event, Malformed) for event in events)
    assert isinstance(events[-1], MonitorState)


def test_messages_come_in_their_time_and_faster(tmp_path):
    player, watch = player_of(log_of(tmp_path, *[FULL] * 10))
    assert due(player) == [0]
    watch.now += 0.45
    assert due(player) == [1, 2]
    player.set_speed(2.0)
    watch.now += 0.2
    assert due(player) == [3, 4]
    player.set_speed(0.0)
    assert due(player) == [5, 6, 7, 8, 9]
    assert player.position().time == pytest.approx(1.8)
    watch.now += 100.0
    assert due(player) == []


def test_pause_stands_still_and_goes_on_where_it_was(tmp_path):
    player, watch = player_of(log_of(tmp_path, *[FULL] * 10))
    due(player)
    player.pause(True)
    watch.now += 50.0
    assert due(player) == []
    assert player.position().paused
    player.pause(False)
    watch.now += 0.21
    assert due(player) == [1]


def test_seek_begins_with_the_full_message_before(tmp_path):
    player, watch = player_of(log_of(tmp_path, FULL, *[DIFF] * 4, FULL, *[DIFF] * 4))
    player.seek(0.85)
    assert due(player) == [0, 1, 2, 3, 4]
    player.seek(1.45)
    assert due(player) == [5, 6, 7]
    watch.now += 0.2
    assert due(player) == [8]
    player.seek(0.0)
    assert due(player) == [0]
    player.seek(1e9)
    assert due(player) == [5, 6, 7, 8, 9]
    assert player.position().time == player.position().duration == pytest.approx(1.8)


def test_seek_works_while_paused(tmp_path):
    player, _ = player_of(log_of(tmp_path, *[FULL] * 10))
    due(player)
    player.pause(True)
    player.seek(1.0)
    assert due(player) == [5]
    assert due(player) == []


def test_what_cannot_be_played_is_refused(tmp_path):
    player, _ = player_of(log_of(tmp_path, FULL))
    for bad in (-1.0, 1001.0, float("nan")):
        with pytest.raises(ConfigError, match="speed"):
            player.set_speed(bad)
    for bad in (-1.0, float("nan")):
        with pytest.raises(ConfigError, match="time"):
            player.seek(bad)


def test_close_wakes_who_waits(tmp_path):
    player, _ = player_of(log_of(tmp_path, FULL))
    due(player)
    failed = []

    def wait():
        try:
            player.due(60.0)
        except LinkError as error:
            failed.append(str(error))

    thread = threading.Thread(target=wait)
    thread.start()
    player.close()
    thread.join(10.0)
    assert "closed" in failed[0]


def playing(*times):
    return [b"((time %s))(RDS 0 1)((nd))" % str(time).encode() for time in times]


@pytest.mark.parametrize("period", [0.04, 0.2])
def test_times_of_simspark_are_those_of_play(tmp_path, period):
    """Before kick-off the time of play stands still; messages come as fast then as later in the same log."""
    count = 20
    log = log_of(
        tmp_path, FULL, *playing(*[0] * 5), *playing(*(round(i * period, 5) for i in range(1, count)))
    )
    assert log.duration == pytest.approx((5 + count - 1) * period)


def test_time_of_play_that_a_trainer_sets_is_no_pause(tmp_path):
    log = log_of(tmp_path, FULL, *playing(0.04, 0.08, 299.0, 299.04, 0.0, "8e-05"))
    assert [e.seconds for e in log.entries] == pytest.approx(
        [0, 0.04, 0.08, 0.12, 0.16, 0.2, 0.20008], abs=1e-6
    )


def test_packed_log_is_read_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    path = tmp_path / "game.log.gz"
    path.write_bytes(gzip.compress(FULL + b"\n" + DIFF + b"\n"))
    log = MonitorLog(path)
    assert [log.message(i) for i in range(len(log.entries))] == [FULL, DIFF]
    del log
    gc.collect()
    assert list((tmp_path / "tmp").iterdir()) == []


def test_packed_stream_has_its_index(tmp_path):
    path = tmp_path / "stream.bin.gz"
    path.write_bytes(gzip.compress(b"".join(len(m).to_bytes(4, "big") + m for m in (FULL, DIFF))))
    (tmp_path / "stream.idx").write_text("7.5 0 25\n7.9 29 25\n")
    assert [entry.seconds for entry in MonitorLog(path).entries] == pytest.approx([0.0, 0.4])


@pytest.mark.parametrize("spoil", [lambda data: data[:-9], lambda data: data[:12] + b"!" * 20])
def test_packed_log_that_is_broken_is_refused(tmp_path, spoil):
    path = tmp_path / "game.log.gz"
    path.write_bytes(spoil(gzip.compress(bytes(range(256)) * 20)))
    with pytest.raises(ConfigError, match=r"game\.log\.gz"):
        MonitorLog(path)


@pytest.mark.parametrize("name", ["game.log", "game.log.gz"])
@pytest.mark.parametrize("protocol", SHORT)
def test_game_that_is_watched_is_a_log_that_plays(tmp_path, protocol, name):
    data = SHORT[protocol].read_bytes()
    for _ in range(2):  # of the second connection there is another file
        tape = LogTape(Peer(data[:1000], data[1000:30001], data[30001:]), tmp_path / name)
        for size in (1000, 29001, len(data) - 30001):
            assert len(tape.read(0.0)) == size
        tape.close()
        tape.close()
    for path in (tmp_path / name, tmp_path / name.replace("game", "game-2")):
        log = MonitorLog(path)
        sent = [payload.replace(b"\n", b" ").rstrip() for payload in payloads(SHORT[protocol])]
        assert [log.message(i) for i in range(len(log.entries))] == sent
    assert (tmp_path / name).read_bytes()[:2] == (b"\x1f\x8b" if name.endswith("gz") else data[4:6])


@pytest.mark.parametrize("name", ["game.log", "game.log.gz"])
def test_log_of_a_process_that_is_killed_lacks_the_last_second_at_most(tmp_path, name):
    data = len(FULL).to_bytes(4, "big") + FULL
    now = iter([0.0, 0.5, 1.0, 1.0, 1.9])
    tape = LogTape(Peer(*[data] * 3), tmp_path / name, clock=lambda: next(now))
    for _ in range(3):
        tape.read(0.0)
    (tmp_path / f"killed_{name}").write_bytes((tmp_path / name).read_bytes())
    assert len(MonitorLog(tmp_path / f"killed_{name}").entries) == 2
    tape.close()


def test_log_that_cannot_be_made_is_named(tmp_path):
    peer = Peer()
    with pytest.raises(ConfigError, match=r"recording .*nowhere"):
        LogTape(peer, tmp_path / "nowhere" / "game.log")
    assert peer.closed


def test_full_disk_ends_the_log_and_not_the_link(tmp_path, caplog):
    data = len(FULL).to_bytes(4, "big") + FULL
    tape = LogTape(Peer(data, data, data), tmp_path / "game.log")
    tape._file = Full(tape._file)
    assert [tape.read(0.0) for _ in range(3)] == [data] * 3
    tape.close()
    assert caplog.text.count("ends here") == 1


class Full:
    """A file on a disk that is full."""

    def __init__(self, file):
        self.file = file

    def write(self, data):
        raise OSError(28, "No space left on device")


class Peer:
    """Gives pieces."""

    peer = "test://peer"

    def __init__(self, *pieces):
        self.pieces = list(pieces)
        self.closed = False

    def read(self, timeout):
        return self.pieces.pop(0)

    def write(self, data):
        raise NotImplementedError

    def close(self):
        self.closed = True
