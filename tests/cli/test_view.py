"""`mechane view`: who is let in, what a page may do, what it is shown."""
import json
import pathlib
import re
import socket
import tempfile
import unittest
import urllib.error
import urllib.request

from tests.cli.program import QUADRUPED, mechane
from tests.cli.viewing import View, frames, told
from tests.cli.websocket import Refused, WebSocket

HEAD = '#usda 1.0\n(\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = "Z"\n)\ndef PhysicsScene "scene"\n{\n}\n'
#: A ball of 2 kg that falls: z = 5 - g t^2 / 2.
BALL = HEAD + """def Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"])
{
    double radius = 0.1
    float physics:mass = 2
    double3 xformOp:translate = (0, 0, 5)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
"""


def status(url, **headers):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


class Admission(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.view = View(QUADRUPED, "--paused")

    @classmethod
    def tearDownClass(cls):
        assert cls.view.end() == 0, cls.view.said

    def test_the_token_is_required(self):
        base = f"http://127.0.0.1:{self.view.port}/"
        self.assertEqual(status(self.view.url), 200)
        for wrong in ("", "?token=", "?token=" + "0" * 32, f"?token={self.view.token}0", f"?tokens={self.view.token}"):
            self.assertEqual(status(base + wrong), 403, wrong)
        with self.assertRaises(Refused) as refused:
            WebSocket(self.view.port, "/socket?token=" + "0" * 32, origin=self.view.origin)
        self.assertEqual(refused.exception.args[0], 403)

    def test_other_hosts_and_origins_are_refused(self):
        """DNS rebinding: the attacker's name resolves to 127.0.0.1, and its page asks with its own Host and Origin."""
        port = self.view.port
        for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", f"127.0.0.1.evil.example:{port}", "127.0.0.1:1"):
            self.assertEqual(status(self.view.url, Host=host), 403, host)
        self.assertEqual(status(self.view.url, Host=f"localhost:{port}"), 200)
        self.assertEqual(status(self.view.url, Origin="http://evil.example"), 403)
        for origin in (None, "null", "http://evil.example", f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port}.evil.example", f"http://localhost:{port}"):
            with self.assertRaises(Refused, msg=origin) as refused:
                self.view.connect(origin=origin)
            self.assertEqual(refused.exception.args[0], 403)

    def test_only_the_loopback_address_is_listened_on(self):
        inodes = [line.split()[1] for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A"]
        ours = [place for place in inodes if place.endswith(f":{self.view.port:04X}")]
        self.assertEqual(ours, [f"0100007F:{self.view.port:04X}"])

    def test_nothing_else_is_served(self):
        base = f"http://127.0.0.1:{self.view.port}"
        for path in ("/etc/passwd", "/../../etc/passwd", "/index.html", "/socket", "//", "/%2e%2e/"):
            self.assertEqual(status(f"{base}{path}?token={self.view.token}"), 404, path)
        request = urllib.request.Request(self.view.url, method="DELETE")
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(request, timeout=30)
        self.assertEqual(refused.exception.code, 405)

    def test_the_policy_lets_only_the_page_itself_run(self):
        page, headers = self.view.page()
        policy = headers["Content-Security-Policy"]
        nonce = re.search(r"script-src 'nonce-([0-9a-f]{32})'", policy)[1]
        self.assertIn("default-src 'none'", policy)
        self.assertIn("frame-ancestors 'none'", policy)
        self.assertNotIn("unsafe", policy)
        self.assertEqual(headers["Referrer-Policy"], "no-referrer")
        for element in re.findall(r"<(?:script|style)\b[^>]*>", page.split("<body")[0]):
            self.assertIn(f'nonce="{nonce}"', element)
        self.assertNotIn(self.view.token, page)

    def test_garbage_does_no_harm(self):
        for words in (b"\0" * 4096, b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * 100000, b"POST / HTTP/1.1\r\nContent-Length: 999999999\r\n\r\n", b"\r\n\r\n", b"GET"):
            with socket.create_connection(("127.0.0.1", self.view.port), 30) as raw:
                raw.sendall(words)
        with self.view.connect() as page:
            for text in ("", "{", "[]", "null", '{"do":1}', '{"do":"target"}', '{"do":"target","dof":-1,"value":1}', '{"do":"target","dof":1e300,"value":1}', '{"do":"joint","dof":0.5,"value":1}',
                         '{"do":"grab","body":999,"point":[0,0,0],"target":[0,0,0]}', '{"do":"grab","body":0,"point":[1],"target":[0,0,0]}', '{"do":"pick","shape":4000000000}',
                         '{"do":"focus","articulation":7}', '{"do":"speed","value":1e400}', '{"do":"speed","value":-1}', '{"do":"record","value":1}', "[" * 30000, '{"do":"drag","target":[null,null,null]}'):
                page.send(text)
            page.send(b"\xff\xfe")
        with self.view.connect() as page:
            self.assertFalse(frames(page, lambda f: True).diverged)

    def test_a_message_beyond_the_limit_ends_its_connection_only(self):
        with self.view.connect() as other, self.view.connect() as page:
            with self.assertRaises((ConnectionError, OSError)):
                page.send("x" * 70000)
                while True:
                    page.receive()
            other.say(do="step")
            frames(other, lambda f: f.time > 0)

    def test_a_port_that_is_taken(self):
        done = mechane("view", QUADRUPED, "--no-browser", "--port", self.view.port)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("VIEW_PORT", done.stderr)


class Live(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.ball = self.root / "ball.usda"
        self.ball.write_text(BALL)

    def test_steps_are_those_of_sim(self):
        """The page's loop is `mechane sim`'s: after 10 steps the ball is where free fall in steps of h takes it, z = 5 - g h^2 n (n + 1/s) / 2 with s substeps."""
        with View(self.ball, "--paused", "--dt", "0.01", "--substeps", "4") as view, view.connect() as page:
            first = frames(page, lambda f: True)
            self.assertAlmostEqual(first.positions[2], 5, places=6)
            self.assertFalse(first.playing)
            for _ in range(10):
                page.say(do="step")
            frame = frames(page, lambda f: f.time > 0.0999)
            self.assertAlmostEqual(frame.time, 0.1)
            self.assertAlmostEqual(frame.positions[2], 5 - 9.81 * 1e-4 * 10 * (10 + 1 / 4) / 2, places=3)
            page.say(do="reset")
            self.assertAlmostEqual(frames(page, lambda f: f.time == 0).positions[2], 5, places=6)
            page.say(do="play")
            self.assertTrue(frames(page, lambda f: f.time > 0.3).playing)
            page.say(do="pause")
            self.assertFalse(frames(page, lambda f: not f.playing).playing)

    def test_it_says_what_sim_says_before_the_first_step(self):
        """A start beyond a limit, by --set and by a table of commands: both verbs prepare a run alike."""
        table = self.root / "c.csv"
        table.write_text("t,/quadruped/front_left/knee_joint.target_q [deg]\n0,999\n")
        for words in (("--set", "/quadruped/front_left/knee_joint.q=999deg"), ("--control", table)):
            with self.subTest(words[0]):
                done = mechane("sim", QUADRUPED, "--frames", "1", "-o", "-", *words)
                view = View(QUADRUPED, "--paused", *words)
                self.assertEqual(view.end(), 0, view.said)
                said = [[line for line in text.splitlines() if "RUN_TARGET_RANGE" in line] for text in (done.stderr, view.said)]
                self.assertEqual(len(said[0]), 1, done.stderr)
                self.assertEqual(said[1], said[0])

    def test_a_pulled_body_hangs_below_the_mouse(self):
        """At rest the spring carries the weight: k (target - z) = m g, k = min(m (0.5/dt)^2, m (4 pi)^2), so it hangs g / (4 pi)^2 = 62 mm below."""
        import math
        with View(self.ball, "--dt", "0.005") as view, view.connect() as page:
            frames(page, lambda f: True)
            page.say(do="grab", body=0, point=[0, 0, 0], target=[0, 0, 4])
            frame = frames(page, lambda f: f.time > 4)
            self.assertAlmostEqual(frame.positions[2], 4 - 9.81 / (4 * math.pi) ** 2, places=3)
            page.say(do="drag", target=[1, 0, 4])
            self.assertAlmostEqual(frames(page, lambda f: f.time > frame.time + 4).positions[0], 1, places=3)
            page.say(do="release")
            frames(page, lambda f: f.positions[2] < 3)

    def test_joints_move_and_drives_follow_targets(self):
        with View(QUADRUPED, "--paused") as view, view.connect() as page:
            parts = json.loads(re.search(r'type="application/json">(.*?)</script>', view.page()[0], re.S)[1])["parts"]
            knee = next(j for j in parts["joints"] if j["label"].endswith("front_left/knee_joint"))
            dof = parts["dofs"][knee["dof"]]
            self.assertEqual(dof["mode"], 1)
            frame = frames(page, lambda f: True)
            at = knee["dof"] - frame.first
            wanted = 0.5 * (dof["lower"] + dof["upper"])
            page.say(do="joint", dof=knee["dof"], value=wanted)
            self.assertAlmostEqual(frames(page, lambda f: abs(f.q[at] - wanted) < 1e-4).qd[at], 0)
            page.say(do="target", dof=knee["dof"], value=wanted)
            page.say(do="step")
            self.assertAlmostEqual(frames(page, lambda f: f.time > 0).target[at], wanted, places=5)

    def test_what_is_picked_is_explained(self):
        with View(QUADRUPED, "--paused") as view, view.connect() as page:
            document = json.loads(re.search(r'type="application/json">(.*?)</script>', view.page()[0], re.S)[1])
            shape = next(i["shape"] for i in document["items"] if i["label"].endswith("front_left/shank/collision/foot"))
            page.say(do="pick", shape=shape)
            facts = told(page, "facts")["facts"]
            self.assertEqual([f["kind"] for f in facts], ["shape", "body", "joint"])
            stiffness = next(v for v in facts[2]["values"] if v["field"].startswith("drive_stiffness"))
            self.assertIn("leg.usda:", stiffness["from"])
            self.assertTrue(any(row["property"] == "drive:angular:physics:stiffness" for row in facts[2]["ledger"]))

    def test_findings_and_hostile_names_are_data(self):
        hostile = self.root / "hostile.usda"
        hostile.write_text(BALL.replace("float physics:mass = 2", 'float physics:mass = 2\n    string displayName = "</script><script>alert(1)</script>"')
                           .replace('def Sphere "ball" (', 'def Sphere "ball" (\n    displayName = "</script><img src=x onerror=alert(1)>"\n    '))
        with View(hostile, "--paused") as view:
            page = view.page()[0]
            self.assertEqual(len(re.findall(r"<script", page.split("<body")[0])), 2)
            document = json.loads(re.search(r'type="application/json">(.*?)</script>', page, re.S)[1])
            self.assertTrue({"id", "severity", "message", "prim", "place", "hint"} <= set(document["live"]["findings"][0]))

    def test_a_recording_of_what_was_done_is_proved(self):
        out = self.root / "run.mrec"
        with View(self.ball, "--dt", "0.01", "--record", out, "--paused") as view:
            with view.connect() as page:
                page.say(do="grab", body=0, point=[0.05, 0, 0], target=[0.3, 0, 5.2])
                for _ in range(40):
                    page.say(do="step")
                self.assertTrue(frames(page, lambda f: f.time > 0.39).recording)
                page.say(do="release")
                page.say(do="step")
                frames(page, lambda f: f.time > 0.405)
            self.assertEqual(view.end(), 0, view.said)
        done = mechane("replay", out, "--verify")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([p.name for p in self.root.iterdir() if p.name.startswith(".")], [])

    def test_a_reset_begins_another_recording_and_says_so(self):
        out, second = self.root / "run.mrec", self.root / "run-2.mrec"
        with View(self.ball, "--dt", "0.01", "--record", out, "--paused") as view:
            with view.connect() as page:
                for _ in range(3):
                    page.say(do="step")
                frames(page, lambda f: f.time > 0.025)
                page.say(do="reset")
                self.assertTrue(frames(page, lambda f: f.time == 0).recording)
                for _ in range(5):
                    page.say(do="step")
                self.assertTrue(frames(page, lambda f: f.time > 0.045).recording)
                page.say(do="reset")
                frames(page, lambda f: f.time == 0)
                page.say(do="reset")  # nothing came between: the third file goes on
            self.assertEqual(view.end(), 0, view.said)
        self.assertIn(f"Reset: {out} holds what was before, {second} what follows.", view.said)
        self.assertNotIn("error", view.said)  # where recordings go is no fault
        for file, steps in ((out, 3), (second, 5)):
            done = mechane("replay", file, "--verify")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"steps     0 to {steps} (", done.stdout)
        self.assertEqual(sorted(p.name for p in self.root.glob("run*")), ["run-2.mrec", "run-3.mrec", "run.mrec"])

    def test_ctrl_c_ends_with_0_and_leaves_nothing(self):
        before = set(self.root.iterdir())
        view = View(self.ball)
        with view.connect() as page:
            frames(page, lambda f: f.time > 0.05)
            self.assertEqual(view.end(), 0, view.said)
        self.assertEqual(set(self.root.iterdir()), before)

    def test_usage(self):
        self.assertEqual(mechane("view").returncode, 2)
        self.assertEqual(mechane("view", self.ball, "--port", "70000").returncode, 2)
        self.assertEqual(mechane("view", self.root / "gone.usda").returncode, 3)
        self.assertEqual(mechane("view", self.ball, "--record", self.root / "x.txt").returncode, 2)


if __name__ == "__main__":
    unittest.main()
