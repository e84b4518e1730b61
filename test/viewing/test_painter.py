# SPDX-License-Identifier: Apache-2.0
"""The thread that draws goes on whatever a picture could not be made of."""

import time

from waiting import THREAD

from embodiment_bridge.viewing.painter import Painter


class Page:
    visitors = 1

    def together(self, draw):
        draw()


class View:
    """Fails in the first two pictures."""

    def __init__(self):
        self.pictures, self.taken = 0, []

    def take(self, topic, message):
        self.taken.append((topic, message))

    def refresh(self, now):
        self.pictures += 1
        if self.pictures < 3:
            raise OverflowError("cannot convert float infinity to integer")


def test_a_picture_that_fails_is_not_the_last_one():
    view, painter = View(), Painter(Page(), 60.0)
    try:
        painter.add("/robot", view)
        deadline = time.monotonic() + THREAD
        while view.pictures < 5:
            painter.take("/robot", "pose", lambda: "here")
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert painter.error == "picture: OverflowError: cannot convert float infinity to integer"
    finally:
        painter.close()
    assert ("pose", "here") in view.taken
