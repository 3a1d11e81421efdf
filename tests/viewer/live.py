#!/usr/bin/env python3
"""Opens `mechane view` in Chromium: it plays, is stopped, pulled, moved and asked.

usage: live.py MECHANE   Exit 77 when there is no Chromium: ctest then says "skipped". MECHANE_KEEP names a folder for pictures.
"""
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
    os.environ["MECHANE"] = os.path.abspath(sys.argv.pop(1))
from tests.cli.program import QUADRUPED  # noqa: E402
from tests.cli.viewing import View  # noqa: E402
from tests.viewer.browser import CHROMIUM, Browser  # noqa: E402

TIME = "Number(document.body.dataset.time ?? -1)"
READY = "document.body.dataset.link === 'open' && document.body.dataset.time !== undefined"
SHIFT = 8


class LivePage(unittest.TestCase):
    def keep(self, browser, name):
        if folder := os.environ.get("MECHANE_KEEP"):
            (pathlib.Path(folder) / f"{name}.png").write_bytes(browser.picture())

    def test_it_plays_stops_steps_and_begins_again(self):
        with View(QUADRUPED) as view, Browser(view.url) as browser:
            browser.wait(f"{TIME} > 0.5")
            self.keep(browser, "plays")
            browser.key(" ", "Space")
            browser.wait("document.querySelector('#bar span').textContent.includes('contact') && !document.querySelector('#bar span').textContent.includes('real time')")
            at = browser.value(TIME)
            browser.key("ArrowRight", "ArrowRight")
            browser.wait(f"{TIME} > {at}")
            browser.key("Home", "Home")
            browser.wait(f"{TIME} === 0")
            self.assertEqual(browser.errors, [])

    def test_overlays_panel_and_pictures(self):
        with View(QUADRUPED, "--paused") as view, Browser(view.url) as browser:
            browser.wait(READY)
            before = browser.picture()
            for key in "cmijnf":
                browser.key(key)
            browser.wait("!document.querySelector('.names').hidden")
            browser.wait("document.querySelectorAll('#toggles [aria-pressed=true]').length >= 7")
            browser.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            self.assertNotEqual(before, browser.picture())
            self.keep(browser, "overlays")
            self.assertEqual(browser.value("document.querySelectorAll('#panel .dof').length"), 12)
            # A slider moves a joint, and the page shows where it is.
            browser.value("(() => { const s = document.querySelector('#panel .dof input'); s.value = s.max; s.dispatchEvent(new Event('input')); })()")
            browser.wait("Math.abs(parseFloat(document.querySelector('#panel .dof output').textContent) - Number(document.querySelector('#panel .dof input').max) * 180 / Math.PI) < 0.2")
            self.assertEqual(browser.errors, [])

    def test_a_click_explains_and_a_drag_pulls(self):
        with View(QUADRUPED) as view, Browser(view.url) as browser:
            browser.wait(f"{TIME} > 1")
            browser.mouse("mousePressed", 450, 290)
            browser.mouse("mouseReleased", 450, 290, buttons=0)
            browser.wait("document.querySelector('#panel h2') !== null")
            self.assertIn("/quadruped", browser.value("document.querySelector('#panel h2').textContent"))
            self.keep(browser, "picked")
            browser.mouse("mousePressed", 450, 290, SHIFT)
            for k in range(1, 20):
                browser.mouse("mouseMoved", 450, 290 - 8 * k, SHIFT)
            at = browser.value(TIME)
            browser.wait(f"{TIME} > {at} + 0.7")
            self.keep(browser, "pulled")
            browser.mouse("mouseReleased", 450, 130, SHIFT, buttons=0)
            self.assertEqual(browser.errors, [])

    def test_hostile_names_stay_text(self):
        """A name of a prim is an identifier, but values, notes and paths of layers are the file's own words."""
        with tempfile.TemporaryDirectory() as folder:
            name = pathlib.Path(folder) / "<img src=x onerror=document.title='owned'>.usda"
            name.write_text('#usda 1.0\n(\n    upAxis = "Z"\n    metersPerUnit = 1\n)\ndef Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n{\n'
                            '    string physics:note = "</script><script>document.title=\'owned\'</script>"\n}\n')
            with View(name, "--paused") as view, Browser(view.url) as browser:
                browser.wait(READY)
                browser.mouse("mousePressed", 450, 300)
                browser.mouse("mouseReleased", 450, 300, buttons=0)
                browser.wait("document.querySelector('#panel h2') !== null")
                self.assertEqual(browser.value("document.querySelectorAll('img').length"), 0)
                self.assertNotEqual(browser.value("document.title"), "owned")
                self.assertIn("<img", browser.value("document.querySelector('#title').textContent"))

    def test_a_hundred_robots_take_few_draw_calls(self):
        with View(QUADRUPED, "--worlds", "100", "--paused", "--no-check") as view, Browser(view.url) as browser:
            browser.wait(READY + " && document.body.dataset.calls !== undefined")
            self.assertLessEqual(int(browser.value("document.body.dataset.calls")), 60)
            self.keep(browser, "hundred")


if __name__ == "__main__":
    if CHROMIUM is None:
        print("skipped: no chromium")
        sys.exit(77)
    unittest.main()
