"""What is animated and has no default stands at the start where its animation has it, whether samples, a spline or value clips move it (STG-110, PHY-034)."""
import json
import pathlib
import struct
import tempfile
import unittest

from tests.cli.program import document, mechane

# : From x = 3 at 0 to x = 5 at 2, evenly : in whole, x(t) = 3 + t.
MOTIONS = {
    "samples": "double xformOp:translateX.timeSamples = { 0: 3, 2: 5 }",
    "spline": "double xformOp:translateX.spline = {\n bezier,\n 0: 3; post linear,\n 2: 5; pre (1, 0)\n }",
}
HEAD = '#usda 1.0\n(\n defaultPrim = "R"\n metersPerUnit = 1\n kilogramsPerUnit = 1\n upAxis = "Z"\n timeCodesPerSecond = 1\n%s)\n'
STILL = 'def PhysicsScene "S" {\n float physics:gravityMagnitude = 0\n}\n'
ORDER = ' uniform token[] xformOpOrder = ["xformOp:translateX"]\n'


def cube(inside="", size=0.1, name="c"):
    return f' def Cube "{name}" ( prepend apiSchemas = ["PhysicsCollisionAPI"] ) {{\n double size = {size}\n {inside} }}\n'


def body(name, inside, more=""):
    return f'def Xform "{name}" ( prepend apiSchemas = ["PhysicsRigidBodyAPI"{more}] ) {{\n {inside} }}\n'


def rows(stage, *options):
    """Header and rows of the run as numbers."""
    done = mechane("sim", stage, *options, "-o", "-.csv")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return lines[0].split(","), [[float(x) if x else float("nan") for x in line.split(",")] for line in lines[1:]], done.stderr


class AnimationStart(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, text, name="s.usda"):
        (self.folder / name).write_text(text)
        return self.folder / name

    def moving(self, motion, above=False, default="", head="", scene=STILL):
        """A kinematic body that moves, or below what moves."""
        moved = default + motion + "\n" + ORDER
        kinematic = " bool physics:kinematicEnabled = 1\n"
        inside = (moved if above else "") + body("k", kinematic + ("" if above else moved) + cube())
        return self.write(HEAD % head + scene + f'def Xform "R" {{\n {inside} }}\n')

    def test_a_body_starts_and_moves_as_its_animation_has_it_whatever_moves_it(self):
        for kind, motion in MOTIONS.items():
            for above in (False, True):
                with self.subTest(kind, above=above):
                    names, run, said = rows(self.moving(motion, above), "--dt", "1/4", "--frames", "8")
                    x, v = names.index("/R/k.px [m]"), names.index("/R/k.vx [m/s]")
                    for row in run:
                        self.assertAlmostEqual(row[x], 3 + row[names.index("t [s]")], delta=1e-5)
                    for row in run[1:]:
#A jump of 3 m in the first step would be 12 m / s.
                        self.assertAlmostEqual(row[v], 1, delta=1e-4)
                    self.assertNotIn("XFORM_OP_MISSING", said)

    def test_value_clips_start_a_body_where_they_have_it(self):
        clip = '#usda 1.0\ndef Xform "k"\n{\n double3 xformOp:translate.timeSamples = { 0: (3, 0, 0), 2: (5, 0, 0) }\n}\n'
        self.write(clip, "clip.usda")
        self.write('#usda 1.0\ndef Xform "k"\n{\n double3 xformOp:translate\n}\n', "manifest.usda")
        stage = self.write(HEAD % "" + STILL + """def Xform "R" {
 def Xform "k" (
  prepend apiSchemas = ["PhysicsRigidBodyAPI"]
  clips = {
   dictionary default = {
    asset[] assetPaths = [@./clip.usda@]
    double2[] active = [(0, 0)]
    double2[] times = [(0, 0), (2, 2)]
    string primPath = "/k"
    asset manifestAssetPath = @./manifest.usda@
   }
  }
 )
 {
  bool physics:kinematicEnabled = 1
  double3 xformOp:translate
  uniform token[] xformOpOrder = ["xformOp:translate"]
""" + cube() + "}\n}\n")
        names, run, said = rows(stage, "--dt", "1/4", "--frames", "8")
        for row in run:
            self.assertAlmostEqual(row[names.index("/R/k.px [m]")], 3 + row[names.index("t [s]")], delta=1e-5)
        self.assertNotIn("XFORM_OP_MISSING", said)

    def test_an_animation_that_began_before_the_start_is_met_where_it_is(self):
        for kind, motion in MOTIONS.items():
            with self.subTest(kind):
                stage = self.moving(motion, head=" startTimeCode = 1\n endTimeCode = 2\n")
                names, run, _ = rows(stage, "--dt", "1/4", "--frames", "4")
#x(t) = 3 + t at the code t + 1.
                for row in run:
                    self.assertAlmostEqual(row[names.index("/R/k.px [m]")], 4 + row[names.index("t [s]")], delta=1e-5)

    def test_a_joint_of_what_a_spline_moves_is_not_pulled_together(self):
        joint = """def PhysicsRevoluteJoint "j" {
 rel physics:body0 = </R/t>
 rel physics:body1 = </R/bob>
 uniform token physics:axis = "Y"
 point3f physics:localPos1 = (0, 0, 1)
}
"""
        bob = " double3 xformOp:translate = (3, 0, -1)\n" + ' uniform token[] xformOpOrder = ["xformOp:translate"]\n' + cube()
        angles = {}
        for kind, motion in MOTIONS.items():
            trolley = body("t", " bool physics:kinematicEnabled = 1\n" + motion + "\n" + ORDER + cube())
            stage = self.write(HEAD % "" + 'def PhysicsScene "S" {\n}\ndef Xform "R" {\n' + trolley + body("bob", bob) + joint + "}\n")
            done = mechane("sim", stage, "--duration", "2s", "--dt", "1/240", "-o", "-")
            self.assertNotIn("IMPORT_JOINT_SNAPPED", done.stderr)
            angles[kind] = [frame["joint_q"][-1] for frame in json.loads(done.stdout)["frames"]]
#The trolley starts to move at 1 m / s, v ^ 2 / (2 g) = 0.05 m high : cos = 1 - 0.05 bounds the swing.
            self.assertLess(max(map(abs, angles[kind])), 0.4)
        self.assertEqual(angles["spline"], angles["samples"])

    def test_colliders_follow_a_spline_as_they_follow_samples(self):
        """A cube of 1 m that slides to x = 5 pushes another of 0.2 m from 4.6 to 5.6 and beyond: contact at 5 + 0.5 + 0.1."""
        for kind, motion in MOTIONS.items():
            for default in ("", "double xformOp:translateX = 3\n"):
                for static in (False, True):
                    with self.subTest(kind, default=default, static=static):
                        pusher = cube(default + motion + "\n" + ORDER, size=1)
                        if not static:
                            pusher = body("k", " bool physics:kinematicEnabled = 1\n" + pusher)
                        hit = body("hit", " double3 xformOp:translate = (4.6, 0, 0)\n" + ' uniform token[] xformOpOrder = ["xformOp:translate"]\n' + cube(size=0.2))
                        stage = self.write(HEAD % "" + STILL + f'def Xform "R" {{\n {pusher} {hit} }}\n')
                        names, run, _ = rows(stage, "--dt", "1/100", "--frames", "200")
#A soft contact yields a little.
                        self.assertGreater(run[-1][names.index("/R/hit.px [m]")], 5.55)

    def test_a_mass_that_a_spline_gives_is_a_mass(self):
        spline = " float physics:mass.spline = {\n bezier,\n 0: 3; post linear,\n 2: 5; pre (1, 0)\n }\n"
        stage = self.write(HEAD % "" + 'def Xform "R" {\n' + body("b", spline, ', "PhysicsMassAPI"') + "}\n")
        done = mechane("dump", "model", stage, "-o", "-")
        self.assertNotIn("PHY_MASS_DEFAULTED", done.stderr)
        self.assertAlmostEqual(json.loads(done.stdout)["model"]["body_mass"][0], 3, delta=1e-6)

    def test_a_vendors_value_that_is_animated_alone_is_read_at_the_start(self):
        for kind, motion in (("samples", ".timeSamples = { 0: 3, 2: 5 }"), ("spline", ".spline = {\n bezier,\n 0: 3; post linear,\n 2: 5; pre (1, 0)\n }")):
            with self.subTest(kind):
                joint = 'def PhysicsRevoluteJoint "j" ( prepend apiSchemas = ["NewtonJointAPI"] ) {\n rel physics:body1 = </R/b>\n float newton:armature' + motion + "\n}\n"
                stage = self.write(HEAD % "" + 'def Xform "R" {\n' + body("b", cube()) + joint + "}\n")
                self.assertAlmostEqual(document("dump", "model", stage, "-o", "-")["model"]["joint_armature"][0], 3, delta=1e-6)

    def test_gltf_has_the_motion_of_a_spline(self):
        for kind, motion in MOTIONS.items():
            with self.subTest(kind):
                glb = self.folder / f"{kind}.glb"
                done = mechane("convert", self.moving(motion), "-o", glb)
                self.assertEqual(done.returncode, 0, done.stderr)
                data = glb.read_bytes()
                length = struct.unpack_from("<I", data, 12)[0]
                gltf, binary = json.loads(data[20:20 + length]), data[28 + length:]
                node = next(n for n in gltf["nodes"] if n["name"] == "k")
                self.assertAlmostEqual(sum(abs(x) for x in node["translation"]), 3, delta=1e-5)

                def numbers(accessor):
                    accessor = gltf["accessors"][accessor]
                    view = gltf["bufferViews"][accessor["bufferView"]]
                    width = {"SCALAR": 1, "VEC3": 3}[accessor["type"]]
                    return struct.unpack_from(f"<{accessor['count'] * width}f", binary, view.get("byteOffset", 0) + accessor.get("byteOffset", 0))

                sampler = gltf["animations"][0]["samplers"][0]
                times, places = numbers(sampler["input"]), numbers(sampler["output"])
                self.assertEqual((times[0], times[-1]), (0, 2))
                for k, t in enumerate(times):
                    self.assertAlmostEqual(sum(places[3 * k:3 * k + 3]), 3 + t, delta=1e-4)


if __name__ == "__main__":
    unittest.main()
