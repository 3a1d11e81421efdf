"""What `mechane replay` says of recordings, and checkpoints of `mechane sim`."""
import json
import pathlib
import re
import shutil
import tempfile
import unittest

from tests.cli.program import QUADRUPED, document, mechane

HINGE = """#usda 1.0
(
    defaultPrim = "w"
    metersPerUnit = 1
    upAxis = "Z"
)
def Xform "w"
{
    def Cube "arm" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])
    {
        double size = 0.2
        double3 xformOp:translate = (0, 0, 1)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
    def PhysicsRevoluteJoint "hinge" (prepend apiSchemas = ["PhysicsDriveAPI:angular"])
    {
        rel physics:body1 = </w/arm>
        uniform token physics:axis = "Y"
        point3f physics:localPos0 = (0, 0, 1.3)
        point3f physics:localPos1 = (0, 0, 0.3)
        float drive:angular:physics:stiffness = 0.5
        float drive:angular:physics:damping = 0.01
    }
}
"""


def hash_of(process):
    return re.search(r"state     hash ([0-9a-f]{16}):", process.stderr)[1]


class Replay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.stage = self.folder / "hinge.usda"
        self.stage.write_text(HINGE)
        self.recording = self.folder / "run.mrec"

    def record(self, *options):
        done = mechane("sim", self.stage, "--frames", "40", "-o", self.recording, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_a_report_of_the_run_is_not_made_up(self):
        with tempfile.TemporaryDirectory() as folder:
            run, before, after = (pathlib.Path(folder) / name for name in ("run.mrec", "before.json", "after.json"))
            self.assertEqual(mechane("sim", QUADRUPED, "--frames", "3", "-o", run, "-o", before).returncode, 0)
            self.assertEqual(mechane("replay", run, "-o", after).returncode, 0)
            run, replayed = json.loads(before.read_text()), json.loads(after.read_text())
            self.assertGreater(run.pop("report")["contacts_max"], 0)
            self.assertFalse("report" in replayed)
            self.assertEqual(replayed["frames"], run["frames"])

    def test_a_recording_verifies_with_the_options_it_was_made_with(self):
        commands = self.folder / "commands.csv"
        commands.write_text("t,/w/hinge.f\n0.1,0.3\n0.3,0\n")
        done = self.record("--ground", "0", "--hold", "2,0.1", "--set", "/w/hinge.qd=1", "--control", commands)
        commands.unlink()  # the recording carries it
        again = document("replay", self.recording, "--verify", "--json")
        self.assertEqual(again["verified"], {"equal": True, "steps": 41, "first_difference": None, "frames": 41, "first_frame_difference": None})
        self.assertEqual(again["hash"], hash_of(done))
        self.assertTrue(again["complete"])

    def test_a_changed_stage_is_refused_and_a_moved_one_is_named(self):
        self.record()
        moved = self.folder / "moved.usda"
        shutil.move(self.stage, moved)
        self.assertEqual(mechane("replay", self.recording, "--verify").returncode, 3)
        self.assertEqual(mechane("replay", self.recording, "--verify", "--stage", moved).returncode, 0)
        moved.write_text(HINGE.replace("size = 0.2", "size = 0.3"))
        other = mechane("replay", self.recording, "--verify", "--stage", moved)
        self.assertEqual(other.returncode, 3)
        self.assertIn("RECORD_OTHER_MODEL", other.stderr)
        # A recording knows of its model what can be counted.
        self.assertIn("the stage has 1 body and 1 coordinate of joints as it had", other.stderr)
        moved.write_text(HINGE.replace("    def PhysicsRevoluteJoint", '    def Sphere "loose" (prepend apiSchemas = ["PhysicsRigidBodyAPI"]) {}\n    def PhysicsRevoluteJoint'))
        self.assertIn("it has 1 body and 1 coordinate of joints, and the stage now 2 bodies and 8", mechane("replay", self.recording, "--verify", "--stage", moved).stderr)

    def test_a_damaged_recording_is_found_out(self):
        self.record()
        whole = self.recording.read_bytes()
        self.recording.write_bytes(whole[:-200])
        cut = mechane("replay", self.recording, "--verify")
        self.assertEqual(cut.returncode, 1)
        self.assertIn("RECORD_CUT_OFF", cut.stderr)
        flipped = bytearray(whole)
        flipped[-300] ^= 1
        self.recording.write_bytes(flipped)
        damaged = mechane("replay", self.recording, "--verify")
        self.assertEqual(damaged.returncode, 1)
        self.assertIn("RECORD_DAMAGED", damaged.stderr)
        self.recording.write_text("no recording")
        self.assertEqual(mechane("replay", self.recording).returncode, 3)

    def test_frames_are_written_again(self):
        self.record("--every", "4", "-o", self.folder / "direct.json")
        played = self.folder / "played.json"
        self.assertEqual(mechane("replay", self.recording, "-o", played).returncode, 0)
        direct, again = (json.loads((self.folder / name).read_text()) for name in ("direct.json", "played.json"))
        self.assertEqual(direct["frames"], again["frames"])
        part = mechane("replay", self.recording, "--from", "0.2", "--to", "0.5", "-o", played, "-o", self.folder / "a.html")
        self.assertEqual(part.returncode, 0, part.stderr)
        times = [frame["t"] for frame in json.loads(played.read_text())["frames"]]
        self.assertEqual([round(60 * t) for t in times], [12, 16, 20, 24, 28])
        self.assertEqual(mechane("replay", self.recording, "--from", "9", "-o", played).returncode, 2)

    def test_a_resumed_run_ends_as_the_uninterrupted_one(self):
        whole = mechane("sim", QUADRUPED, "--frames", "60")
        point = self.folder / "half.ckpt"
        self.assertEqual(mechane("sim", QUADRUPED, "--frames", "25", "--checkpoint", point).returncode, 0)
        rest = mechane("sim", QUADRUPED, "--frames", "35", "--resume", point, "-o", self.recording)
        self.assertEqual(rest.returncode, 0, rest.stderr)
        self.assertEqual(hash_of(rest), hash_of(whole))
        again = document("replay", self.recording, "--verify", "--json")
        self.assertTrue(again["verified"]["equal"])
        self.assertEqual(again["first_step"], 25)
        other = mechane("sim", self.stage, "--resume", point)
        self.assertEqual(other.returncode, 3)
        self.assertIn("RECORD_CHECKPOINT", other.stderr)


if __name__ == "__main__":
    unittest.main()
