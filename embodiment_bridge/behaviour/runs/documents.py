# SPDX-License-Identifier: Apache-2.0
"""The documents of one run, numbered as they are read: the goal's own is 0, then those that it fetches."""

from dataclasses import replace

from embodiment_bridge.behaviour.engine import loading
from embodiment_bridge.behaviour.engine.clock import RunClock
from embodiment_bridge.behaviour.engine.journal import Journal, Origin
from embodiment_bridge.behaviour.engine.loading import DocumentHashes
from embodiment_bridge.behaviour.engine.ports import FetchReport, Ports


class Documents:
    """Reads the documents of one run under its rules, and keeps their hashes.

    ``count``: how many so far. Doubts about a document become warnings in ``journal``, at the time of ``clock``.
    """

    def __init__(self, rules: loading.Rules, ports: Ports, clock: RunClock, journal: Journal) -> None:
        self.count = 0
        self.hashes = DocumentHashes()
        self._rules = rules
        self._ports = ports
        self._clock = clock
        self._journal = journal

    def read_fetched(self, text: str) -> loading.Loaded | loading.Rejected:
        """Read and check a fetched text, for ``take``. Changes nothing here: any thread may call it."""
        try:
            return loading.load(text, self._rules.of_fetched, speech=self._ports.media.speaks)
        except loading.Rejected as error:
            return error

    def take_fetched(self, report: FetchReport) -> loading.Loaded:
        """Take in the next document, from a fetch that is DONE; see ``take``."""
        document = self.read_fetched(report.text) if report.document is None else report.document
        if isinstance(document, loading.Rejected):
            raise document
        return self.take(document)

    def take(self, source: loading.Source) -> loading.Loaded:
        """Take in the next document; one that was loaded before is not checked again.

        Raises:
            Rejected: it cannot be run.
        """
        number = self.count
        if isinstance(source, loading.Loaded):
            loaded = source
        else:
            loaded = loading.load(source, self._rules, speech=self._ports.media.speaks)
        self.count += 1
        if loaded.text is not None:
            self.hashes.keep(number, loaded.text)
        for doubt in loaded.doubts:
            where = Origin(doubt.pointer, "document", document=number)
            self._journal.warn(self._clock.seconds, where, doubt.code, doubt.message)
        return replace(loaded, number=number)
