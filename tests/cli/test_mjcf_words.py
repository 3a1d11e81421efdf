"""Words of MJCF that OpenUSD has none for: what they do is simulated, or every command says that it is lost."""
import json
import pathlib
import re
import tempfile
import unittest

from tests.cli.program import document, mechane

ROD = '<geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0"/>'


class MjcfWords(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, inside, name="r.xml"):
        (self.folder / name).write_text(f"<mujoco>{inside}</mujoco>")
        return self.folder / name

    def hinge(self, attributes="", more=""):
        return self.write(f'<worldbody><body name="A"><joint name="h" axis="0 1 0" {attributes}/>{ROD}</body></worldbody>{more}')

    def test_a_polynomial_is_told_by_every_command(self):
        for word in ('damping="0 2"', 'stiffness="1 200"'):
            file = self.hinge(word)
            for verb in (["sim", file, "--frames", "1"], ["info", file], ["dump", "model", file, "-o", "-"]):
                said = mechane(*verb).stderr
                self.assertRegex(said, r"SOURCE_LOST.*" + word.split("=")[0], (word, verb[0]))
            loss = self.folder / "loss.json"
            mechane("convert", file, "-o", self.folder / "out.usda", "--loss", loss)
            if loss.exists():
                self.assertIn("polynomial", loss.read_text())
        self.assertNotIn("SOURCE_LOST", mechane("info", self.hinge('damping="3 0"')).stderr)

    def test_damping_and_armature_of_an_actuator_are_those_of_its_joint_through_the_gear(self):
        """MuJoCo 3.17: a motor of gear g with damping d and armature a moves as a joint with g^2 d and g^2 a."""
        file = self.hinge('damping="1"', '<actuator><motor joint="h" gear="2" damping="3" armature="0.5"/></actuator>')
        model = document("dump", "model", file, "-o", "-")["model"]
        self.assertAlmostEqual(model["joint_damping"][0], 1 + 4 * 3, delta=1e-4)
        self.assertAlmostEqual(model["joint_armature"][0], 4 * 0.5, delta=1e-6)
        self.assertNotIn("SOURCE_LOST", mechane("info", file).stderr)

    def converted(self, file, suffix):
        """The text of the result and the entries of its report"""
        loss, out = self.folder / "l.json", self.folder / f"back.{suffix}"
        done = mechane("convert", file, "-o", out, "--loss", loss, "--fail-on-loss", "never")
        self.assertEqual(done.returncode, 0, done.stderr)
        return out.read_text(), json.loads(loss.read_text())["entries"]

    def test_lines_of_a_floor_and_its_size_come_back(self):
        for size in ("0 0 0.25", "3 4 0.25"):
            file = self.write(f'<worldbody><geom name="floor" type="plane" size="{size}"/><body name="A"><joint name="h"/>{ROD}</body></worldbody>')
            text, entries = self.converted(file, "xml")
            self.assertEqual(re.findall(r'type="plane" size="([^"]*)"', text), [size])
            self.assertNotIn("grid", [e["code"] for e in entries])
            for suffix in ("urdf", "sdf"):
                told = [(e["action"], e["sourceValue"]) for e in self.converted(file, suffix)[1] if e["code"] == "grid"]
                self.assertEqual(told, [("dropped", "0.25 m")])

    def test_groups_come_back_or_are_told(self):
        file = self.write(f'<worldbody><body name="A"><freejoint group="3"/>{ROD}<body name="B"><joint name="h"/>{ROD}</body></body></worldbody>'
                          '<tendon><fixed name="t" group="4" actuatorfrcrange="-2 3" actuatorfrclimited="true"><joint joint="h" coef="1"/></fixed></tendon>')
        text, entries = self.converted(file, "xml")
        self.assertIn("group of joint", " ".join(e["what"] for e in entries))
        tendon = re.search(r"<fixed[^>]*>", text).group()
        for word in ('group="4"', 'actuatorfrcrange="-2 3"', 'actuatorfrclimited="true"'):
            self.assertIn(word, tendon)

    def test_values_of_a_class_of_tendons_come_back(self):
        sites = "".join(f'<body name="{n}"><joint name="{n}" axis="0 1 0"/>{ROD}<site name="s{n}" pos="0.1 0 0"/></body>' for n in "AB")
        file = self.write(f'<worldbody>{sites}</worldbody><tendon><spatial name="t"><site site="sA"/><site site="sB"/></spatial></tendon><default><tendon width="0.07" rgba="1 0 0 1"/></default>')
        text, _ = self.converted(file, "xml")
        self.assertIn('width="0.07"', re.search(r"<spatial[^>]*>", text).group())
        told = [e for e in self.converted(file, "urdf")[1] if e["what"] == "tendon 't'" and e["action"] == "dropped"]
        self.assertEqual(len(told), 1)

    def test_a_tendons_actuator_that_resists_is_told(self):
        file = self.hinge(more='<tendon><fixed name="t"><joint joint="h" coef="1"/></fixed></tendon><actuator><motor tendon="t" damping="3"/></actuator>')
        self.assertIn("SOURCE_LOST", mechane("info", file).stderr)

    def test_a_body_that_is_kept_from_the_world_falls_through_the_floor(self):
        floor = '<geom name="floor" type="plane" size="0 0 1"/>'
        balls = "".join(f'<body name="{n}" pos="{x} 0 0.3"><freejoint/><geom size="0.1"/></body>' for n, x in (("A", 0), ("B", 1)))
        file = self.write(f'<worldbody>{floor}{balls}</worldbody><contact><exclude body1="A" body2="world"/></contact>')
        for source in (file, self.folder / "back.xml"):
            done = mechane("sim", source, "--frames", "120", "-o", "-.csv")
            self.assertEqual(done.returncode, 0, done.stderr)
            names, last = done.stdout.splitlines()[0].split(","), done.stdout.splitlines()[-1].split(",")
            height = {n: float(last[names.index(next(c for c in names if c.endswith(f"/{n}.pz [m]")))]) for n in "AB"}
            self.assertLess(height["A"], -1)
            self.assertGreater(height["B"], 0.05)
            if source == file:
                usd = self.folder / "out.usda"
                self.assertEqual(mechane("convert", file, "-o", usd).returncode, 0)
                self.assertEqual(mechane("convert", usd, "-o", self.folder / "back.xml").returncode, 0)
                self.assertIn("world", (self.folder / "back.xml").read_text().split("<contact>")[1])

    def test_attributes_that_change_the_motion_and_are_not_read_are_told(self):
        actuator = '<actuator><motor name="m" joint="h" {}/></actuator>'
        for more, word in ((actuator.format('nsample="3" delay="0.01"'), "delay"),
                           (actuator.format('group="2"') + '<option actuatorgroupdisable="2"/>', "groups act"),
                           ('<default><geom surfacevel="1 0 0 0 0 0"/></default>', "stands still"),
                           ('<default><geom adhesion="3"/></default>', "pull at nothing")):
            self.assertRegex(mechane("info", self.hinge(more=more)).stderr, "SOURCE_LOST.*" + word)

    def test_an_actuator_of_a_floating_body_is_lost_with_the_right_words(self):
        file = self.write('<worldbody><body name="B" pos="0 0 1"><freejoint name="fb"/><geom size="0.1"/></body></worldbody><actuator><motor name="m" joint="fb" gear="0 0 1 0 0 0"/></actuator>')
        done = mechane("info", file)
        self.assertNotIn("does not exist", done.stderr)
        self.assertRegex(done.stderr, r"SOURCE_LOST.*floats")

    def test_an_inherited_range_comes_back_as_the_range(self):
        """0.8 of a range from -1 to 3 about its middle 1: from -0.6 to 2.6."""
        file = self.hinge('range="-1 3"', '<actuator><position name="a" joint="h" kp="40" inheritrange="0.8"/></actuator>').read_text().replace("<mujoco>", '<mujoco><compiler angle="radian"/>')
        (self.folder / "r.xml").write_text(file)
        usd, back = self.folder / "out.usda", self.folder / "back.xml"
        mechane("convert", self.folder / "r.xml", "-o", usd)
        mechane("convert", usd, "-o", back)
        found = re.search(r'ctrlrange="(\S+) (\S+)"', back.read_text())
        self.assertIsNotNone(found, back.read_text())
        self.assertAlmostEqual(float(found[1]), -0.6, delta=1e-5)
        self.assertAlmostEqual(float(found[2]), 2.6, delta=1e-5)

    def test_mujoco_wraps_a_tendon_round_what_meets_nothing(self):
        def file(ball, rod):
            return self.write(f'<worldbody><site name="w" pos="0 0 1"/><geom name="wr" type="sphere" size="0.1" pos="0.2 0 0.6" {ball}/><body name="A"><joint name="j" axis="0 1 0"/>{ROD.replace("/>", rod + "/>")}<site name="s" pos="0.45 0 0"/></body></worldbody>'
                              '<tendon><spatial name="t" stiffness="300" springlength="0.3"><site site="w"/><geom geom="wr"/><site site="s"/></spatial></tendon>')
        angles = []
        free = ' contype="0" conaffinity="0"'
        for ball, rod in (("", free), (free, ""), (free, free)):
            done = mechane("sim", file(ball, rod), "--solver", "mujoco", "--dt", "1/500", "--frames", "250", "--every", "250", "-o", "-")
            if "MuJoCo" in done.stderr and done.returncode != 0:
                self.skipTest("MuJoCo's library is not here")
            self.assertEqual(done.returncode, 0, done.stderr)
            angles.append(json.loads(done.stdout)["frames"][-1]["joint_q"][0])
#The rod does not reach the ball : with and without contacts the tendon does the same.
        self.assertAlmostEqual(angles[0], angles[1], delta=1e-6)

    def test_a_link_without_shapes_is_not_told_to_have_an_inertia_of_shapes(self):
        (self.folder / "r.urdf").write_text('<robot name="r"><link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>')
        said = mechane("info", self.folder / "r.urdf").stderr
        self.assertRegex(said, r"SOURCE_INERTIA.*ball of 0\.1 m")

    def test_stiff_drives_bring_an_integrator_that_bears_them(self):
        """MuJoCo 3.17: under Euler, its default, a damping of 300 N m s/rad on an inertia of 0.005 kg m^2 diverges at steps of 2 ms; under implicitfast it does not."""
        stage = self.folder / "wheel.usda"
        stage.write_text("""#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "R" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
    def Cylinder "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {
    }
    def Cylinder "wheel" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {
        double radius = 0.1
        double height = 0.04
        double3 xformOp:translate = (0, 0, 3)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def PhysicsRevoluteJoint "axle" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])
    {
        rel physics:body0 = </R/base>
        rel physics:body1 = </R/wheel>
        point3f physics:localPos0 = (0, 0, 3)
        uniform token physics:axis = "Z"
        float drive:angular:physics:damping = 5
    }
}
""")
        out = self.folder / "wheel" / "wheel.xml"
        done = mechane("convert", stage, "-o", out, "--verify")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn('integrator="implicitfast"', out.read_text())
        # What MJCF itself says, or leaves to MuJoCo, stays.
        for option in ("", '<option integrator="RK4"/>'):
            again = self.folder / "again" / "again.xml"
            file = self.hinge(more=f'{option}<actuator><velocity joint="h" kv="300"/></actuator>')
            self.assertEqual(mechane("convert", file, "-o", again).returncode, 0)
            self.assertEqual(re.findall('integrator="(.*?)"', again.read_text()), re.findall('integrator="(.*?)"', option))

    def test_times_are_given_with_their_unit(self):
        file = self.hinge()
        for text, frames in (("500ms", 50), ("0.5s", 50), ("0.5", 50), ("0.01min", 60), ("1/2 s", 50)):
            with self.subTest(text):
                done = mechane("sim", file, "--dt", "10ms", "--duration", text, "-o", "-.csv")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(len(done.stdout.splitlines()), 2 + frames)
        done = mechane("sim", file, "--duration", "5 parsecs")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("5 parsecs", done.stderr)


if __name__ == "__main__":
    unittest.main()
