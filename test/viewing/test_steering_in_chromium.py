# SPDX-License-Identifier: Apache-2.0
"""A person steers in a browser."""

import pytest
from chromium import Chromium, find_chromium
from embodiment_bridge.msg import BodyStatus
from std_srvs.srv import SetBool
from test_steering import Seen

PRESS = """(() => { for (const b of document.querySelectorAll('button'))
    if (b.innerText.trim() === '%s') { b.click(); return true; } return false; })()"""


DROP = """(() => { const transfer = new DataTransfer();
    transfer.items.add(new File(['%s'], 'mine.json'));
    return document.body.dispatchEvent(
        new DragEvent('drop', {dataTransfer: transfer, bubbles: true, cancelable: true})); })()"""


IN_VIEW = """[...document.querySelectorAll('button')].some(button => {
    const at = button.getBoundingClientRect(), x = at.x + at.width / 2, y = at.y + at.height / 2;
    return button.innerText.trim() === '%s' && at.width > 40
        && at.left >= 0 && at.right <= innerWidth && at.top >= 0 && at.bottom <= innerHeight
        && (x < innerWidth * 0.3 || y < innerHeight * 0.2) // not before the robot, which is in the middle
        && button.contains(document.elementFromPoint(x, y)); })"""


FOLD = "(document.querySelector('.tabler-icon-chevrons-right')?.parentElement ?? document.body).click()"


def test_the_buttons_are_in_view_at_every_size_and_over_everything(stage, tmp_path):
    if find_chromium() is None:
        pytest.skip("chromium is not installed")
    stage.call(lambda: stage.brain.create_service(SetBool, "emergency_stop", lambda _, response: response))
    with Chromium(tmp_path / "profile", (640, 400)) as browser:
        for width, height in ((1400, 860), (900, 600), (390, 844)):
            browser.call(
                "Emulation.setDeviceMetricsOverride",
                width=width,
                height=height,
                deviceScaleFactor=1,
                mobile=False,
            )
            browser.open(stage.viewer.url)
            browser.until(lambda: "link: ready" in browser.text(), "the link's state")
            for folded in (False, True):
                for word in ("Stop", "Emergency stop", "Release"):
                    shown = f"{word} in view at {width} x {height}"
                    browser.until(lambda word=word: browser.value(IN_VIEW % word), shown)
                picture = browser.screenshot()  # to be looked at, with --basetemp
                (tmp_path / f"{width}{'_folded' if folded else ''}.png").write_bytes(picture)
                browser.value(FOLD)


def test_a_document_is_dropped_on_the_page(stage, tmp_path):
    if find_chromium() is None:
        pytest.skip("chromium is not installed")
    with Chromium(tmp_path / "profile", (640, 400)) as browser:
        browser.open(stage.viewer.url)
        browser.until(lambda: "link: ready" in browser.text(), "the link's state")
        taken = browser.value(DROP % '{"type": "body", "action": "HEAD_SHAKK"}')
        assert taken is False, "the browser would show the file"
        browser.until(lambda: "mine.json: rejected" in browser.text(), "the problem")
        assert "did you mean" in browser.text()
        browser.value(DROP % '{"type": "body", "action": "HEAD_SHAKE", "duration": 0.5}')
        browser.until(lambda: "mine.json: succeeded" in browser.text(), "the end of the document")


def key(browser, kind):
    browser.call("Input.dispatchKeyEvent", type=kind, key="w", code="KeyW", windowsVirtualKeyCode=87)


def test_a_page_drives_stops_and_ends_what_it_drove(stage, tmp_path):
    if find_chromium() is None:
        pytest.skip("chromium is not installed")
    seen = Seen(stage)
    (driver,) = stage.viewer._drivers
    with Chromium(tmp_path / "profile", (900, 600)) as browser:
        browser.open(stage.viewer.url)
        browser.until(lambda: "link: ready" in browser.text(), "the link's state")
        assert browser.value("document.title") == "embodiment_bridge"
        assert "loading" not in browser.text()
        browser.until(lambda: browser.value(PRESS % "Stop"), "the button Stop")
        seen.until_told("stop: ", bad=False)

        def walks():
            key(browser, "keyDown")
            key(browser, "keyUp")
            return seen.posture == BodyStatus.WALKING

        browser.until(walks, "a walk by the key W")
        seen.until_stands()
        (page,) = stage.viewer._page._server.get_clients()
        driver.do_skill(page, "walk", {"distance": "15"})
        seen.until_walks()
    seen.until_told("walk distance=15: canceled", bad=False)
    seen.until_stands()
