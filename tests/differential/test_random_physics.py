"""Physics drawn by chance, read by us and by OpenUSD's parser and mass computer. Needs the oracles beside the corpus and a Python that has usd-core: MECHANE_USD_PYTHON."""
import json
import unittest

from tests.cli.program import corpus, mechane
from tests.differential import random_physics, random_wild_physics
from tests.differential.drawn import PYTHON, answered, compared
from tests.differential.test_physics import compare_masses, compare_objects

# OpenUSD asks its caller for the solids. Here they are the authored surface, whatever approximates it, cones, and boxes without signs; of planes, clouds and solids with two
# radii the oracle says nothing, and what OpenUSD then makes of the body is what lies in memory.
ORACLE = """
import json, math, pathlib, sys, types
sys.path.insert(0, sys.argv[1])
import physics_dump
from pxr import Gf
known = physics_dump.collider_mass
unknown = set()
def collider_mass(prim, shape):
    kind = str(shape.type).rsplit(".", 1)[-1]
    if kind == "MeshShape":
        return known(prim, types.SimpleNamespace(type=shape.type, localPos=shape.localPos, localRot=shape.localRot, meshScale=shape.meshScale, approximation="none"))
    if kind == "CubeShape":
        return known(prim, types.SimpleNamespace(type=shape.type, localPos=shape.localPos, localRot=shape.localRot, halfExtents=[abs(x) for x in shape.halfExtents]))
    if kind != "ConeShape":
        if kind not in ("SphereShape", "CapsuleShape", "CylinderShape"):
            unknown.add(prim.GetPath())
        return known(prim, shape)
    r, h, axis = shape.radius, 2 * shape.halfHeight, "XYZ".index(str(shape.axis).rsplit(".", 1)[-1])
    info = physics_dump.UsdPhysics.RigidBodyAPI.MassInformation()
    info.volume = math.pi * r * r * h / 3
    info.inertia = Gf.Matrix3f(*[0 if i != j else info.volume * (0.3 * r * r if i == axis else 0.15 * r * r + 0.0375 * h * h) for i in range(3) for j in range(3)])
    info.centerOfMass = Gf.Vec3f(*[-h / 4 if i == axis else 0 for i in range(3)])
    info.localPos, info.localRot = shape.localPos, shape.localRot
    return info
physics_dump.collider_mass = collider_mass
for name in sys.argv[2:]:
    unknown.clear()
    answer = physics_dump.dump(name + "/root.usda")
    for path in answer.get("mass", {}):
        if any(at.HasPrefix(path) for at in unknown):
            answer["mass"][path] = {"error": "a solid is not known"}
    pathlib.Path(name, "expected.json").write_text(json.dumps(answer))
"""


def differences(folder):
    expected = json.loads((folder / "expected.json").read_text())
    done = mechane("dump", "physics", folder / "root.usda", "--compat", "openusd-26", "-q", timeout=300)
    if done.returncode not in (0, 1):
        return 0, [("program", "a dump", f"exit {done.returncode}: {done.stderr[-200:]}")]
    found = json.loads(done.stdout)
    count = sum(map(len, expected["objects"].values())) + len(expected["mass"])
    return count, [*compare_objects(expected["objects"], found["objects"]), *compare_masses(expected["mass"], found["mass"])]


@unittest.skipUnless(PYTHON and corpus(), "needs MECHANE_USD_PYTHON and the oracles beside the corpus")
class RandomPhysics(unittest.TestCase):
    maxDiff = None

    def test_physics_drawn_by_chance_is_read_as_openusd_reads_it(self):
        self.campaign(random_physics.Writer, "0:150")

    def test_physics_with_what_is_rare_is_read_as_openusd_reads_it(self):
        self.campaign(random_wild_physics.Writer, "0:100")

    def campaign(self, writer, seeds):
        with answered(ORACLE, writer, seeds) as folders:
            answers = compared(differences, folders)
        found = [f"seed {folder.name}: {where}\n    openusd {str(a)[:120]}\n    ours    {str(b)[:120]}" for folder, (_, rows) in answers for where, a, b in rows]
        print(f"\n{len(answers)} stages, {sum(count for _, (count, _) in answers)} objects and masses compared")
        self.assertEqual(found[:20], [], f"{len(found)} differences in {sum(bool(rows) for _, (_, rows) in answers)} stages")


if __name__ == "__main__":
    unittest.main()
