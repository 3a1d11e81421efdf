"""Every value that a stage authors in a vendor's schema is in the result of a conversion, or in its loss report (EXP-037).

The attributes are those of the schemas that the build ships. Each is authored alone, with a value that is not its default, on the part of a small robot that its schema is for. Against the same
robot without it, the result or the report must differ.
"""
import concurrent.futures
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import tempfile
import unittest

from tests.cli.program import PROGRAM, ROOT

SCHEMAS = {"newton_usd_schemas": "Newton", "mjcPhysics": "Mjc", "PhysxSchema": "Physx"}
#: How many attributes a run draws; MECHANE_ALL_VENDOR_VALUES=1: all of them.
DRAWN = 60
#: Part of the robot by the beginning of the schema's name; the first that fits. What fits nowhere stands on a link.
PARTS = (("NewtonScene", "scene"), ("NewtonXpbd", "scene"), ("NewtonKamino", "scene"), ("NewtonVbd", "scene"), ("NewtonMPMScene", "scene"), ("MjcScene", "scene"), ("PhysxScene", "scene"),
         ("NewtonArticulation", "robot"), ("PhysxArticulation", "robot"), ("NewtonJoint", "hinge"), ("MjcJoint", "hinge"), ("PhysxJoint", "hinge"), ("PhysicsJointState", "hinge"), ("PhysxLimit", "hinge"),
         ("NewtonMimic", "follower"), ("PhysxMimicJoint", "follower"), ("MjcEqualityJoint", "follower"), ("MjcEqualityWeld", "weld"), ("MjcEquality", "loop"),
         ("NewtonMeshCollision", "mesh"), ("MjcMeshCollision", "mesh"), ("PhysxConvex", "mesh"), ("PhysxTriangle", "mesh"), ("PhysxSDF", "mesh"), ("PhysxSphereFill", "mesh"),
         ("NewtonCollision", "box"), ("NewtonSDF", "box"), ("MjcCollision", "box"), ("PhysxCollision", "box"), ("MjcImageable", "seen"), ("MjcSite", "site"),
         ("NewtonMaterial", "rubber"), ("NewtonMPMMaterial", "rubber"), ("NewtonCurves", "rubber"), ("MjcMaterial", "rubber"), ("PhysxMaterial", "rubber"), ("PhysxPBD", "rubber"),
         ("PhysxDeformableMaterial", "rubber"), ("NewtonPD", "motor"), ("NewtonPID", "motor"), ("NewtonMaxEffort", "motor"), ("NewtonDCMotor", "motor"), ("NewtonPosition", "motor"),
         ("NewtonActuatorDelay", "motor"), ("MjcActuator", "servo"), ("MjcTendon", "tendon"), ("MjcKeyframe", "key"))
#: Values where not every one is possible or has a meaning.
VALUES = {"mjc:actDim": "1", "mjc:actLimited": '"true"', "mjc:ctrlLimited": '"true"', "mjc:forceLimited": '"true"', "mjc:limited": '"false"', "mjc:actuatorfrclimited": '"true"', "mjc:biasType": '"affine"',
          "mjc:gainType": '"affine"', "mjc:dynType": '"integrator"', "mjc:type": '"fixed"', "mjc:condim": "4", "mjc:inertia": '"convex"', "mjc:option:cone": '"elliptic"', "mjc:option:integrator": '"implicit"',
          "mjc:option:jacobian": '"dense"', "mjc:option:solver": '"cg"', "mjc:compiler:angle": '"radian"', "mjc:compiler:inertiaFromGeom": '"true"', "mjc:maxhullvert": "7", "newton:maxHullVertices": "7",
          "mjc:qpos": "[0.1, 0.2]", "physxConvexHullCollision:hullVertexLimit": "7", "newton:massModel": '"shell"', "mjc:crankLength": "0.5"}
#: Entries that stand for a part of the robot with all that it says.
WHOLE = ("actuator", "loop-joint", "no-word", "site")
#: Joints of other kinds, each to a link of its own.
LOCK = "".join(f"float limit:{axis}:physics:low = 1\nfloat limit:{axis}:physics:high = -1\n" for axis in ("transX", "transY", "transZ", "rotX"))
JOINTS = {"slider": ("PhysicsPrismaticJoint", "float physics:lowerLimit = -1\nfloat physics:upperLimit = 1\n", ()), "ball": ("PhysicsSphericalJoint", "", ()), "fixed": ("PhysicsFixedJoint", "", ()),
          "wheel": ("PhysicsRevoluteJoint", "", ()), "cardan": ("PhysicsJoint", LOCK, tuple(f"PhysicsLimitAPI:{axis}" for axis in ("transX", "transY", "transZ", "rotX")))}
#: Where values may stand that are for another part.
ANYWHERE = ("scene", "robot", "base", "box", "seen", "site", "mesh", "rubber", "hinge", "follower", "loop", "weld", "motor", "servo", "tendon", "key", *JOINTS)
HEAD = '#usda 1.0\n(\n    defaultPrim = "robot"\n    metersPerUnit = 1\n    kilogramsPerUnit = 1\n    upAxis = "Z"\n)\n'
BODY = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")
MASS = "float physics:mass = 1\npoint3f physics:centerOfMass = (0, 0, 0)\nfloat3 physics:diagonalInertia = (0.1, 0.1, 0.1)\n"


def shipped():
    """(schema, type of the prim or empty, attribute, type, fallback) of every vendor's attribute"""
    for module in SCHEMAS:
        found = next(ROOT.glob(f".deps/*/{module}/resources/generatedSchema.usda"), None)
        schema = kind = ""
        for line in found.read_text().splitlines() if found else ():
            if of := re.match(r'class (?:(\w+) )?"(\w+)"', line):
                kind, schema = of.group(1) or "", of.group(2)
            elif of := re.match(r"    (?:uniform )?(\w+(?:\[\])?) (\S+:\S+)(?: = (.*?))?(?: \()?$", line):
                if re.match(r"newton:|mjc:|physx|state:", of.group(2)) and not of.group(2).startswith(("mjc:path:", "mjc:sideSites:")):  # what a tendon is led over is its form
                    yield schema, kind if not schema.endswith("API") else "", of.group(2), of.group(1), of.group(3)


def other_than(fallback, kind, name):
    """A value that is not the fallback"""
    if name in VALUES:
        return VALUES[name]
    if kind == "bool":
        return "0" if fallback in ("1", "true") else "1"
    if kind in ("token", "string"):
        return '"other"'
    if kind.endswith("[]"):
        one = other_than(None, kind[:-2], name)
        return one and f"[{one}, {one}]"
    size = re.search(r"(\d)[fdh]?$", kind)
    if kind.startswith(("quat", "matrix")):
        return "(0, 1, 0, 0)" if kind.startswith("quat") else None
    if size:
        return "(" + ", ".join(["0.25"] * int(size.group(1))) + ")"
    if kind in ("int", "uint", "int64", "uchar"):
        return "3" if fallback != "3" else "4"
    if kind in ("float", "double", "half"):
        return "0.375"
    return None


def robot(part="", apis=(), lines=""):
    """A robot of two links with everything that a vendor has words for; `lines` stand on one part of it."""
    def prim(name, kind, own, mine=(), inner=""):
        all_apis = [*mine, *(apis if name == part else ())]
        listed = ", ".join(f'"{a}"' for a in dict.fromkeys(all_apis))
        head = f" (\n    prepend apiSchemas = [{listed}]\n)" if listed else ""
        return f'def {kind} "{name}"{head}\n{{\n{own}{lines if name == part else ""}{inner}}}\n'
    points = [(x, y, z) for x in (0, .1) for y in (0, .1) for z in (0, .1)] + [(.05, .05, .13), (.05, .05, -.03), (.13, .05, .05), (-.03, .05, .05)]
    solid = f"point3f[] points = {points}\nint[] faceVertexCounts = [4, 4, 4, 4, 4, 4]\nint[] faceVertexIndices = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]\n" \
            'token physics:approximation = "convexHull"\nuniform token subdivisionScheme = "none"\n'
    place = "double3 xformOp:translate = ({}, 0, 0)\nuniform token[] xformOpOrder = [\"xformOp:translate\"]\n"
    base = prim("base", "Xform", MASS, BODY,
                prim("box", "Cube", "double size = 0.2\nrel material:binding:physics = </robot/rubber>\n", ("PhysicsCollisionAPI", "MaterialBindingAPI")) + prim("seen", "Cube", "double size = 0.1\n") +
                prim("site", "Sphere", "double radius = 0.01\n", ("MjcSiteAPI",)))
    ends = "rel physics:body0 = </robot/{}>\nrel physics:body1 = </robot/{}>\n"
    limits = "float physics:lowerLimit = -40\nfloat physics:upperLimit = 40\n"
    loops = "uniform bool physics:excludeFromArticulation = 1\n"
    parts = base + prim("arm", "Xform", MASS + place.format(1), BODY, prim("mesh", "Mesh", solid, ("PhysicsCollisionAPI", "PhysicsMeshCollisionAPI")) + prim("tip", "Sphere", "double radius = 0.01\n", ("MjcSiteAPI",))) + \
        prim("hand", "Xform", MASS + place.format(2), BODY, prim("palm", "Cube", "double size = 0.1\n", ("PhysicsCollisionAPI",))) + \
        prim("foot", "Xform", MASS + place.format(3), BODY, prim("sole", "Cube", "double size = 0.1\n", ("PhysicsCollisionAPI",))) + \
        prim("ankle", "PhysicsRevoluteJoint", ends.format("hand", "foot") + limits + "point3f physics:localPos0 = (1, 0, 0)\n") + \
        "".join(prim(n + "_tip", "Xform", MASS + place.format(4 + i), BODY) for i, n in enumerate(JOINTS)) + \
        "".join(prim(n, kind, ends.format("foot", n + "_tip") + f"point3f physics:localPos0 = ({1 + i}, 0, 0)\n" + more, mine) for i, (n, (kind, more, mine)) in enumerate(JOINTS.items())) + \
        prim("hinge", "PhysicsRevoluteJoint", ends.format("base", "arm") + limits + "point3f physics:localPos0 = (1, 0, 0)\n") + \
        prim("follower", "PhysicsRevoluteJoint", ends.format("arm", "hand") + limits + "point3f physics:localPos0 = (1, 0, 0)\nrel newton:mimicJoint = </robot/hinge>\n", ("NewtonMimicAPI",)) + \
        prim("loop", "PhysicsSphericalJoint", ends.format("base", "hand") + loops + "point3f physics:localPos0 = (2, 0, 0)\n") + \
        prim("weld", "PhysicsFixedJoint", ends.format("base", "hand") + loops + "point3f physics:localPos0 = (2, 0, 0)\n") + \
        prim("rubber", "Material", "float physics:staticFriction = 0.5\nfloat physics:dynamicFriction = 0.5\n", ("PhysicsMaterialAPI",)) + \
        prim("motor", "NewtonActuator", "rel newton:targets = </robot/hinge>\n", ("NewtonPDControlAPI",)) + prim("servo", "MjcActuator", "rel mjc:target = </robot/follower>\n") + \
        prim("tendon", "MjcTendon", "rel mjc:path = [</robot/base/site>, </robot/arm/tip>]\nuniform int[] mjc:path:indices = [0, 1]\nuniform int[] mjc:path:segments = [0, 0]\n") + prim("key", "MjcKeyframe", "")
    return HEAD + prim("robot", "Xform", "", ("PhysicsArticulationRootAPI",), parts) + prim("scene", "PhysicsScene", "float physics:gravityMagnitude = 9.81\nvector3f physics:gravityDirection = (0, 0, -1)\n")


def converted(folder, name, text, suffix):
    """The result and its loss report"""
    source, result, loss = folder / f"{name}.usda", folder / name / f"r.{suffix}", folder / f"{name}.{suffix}.json"
    source.write_text(text)
    done = subprocess.run([PROGRAM, "convert", str(source), "-o", str(result), "--loss", str(loss), "--fail-on-loss", "never"], capture_output=True, text=True, timeout=60, check=False)
    if not loss.exists():
        raise AssertionError(f"{name} {suffix}: {done.stderr}")
    files = {str(p.relative_to(result.parent)): p.read_bytes() for p in result.parent.rglob("*") if p.is_file() and p.name != "mechane.sums" and (p == result or not p.name.startswith("r."))}
    entries = [{key: e.get(key) for key in ("code", "action", "what", "prim", "property", "sourceValue", "targetValue")} for e in json.loads(loss.read_text())["entries"]]
    return files, entries


class VendorValues(unittest.TestCase):
    def test_every_value_is_in_the_result_or_in_the_report(self):
        seed = int(os.environ.get("MECHANE_SEED", random.randrange(10**6)))
        rows = [row for row in shipped() if other_than(row[4], row[3], row[2]) is not None]
        self.assertGreater(len(rows), 300)
        if only := os.environ.get("MECHANE_VENDOR_VALUES"):
            rows = [row for row in rows if re.search(only, row[2])]
        elif not os.environ.get("MECHANE_ALL_VENDOR_VALUES"):
            rows = random.Random(seed).sample(rows, DRAWN)
        bare = {}
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
            silent = [one for all_of in pool.map(lambda numbered: self.silent(pathlib.Path(folder), *numbered, bare), enumerate(rows)) for one in all_of]
        self.assertFalse(silent, "\n".join(silent) + f"\nseed {seed}: authored, and neither in the result nor in the report")

    def test_values_on_parts_that_they_are_not_for_are_told(self):
        """A reader goes by names, whatever the schema of the prim"""
        seed = int(os.environ.get("MECHANE_SEED", random.randrange(10**6)))
        drawn, bare = random.Random(seed), {}
        rows = [row for row in shipped() if other_than(row[4], row[3], row[2]) is not None]
        joints = [row for row in rows if "Joint" in row[0] or "Limit" in row[0]]
        rows = [(row, drawn.choice(ANYWHERE)) for row in drawn.sample(rows, int(os.environ.get("MECHANE_DRAWN", 20)))] + \
            [(row, drawn.choice(tuple(JOINTS))) for row in drawn.sample(joints, min(len(joints), int(os.environ.get("MECHANE_DRAWN", 20))))]
        with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
            silent = [one for all_of in pool.map(lambda at: self.silent(pathlib.Path(folder), at[0], at[1][0], bare, at[1][1]), enumerate(rows)) for one in all_of]
        self.assertFalse(silent, "\n".join(silent) + f"\nseed {seed}")

    @staticmethod
    def silent(folder, number, row, bare, part=None):
        """The formats that say nothing of an attribute. @param bare  what is written without it, by part, schemas and format"""
        schema, kind, attribute, type_, fallback = row
        part = part or next((at for begin, at in PARTS if schema.startswith(begin)), "arm")
        instance = {"PhysxLimitAPI": "angular", "PhysicsJointStateAPI": "angular", "PhysxMimicJointAPI": "rotZ", "PhysxJointAxisAPI": "angular"}.get(schema, "x") if "__INSTANCE_NAME__" in attribute else ""
        name, api = attribute.replace("__INSTANCE_NAME__", instance), schema + (f":{instance}" if instance else "")
        apis = () if kind or part in ANYWHERE and part != next((at for begin, at in PARTS if schema.startswith(begin)), "arm") else (api,)
        line = f"{type_} {name} = {other_than(fallback, type_, attribute)}\n"
        out = []
        for suffix in ("urdf", "sdf", "xml"):
            key = part, apis, suffix
            if key not in bare:
                bare[key] = converted(folder, f"a{number}", robot(part, apis, ""), suffix)
            full, told = converted(folder, f"b{number}", robot(part, apis, line), suffix)
            whole = any(e["code"] in WHOLE and e["action"] == "dropped" and e["what"].endswith(f"'{part}'") for e in told)
            if bare[key][0] == full and all(e in bare[key][1] for e in told) and not whole:
                out.append(f"{suffix}: {name} ({schema}) on {part}")
        return out

    def test_defaults_are_one_entry(self):
        with tempfile.TemporaryDirectory() as folder:
            _, entries = converted(pathlib.Path(folder), "d", robot("arm", ("PhysxRigidBodyAPI",), "float physxRigidBody:linearDamping = 0\nint physxRigidBody:solverPositionIterationCount = 16\n"), "urdf")
            told = [e for e in entries if e["code"] == "vendor-default"]
            self.assertEqual([(e["action"], e["sourceValue"]) for e in told], [("kept", "physxRigidBody:linearDamping, physxRigidBody:solverPositionIterationCount")])

    def test_of_two_vendors_the_one_that_counts_is_written_and_the_other_told(self):
        with tempfile.TemporaryDirectory() as folder:
            files, entries = converted(pathlib.Path(folder), "d", robot("hinge", ("NewtonJointAPI", "MjcJointAPI"), "float newton:armature = 0.5\ndouble mjc:armature = 0.25\n"), "xml")
            self.assertIn('armature="0.5"', files["r.xml"].decode())
            self.assertEqual([(e["property"], e["sourceValue"]) for e in entries if e["code"] == "vendor-value"], [("mjc:armature", "0.25")])

    def test_a_hull_has_no_more_vertices_than_the_source_allows(self):
        """The fourteen corners of the mesh are all on its hull."""
        with tempfile.TemporaryDirectory() as folder:
            text = robot("mesh", ("NewtonMeshCollisionAPI",), "int newton:maxHullVertices = 7\n")
            for suffix in ("urdf", "sdf"):
                files, entries = converted(pathlib.Path(folder), suffix, text, suffix)
                hull = files["r_meshes/mesh_hull.stl"]
                triangles = [struct.unpack_from("<12f", hull, 84 + 50 * i)[3:] for i in range((len(hull) - 84) // 50)]
                self.assertLessEqual(len({t[i:i + 3] for t in triangles for i in (0, 3, 6)}), 7)
                self.assertIn("convex-hull", [e["code"] for e in entries])
                done = subprocess.run([PROGRAM, "convert", f"{folder}/{suffix}.usda", "-o", f"{folder}/v.{suffix}", "--verify", "--fail-on-loss", "never"], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn('maxhullvert="7"', converted(pathlib.Path(folder), "x", text, "xml")[0]["r.xml"].decode())

    def test_what_no_gravity_acts_on(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = robot("arm", ("PhysxRigidBodyAPI",), "bool physxRigidBody:disableGravity = 1\n")
            self.assertIn('gravcomp="1"', converted(pathlib.Path(folder), "m", lines, "xml")[0]["r.xml"].decode())
            self.assertIn("<gravity>false</gravity>", converted(pathlib.Path(folder), "s", lines, "sdf")[0]["r.sdf"].decode())
            self.assertIn(("gravcomp", "link 'arm'"), [(e["code"], e["what"]) for e in converted(pathlib.Path(folder), "u", lines, "urdf")[1]])


if __name__ == "__main__":
    unittest.main()
