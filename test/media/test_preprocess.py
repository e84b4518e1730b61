# SPDX-License-Identifier: Apache-2.0
"""From text to sound in documents, and the service that does it over HTTP."""

import http.client
import json
import socket
import time
from urllib.parse import urlsplit

import pytest
from sound_stage import write_wav

from embodiment_bridge import bml
from embodiment_bridge.core.errors import LinkError
from embodiment_bridge.media import speech_service
from embodiment_bridge.media.files.cache import MediaCache
from embodiment_bridge.media.files.marks import Marks
from embodiment_bridge.media.preprocess import preprocess
from embodiment_bridge.media.speech.store import SpeechError, SpeechStore
from embodiment_bridge.media.speech_service import AT_ONCE, CONNECTIONS, MAX_BODY, SpeechService


class Voice:
    """Speaks everything but what has "mumble" in it."""

    identity = "voice"

    def __init__(self):
        self.texts = []

    def speak(self, spoken, path, cancelled):
        self.texts.append(spoken.text)
        if "mumble" in spoken.text:
            raise SpeechError("cannot say that")
        write_wav(path, 0.1)
        return ".wav", Marks(((0.0, 0),), ()) if " " in spoken.text else Marks()

    def close(self):
        pass


@pytest.fixture
def voice():
    return Voice()


@pytest.fixture
def store(voice, tmp_path):
    return SpeechStore(voice, MediaCache(tmp_path, 10_000_000))


def link(path):
    return f"https://a.example/{path.name[-10:]}"


def speak(content, **more):
    return {"type": "speak", "content": content, **more}


def done(store, root, **options):
    document = bml.read(json.dumps(root), strict=True).document
    return preprocess(document, store, link, **options)


EVERYTHING = {
    "type": "sequence",
    "name": "all",
    "finally": speak("good bye"),
    "behaviors": [
        speak("hello you", name="hi", loop=2, duration=3, volume=40, channel="voice", timeout=9),
        {"type": "loop", "loop": -1, "behavior": speak("hello you")},
        {"type": "parallel", "behaviors": [
            speak("hello you", name="at", condition={"key": "a", "op": "exists"}),
            {"type": "delay", "duration": 1, "start": {"at": "at", "mark": "you"}},
            {"type": "selector", "behaviors": [{"type": "delay", "duration": 1}]},
        ]},
        speak("hello", rate=2),
    ],
}  # fmt: skip


def test_everything_round_the_text_stays(store, voice):
    result = done(store, EVERYTHING)
    data = bml.to_data(result.document)
    assert (result.problems, result.spoken) == ((), 3)
    assert sorted(voice.texts) == ["good bye", "hello", "hello you"]
    assert data["behaviors"][0] == {
        "type": "player", "name": "hi", "action": "play", "url": data["behaviors"][0]["url"],
        "content": "hello you", "channel": "voice", "marks_url": data["behaviors"][0]["marks_url"],
        "volume": 40, "duration": 3, "loop": 2, "timeout": 9,
    }  # fmt: skip
    assert "marks_url" not in data["behaviors"][3]
    before, after = (
        bml.read(json.dumps(EVERYTHING)).document,
        bml.read(json.dumps(data), strict=True).document,
    )
    assert [node.pointer for node in nodes(before)] == [node.pointer for node in nodes(after)]
    assert bml.check(after, {}) == []


def nodes(document):
    from embodiment_bridge.bml.nodes.node import preorder

    return preorder(document.root)


def test_twice_is_as_once(store):
    once = done(store, EVERYTHING).document
    assert preprocess(once, store, link).document == once


def test_a_text_that_cannot_be_spoken(store):
    root = {"type": "sequence", "behaviors": [speak("a"), speak("mumble"), speak("mumble")]}
    problems = done(store, root).problems
    assert [(one.pointer, one.code, one.fatal) for one in problems] == [
        ("/behaviors/1", "SPEECH_FAILED", True), ("/behaviors/2", "SPEECH_FAILED", True),
    ]  # fmt: skip
    result = done(store, root, fallback="https://a.example/beep.wav")
    assert [one.fatal for one in result.problems] == [False, False]
    assert bml.to_data(result.document)["behaviors"][1]["url"] == "https://a.example/beep.wav"


@pytest.mark.parametrize(
    ("texts", "pointer"),
    [(["a"] * 201, "/behaviors/200"), (["a" * 4000] * 6, "/behaviors/5")],
)
def test_too_much(store, voice, texts, pointer):
    result = done(store, {"type": "sequence", "behaviors": [speak(text) for text in texts]})
    assert [(one.pointer, one.code) for one in result.problems] == [(pointer, "TOO_MUCH_SPEECH")]
    assert voice.texts == []


def test_what_is_in_a_subtree_is_another_document(store, voice):
    text = json.dumps({"type": "sequence", "behaviors": [{"type": "subtree", "ref": "greet"}, speak("a")]})
    document = bml.read(text, subtrees={"greet": json.dumps(speak("b"))}).document
    preprocess(document, store, link)
    assert voice.texts == ["a"]


@pytest.fixture
def service(store, tmp_path):
    with SpeechService(store, tmp_path, public_url="http://robot.example:99/") as service:
        yield service


def ask(service, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=10)
    connection.request(method, path, body, headers)
    reply = connection.getresponse()
    answer = reply.status, reply.getheader("Content-Type"), reply.read()
    connection.close()
    return answer


def test_the_service_speaks_and_serves(service):
    status, kind, body = ask(service, "POST", "/preprocess", json.dumps(speak("hello you")))
    player = json.loads(body)
    assert (status, kind) == (200, "application/json")
    assert player["url"].startswith("http://robot.example:99/media/")
    status, kind, body = ask(service, "GET", urlsplit(player["url"]).path)
    assert (status, kind, body[:4]) == (200, "audio/wav", b"RIFF")
    status, kind, body = ask(service, "GET", urlsplit(player["marks_url"]).path)
    assert json.loads(body)["words"] == [[0.0, 0]]


@pytest.mark.parametrize(
    "path",
    ["/", "/media/", "/media/../../etc/passwd", "/media/%2e%2e/x", "//etc/passwd", "/media/" + "0" * 40 + ".wav",
     "/media/" + "0" * 40 + ".part"],
)  # fmt: skip
def test_nothing_else_is_served(service, path):
    assert ask(service, "GET", path)[0] == 404


def test_bad_documents_are_told(service):
    status, _, body = ask(service, "POST", "/preprocess", '{"type": "speek"}')
    assert status == 422
    assert "/type: UNKNOWN_TYPE" in json.loads(body)["problems"][0]
    assert ask(service, "POST", "/preprocess", json.dumps(speak("mumble")))[0] == 422
    assert ask(service, "POST", "/preprocess", b"\xff" * 10)[0] == 422
    assert ask(service, "POST", "/other", "{}")[0] == 404
    assert ask(service, "PUT", "/preprocess", "{}")[0] == 501


@pytest.mark.parametrize(
    ("length", "status"),
    [(str(MAX_BODY + 1), 413), ("9" * 30, 411), ("-1", 411), ("ten", 411), ("\u0663", 411)],
)
def test_sizes_of_requests(service, length, status):
    with opened(
        service, f"POST /preprocess HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n"
    ) as link:
        assert int(link.makefile("rb").readline().split()[1]) == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:99", "Origin": "http://localhost:99"}, 200),
        ({"Host": "robot.example:99"}, 200),  # of its public URL
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example", "Origin": "http://evil.example"}, 403),
        ({"Host": "192.168.1.5"}, 403),
    ],
)
def test_pages_of_others_are_refused(service, voice, headers, status):
    assert ask(service, "POST", "/preprocess", json.dumps(speak("hello")), **headers)[0] == status
    assert ask(service, "GET", "/media/x", **headers)[0] == (404 if status == 200 else 403)
    assert voice.texts == (["hello"] if status == 200 else [])


def test_a_proxy_may_have_an_address(store, tmp_path):
    with SpeechService(store, tmp_path, public_url="http://192.168.1.7:8760") as service:
        assert ask(service, "GET", "/", Host="192.168.1.7:8760")[0] == 404
        assert ask(service, "GET", "/", Host="192.168.1.8:8760")[0] == 403


def test_other_machines_come_by_address_or_name(store, tmp_path):
    with SpeechService(store, tmp_path, host="0.0.0.0") as service:
        for host, status in (("192.168.1.5:8760", 404), (socket.gethostname(), 404), ("evil.example", 403)):
            assert ask(service, "GET", "/", Host=host)[0] == status


def test_one_too_many_is_turned_away(service):
    for _ in range(AT_ONCE):
        assert service.take_slot()
    assert ask(service, "POST", "/preprocess", json.dumps(speak("hello")))[0] == 503
    service.free_slot()
    assert ask(service, "POST", "/preprocess", json.dumps(speak("hello")))[0] == 200


HEAD = "POST /preprocess HTTP/1.1\r\nHost: localhost\r\n"


def opened(service, text):
    link = socket.create_connection(("127.0.0.1", service.port), timeout=30)
    link.sendall(text.encode())
    return link


@pytest.mark.parametrize("begun", [HEAD, HEAD + "Content-Length: 1000\r\n\r\n"])
def test_head_and_body_have_one_deadline(service, monkeypatch, begun):
    """However regularly the bytes drip."""
    monkeypatch.setattr(speech_service, "READ_S", 0.5)
    with opened(service, begun) as link:
        link.settimeout(0.05)
        ended = False
        until = time.monotonic() + 30
        while not ended and time.monotonic() < until:
            try:
                link.sendall(b"x")
                ended = link.recv(1000) == b""
            except TimeoutError:
                pass
            except OSError:  # closed while more arrived
                ended = True
        assert ended


def test_a_late_body_is_told(service, monkeypatch):
    monkeypatch.setattr(speech_service, "READ_S", 0.1)
    with opened(service, HEAD + "Content-Length: 1000\r\n\r\n{") as link:
        assert b" 408 " in link.makefile("rb").readline()


def test_slow_requests_do_not_keep_others_out(service):
    links = [opened(service, HEAD + "Content-Length: 1000\r\n\r\n{") for _ in range(2 * AT_ONCE)]
    assert ask(service, "POST", "/preprocess", json.dumps(speak("hello")))[0] == 200
    for link in links:
        link.close()


def test_connections_are_bounded(service):
    links = [opened(service, "GET") for _ in range(CONNECTIONS)]
    with opened(service, "") as further:
        assert further.recv(1) == b""
    for link in links:
        link.close()
    until = time.monotonic() + 30
    while True:
        try:
            assert ask(service, "GET", "/")[0] == 404
            break
        except (OSError, http.client.HTTPException):
            assert time.monotonic() < until


def test_a_log_line_is_one_line(store, tmp_path):
    lines = []
    with SpeechService(store, tmp_path, log=lines.append) as service:
        assert ask(service, "GET", "/" + "a" * 5000)[0] == 404
        with opened(service, "GET /\x1b[2J HTTP/1.0\r\nHost: localhost\r\n\r\n") as link:
            assert link.makefile("rb").readline()
    assert len(lines) == 2
    assert all(len(line) <= 300 and line.isprintable() for line in lines)


def test_a_port_that_is_taken(service, store, tmp_path):
    with pytest.raises(LinkError, match="cannot listen"):
        SpeechService(store, tmp_path, port=service.port)
