"""Cloth, soft bodies and cables on the command line: stepped, recorded, drawn, written back."""
import json
import math
import pathlib
import re
import tempfile
import unittest

from tests.cli.pictures import share_of, yellow
from tests.cli.program import document, mechane

COLOR = "color3f[] primvars:displayColor = [(0.95, 0.72, 0.30)]"
STAGE = f"""#usda 1.0
(
    defaultPrim = "World"
    metersPerUnit = 0.01
    kilogramsPerUnit = 1
    upAxis = "Z"
)
def Xform "World" {{
    def PhysicsScene "scene" {{}}
    def Xform "placed" {{
        double3 xformOp:translate = (0, 0, 100)
        uniform token[] xformOpOrder = ["xformOp:translate"]
        def Mesh "cloth" ( prepend apiSchemas = ["PhysicsSurfaceDeformableSimAPI", "PhysicsCollisionAPI"] ) {{
            point3f[] points = [(0, 0, 0), (40, 0, 0), (40, 40, 0), (0, 40, 0)]
            int[] faceVertexCounts = [3, 3]
            int[] faceVertexIndices = [0, 1, 2, 0, 2, 3]
            {COLOR}
        }}
    }}
    def TetMesh "block" ( prepend apiSchemas = ["PhysicsVolumeDeformableSimAPI", "PhysicsCollisionAPI"] ) {{
        point3f[] points = [(60, 0, 100), (100, 0, 100), (60, 40, 100), (60, 0, 140)]
        int4[] tetVertexIndices = [(0, 1, 2, 3)]
        {COLOR}
    }}
    def BasisCurves "cable" ( prepend apiSchemas = ["PhysicsCurvesDeformableSimAPI", "PhysicsCollisionAPI"] ) {{
        uniform token type = "linear"
        int[] curveVertexCounts = [5]
        point3f[] points = [(0, 60, 100), (10, 60, 100), (20, 60, 100), (30, 60, 100), (40, 60, 100)]
        float[] physics:thicknesses = [2]
        token physics:thicknesses:elementType = "constant"
        {COLOR}
    }}
}}
"""
PINS = """
    def PhysicsAttachment "pin" {
        rel physics:src0 = </World/placed/cloth>
        token physics:type0 = "point"
        token physics:type1 = "xform"
        int[] physics:indices0 = [0, 1]
        point3f[] physics:coords1 = [(0, 0, 100), (40, 0, 100)]
    }
"""


class Soft(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.stage = self.folder / "soft.usda"
        self.stage.write_text(STAGE)

    def test_softstep_alone_moves_what_is_soft_and_says_so(self):
        done = mechane("sim", self.stage, "--frames", "30")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("softstep", done.stdout + done.stderr)
        self.assertRegex(done.stdout + done.stderr, r"soft +8 particles")
        self.assertRegex(done.stdout + done.stderr, r"cables +3 rod joints in 1 cable")
        run = document("sim", self.stage, "--frames", "30", "--json")
        fallen = 0.5 * 9.81 * 0.5**2  # half a second
        for p in range(8):
            self.assertAlmostEqual(run["frames"][0]["particle_q"][p][2] - run["frames"][-1]["particle_q"][p][2], fallen, delta=0.02 * fallen + 0.02)

    def test_what_moves_particles_beside_softstep_is_chosen_by_name(self):
        """GAP-102: `--soft-solver xpbd` is softstep's parameter, kept in the recording; another solver has none"""
        done = mechane("sim", self.stage, "--frames", "30", "--soft-solver", "xpbd", "-o", self.folder / "run.mrec")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("move by xpbd, in the substeps of softstep", done.stdout + done.stderr)
        self.assertEqual(mechane("replay", self.folder / "run.mrec", "--verify").returncode, 0)
        run = document("sim", self.stage, "--frames", "30", "--soft-solver", "xpbd", "--json")
        fallen = 0.5 * 9.81 * 0.5**2
        self.assertAlmostEqual(run["frames"][0]["particle_q"][4][2] - run["frames"][-1]["particle_q"][4][2], fallen, delta=0.02 * fallen + 0.02)
        for options, word in ((("--soft-solver", "newton"), "vbd xpbd"), (("--solver", "xpbd", "--soft-solver", "vbd"), "no parameter 'soft_solver'")):
            wrong = mechane("sim", self.stage, "--frames", "1", *options)
            self.assertNotEqual(wrong.returncode, 0)
            self.assertIn(word, wrong.stderr)

    def test_the_document_names_the_prims_and_gives_every_particle(self):
        run = document("sim", self.stage, "--frames", "2", "--json")
        soft = run["deformables"]
        self.assertEqual(soft["surfaces"], [{"label": "/World/placed/cloth", "particles": [0, 4], "triangles": [0, 2]}])
        self.assertEqual(soft["volumes"], [{"label": "/World/block", "particles": [4, 8], "tetrahedra": [0, 1]}])
        self.assertEqual(soft["triangles"][:2], [[0, 1, 2], [0, 2, 3]])
        for want, found in zip([[0, 0, 1], [0.4, 0, 1], [0.4, 0.4, 1], [0, 0.4, 1], [0.6, 0, 1], [1, 0, 1], [0.6, 0.4, 1], [0.6, 0, 1.4]], run["frames"][0]["particle_q"]):
            self.assertLess(math.dist(want, found), 1e-6)

    def test_attachments_to_the_world_hold_a_cloth_that_swings_below_them(self):
        self.stage.write_text(STAGE.rstrip()[:-1] + PINS + "}\n")
        frames = document("sim", self.stage, "--duration", "2s", "--json")["frames"]
        for p, at in ((0, (0, 0, 1)), (1, (0.4, 0, 1))):
            self.assertLess(max(math.dist(frame["particle_q"][p], at) for frame in frames), 0.005)
        self.assertLess(min(frame["particle_q"][3][2] for frame in frames), 0.7)
        self.assertGreater(min(frame["particle_q"][3][2] for frame in frames), 0.5)

    def test_recordings_hold_particles_and_replay_proves_them(self):
        record = self.folder / "soft.mrec"
        self.assertEqual(mechane("sim", self.stage, "--frames", "20", "-o", record).returncode, 0)
        self.assertTrue(document("replay", record, "--verify", "--json")["verified"]["equal"])
        out = self.folder / "again.json"
        self.assertEqual(mechane("replay", record, "-o", out).returncode, 0)
        first = document("sim", self.stage, "--frames", "20", "--json")
        self.assertEqual([f["particle_q"] for f in json.loads(out.read_text())["frames"]], [f["particle_q"] for f in first["frames"]])

    def test_points_are_written_back_as_time_samples_in_the_prims_own_frame_and_unit(self):
        out = self.folder / "out.usda"
        done = mechane("sim", self.stage, "--frames", "30", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = out.read_text()
        for prim, count in (("cloth", 4), ("block", 4), ("cable", 5)):
            part = text[text.index(f'"{prim}"'):]
            samples = re.findall(r"([\d.]+): \[([^\]]*)\]", part[part.index("points.timeSamples"):part.index("}", part.index("points.timeSamples"))])
            self.assertGreater(len(samples), 20, prim)
            points = [[float(x) for x in p.split(",")] for p in re.findall(r"\(([^)]*)\)", samples[-1][1])]
            self.assertEqual(len(points), count)
            start = {"cloth": 0, "block": 100, "cable": 100}[prim]
            self.assertAlmostEqual(points[0][2], start - 100 * 0.5 * 9.81 * 0.5**2, delta=5, msg=prim)
        # The layer plays over its source.
        self.assertEqual(mechane("render", out, "-o", self.folder / "a.png", "--size", "64x36").returncode, 0)

    def test_pictures_show_each_kind_of_what_is_soft(self):
        whole = self.folder / "whole.png"
        self.assertEqual(mechane("render", self.stage, "-o", whole, "--size", "320x180").returncode, 0)
        self.assertGreater(share_of(whole.read_bytes(), yellow), 0.02)
        for kind, left in (("cloth", ("block", "cable")), ("block", ("placed", "cable")), ("cable", ("placed", "block"))):
            text = STAGE
            for name in left:
                text = text.replace(f'"{name}"', f'"{name}" ( active = false )', 1) if name == "placed" else text.replace(f'"{name}" ( ', f'"{name}" (\n active = false\n ', 1)
            self.stage.write_text(text)
            one = self.folder / f"{kind}.png"
            done = mechane("render", self.stage, "-o", one, "--size", "160x90")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(share_of(one.read_bytes(), yellow), 0.005, kind)

    def test_a_page_holds_the_particles(self):
        page = self.folder / "soft.html"
        self.assertEqual(mechane("sim", self.stage, "--frames", "10", "-o", page).returncode, 0)
        self.assertIn('"softs"', page.read_text())

    def test_the_density_of_a_soft_material_is_used(self):
        """No rigid body is bound to it, and yet it makes the masses of particles"""
        for name in ("cloth_on_hand", "cable_between_arms", "soft_gripper"):
            with self.subTest(name):
                stage = pathlib.Path(__file__).resolve().parents[2] / "samples" / "gallery" / f"{name}.usda"
                self.assertEqual(mechane("info", stage, "--strict").returncode, 0)
                rows = document("info", stage, "--ledger", "--json")["ledger"]["rows"]
                self.assertEqual({row["verdict"] for row in rows if row["property"] == "physics:density"} - {"used", "converted"}, set())

if __name__ == "__main__":
    unittest.main()
