"""`mechane reduce`: the smallest stage that still shows a fault."""
import json
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

from tests.cli.program import PROGRAM, mechane

STAGE = """#usda 1.0
(
    defaultPrim = "secret_robot"
)
def Xform "secret_robot"
{
    def Xform "left"
    {
        double3 xformOp:translate = (1, 2, 3)
    }
    def Xform "right" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = -4
        string owner = "a company"
    }
}
"""


class Reduce(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.stage = self.folder / "robot.usda"
        self.stage.write_text(STAGE)

    def test_the_result_still_shows_the_fault_and_nothing_else(self):
        result = self.folder / "small.usda"
        done = mechane("reduce", self.stage, "--while", "grep -q 'physics:mass = -4' {}", "-o", result)
        self.assertEqual(done.returncode, 0, done.stderr)
        text = result.read_text()
        self.assertIn("physics:mass = -4", text)
        for gone in ("secret", "left", "owner", "company", "apiSchemas", "defaultPrim"):
            self.assertNotIn(gone, text)
        self.assertEqual(self.stage.read_text(), STAGE)

    def test_the_command_may_write_and_no_file_of_the_asset_changes(self):
        """Of a stage, of a stage of several layers, and of a robot in another format with a mesh."""
        (self.folder / "part.usda").write_text(STAGE)
        (self.folder / "whole.usda").write_text('#usda 1.0\n(\n defaultPrim = "whole"\n subLayers = [@./part.usda@]\n)\ndef Xform "whole" {}\n')
        meshes = self.folder / "meshes"
        meshes.mkdir()
        (meshes / "m.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n")
        robots = self.folder / "urdf"
        robots.mkdir()
        (robots / "r.urdf").write_text('<robot name="r"><link name="a"><visual><geometry><mesh filename="../meshes/m.obj"/></geometry></visual></link></robot>')
        commands = ("echo hi > {}", "rm {}", f"{PROGRAM} fix {{}} --in-place -q; true")
        files = {file: file.read_bytes() for file in self.folder.rglob("*") if file.is_file()}
        for asset in ("robot.usda", "whole.usda", "urdf/r.urdf"):
            for command in commands:
                with self.subTest(asset=asset, command=command):
                    mechane("reduce", self.folder / asset, "--while", command, "--runs", "3", "-o", "-")
                    self.assertEqual({file: file.read_bytes() for file in self.folder.rglob("*") if file.is_file()}, files)
        # What the robot refers to stands where it stood from the copy.
        done = mechane("reduce", self.folder / "urdf/r.urdf", "--while", f"{PROGRAM} cat {{}} | grep -q Mesh", "-o", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Mesh", done.stdout)

    def test_a_finding_of_check_can_be_the_fault(self):
        program = f"{PROGRAM} check {{}} --format json --exit-zero | grep -q '\"REP-1.3-'"
        before = mechane("check", self.stage, "--format", "json", "--exit-zero").stdout
        if '"REP-1.3-' not in before:
            self.skipTest("the stage has no such finding")
        done = mechane("reduce", self.stage, "--while", program, "--runs", "150", "-o", self.folder / "small.usda")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"REP-1.3-', mechane("check", self.folder / "small.usda", "--format", "json", "--exit-zero").stdout)

    def test_a_robot_of_another_format_is_reduced_as_text_where_the_result_has_its_suffix(self):
        (self.folder / "meshes").mkdir()
        (self.folder / "meshes" / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
        source = self.folder / "secret.urdf"
        links = "".join(f'<link name="part_{i}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial><visual><geometry><mesh filename="meshes/a.obj"/></geometry></visual></link>' for i in range(6))
        joints = "".join(f'<joint name="hold_{i}" type="{"wobbly" if i == 4 else "fixed"}"><parent link="part_{i - 1}"/><child link="part_{i}"/></joint>' for i in range(1, 6))
        text = f'<?xml version="1.0"?>\n<!-- ours -->\n<robot name="secret">\n{links}\n{joints}\n</robot>\n'
        source.write_text(text)
        result = self.folder / "small.urdf"
        done = mechane("reduce", source, "--while", f"{PROGRAM} info {{}} 2>&1 | grep -q SOURCE_WORD", "-o", result)
        self.assertEqual(done.returncode, 0, done.stderr)
        small = result.read_text()
        self.assertIn("wobbly", small)
        self.assertEqual(small.count("<joint"), 1)
        for gone in ("ours", "secret", "hold_", "mesh", "inertial"):
            self.assertNotIn(gone, small)
        self.assertLess(len(small), 250)
        self.assertIn("SOURCE_WORD", mechane("info", result).stderr)
        self.assertEqual(source.read_text(), text)
        self.assertEqual(mechane("reduce", source, "--while", "true", "-o", self.folder / "small.sdf").returncode, 2)

    def test_a_robot_of_another_format_is_reduced_as_a_stage(self):
        urdf = self.folder / "r.urdf"
        urdf.write_text('<robot name="r"><link name="a"><visual><geometry><box size="1 1 1"/></geometry></visual></link></robot>')
        done = mechane("reduce", urdf, "--while", f"{PROGRAM} cat {{}} | grep -q Cube")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Cube", done.stdout)
        self.assertEqual(mechane("reduce", urdf, "--while", "grep -q '<robot' {}").returncode, 3)

    def test_no_fault_is_an_error_and_a_bound_is_kept(self):
        self.assertEqual(mechane("reduce", self.stage, "--while", "false").returncode, 3)
        done = mechane("reduce", self.stage, "--while", "grep -q mass {}", "--runs", "2", "-o", self.folder / "s.usda", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(json.loads(done.stdout)["exhausted"])

    def test_what_was_not_tried_is_not_called_needed_and_texts_go_first(self):
        """No answer is not a "no": names count as needed only where the fault went with them. Texts go though the bound is reached while the stage is made smaller."""
        self.stage.write_text(STAGE.replace('defaultPrim = "secret_robot"', 'defaultPrim = "secret_robot"\n    doc = "of a company"\n    customLayerData = {\n        string by = "a company"\n    }')
                              .replace('def Xform "left"\n', 'def Xform "left" (\n        "a company"\n        doc = "a company"\n    )\n').replace('string owner', 'string[] owners = ["a company"]\n        string owner'))
        result = self.folder / "s.usda"
        for fault, runs, needed, untried in (("grep -q left {}", 400, ["left"], []), ("grep -q left {} && test $(grep -c right {}) -gt 0", 4, [], ["left", "right", "secret_robot"])):
            with self.subTest(runs=runs):
                done = mechane("reduce", self.stage, "--while", fault, "--runs", runs, "--jobs", "1", "-o", result, "--json")
                self.assertEqual(done.returncode, 0, done.stderr)
                told = json.loads(done.stdout)
                self.assertEqual((told["kept_names"], sorted(told["untried_names"])), (needed, untried), done.stderr)
                self.assertEqual("names that were not tried, and stay" in done.stderr, bool(untried))
        done = mechane("reduce", self.stage, "--while", "grep -q left {}", "--runs", "12", "--jobs", "1", "-o", result)
        self.assertNotIn("company", result.read_text())

    def test_an_interrupted_run_leaves_what_it_has(self):
        result = self.folder / "small.usda"
        told, told_to_stop = self.folder / "runs", self.folder / "stop"
        # The fifth run waits until the signal has been sent: the search cannot end before it, however slow this test is.
        fault = f"echo run >> {told}; if [ $(wc -l < {told}) -ge 5 ]; then while [ ! -e {told_to_stop} ]; do sleep 0.02; done; fi; grep -q mass {{}}"
        running = subprocess.Popen([PROGRAM, "reduce", str(self.stage), "--while", fault, "--jobs", "1", "-o", str(result)], stderr=subprocess.PIPE, text=True)
        while running.poll() is None and (not told.exists() or len(told.read_text().split()) < 5):
            time.sleep(0.01)
        running.send_signal(signal.SIGINT)
        told_to_stop.touch()
        _, errors = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130, errors)
        self.assertIn("mass", result.read_text())
        self.assertIn("names that were not tried, and stay", errors)
        self.assertNotIn("names that the fault needs", errors)


if __name__ == "__main__":
    unittest.main()
