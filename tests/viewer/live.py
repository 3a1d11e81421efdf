#!/usr/bin/env python3
"""Opens `mechane view` in Chromium: it plays, is stopped, pulled, moved and asked.

usage: live.py MECHANE   Exit 77 when there is no Chromium: ctest then says "skipped". MECHANE_KEEP names a folder for pictures.
"""
import os
import pathlib
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent))
if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
    os.environ["MECHANE"] = os.path.abspath(sys.argv.pop(1))
from tests.cli.program import QUADRUPED, ROOT, mechane  # noqa: E402
from tests.cli.viewing import View, frames  # noqa: E402
from tests.viewer.browser import CHROMIUM, Browser  # noqa: E402

TIME = "Number(document.body.dataset.time ?? -1)"
READY = "document.body.dataset.link === 'open' && document.body.dataset.time !== undefined"
SHIFT = 8
ROVER = ROOT / "samples" / "gallery" / "rover.usda"
#: The contrast (WCAG 2.2, 1.4.3) of each text that is seen with what lies behind it, worst first; layers that let light through are mixed.
CONTRASTS = """(() => {
  const parse = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return [n[0], n[1], n[2], n.length > 3 ? n[3] : 1]; };
  const mix = (over, under) => over.slice(0, 3).map((c, i) => c * over[3] + under[i] * (1 - over[3]));
  const light = (c) => { const f = (v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };
  const out = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim() !== "");
    if (!own || element.getClientRects().length === 0) continue;
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    let behind = parse(getComputedStyle(document.documentElement).backgroundColor).slice(0, 3);
    for (const layer of layers.reverse()) behind = mix(layer, behind);
    const ink = mix(parse(getComputedStyle(element).color), behind);
    const [a, b] = [light(ink), light(behind)];
    out.push([(Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), element.textContent.trim().slice(0, 40), element.className]);
  }
  return out.sort((a, b) => a[0] - b[0]).slice(0, 5);
})()"""


#: A loose ball, then an arm that hangs on the world.
BALL_AND_ARM = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Sphere "a_ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{
    double radius = 0.2
    double3 xformOp:translate = (0, 2, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Cube "b_arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{
    double size = 0.4
}
def PhysicsRevoluteJoint "hinge" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
    rel physics:body1 = </b_arm>
    uniform token physics:axis = "Y"
}
"""
#: A ball with a lamp and a camera of its own, a sun, a sky, a camera above.
LIT = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
{
    double radius = 0.3
    def SphereLight "lamp"
    {
        float inputs:intensity = 20
        float inputs:radius = 0.05
        double3 xformOp:translate = (0, 0, 0.6)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def Camera "eye"
    {
        double3 xformOp:translate = (0, -2, 0.3)
        float3 xformOp:rotateXYZ = (80, 0, 0)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]
    }
}
def Camera "top"
{
    double3 xformOp:translate = (0, 0, 5)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def DistantLight "sun"
{
    float inputs:intensity = 30000
    color3f inputs:color = (1, 0.7, 0.4)
    float3 xformOp:rotateXYZ = (50, 0, 30)
    uniform token[] xformOpOrder = ["xformOp:rotateXYZ"]
}
def DomeLight "sky"
{
    float inputs:intensity = 0.6
}
"""
#: A box that lies on a board, both hydroelastic.
PRESSED = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Cube "box" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "NewtonSDFCollisionAPI"])
{
    double size = 0.4
    bool newton:hydroelasticEnabled = true
    float newton:hydroelasticStiffness = 1e6
    double3 xformOp:translate = (0, 0, 0.2)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def Cube "board" (prepend apiSchemas = ["PhysicsCollisionAPI", "NewtonSDFCollisionAPI"])
{
    double size = 2
    bool newton:hydroelasticEnabled = true
    float newton:hydroelasticStiffness = 1e6
    double3 xformOp:translate = (0, 0, -0.1)
    double3 xformOp:scale = (1, 1, 0.1)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
}
"""


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
            browser.drawn()  # what is picked is what is seen
            browser.mouse("mousePressed", 265, 195)
            browser.mouse("mouseReleased", 265, 195, buttons=0)
            browser.wait("document.querySelector('#panel h2') !== null")
            self.assertIn("/quadruped", browser.value("document.querySelector('#panel h2').textContent"))
            self.keep(browser, "picked")
            browser.mouse("mousePressed", 265, 195, SHIFT)
            for k in range(1, 20):
                browser.mouse("mouseMoved", 265, 195 - 8 * k, SHIFT)
            at = browser.value(TIME)
            browser.wait(f"{TIME} > {at} + 0.7")
            self.keep(browser, "pulled")
            browser.mouse("mouseReleased", 265, 43, SHIFT, buttons=0)
            self.assertEqual(browser.errors, [])

    def test_hostile_names_stay_text(self):
        """A name of a prim is an identifier, but values, notes and paths of layers are the file's own words."""
        with tempfile.TemporaryDirectory() as folder:
            name = pathlib.Path(folder) / "<img src=x onerror=document.title='owned'>.usda"
            name.write_text('#usda 1.0\n(\n    upAxis = "Z"\n    metersPerUnit = 1\n)\ndef Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n{\n'
                            '    string physics:note = "</script><script>document.title=\'owned\'</script>"\n}\n')
            with View(name, "--paused") as view, Browser(view.url) as browser:
                browser.wait(READY)
                browser.mouse("mousePressed", 293, 240)
                browser.mouse("mouseReleased", 293, 240, buttons=0)
                browser.wait("document.querySelector('#panel h2') !== null")
                self.assertEqual(browser.value("document.querySelectorAll('img').length"), 0)
                self.assertNotEqual(browser.value("document.title"), "owned")
                self.assertIn("<img", browser.value("document.querySelector('#title').textContent"))

    def test_keys_and_sticks_drive_and_a_page_that_goes_stops(self):
        """The rover's controller reaches 0.5 m/s; its wheels of 0.1 m then turn at 5 rad/s."""
        with View(ROVER, "--dt", "0.01", "--no-check") as view, view.connect() as eye:
            wheels = []

            def speed(accept):
                def turns(frame):
                    wheels[:] = [v for v in frame.qd if abs(v) < 100]
                    return accept(frame)
                return frames(eye, turns)

            with Browser(view.url) as browser:
                browser.wait(READY)
                browser.key("k")
                browser.wait("document.body.dataset.drives === 'true' && !document.getElementById('page-Drive').hidden")
                self.keep(browser, "drives")
                browser.hold("ArrowUp")
                forward = speed(lambda f: f.positions[0] > 0.5)
                self.assertAlmostEqual(forward.positions[1], 0, delta=0.05)
                browser.hold("ArrowUp", kind="keyUp")
                at = speed(lambda f: max(abs(v) for v in f.target if v == v) < 1e-6)
                browser.value("navigator.getGamepads = () => [{ connected: true, axes: [0, 1, 0, 0], buttons: [] }]")
                back = speed(lambda f: f.time > at.time + 1 and f.positions[0] < at.positions[0] - 0.1)
                self.assertLess(back.positions[0], at.positions[0])
                self.assertEqual(browser.errors, [])
            # The stick is still pressed, and nobody is there.
            speed(lambda f: f.time > back.time + 1 and max(abs(v) for v in f.target if v == v) < 1e-6)

    def test_a_sentence_stays_while_frames_come(self):
        with tempfile.TemporaryDirectory() as folder, View(QUADRUPED, "--record", pathlib.Path(folder, "run.mrec")) as view, Browser(view.url) as browser:
            browser.wait(f"{READY} && {TIME} > 0.2")
            browser.value("document.activeElement.blur()")
            browser.key("Home")
            browser.wait("/Reset: .*run.mrec holds what was before/.test(document.getElementById('message').textContent)")
            browser.wait(f"{TIME} > 0.3")  # many frames later
            self.assertFalse(browser.value("document.getElementById('message').hidden"))

    def test_a_recording_leaves_the_focused_button_its_key(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "run.html")
            self.assertEqual(mechane("sim", QUADRUPED, "--frames", "120", "-o", page).returncode, 0)
            with Browser(page.as_uri() + "#paused=1") as browser:
                browser.wait("document.body.dataset.state === 'ready'")
                ground, slider = "document.querySelector('#toggles [aria-label^=Ground]')", "document.querySelector('#bar input[type=range]')"
                was = browser.value(f"{ground}.getAttribute('aria-pressed')")
                browser.value(f"{ground}.focus()")
                browser.key(" ", "Space")
                browser.wait(f"{ground}.getAttribute('aria-pressed') !== {was!r}")
                time.sleep(0.3)
                self.assertEqual(browser.value(f"Number({slider}.value)"), 0)
                self.assertEqual(browser.value(f"{slider}.getAttribute('aria-valuetext')"), "0.00 seconds")
                browser.value("document.activeElement.blur()")
                browser.key(" ", "Space")
                browser.wait(f"Number({slider}.value) > 0")

    def test_everything_is_reached_without_a_mouse(self):
        with View(QUADRUPED, "--paused") as view, Browser(view.url) as browser:
            browser.wait(READY)
            # Tab reaches each control once; each shows where it is.
            wanted = browser.value("[...document.querySelectorAll('button, input, select, [tabindex]')].filter(e => e.getClientRects().length > 0 && e.tabIndex >= 0 && !e.disabled).length")
            seen, rings = set(), 0
            for _ in range(wanted + 3):
                browser.key("Tab")
                name = browser.value("(() => { const e = document.activeElement; e.dataset.seen = e.dataset.seen ?? String(Math.random()); return e.dataset.seen; })()")
                if name not in seen:
                    rings += browser.value("parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2")
                seen.add(name)
            self.assertGreaterEqual(len(seen), wanted)
            self.assertGreaterEqual(rings, wanted - 1)
            unnamed = browser.value("[...document.querySelectorAll('button, input, select, canvas')].filter(e => !(e.getAttribute('aria-label') || e.textContent.trim())).length")
            self.assertEqual(unnamed, 0)
            # A slider says its value as the page shows it.
            self.assertEqual(browser.value("[...document.querySelectorAll('#panel input[type=range]')].filter(e => !/^-?[0-9.]+ (degrees|millimetres)( per second)?$/.test(e.getAttribute('aria-valuetext') ?? '')).length"), 0)
            # The button that has the focus takes the key: it is flipped once, and the simulation stands.
            ground = "document.querySelector('#toggles [aria-label^=Ground]')"
            was = browser.value(f"{ground}.getAttribute('aria-pressed')")
            browser.value(f"{ground}.focus()")
            browser.key(" ", "Space")
            browser.wait(f"{ground}.getAttribute('aria-pressed') !== {was!r}")
            browser.drawn()
            self.assertEqual(browser.value(TIME), 0)
            # Tabs by arrows, a part by the list, the spring and the camera by keys.
            browser.value("document.getElementById('tab-Joints').focus()")
            for name in ("Drive", "Curves", "Picked"):
                browser.key("ArrowRight")
                browser.wait(f"!document.getElementById('page-{name}').hidden && document.activeElement.id === 'tab-{name}'")
            browser.value("(() => { const s = document.querySelector('#page-Picked select'); s.selectedIndex = 1; s.dispatchEvent(new Event('change')); document.activeElement.blur(); })()")
            browser.wait("document.querySelector('#panel h2') !== null")
            before = browser.picture()
            browser.key("l")
            for _ in range(6):
                browser.key("PageUp", modifiers=SHIFT)
            browser.key(" ", "Space")
            browser.wait(f"{TIME} > 1")
            browser.key(" ", "Space")
            browser.drawn()
            self.keep(browser, "lifted")
            self.assertNotEqual(before, browser.picture())
            browser.key("?", "Slash", SHIFT)
            browser.wait("document.querySelector('dialog').open")
            self.keep(browser, "keys")
            browser.key("Escape")
            browser.wait("!document.querySelector('dialog').open")
            self.assertEqual(browser.errors, [])

    def test_the_camera_goes_back_to_a_place_that_was_remembered(self):
        with View(QUADRUPED, "--paused", "--no-check") as view, Browser(view.url) as browser:
            browser.wait(READY)
            browser.key(",", "Comma")
            browser.drawn()
            here = browser.picture()
            browser.key("1", "Digit1", SHIFT)
            for key, code in ((".", "Period"), (".", "Period"), ("-", "Minus"), ("'", "Quote")):
                browser.key(key, code)
            browser.drawn()
            self.assertNotEqual(here, browser.picture())
            browser.key("1", "Digit1")
            browser.drawn()
            self.assertEqual(here, browser.picture())

    def test_every_text_is_read_in_both_themes(self):
        with View(QUADRUPED, "--paused") as view, Browser(view.url) as browser:
            browser.wait(READY)
            browser.key("n")
            for _ in range(2):
                for name in ("Joints", "Drive", "Curves", "Picked", "Findings"):
                    browser.value(f"document.getElementById('tab-{name}').click()")
                    if name == "Picked":
                        browser.value("(() => { const s = document.querySelector('#page-Picked select'); s.selectedIndex = 1; s.dispatchEvent(new Event('change')); })()")
                        browser.wait("document.querySelector('#panel h2') !== null")
                    for ratio, text, kind in browser.value(CONTRASTS):
                        self.assertGreaterEqual(ratio, 4.5, (name, text, kind))
                browser.key("?", "Slash", SHIFT)
                browser.wait("document.querySelector('dialog').open")
                for ratio, text, kind in browser.value(CONTRASTS):
                    self.assertGreaterEqual(ratio, 4.5, (text, kind))
                browser.key("Escape")
                self.keep(browser, "theme" + browser.value("document.documentElement.dataset.theme"))
                browser.key("d")

    def test_nothing_comes_from_elsewhere_and_no_foreign_script_runs(self):
        with View(QUADRUPED, "--paused", "--no-check") as view, Browser(view.url) as browser:
            browser.wait(READY)
            self.assertEqual(browser.value("performance.getEntriesByType('resource').map(r => r.name).filter(n => !n.startsWith('blob:') && !n.startsWith('data:'))"), [])
            browser.value("""(() => { window.broken = []; document.addEventListener('securitypolicyviolation', (e) => window.broken.push(e.effectiveDirective));
                const s = document.createElement('script'); s.textContent = 'window.owned = 1'; document.body.append(s);
                document.body.insertAdjacentHTML('beforeend', '<img src="http://127.0.0.1:9/x.png" onerror="window.owned = 2"><iframe src="http://127.0.0.1:9/"></iframe><p style="color:red" id="styled">x</p>');
                fetch('http://127.0.0.1:9/').catch(() => {}); try { new WebSocket('ws://127.0.0.1:9/'); } catch {} try { window.owned = eval('3'); } catch {} })()""")
            browser.wait("['script-src-elem', 'img-src', 'frame-src', 'connect-src', 'style-src-attr'].every(d => window.broken.includes(d))")
            self.assertIsNone(browser.value("window.owned ?? null"))

    def test_curves_have_axes_units_and_values(self):
        with View(QUADRUPED, "--no-check") as view, Browser(view.url) as browser:
            browser.wait(f"{TIME} > 0.3")
            browser.value("document.getElementById('tab-Curves').click()")
            browser.wait("document.querySelector('.plot canvas') !== null && document.querySelector('.legend .reading').textContent.endsWith('J')")
            # A second unit has an axis of its own; the third curve shares one.
            browser.value("(() => { const s = document.querySelector('#page-Curves select'); for (const end of ['velocity [rad/s]', 'potential energy [J]']) {"
                          "s.selectedIndex = [...s.options].findIndex(o => o.textContent.endsWith(end)); s.dispatchEvent(new Event('change')); } })()")
            browser.wait("document.querySelectorAll('.legend button').length === 3 && document.querySelectorAll('.plot .u-axis').length === 3")
            browser.wait("[...document.querySelectorAll('.legend .reading')].every(r => r.textContent !== '')")
            browser.drawn()
            self.keep(browser, "curves")
            browser.value("document.querySelector('.legend button').click()")
            browser.wait("document.querySelectorAll('.legend button').length === 2")
            self.assertEqual(browser.errors, [])

    def test_lights_and_cameras_of_the_stage(self):
        with tempfile.TemporaryDirectory() as folder:
            stage = pathlib.Path(folder) / "lit.usda"
            stage.write_text(LIT)
            with View(stage, "--paused", "--no-check") as view, Browser(view.url) as browser:
                browser.wait(READY)
                browser.drawn()
                seen = [browser.picture()]
                self.keep(browser, "lit")
                for key in ("a", "v", "v", "v"):  # its lights off; through its cameras, and back
                    browser.key(key)
                    browser.drawn()
                    seen.append(browser.picture())
                    self.keep(browser, f"lit-{len(seen)}")
                self.assertEqual(len(set(seen[:4])), 4)
                self.assertEqual(browser.value("[...document.querySelectorAll('#toggles option')].map(o => o.textContent)"), ["Free camera", "eye", "top"])
                self.assertEqual(browser.errors, [])

    def test_patches_of_pressure_are_shown_while_they_are_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            stage = pathlib.Path(folder) / "soft.usda"
            stage.write_text(PRESSED)
            with View(stage, "--no-check") as view, Browser(view.url) as browser:
                browser.wait(f"{TIME} > 0.2 && document.body.dataset.faces === '0'")
                browser.key("h")
                browser.wait("Number(document.body.dataset.faces) > 0")
                browser.key(" ", "Space")
                browser.drawn()
                self.keep(browser, "patches")
                browser.key("h")
                browser.key("ArrowRight")
                browser.wait("document.body.dataset.faces === '0'")
                self.assertEqual(browser.errors, [])

    def test_the_joints_that_can_be_moved_are_listed_first(self):
        """A loose ball may be the first articulation; it has nothing to move."""
        with tempfile.TemporaryDirectory() as folder:
            stage = pathlib.Path(folder) / "s.usda"
            stage.write_text(BALL_AND_ARM)
            with View(stage, "--paused", "--no-check") as view, Browser(view.url) as browser:
                browser.wait(READY)
                browser.wait("document.querySelectorAll('#page-Joints input[type=range]').length === 1")
                slide = "(() => { const s = document.querySelector('#page-Joints input[type=range]'); s.value = 0.5; s.dispatchEvent(new Event('input', {bubbles: true})); })()"
                browser.value(slide)
                with view.connect() as eye:  # frames carry the coordinates of the joints that are listed
                    frames(eye, lambda f: len(f.q) == 1 and abs(f.q[0] - 0.5) < 1e-3)

    def test_worlds_stand_side_by_side(self):
        with View(QUADRUPED, "--worlds", "4", "--paused", "--no-check") as view, Browser(view.url) as browser:
            browser.wait(READY)
            browser.drawn()
            self.keep(browser, "worlds")
            self.assertEqual(browser.errors, [])
            with view.connect() as eye:
                frame = frames(eye, lambda f: True)
            count = len(frame.positions) // 3 // 4
            torsos = [frame.positions[3 * count * w:3 * count * w + 2] for w in range(4)]
            for a in range(4):
                for b in range(a):
                    self.assertGreater(max(abs(p - q) for p, q in zip(torsos[a], torsos[b])), 0.5)  # its legs reach less
            browser.wait("[...document.querySelectorAll('#page-Joints option')].map(o => o.textContent).join().endsWith('/quadruped · world 3')")
        with View(QUADRUPED, "--worlds", "4", "--overlaid", "--paused", "--no-check") as view, view.connect() as eye:
            frame = frames(eye, lambda f: True)
            self.assertEqual(frame.positions[0:3], frame.positions[3 * count:3 * count + 3])

    def test_the_button_records_and_what_it_records_is_proved(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "run.mrec"
            with View(QUADRUPED, "--record", out, "--no-check") as view, Browser(view.url) as browser:
                browser.wait(f"{TIME} > 0.3")
                press = "document.querySelector('#bar [aria-label^=Record]').click()"
                browser.value(press)
                browser.wait("!document.querySelector('#bar .wide').textContent.includes('recording')")
                browser.value(press)
                browser.wait("document.querySelector('#bar .wide').textContent.includes('recording')")
                at = browser.value(TIME)
                browser.wait(f"{TIME} > {at} + 0.3")
            for name in ("run.mrec", "run-2.mrec"):
                done = mechane("replay", pathlib.Path(folder) / name, "--verify")
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_picture_is_saved(self):
        with tempfile.TemporaryDirectory() as folder, View(QUADRUPED, "--paused", "--no-check") as view, Browser(view.url) as browser:
            browser.wait(READY)
            browser.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=folder)
            browser.key("s")
            end = time.monotonic() + 60
            while not (pictures := list(pathlib.Path(folder).glob("*.png"))) and time.monotonic() < end:
                time.sleep(0.1)
            self.assertEqual([p.name for p in pictures], ["quadruped.usda.png"])
            self.assertEqual(pictures[0].read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_a_hundred_robots_take_few_draw_calls(self):
        with View(QUADRUPED, "--worlds", "100", "--paused", "--no-check") as view, Browser(view.url) as browser:
            browser.wait(READY + " && document.body.dataset.calls !== undefined")
            self.assertLessEqual(int(browser.value("document.body.dataset.calls")), 60)
            self.assertLess(float(browser.value("document.body.dataset.bytes ?? 0")), 40_000)


if __name__ == "__main__":
    if CHROMIUM is None:
        print("skipped: no chromium")
        sys.exit(77)
    unittest.main()
