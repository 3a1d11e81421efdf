"""mechane check --format html: one page with the model and the findings shown on it."""
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from tests.cli.program import QUADRUPED, mechane

# Two bodies without mass far from each other, joined by a joint to nowhere. What is text comes from strangers.
STAGE = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Z"
)

def Xform "robot"
{
    def Cube "left" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    )
    {
        float physics:mass = -1
        double3 xformOp:translate = (0, 5, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }

    def Cube "right" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "RosTopicAPI"]
    )
    {
        float physics:mass = -1
        string ros:topic:name = "</script><img src=x onerror='alert(1)'>"
        token ros:topic:role = "\\"><b onclick=alert(1)>"
        double3 xformOp:translate = (0, -5, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }

    def PhysicsRevoluteJoint "joint"
    {
        rel physics:body0 = </robot/left>
        rel physics:body1 = </robot/right>
        point3f physics:localPos0 = (0, -5, 0)
        point3f physics:localPos1 = (0, 5, 0)
    }
}
"""


class Page(html.parser.HTMLParser):
    """What a browser makes of a page: elements with their attributes, in order; the tags must be balanced."""

    VOID = {"meta", "link", "input", "br", "img", "image", "circle", "polygon", "path"}

    def __init__(self, text):
        super().__init__()
        self.elements, self.open = [], []
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag in self.VOID:  # a browser that writes a page down closes these too
            return
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


class CheckPage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, text, name="robot.usda"):
        path = pathlib.Path(self.folder.name, name)
        path.write_text(text)
        return path

    def page(self, *arguments):
        done = mechane("check", *arguments, "--format", "html")
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        return done.stdout

    def test_findings_and_marks_lead_to_each_other(self):
        stage = self.write(STAGE)
        text = self.page(stage)
        page = Page(text)
        findings = json.loads(mechane("check", stage, "--format", "json").stdout)["findings"]
        items = page.all("li")
        self.assertEqual(len(items), len(findings))
        self.assertEqual(len(page.all("image")), 4)
        marks = [a["data-mark"] for a in page.all("g")]
        named = {f["prim"]: item.get("data-mark") for f, item in zip(findings, items)}
        self.assertEqual({item["data-mark"] for item in items if "data-mark" in item}, set(marks))
        # Each mark in each view, and a link from it to the first finding of its prim.
        for prim in ("/robot/left", "/robot/right", "/robot/joint"):
            self.assertEqual(marks.count(named[prim]), 4, prim)
            first = next(i for i, f in enumerate(findings) if f["prim"] == prim)
            links = [a["href"] for a in page.all("a")]
            self.assertEqual(links.count(f"#f0-{first}"), 4, prim)
            self.assertEqual(items[first]["id"], f"f0-{first}")

    def test_marks_are_where_the_prims_are(self):
        """From above the front of the world is the top of the picture, and what lies at +y is left of what lies at -y."""
        stage = self.write(STAGE)
        text = self.page(stage)
        findings = json.loads(mechane("check", stage, "--format", "json").stdout)["findings"]
        items = Page(text).all("li")
        named = {f["prim"]: item.get("data-mark") for f, item in zip(findings, items)}
        top = text[text.index('aria-label="top"'):]
        width, height = map(int, re.search(r'width="(\d+)" height="(\d+)"', top).groups())

        def centre(prim):
            mark = re.search(rf'data-mark="{named[prim]}">.*?cx="([\d.]+)" cy="([\d.]+)"', top)
            return float(mark[1]), float(mark[2])

        left, right, joint = centre("/robot/left"), centre("/robot/right"), centre("/robot/joint")
        self.assertLess(left[0], joint[0])
        self.assertLess(joint[0], right[0])
        # The joint is in the middle between them, and they fill the picture's middle 84 %: the camera sees to that.
        self.assertAlmostEqual(joint[0], width / 2, delta=2)
        self.assertAlmostEqual(joint[1], height / 2, delta=2)
        corners = [float(x) for points in re.findall(r'points="([^"]*)"', top[:top.index("</svg>")]) for x in re.findall(r"([\d.]+),", points)]
        self.assertAlmostEqual(min(corners), 0.08 * width, delta=0.01 * width)
        self.assertAlmostEqual(max(corners), 0.92 * width, delta=0.01 * width)

    def test_the_page_needs_nothing_else_and_runs_nothing_of_an_asset(self):
        text = self.page(self.write(STAGE), QUADRUPED)
        page = Page(text)
        self.assertEqual(len(page.all("script")), 1)
        self.assertEqual(page.all("img"), [])
        for tag, attributes in page.elements:
            for name, value in attributes.items():
                self.assertFalse(name.startswith("on"), (tag, name))
                if name in ("src", "href"):
                    self.assertRegex(value, r"^(#|data:)", tag)
        self.assertNotIn("url(", text)
        self.assertNotIn("@import", text)

    def test_without_anything_to_draw_there_is_a_page_all_the_same(self):
        self.assertIn("nothing to draw", self.page(self.write('#usda 1.0\ndef Xform "a"\n{\n}\n')))
        broken = self.page(self.write('#usda 1.0\ndef Xform "a" {'))
        self.assertIn("STAGE_OPEN_FAILED", broken)
        self.assertEqual(Page(broken).all("svg"), [])

    def test_many_assets_are_drawn_from_one_side(self):
        files = [self.write(STAGE, f"{i}.usda") for i in range(8)]
        page = Page(self.page(*files))
        self.assertEqual(len(page.all("image")), 8)
        names = [item["id"] for item in page.all("li")]
        self.assertEqual(len(names), len(set(names)))

    @unittest.skipUnless(shutil.which("chromium"), "skipped: no Chromium")
    def test_a_click_lights_up_the_other_side(self):
        text = self.page(self.write(STAGE))
        name = next(item["data-mark"] for item in Page(text).all("li") if "data-mark" in item)
        for clicked in (f'li[data-mark="{name}"]', f'g[data-mark="{name}"] circle'):
            with self.subTest(clicked):
                script = ("<script>document.querySelector('" + clicked + "').dispatchEvent(new MouseEvent('click', {bubbles: true, cancelable: true}));</script>")
                file = self.write(text.replace("</body>", script + "</body>"), "page.html")
                done = subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                                       "--disable-component-update", "--disable-sync", f"--user-data-dir={self.folder.name}/browser", "--dump-dom", file.as_uri()],
                                      capture_output=True, text=True, timeout=600, check=False)
                lit = {a["data-mark"] for tag, a in Page(done.stdout).elements if tag in ("g", "li") and "on" in a.get("class", "").split()}
                self.assertEqual(lit, {name})


if __name__ == "__main__":
    unittest.main()
