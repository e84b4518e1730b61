# SPDX-License-Identifier: Apache-2.0
"""The least that a robot at a simulator costs: takes each percept, looks at nothing, and sends the same bytes back.

    python benchmarks/bare_answerer.py PORT

Writes a line when the first percept has come. A line on standard input ends it.
"""

import json
import select
import socket
import sys

from embodiment_bridge.wire.framing import Framer, frame

ANSWER = frame(b"(he1 0.00 0.00 0.00 0.00 0.00)" * 23 + b"(syn)")  # as long as that of a T1


def main(port: int) -> None:
    link = socket.create_connection(("127.0.0.1", port))
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    link.sendall(frame(b"(init T1 floor 1)"))
    framer, joined = Framer(), False
    waiting = select.poll()
    for source in (link, sys.stdin):
        waiting.register(source, select.POLLIN)
    while all(found != sys.stdin.fileno() for found, _ in waiting.poll()):
        for _ in framer.feed(link.recv(65536)):
            link.sendall(ANSWER)
            if not joined:
                joined = True
                print(json.dumps({"joined": 1}), flush=True)
    print(json.dumps({}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
