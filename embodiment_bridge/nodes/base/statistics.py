# SPDX-License-Identifier: Apache-2.0
"""Statistics of a session for diagnostics."""

from collections.abc import Sequence

from diagnostic_msgs.msg import DiagnosticStatus

from embodiment_bridge.link.event_link import Counters
from embodiment_bridge.link.session import LinkStatus, Phase


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which ``share`` (0..1) of the sorted values lie; 0.0 without values."""
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


def session_diagnostics(status: LinkStatus, counters: Counters) -> tuple[bytes, str, dict[str, object]]:
    """Level, one line of text, and values of a session; times are from percept read to frame written."""
    times = sorted(counters.answer_times)
    values: dict[str, object] = {
        "link": status.phase.name,
        "peer": status.peer,
        "connects": status.connects,
        "events": counters.events,
        "malformed": counters.malformed,
        "unknown": counters.unknown,
        "refused_commands": counters.refused_commands,
        "bytes_in": counters.bytes_in,
        "bytes_out": counters.bytes_out,
        "percept_to_frame_p50_ms": f"{percentile(times, 0.5) * 1e3:.2f}",
        "percept_to_frame_p99_ms": f"{percentile(times, 0.99) * 1e3:.2f}",
        "percept_to_frame_max_ms": f"{percentile(times, 1.0) * 1e3:.2f}",
        "most_events_at_once": counters.most_at_once,
        "last_error": counters.last_error,
    }
    if status.phase is Phase.READY and not status.reason:
        return DiagnosticStatus.OK, "percepts flow", values
    return (
        DiagnosticStatus.WARN,
        f"{status.phase.name}: {status.reason}" if status.reason else status.phase.name,
        values,
    )
