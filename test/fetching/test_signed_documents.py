# SPDX-License-Identifier: Apache-2.0
"""Signed documents over real sockets: taken, refused, and what a signature does not do."""

import inspect
import json

import pytest

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.cli.commands.peer import PEERS
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.fetching import Fetcher, FetchError, FetchRules
from embodiment_bridge.fetching.signature import LONGEST_KEY, SHORTEST_KEY, Acceptance, read_key, sign, verify
from embodiment_bridge.standins.bml.server import BmlPeer

KEY = b"a key that both have"
NOW = 1515405600.0  # 2018-01-08 10:00:00 UTC


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "bml.key"
    path.write_bytes(KEY + b"\n")
    return str(path)


def fetch(peer, target, **options):
    rules = FetchRules(UrlPolicy(trusted_hosts=frozenset({f"127.0.0.1:{peer.port}"})))
    accepting = Acceptance(Fetcher(rules), wall=lambda: NOW, **options)
    return accepting.fetch_bytes(peer.url + target, max_bytes=1 << 20, total_s=5.0, cancelled=lambda: False)


def refused(peer, target, **options):
    with pytest.raises(FetchError) as caught:
        fetch(peer, target, **options)
    return caught.value


def test_a_signed_document_is_taken(key_file):
    with BmlPeer(songs=1, sign_key=key_file) as peer:
        reply = fetch(peer, "/request", key=KEY)
        assert reply.signature == sign(reply.body, KEY)
        assert fetch(peer, "/request").body == reply.body  # who does not ask for a signature takes it too


def test_the_command_has_all_options_of_the_stand_in():
    """``embodiment_bridge peer bml --sign-key FILE --tls FILE`` and the others."""
    options = {option.name: option.default for option in PEERS["bml"].options}
    known = inspect.signature(BmlPeer).parameters.values()
    assert options == {one.name: one.default for one in known if one.kind is one.KEYWORD_ONLY}


def test_without_a_signature_it_is_refused():
    with BmlPeer(songs=1) as peer:
        error = refused(peer, "/request", key=KEY)
    assert error.code == "UNSIGNED"
    assert "X-BML-Signature" in str(error)
    assert "parameter signature_key_file" in str(error)


def test_another_key_is_refused(key_file):
    with BmlPeer(songs=1, sign_key=key_file) as peer:
        assert refused(peer, "/request", key=b"the key of nobody").code == "BAD_SIGNATURE"


@pytest.mark.parametrize(
    ("body", "signature"),
    [
        (b"{} ", sign(b"{}", KEY)),
        (b"{}", sign(b"{}", KEY)[:-1]),
        (b"{}", sign(b"{}", KEY).removeprefix("sha256=")),
        (b"{}", sign(b"{}", KEY).upper()),
        (b"{}", "sha256="),
        (b"{}", "\xe9"),
        (b"{}", "\ud800"),
    ],
)
def test_bytes_and_signature_belong_together(body, signature):
    verify(b"{}", f" {sign(b'{}', KEY)} ", KEY)
    with pytest.raises(FetchError, match="BAD_SIGNATURE"):
        verify(body, signature, KEY)


def test_the_signature_is_the_one_of_rfc_4231():
    """Its test case 2, so that other programs sign alike."""
    wanted = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    assert sign(b"what do ya want for nothing?", b"Jefe") == wanted


def served(folder, file, **envelope):
    text = json.dumps({"action": {"type": "delay", "duration": 1}, **envelope})
    (folder / f"{file}.json").write_text(text)
    return f"/documents/{file}.json"


def test_an_old_document_is_refused_by_its_time(tmp_path, key_file):
    fresh = served(tmp_path, "fresh", req_time="20180108095930")
    old = served(tmp_path, "old", req_time="20180108090000")
    timeless = served(tmp_path, "timeless", name="a")
    with BmlPeer(directory=str(tmp_path), sign_key=key_file) as peer:
        for key in (b"", KEY):
            assert fetch(peer, fresh, key=key, max_age=60.0).body
            assert refused(peer, old, key=key, max_age=60.0).code == "STALE"
        assert fetch(peer, timeless, max_age=60.0).body
        assert "no req_time" in str(refused(peer, timeless, key=KEY, max_age=60.0))


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, "No such file"),
        (b"short", "16 to 4096 bytes, not 5"),
        (b"x" * (LONGEST_KEY + 1), "not 4097"),
        (b"", "not 0"),
    ],
)
def test_bad_keys(tmp_path, content, text):
    path = tmp_path / "key"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match="parameter p") as caught:
        read_key(str(path), "parameter p")
    assert text in str(caught.value)


@pytest.mark.parametrize("length", [SHORTEST_KEY, LONGEST_KEY])
def test_keys_of_the_shortest_and_of_the_longest_length(tmp_path, length):
    (tmp_path / "key").write_bytes(b"x" * length + b"\r\n")
    assert read_key(str(tmp_path / "key"), "p") == b"x" * length


def test_the_end_of_the_line_is_no_part_of_the_key(key_file):
    assert read_key(key_file, "p") == KEY
