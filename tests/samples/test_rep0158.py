"""The samples of REP-0158: what is meant to be clean is, what is dirty is cleaned, and modules keep their files."""
import pathlib
import tempfile
import unittest

from tests.cli.program import ROOT, document, mechane

REP = ROOT / "samples" / "rep0158"


class Namespace(unittest.TestCase):
    def test_one_module_has_two_names(self):
        """SMP-38: topics of both cameras, without an edit of the module."""
        names = [row["name"] for row in document("ros", "interfaces", REP / "namespace" / "robot.usda", "--json")["interfaces"]]
        self.assertEqual(sorted(names), [
            "/robot_1/camera_left/camera_info", "/robot_1/camera_left/image_raw", "/robot_1/camera_right/camera_info",
            "/robot_1/camera_right/image_raw"])
        alone = document("ros", "interfaces", REP / "namespace" / "camera_module" / "camera_module.usda", "--json")["interfaces"]
        self.assertEqual(sorted(row["name"] for row in alone), ["/camera/camera_info", "/camera/image_raw"])

    def test_it_has_no_findings(self):
        done = mechane("check", "--profile", "distributed", "--strict", REP / "namespace")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotIn("[REP-", done.stdout)


class Layered(unittest.TestCase):
    def test_the_assets_have_no_findings_and_nothing_to_fix(self):
        """SMP-39, but for the exports: findings of warning or error none, edits none."""
        for name in ("box", "rack", "camera", "robot"):
            with self.subTest(name):
                entry = REP / name / f"{name}.usda"
                done = mechane("check", "--profile", "distributed", "--strict", "--severity", "warning", entry)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertNotIn("[REP-", done.stdout)
                with tempfile.TemporaryDirectory() as folder:
                    self.assertIn("0 edits", mechane("fix", entry, "-o", pathlib.Path(folder) / "out").stderr)

    def test_the_robot_stands(self):
        run = document("sim", REP / "robot" / "robot.usda", "--ground", "0", "--duration", "2s", "--json")
        base = run["bodies"].index("/robot/base_link")
        self.assertAlmostEqual(run["frames"][-1]["body_q"][base][2], 0, delta=0.01)
        self.assertLess(run["frames"][-1]["energy"]["kinetic"], 1e-3)


class Dirty(unittest.TestCase):
    def diff(self, name, phase):
        return mechane("fix", REP / "dirty" / f"{name}.usda", "--phases", phase, "--diff").stdout

    def test_a_vendors_mimic_becomes_the_one_of_all(self):
        """SMP-40."""
        text = self.diff("newton_mimic", "P1")
        for line in ('-            prepend apiSchemas = ["NewtonMimicAPI"]', '+            prepend apiSchemas = ["ExtendedPhysicsMimicAPI"]',
                     "+            float ext_physics:mimic:multiplier = -1", "+            rel ext_physics:mimic:joint = </gripper/joints/left_joint>"):
            self.assertIn(line + "\n", text)

    def test_a_matrix_becomes_a_translation_and_a_rotation(self):
        """SMP-40: a quarter turn about z is (cos 45, 0, 0, sin 45)."""
        text = self.diff("cad_matrix", "P2")
        self.assertIn("-        matrix4d xformOp:transform", text)
        self.assertIn("+        quatf xformOp:orient = (0.70710677, 0, 0, 0.70710677)\n", text)
        self.assertIn("+        double3 xformOp:translate = (0.5, 0, 0)\n", text)

    def test_settings_of_one_engine_get_a_layer_of_their_own(self):
        """SMP-40."""
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "out"
            mechane("fix", REP / "dirty" / "vendor_mixed.usda", "--phases", "P7", "--phases", "P8", "-o", out)
            layers = {path.name: path.read_text() for path in out.glob("*.usda")}
        self.assertIn("physxRigidBody:linearDamping", layers["physx.usda"])
        for name in set(layers) - {"physx.usda", "vendor_mixed_physx.usda"}:
            self.assertNotIn("physx", layers[name], name)


if __name__ == "__main__":
    unittest.main()
