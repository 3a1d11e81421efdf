"""Several joints of one body in MJCF: each axis has its own damping, friction, armature, spring and softness in the model, as in MuJoCo."""
import json
import pathlib
import random
import tempfile
import unittest

from tests.cli.program import document, mechane

# : What each axis may have : attribute of MJCF, array of the model, whether absent means zero.
VALUES = {"damping": "joint_damping", "armature": "joint_armature", "frictionloss": "joint_friction", "stiffness": "joint_stiffness"}
AXES = ("1 0 0", "0 1 0", "0 0 1")


class AxisValues(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, joints, more=""):
        text = "".join("<joint " + " ".join(f'{k}="{v}"' for k, v in j.items()) + "/>" for j in joints)
        file = self.folder / "r.xml"
        file.write_text(f'<mujoco><compiler angle="radian"/><worldbody><body name="A">{text}<geom type="capsule" size="0.05" fromto="0 0 0 0.5 0 0"/></body></worldbody>{more}</mujoco>')
        return file

    @staticmethod
    def draw_joints(draw):
        """Slides, then hinges in the order of their axes: what a generic joint of USD moves in as MuJoCo does."""
        out = []
        for kind in ("slide", "hinge"):
            for axis in sorted(draw.sample(range(3), draw.randint(1, 2))):
                sign = draw.choice((1, -1))
                joint = {"name": f"{kind}{axis}", "type": kind, "axis": " ".join(str(sign * int(c)) for c in AXES[axis].split())}
                for name in VALUES:
                    if draw.random() < 0.6:
                        joint[name] = round(draw.uniform(0.1, 9), 3)
                if draw.random() < 0.5:
                    joint["springref"] = round(draw.uniform(-0.4, 0.4), 3)
                if draw.random() < 0.5:
                    joint["solreflimit"] = f"{draw.uniform(0.01, 0.05):.3f} {draw.uniform(0.5, 1.5):.3f}"
                out.append(joint)
        return out

    @staticmethod
    def axis_of(model, joint):
        """The degree of freedom of the model that moves along the joint's axis, and its sign."""
        wanted = [float(c) for c in joint["axis"].split()]
        linear = model["joint_dof_dim"][0][0]
        dofs = range(linear) if joint["type"] == "slide" else range(linear, len(model["joint_axis"]))
        for d in dofs:
            along = sum(a * b for a, b in zip(model["joint_axis"][d], wanted))
            if abs(along) > 0.9:
                return d, 1 if along > 0 else -1
        raise AssertionError(f"no axis for {joint}")

    def check(self, model, joints):
        for joint in joints:
            dof, sign = self.axis_of(model, joint)
            for name, array in VALUES.items():
#Attributes of single precision, and degrees in between : 1e-5 of the value.
                self.assertAlmostEqual(model[array][dof], joint.get(name, 0), delta=1e-5 * (1 + joint.get(name, 0)), msg=f"{name} of {joint}")
            self.assertAlmostEqual(model["joint_rest_q"][dof], sign * joint.get("springref", 0), delta=1e-5, msg=str(joint))

    def test_each_axis_has_its_own_values_in_the_model(self):
        for seed in range(12):
            with self.subTest(seed):
                joints = self.draw_joints(random.Random(seed))
                file = self.write(joints)
                self.check(document("dump", "model", file, "-o", "-")["model"], joints)

    def test_each_axis_has_its_own_values_after_a_way_through_a_folder_and_back(self):
        for seed in range(12, 18):
            with self.subTest(seed):
                joints = self.draw_joints(random.Random(seed))
                usd, back = self.folder / f"asset{seed}/", self.folder / f"b{seed}.xml"
                self.assertEqual(mechane("convert", self.write(joints), "-o", usd).returncode, 0)
                self.assertEqual(mechane("convert", usd, "-o", back).returncode, 0)
                self.check(document("dump", "model", back, "-o", "-")["model"], joints)

    def test_softness_of_a_limit_is_that_of_its_axis(self):
        joints = [{"name": "s", "type": "slide", "axis": "0 0 1", "solreflimit": "0.03 0.8", "range": "-1 1"}, {"name": "h", "type": "hinge", "axis": "0 1 0", "range": "-1 1"}]
        solref = document("dump", "model", self.write(joints), "-o", "-")["custom"]["model"]["mujoco:solreflimit"]
        self.assertAlmostEqual(solref[0][0], 0.03, delta=1e-6)
        self.assertAlmostEqual(solref[1][0], 0.02, delta=1e-6)

    def test_a_slide_falls_through_its_damper_beside_a_free_hinge(self):
        """m z'' = -m g - c z', so that z' goes to -m g / c, and the hinge has no damper: after a second the slide is slow."""
        file = self.write([{"name": "s", "type": "slide", "axis": "0 0 1", "damping": 20}, {"name": "h", "type": "hinge", "axis": "0 1 0"}])
        run = json.loads(mechane("sim", file, "--dt", "1/500", "--frames", "250", "--every", "250", "-o", "-").stdout)
        slide, hinge = run["frames"][-1]["joint_q"]
#MuJoCo 3.17 with its implicit integrator and a step of 2 ms : -0.567 and 1.714. Steps of first order differ by some h.
        self.assertAlmostEqual(slide, -0.567, delta=0.01)
        self.assertAlmostEqual(hinge, 1.714, delta=0.02)

    def test_values_of_one_axis_are_known_and_told_in_the_ledger(self):
        usd = self.folder / "out.usda"
        file = self.write([{"name": "s", "type": "slide", "axis": "0 0 1", "damping": 20}, {"name": "h", "type": "hinge", "axis": "0 1 0", "damping": 1}])
        self.assertEqual(mechane("convert", file, "-o", usd).returncode, 0)
        done = mechane("info", usd, "--ledger")
        self.assertIn("newton:transZ:damping", done.stdout)
        self.assertNotIn("no schema", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
