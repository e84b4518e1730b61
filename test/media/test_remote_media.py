# SPDX-License-Identifier: Apache-2.0
"""Remote media through the guarded fetcher, from a server that means well and from one that does not."""

import pytest
from waiting import until

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import BridgeError
from embodiment_bridge.fetching import Fetcher, FetchRules
from embodiment_bridge.media.cue import Cue
from embodiment_bridge.media.files.cache import MediaCache
from embodiment_bridge.media.files.sources import MediaSources
from embodiment_bridge.media.files.wav import wav_length
from embodiment_bridge.media.loader import Loader
from embodiment_bridge.standins.bml.server import BmlPeer


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
        ("untyped", "WRONG_TYPE"),
        ("loopback", "URL_REFUSED"),
        ("metadata", "URL_REFUSED"),
        ("file", "URL_REFUSED"),
        ("circle", "TOO_MANY_REDIRECTS"),
        ("error", "BAD_STATUS"),
        ("hang_up", "BROKEN_REPLY"),
        ("garbage", "BROKEN_REPLY"),
    ],
)
def test_no_sound_comes_of_it(peer, media, tmp_path, fault, code):
    with pytest.raises(BridgeError, match=code):
        media.path_of(url(peer, f"/fault/{fault}"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ("bomb", "ENCODED"),
        ("large", "TOO_LARGE"),
        ("endless", "TOO_LARGE"),
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
