# SPDX-License-Identifier: Apache-2.0
"""Media from files and from servers that mean well or not."""

import math
import os

import pytest
from sound_stage import write_wav
from waiting import until

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import BridgeError, CommandError, ConfigError
from embodiment_bridge.fetching import Fetcher, FetchRules
from embodiment_bridge.media.cue import Cue
from embodiment_bridge.media.files.cache import MediaCache, key_of
from embodiment_bridge.media.files.sources import MediaSources, redacted
from embodiment_bridge.media.files.wav import wav_length
from embodiment_bridge.media.loader import Loader
from embodiment_bridge.standins.bml.server import BmlPeer

URL = "https://a.example/song.wav?token=secret"


class Fetches:
    """A fetcher that gives bytes, and remembers what it was asked."""

    def __init__(self, body=b"RIFF", kind="audio/wav"):
        self.body, self.kind, self.asked = body, kind, []

    def __call__(self, url, file, *, max_bytes, accept, total_s, cancelled):
        self.asked.append((url, max_bytes, accept))
        file.write(self.body)
        if isinstance(self.kind, Exception):
            raise self.kind
        return self.kind


def sources(tmp_path, fetch=None, roots=(), size=1_000_000):
    return MediaSources(
        UrlPolicy(media_roots=roots),
        MediaCache(tmp_path / "cache", size),
        fetch,
        lambda name: tmp_path / name,
    )


def test_a_remote_medium_is_fetched_once(tmp_path):
    fetch = Fetches()
    media = sources(tmp_path, fetch)
    assert media.path_of(URL).read_bytes() == b"RIFF"
    assert media.path_of(URL).read_bytes() == b"RIFF"
    assert fetch.asked == [(URL, 50 << 20, ("audio/*", "application/ogg", "application/octet-stream"))]


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/a.wav",
        "http://127.1/a.wav",
        "http://0x7f.1/a.wav",
        "http://0177.0.0.1/a.wav",
        "http://2130706433/a.wav",
        "http://[::1]/a.wav",
        "http://[::ffff:127.0.0.1]/a.wav",
        "http://[64:ff9b::7f00:1]/a.wav",
        "http://[2002:7f00:1::]/a.wav",
        "http://100.64.0.1/a.wav",
        "http://224.0.0.1/a.wav",
        "http://169.254.169.254/latest/meta-data",
        "http://metadata.google.internal/",
        "http://user:pw@a.example/a.wav",
        "http://a.example:22/a.wav",
        "http://a.example/a b.wav",
        "http://a.example\\@b.example/a.wav",
        "ftp://a.example/a.wav",
        "rtsp://a.example/a",
        "data:audio/wav;base64,AAAA",
        "https://a.example/" + "a" * 2048,
        "file:///etc/passwd",
        "song.wav",
        "",
    ],
)
def test_refused_before_anybody_is_asked(tmp_path, url):
    fetch = Fetches()
    with pytest.raises(CommandError, match="the URL is refused"):
        sources(tmp_path, fetch, (str(tmp_path),)).path_of(url)
    assert fetch.asked == []


def test_a_playlist_is_no_sound(tmp_path):
    media = sources(tmp_path, Fetches(b"http://127.0.0.1/", "audio/x-mpegurl"))
    with pytest.raises(CommandError, match="a playlist") as caught:
        media.path_of(URL)
    assert "secret" not in str(caught.value)
    assert list((tmp_path / "cache").iterdir()) == []


def test_nothing_is_kept_of_a_fetch_that_failed(tmp_path):
    media = sources(tmp_path, Fetches(b"half", CommandError("TOO_LARGE")))
    with pytest.raises(CommandError, match="TOO_LARGE"):
        media.path_of(URL)
    assert list((tmp_path / "cache").iterdir()) == []


def test_without_a_fetcher_nothing_remote_is_played(tmp_path):
    with pytest.raises(CommandError, match="fetches no remote media"):
        sources(tmp_path).path_of(URL)


def test_files_under_media_roots(tmp_path):
    song = write_wav(tmp_path / "a song.wav", 0.1)
    media = sources(tmp_path, roots=(str(tmp_path),))
    assert media.path_of(song.as_uri()) == song
    with pytest.raises(CommandError, match=r"there is no file 'b\.wav'"):
        media.path_of(f"file://{tmp_path}/b.wav")


@pytest.mark.parametrize("where", ["file", "package"])
def test_symbolic_links_do_not_lead_out(tmp_path, where):
    outside = write_wav(tmp_path / "outside.wav", 0.1)
    root = tmp_path / "root"
    root.mkdir()
    (root / "link.wav").symlink_to(outside)
    url = f"file://{root}/link.wav" if where == "file" else "package://root/link.wav"
    with pytest.raises(CommandError, match="symbolic links lead out"):
        sources(tmp_path, roots=(str(root),)).path_of(url)


@pytest.mark.parametrize("path", ["..", "%2e%2e", "a/../.."])
def test_dots_do_not_lead_out(tmp_path, path):
    for url in (f"file://{tmp_path}/{path}/x.wav", f"package://root/{path}/x.wav"):
        with pytest.raises(CommandError, match="refused"):
            sources(tmp_path, roots=(str(tmp_path),)).path_of(url)


def test_a_device_is_no_file(tmp_path):
    with pytest.raises(CommandError, match="there is no file"):
        sources(tmp_path, roots=("/dev",)).path_of("file:///dev/zero")


def test_the_cache_has_a_bound_and_keeps_what_was_used_last(tmp_path):
    cache = MediaCache(tmp_path, 100)
    a, b, c, d = map(key_of, "abcd")
    for n, name in enumerate((a, b, c)):
        with cache.adding(name) as path:
            path.write_bytes(b"x" * 40)
        os.utime(tmp_path / name, (n, n))
    assert cache.size() == 80
    assert {path.name for path in tmp_path.iterdir()} == {b, c}
    assert cache.find(b) is not None  # used now
    with cache.adding(d) as path:
        path.write_bytes(b"x" * 40)
    assert {path.name for path in tmp_path.iterdir()} == {b, d}


def test_other_files_of_its_folder_are_left_alone(tmp_path):
    """It may be told to use a folder in which a user has music, downloads under way, and folders."""
    others = ["song.mp3", "cover", "song.part", f"{key_of('a')}.flac", f"{key_of('a')}0.wav"]
    for name in others:
        (tmp_path / name).write_bytes(b"x" * 400)
        os.utime(tmp_path / name, (0, 0))
    (tmp_path / key_of("folder")).mkdir()
    (tmp_path / key_of("link")).symlink_to(tmp_path / "song.mp3")
    cache = MediaCache(tmp_path, 100)
    for name in "abc":
        with cache.adding(key_of(name)) as path:
            path.write_bytes(b"x" * 60)
    assert cache.size() == 60
    assert {path.name for path in tmp_path.iterdir()} == {
        *others, *map(key_of, ("folder", "link", "c")),
    }  # fmt: skip


@pytest.mark.parametrize("name", [key_of("a"), key_of("a") + ".marks.json", key_of("a") + ".tmp"])
def test_what_an_ended_process_left_unfinished_is_deleted(tmp_path, name):
    cache = MediaCache(tmp_path, math.inf)
    with cache.adding(name) as left:
        pass
    left.write_bytes(b"x")
    os.utime(left, (0, 0))
    with MediaCache(tmp_path, math.inf).adding(key_of("b")):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {name, key_of("b")}


def test_a_medium_larger_than_the_cache_is_played_all_the_same(tmp_path):
    cache = MediaCache(tmp_path, 10)
    with cache.adding(key_of("big")) as path:
        path.write_bytes(b"x" * 40)
    assert cache.find(key_of("big")).read_bytes() == b"x" * 40


def test_a_cache_that_cannot_be_used(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be used"):
        MediaCache(tmp_path / "file" / "cache", 10)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (URL, "https://a.example/song.wav"),
        ("https://user:pw@a.example/x#y", "https://a.example/x"),
        ("http://[", "a bad URL"),
    ],
)
def test_urls_are_shown_without_secrets(url, shown):
    assert redacted(url) == shown


def test_keys():
    assert key_of("a", "b") != key_of("ab", "")
    assert key_of("\ud800").isalnum()


@pytest.fixture(scope="module")
def peer():
    with BmlPeer(music=1.5) as peer:
        yield peer


@pytest.fixture
def media(peer, tmp_path):
    policy = UrlPolicy(hosts=frozenset(), trusted_hosts=frozenset({f"127.0.0.1:{peer.port}"}))
    return MediaSources(policy, MediaCache(tmp_path, 100_000_000), Fetcher(FetchRules(policy)).fetch_to)


def url(peer, path):
    return f"http://127.0.0.1:{peer.port}{path}"


def test_a_song_comes_once(peer, media):
    before = len(peer.asked)
    paths = {media.path_of(url(peer, "/music?id=a.wav")) for _ in range(3)}
    assert [wav_length(str(path)) for path in paths] == [1.5]
    assert len(peer.asked) == before + 1


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("type", "WRONG_TYPE"),
        ("loopback", "URL_REFUSED"),
        ("hang_up", "BROKEN_REPLY"),
    ],
)
def test_no_sound_comes_of_it(peer, media, tmp_path, fault, code):
    with pytest.raises(BridgeError, match=code):
        media.path_of(url(peer, f"/fault/{fault}"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("large", "TOO_LARGE"),
        ("short", "BROKEN_REPLY"),
        ("drip", "TIMED_OUT"),
    ],
)
def test_no_marks_come_of_it(peer, media, tmp_path, monkeypatch, fault, code):
    monkeypatch.setattr("embodiment_bridge.media.files.sources.TOTAL_S", 0.5 if fault == "drip" else 20.0)
    monkeypatch.setattr("embodiment_bridge.media.files.sources.MAX_MARKS", 100_000)
    with pytest.raises(BridgeError, match=code):
        media.marks_of(url(peer, f"/fault/{fault}"))
    assert list(tmp_path.iterdir()) == []


def test_a_fetch_that_is_given_up_ends_soon(peer, media):
    loader = Loader(media)
    loader.begin(Cue("1", "run", url=url(peer, "/music?id=b.wav"), marks_url=url(peer, "/fault/drip")))
    loader.begin(Cue("2", "run", url=url(peer, "/music?id=c.wav")))
    ready = []
    until(lambda: ready.extend(loader.take()) or bool(ready))
    loader.cancel("1")
    loader.close()  # waits for its threads
    assert [one.id for one in ready] == ["2"]
    assert loader.take() == []


def test_a_host_that_was_not_opened_is_never_asked(peer, tmp_path):
    fetch = Fetcher(FetchRules()).fetch_to
    media = MediaSources(FetchRules().policy, MediaCache(tmp_path, 1000), fetch)
    before = len(peer.asked)
    with pytest.raises(BridgeError, match="refused"):
        media.path_of(url(peer, "/music?id=a.wav"))
    assert len(peer.asked) == before
