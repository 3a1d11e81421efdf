"""Robots that are written are robots to the programs of their formats: check_urdf and yourdfpy, MuJoCo's compiler and its steps.

MECHANE_ROBOTS_PYTHON is an interpreter with mujoco, pin and yourdfpy, beside which check_urdf may lie (the package `pin` brings it). MECHANE_ROBOTS names
folders of robots, parted by colons, that go there and back under the eyes of robots_round.py. Without them the tests say so.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from tests.cli.program import PROGRAM, QUADRUPED, ROOT, mechane

PYTHON = os.environ.get("MECHANE_ROBOTS_PYTHON", "")
ROBOTS = [p for p in os.environ.get("MECHANE_ROBOTS", "").split(":") if p]
SAMPLES = [*sorted(p for p in (ROOT / "samples" / "convert").iterdir() if p.name != "leg.xacro"), pathlib.Path(QUADRUPED)]
ROUND = pathlib.Path(__file__).with_name("robots_round.py")

YOURDFPY = """
import json, sys, yourdfpy
robot = yourdfpy.URDF.load(sys.argv[1], load_meshes=True, load_collision_meshes=True, build_collision_scene_graph=True)
print(json.dumps({"links": sorted(robot.link_map), "joints": sorted(robot.joint_map), "moving": robot.num_actuated_joints}))
"""
STEPS = """
import json, math, sys, mujoco
model = mujoco.MjModel.from_xml_path(sys.argv[1])
data = mujoco.MjData(model)
for _ in range(int(sys.argv[2])):
    mujoco.mj_step(model, data)
mujoco.mj_forward(model, data)
sites = {model.site(i).name: list(map(float, data.site_xpos[i])) for i in range(model.nsite)}
gap = max([0.0, *(abs(float(v)) for v, kind in zip(data.efc_pos, data.efc_type) if kind == mujoco.mjtConstraint.mjCNSTR_EQUALITY)])
print(json.dumps({"finite": all(math.isfinite(v) for v in [*data.qpos, *data.qvel]), "bodies": model.nbody - 1, "dofs": model.nv, "equalities": model.neq,
                  "gap": gap, "speed": max(map(abs, data.qvel), default=0.0), "moved": max(map(abs, data.qpos), default=0.0)}))
"""

#: A four-bar of sides 0.3 on a frame of 0.4, told as three hinges of the tree and one that closes the loop; it hangs down at rest.
FOUR_BAR = """#usda 1.0
(
    defaultPrim = "bars"
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene"
{
}
def Xform "bars" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
%s
}
"""
BAR = """    def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {{
        float physics:mass = 0.5
        float3 physics:diagonalInertia = (0.004, 0.004, 0.0005)
        point3f physics:centerOfMass = (0, 0, 0)
        double3 xformOp:translate = ({x}, 0, {z})
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }}
"""
HINGE = """    def PhysicsRevoluteJoint "{name}" {{
        uniform token physics:axis = "Y"
        {first}rel physics:body1 = </bars/{child}>
        point3f physics:localPos0 = {pos0}
        point3f physics:localPos1 = {pos1}
        bool physics:excludeFromArticulation = {loop}
        (prepend apiSchemas = [])
    }}
""".replace("        (prepend apiSchemas = [])\n", "")


def four_bar():
    """Bars down from (0, 0, 1) and (0.4, 0, 1), and one across below them."""
    parts = [BAR.format(name="left", x=0, z=0.85), BAR.format(name="right", x=0.4, z=0.85), BAR.format(name="across", x=0.2, z=0.7)]
    hinge = lambda name, parent, child, pos0, pos1, loop=0: HINGE.format(name=name, first=f"rel physics:body0 = </bars/{parent}>\n        " if parent else "", child=child, pos0=pos0, pos1=pos1, loop=loop)
    parts += [hinge("a", None, "left", "(0, 0, 1)", "(0, 0, 0.15)"), hinge("b", None, "right", "(0.4, 0, 1)", "(0, 0, 0.15)"),
              hinge("c", "left", "across", "(0, 0, -0.15)", "(-0.2, 0, 0)"), hinge("d", "right", "across", "(0, 0, -0.15)", "(0.2, 0, 0)", 1)]
    return FOUR_BAR % "".join(parts)


def run(code, *arguments):
    done = subprocess.run([PYTHON, "-c", code, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def check_urdf():
    beside = pathlib.Path(PYTHON).with_name("check_urdf") if PYTHON else None
    return str(beside) if beside and beside.is_file() else shutil.which("check_urdf")


class Written(unittest.TestCase):
    def convert(self, source, out):
        done = mechane("convert", source, "-o", out, "--fail-on-loss", "never")
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertTrue(pathlib.Path(out).is_file(), done.stderr)

    @unittest.skipUnless(check_urdf() or PYTHON, "skipped: MECHANE_ROBOTS_PYTHON is not set, and there is no check_urdf")
    def test_urdf_passes_check_urdf_and_yourdfpy_loads_it_EXP_038(self):
        """EXP-038."""
        for source in SAMPLES:
            with self.subTest(source.name), tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder, "robot.urdf")
                self.convert(source, out)
                text = out.read_text()
                if check_urdf():
                    done = subprocess.run([check_urdf(), str(out)], capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn("Successfully Parsed XML", done.stdout)
                if PYTHON:
                    told = run(YOURDFPY, out)
                    self.assertEqual(told["links"], sorted(re.findall(r'<link name="([^"]+)"', text)))
                    self.assertEqual(told["joints"], sorted(re.findall(r'<joint name="([^"]+)"', text)))
                    self.assertEqual(told["moving"], len(re.findall(r'<joint [^>]*type="(?:revolute|continuous|prismatic|planar|floating)"', text)) - text.count("<mimic"))

    @unittest.skipUnless(PYTHON, "skipped: MECHANE_ROBOTS_PYTHON is not set")
    def test_mjcf_compiles_and_steps_a_hundred_times_without_a_number_that_is_none_EXP_056(self):
        """EXP-056."""
        for source in SAMPLES:
            with self.subTest(source.name), tempfile.TemporaryDirectory() as folder:
                out = pathlib.Path(folder, "robot.xml")
                self.convert(source, out)
                told = run(STEPS, out, 100)
                self.assertTrue(told["finite"])
                self.assertGreater(told["dofs"], 0)

    @unittest.skipUnless(PYTHON, "skipped: MECHANE_ROBOTS_PYTHON is not set")
    def test_a_four_bar_compiles_with_an_equality_and_closes_at_rest_EXP_059(self):
        """EXP-059. At rest three bars hang: the loop stays closed to a millimetre while two seconds pass."""
        with tempfile.TemporaryDirectory() as folder:
            source, out = pathlib.Path(folder, "bars.usda"), pathlib.Path(folder, "bars.xml")
            source.write_text(four_bar())
            self.convert(source, out)
            for steps in (1, 1000):
                told = run(STEPS, out, steps)
                self.assertEqual((told["bodies"], told["dofs"]), (3, 3))
                self.assertGreaterEqual(told["equalities"], 1)
                self.assertTrue(told["finite"])
                self.assertLess(told["gap"], 1e-3)

    def test_parameters_of_mujocos_solver_live_in_the_layer_of_mujoco_alone_EXP_073(self):
        """EXP-073."""
        with tempfile.TemporaryDirectory() as folder:
            source, out = pathlib.Path(folder, "robot.xml"), pathlib.Path(folder, "robot")
            source.write_text("""<mujoco><option iterations="37" tolerance="1e-7" cone="elliptic" impratio="3"/><worldbody>
                <body name="a" pos="0 0 1"><joint name="j" axis="0 1 0" range="-30 30" solreflimit="0.03 0.9" solimplimit="0.8 0.9 0.01" margin="0.01" armature="0.1" damping="2"/>
                <geom name="g" size="0.1" solref="0.03 1.1" solimp="0.8 0.93 0.002" margin="0.004" gap="0.001" condim="4" priority="2" solmix="3"/></body></worldbody>
                <actuator><general name="m" joint="j" gainprm="5" dyntype="filter" dynprm="0.1"/></actuator></mujoco>""")
            done = mechane("convert", source, "-o", out, "--fail-on-loss", "never")
            self.assertEqual(done.returncode, 0, done.stderr)
            texts = {p.name: mechane("cat", p).stdout for p in sorted(out.glob("*.usd*"))}
            inside = {name: len(re.findall(r"\bmjc:\w+", text)) for name, text in texts.items()}
            self.assertGreaterEqual(inside.pop("mujoco.usda"), 12)
            inside.pop("robot_mujoco.usda")
            self.assertEqual({name: count for name, count in inside.items() if count}, {})
            for text in texts.values():
                self.assertNotRegex(text.replace("mjc:", ""), r"solimp\b.*=.*solimp\b")
            self.assertFalse([name for name, text in texts.items() if re.search(r"sol(?:ref|imp|mix)", text) and name != "mujoco.usda"])

    @unittest.skipUnless(PYTHON and ROBOTS, "skipped: MECHANE_ROBOTS_PYTHON and MECHANE_ROBOTS are not set")
    def test_robots_of_packages_go_there_and_back(self):  # EXP-039, EXP-057, EXP-074
        with tempfile.TemporaryDirectory() as folder:
            rows = pathlib.Path(folder, "rows.jsonl")
            done = subprocess.run([PYTHON, str(ROUND), "--mechane", PROGRAM, "--report", str(rows), *ROBOTS], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            print("\n".join(done.stdout.splitlines()[-4:]), file=sys.stderr)
            told = [json.loads(line) for line in rows.read_text().splitlines()]
            self.assertTrue(told)
            self.assertEqual([row["source"] for row in told if "refused" in row["found"]], [])


if __name__ == "__main__":
    unittest.main()
