# SPDX-License-Identifier: Apache-2.0
"""TLS with certificates of an authority of our own: who is believed, and who is not."""

import io

import pytest
from certificates import Authority
from fetching_stage import refused

from embodiment_bridge.bml.rules.url_policy import UrlPolicy
from embodiment_bridge.core.errors import ConfigError
from embodiment_bridge.fetching import Fetcher, FetchError, FetchRules
from embodiment_bridge.fetching.connection import tls_context
from embodiment_bridge.media.speech.cloud import CloudSettings, speech_fetcher
from embodiment_bridge.nodes.sound.fetch_parameters import PARAMETERS, fetch_rules
from embodiment_bridge.standins.bml.server import BmlPeer

HOST = "skills.example"
CLOSED = {parameter.name: parameter.default for parameter in PARAMETERS}


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="module")
def peer(authority):
    with BmlPeer(songs=2, music=0.5, tls=authority.server(HOST)) as server:
        yield server


def fetcher(port, ca_file, host=HOST):
    values = {"fetch_host_map": [f"{host}=127.0.0.1:{port}"], "fetch_ca_file": str(ca_file)}
    return Fetcher(fetch_rules({**CLOSED, **values}))


def test_a_document_and_a_sound_over_https(peer, authority):
    trusting = fetcher(peer.port, authority.file)
    body = trusting.fetch_bytes(f"https://{HOST}/request?type=next").body
    assert f'"https://{HOST}/music?id=0.wav"'.encode() in body
    file = io.BytesIO()
    assert trusting.fetch_to(f"https://{HOST}/music?id=0.wav", file, max_bytes=10_000) == "audio/wav"
    assert file.getvalue()[:4] == b"RIFF"


def test_the_name_is_checked_whatever_the_address(peer, authority):
    """A map may lead anywhere; the certificate is that of the name in the URL all the same."""
    before = len(peer.asked)
    error = refused(fetcher(peer.port, authority.file, "other.example"), "https://other.example/request")
    assert error.code == "UNREACHABLE"
    assert "Hostname mismatch" in str(error)
    assert "fetch_ca_file" not in str(error)  # no authority makes another name of it
    assert len(peer.asked) == before


def test_an_address_is_no_name(peer, authority):
    trusted = frozenset({f"127.0.0.1:{peer.port}"})
    rules = FetchRules(UrlPolicy(trusted_hosts=trusted), ca_file=str(authority.file))
    assert "IP address mismatch" in str(refused(Fetcher(rules), f"https://127.0.0.1:{peer.port}/request"))


@pytest.mark.parametrize("other", [False, True])
def test_an_authority_that_nobody_trusts(peer, tmp_path, other):
    file = Authority(tmp_path).file if other else ""
    before = len(peer.asked)
    error = refused(fetcher(peer.port, file), f"https://{HOST}/request")
    assert error.code == "UNREACHABLE"
    assert "certificate verify failed" in str(error)
    assert str(error).endswith("(opened by parameter fetch_ca_file)")
    assert len(peer.asked) == before


def test_an_expired_certificate(authority):
    with BmlPeer(tls=authority.server(HOST, until="20210101000000Z")) as peer:
        error = refused(fetcher(peer.port, authority.file), f"https://{HOST}/request")
    assert "certificate has expired" in str(error)


def test_a_speech_service_with_a_certificate_of_our_own(authority):
    with BmlPeer(voice=0.1, tls=authority.server("localhost")) as peer:
        settings = CloudSettings(f"https://localhost:{peer.port}/voice?id={{text}}", "")
        url, file = f"https://localhost:{peer.port}/voice?id=hello", io.BytesIO()
        assert speech_fetcher(settings, str(authority.file))(url, file, max_bytes=10_000) == "audio/wav"
        with pytest.raises(FetchError, match="certificate verify failed"):
            speech_fetcher(settings)(url, file, max_bytes=10_000)


@pytest.mark.parametrize("fault", ["loopback", "metadata", "file"])
def test_a_redirect_out_of_https_is_refused(peer, authority, fault):
    error = refused(fetcher(peer.port, authority.file), f"https://{HOST}/fault/{fault}")
    assert error.code == "URL_REFUSED"
    assert "redirected from https to" in str(error)


def test_a_redirect_within_https_is_followed(peer, authority):
    error = refused(fetcher(peer.port, authority.file), f"https://{HOST}/fault/circle")
    assert error.code == "TOO_MANY_REDIRECTS"


@pytest.mark.parametrize(
    ("fault", "code", "total_s"),
    [("slow", "TIMED_OUT", 0.5), ("bomb", "ENCODED", 60.0), ("endless", "TOO_LARGE", 60.0)],
)
def test_limits_hold_over_tls_too(peer, authority, fault, code, total_s):
    with pytest.raises(FetchError, match=code):
        fetcher(peer.port, authority.file).fetch_bytes(f"https://{HOST}/fault/{fault}", total_s=total_s)


def test_a_client_without_tls_gets_no_word(peer):
    rules = FetchRules(UrlPolicy(trusted_hosts=frozenset({f"127.0.0.1:{peer.port}"})))
    assert refused(Fetcher(rules), f"http://127.0.0.1:{peer.port}/request").code == "BROKEN_REPLY"


def test_what_is_asked_of_servers():
    context = tls_context()
    assert context.check_hostname
    assert context.verify_mode.name == "CERT_REQUIRED"
    assert context.minimum_version >= context.minimum_version.TLSv1_2


@pytest.mark.parametrize(("content", "text"), [(None, "No such file"), ("no certificate", "")])
def test_a_file_without_certificates_is_named(tmp_path, content, text):
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError, match="parameter fetch_ca_file: certificates of") as caught:
        fetch_rules({**CLOSED, "fetch_ca_file": str(path)})
    assert text in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_a_stand_in_without_certificate(tmp_path, content):
    path = tmp_path / "tls.pem"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError, match=r"tls: .*tls\.pem"):
        BmlPeer(tls=str(path))
