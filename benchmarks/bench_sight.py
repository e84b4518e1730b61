# SPDX-License-Identifier: Apache-2.0
"""How wrong the entities are that a player makes of noisy pictures, beside one that believes all it sees.

    python benchmarks/bench_sight.py

Two games of ten minutes at 25 pictures a second, by the noise of rcssservermj's master (noisy_game.py): the ball lies
still, or is kicked every eight seconds. The head turns all the time, so everything goes out of view and comes back.
"""

from typing import Any

from noisy_game import kicked, play, still
from rows import percentile, row

from embodiment_bridge.protocols.rcsssmj.messages import NOISE

SECONDS = 600.0


def run() -> list[dict[str, Any]]:
    """Measure; the peer believes all it sees."""
    rows = []
    for name, ball in (("ball at rest, 5 m", still), ("ball kicked", kicked)):
        ours, peer = play(SECONDS, ball, NOISE), play(SECONDS, ball, 0.0)
        for part, share, aim in (("p50", 0.5, 0.15), ("p95", 0.95, None)):
            value = percentile(ours.ball, share)
            rows.append(row(f"{name}: error of the ball, {part}", value, "m", at_most=aim))
            value, other = percentile(ours.mate, share), percentile(peer.mate, share)
            rows.append(
                row(f"{name}: error of a mate, {part}", value, "m", peer="believes all", peer_value=other)
            )
        rows.append(row(f"{name}: moved by more than 1 m", ours.jumps, "times", at_most=0))
        rows.append(row(f"{name}: the same, believing all", peer.jumps, "times"))
        rows.append(row(f"{name}: goals found", len(ours.goals), "of 2", at_least=2))
        rows.append(row(f"{name}: wrong landmarks", ours.wrong_landmarks, "pictures", at_most=0))
    return rows


if __name__ == "__main__":
    for found in run():
        print(found["name"], found["value"], found["unit"], found["peer"], found["met"])
