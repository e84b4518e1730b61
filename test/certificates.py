# SPDX-License-Identifier: Apache-2.0
"""Certificates made for a test, by the openssl command (of Debian's openssl, which its ca-certificates needs too)."""

import shutil
import subprocess
from pathlib import Path

import pytest

CONFIG = """\
[req]
distinguished_name = dn
prompt = no
[dn]
CN = {name}
[v3_ca]
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
[v3_server]
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = DNS:{name}
[ca]
default_ca = own
[own]
database = {folder}/index.txt
new_certs_dir = {folder}
serial = {folder}/serial
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
"""
CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]


class Authority:
    """A certification authority; ``file`` is what its clients trust."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "index.txt").write_text("")
        (folder / "serial").write_text("01\n")
        self.file = folder / "ca.pem"
        words = ["-x509", *CURVE, "-keyout", folder / "ca.key", "-out", self.file]
        self._openssl("req", "An authority of a test", *words, "-days", "2", "-extensions", "v3_ca")

    def server(self, name: str, *, until: str = "20991231235959Z") -> str:
        """The file of a certificate for a host name, its key behind it; valid from 2020 ``until`` then."""
        place = self.folder / f"{name}-{until}"
        csr, key, certificate = (place.with_suffix(suffix) for suffix in (".csr", ".key", ".crt"))
        self._openssl("req", name, *CURVE, "-keyout", key, "-out", csr)
        of_ca = ["-cert", self.file, "-keyfile", self.folder / "ca.key", "-extensions", "v3_server"]
        dates = ["-startdate", "20200101000000Z", "-enddate", until]
        self._openssl("ca", name, "-batch", "-notext", "-in", csr, "-out", certificate, *of_ca, *dates)
        both = place.with_suffix(".pem")
        both.write_text(certificate.read_text() + key.read_text())
        return str(both)

    def _openssl(self, command: str, name: str, *words: object) -> None:
        program = shutil.which("openssl")
        if program is None:
            pytest.skip("openssl is not installed")
        config = self.folder / "openssl.cnf"
        config.write_text(CONFIG.format(name=name, folder=self.folder))
        line = [program, command, "-config", str(config), *map(str, words)]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
