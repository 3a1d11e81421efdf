"""`mechane sim --device`: the kernels of the GPU on the CPU (`host`), and what is said where there is no GPU."""
import pathlib
import tempfile
import unittest

from tests.cli.program import document, mechane

#: A box of 1 kg that falls 0.2 m on the ground.
BOX = """#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def Cube "box" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI"])
{
    double size = 0.2
    float physics:mass = 1
    double3 xformOp:translate = (0, 0, 0.3)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
"""


class Device(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.box = self.folder / "box.usda"
        self.box.write_text(BOX)

    def sim(self, *arguments, **options):
        return mechane("sim", self.box, "--ground", "0", "--dt", "0.005", "--duration", "1.5", *arguments, **options)

    def test_the_device_ends_where_the_cpu_does(self):
        ends = {}
        for device in ("cpu", "host"):
            out = self.folder / f"{device}.json"
            done = self.sim("--device", device, "-o", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            import json

            ends[device] = json.loads(out.read_text())["frames"][-1]["body_q"][0]
        for a, b in zip(ends["cpu"], ends["host"]):
            self.assertAlmostEqual(a, b, delta=1e-3)
        self.assertAlmostEqual(ends["host"][2], 0.1, delta=2e-3)

    def test_a_recording_of_a_device_is_verified_on_it_and_names_it(self):
        out = self.folder / "run.mrec"
        done = self.sim("--worlds", "3", "--device", "host", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("softstep@host", done.stdout + done.stderr)
        again = mechane("replay", out)
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)

    def test_without_a_gpu_the_status_is_6_and_the_message_says_what_is_missing(self):
        done = self.sim("--device", "cuda", MECHANE_CUDA_DRIVER="/nowhere/libcuda.so.1")
        self.assertEqual(done.returncode, 6)
        self.assertIn("DEV_UNAVAILABLE", done.stderr)
        self.assertIn("/nowhere/libcuda.so.1", done.stderr)

    def test_bench_steps_on_a_device_too_and_says_what_is_missing(self):
        done = mechane("bench", self.box, "--ground", "0", "--worlds", "3", "--nstep", "5", "--device", "host")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("softstep@host", done.stdout)
        done = mechane("bench", self.box, "--device", "cuda", MECHANE_CUDA_DRIVER="/nowhere/libcuda.so.1")
        self.assertEqual((done.returncode, "DEV_UNAVAILABLE" in done.stderr), (6, True))
        self.assertEqual(mechane("bench", self.box, "--device", "host", "--sleeping").returncode, 6)
        self.assertEqual(mechane("bench", self.box, "--device", "gpu").returncode, 2)

    def test_options_that_a_device_does_not_honour_are_named(self):
        done = self.sim("--device", "host", "--sleeping", "--exact-contacts", "--checkpoint", self.folder / "c")
        self.assertEqual(done.returncode, 6)
        for name in ("--sleeping", "--exact-contacts", "--checkpoint"):
            self.assertIn(name, done.stderr)
        self.assertEqual(self.sim("--device", "host", "--solver", "xpbd").returncode, 6)
        wrong = self.sim("--device", "gpu")
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("cuda:N", wrong.stderr)

    def test_the_table_of_solvers_puts_the_device_beside_the_cpu(self):
        rows = document("sim", self.box, "--ground", "0", "--device", "host", "--compare", "--json")
        self.assertEqual([row["solver"] for row in rows["solvers"]], ["softstep", "softstep@host"])


if __name__ == "__main__":
    unittest.main()
