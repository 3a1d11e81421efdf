"""What holds for every stage, on stages drawn by chance: units do not matter, nor threads; nothing authored is unaccounted for; nonsense ends no program."""
import json
import pathlib
import random
import re
import tempfile
import unittest

from tests.cli.program import mechane
from tests.differential import random_physics, random_robots, random_soft
from tests.differential.compare_models import differences
from tests.differential.drawn import seeds

MESHES = (8, 10)  # GeoType MESH, CONVEX_MESH
HEAD = re.compile(r"^(metersPerUnit|kilogramsPerUnit) = .*\n", re.M)
OPENING = re.compile(r'(def|class|over) (\w*) ?"(\w+)"')
ATTRIBUTE = re.compile(r"(?:custom |uniform )*[\w\[\]]+ ([\w:]+) = ")
NUMBER = re.compile(r"-?\b\d+(?:\.\d+)?(?:e[-+]?\d+)?\b")

# (length, mass) exponents by the end of an attribute's name. Torque and angular gains have two lengths more than force and linear ones.
LINEAR_DRIVE = {"stiffness": (0, 1), "damping": (0, 1), "targetPosition": (1, 0), "targetVelocity": (1, 0), "maxForce": (1, 1)}
ANGULAR_DRIVE = {"stiffness": (2, 1), "damping": (2, 1), "maxForce": (2, 1)}
EXPONENTS = {
    **dict.fromkeys(("xformOp:translate", "points", "widths", "size", "radius", "height", "radiusTop", "radiusBottom", "width", "length", "positions", "physics:centerOfMass", "physics:velocity",
                     "physics:gravityMagnitude", "physics:localPos0", "physics:localPos1", "physics:minDistance", "physics:maxDistance"), (1, 0)),
    "physics:mass": (0, 1), "physics:density": (-3, 1), "physics:diagonalInertia": (2, 1), "physics:breakForce": (1, 1), "physics:breakTorque": (2, 1),
    **dict.fromkeys(("physics:thicknesses", "physics:restShapePoints", "physics:coords1"), (1, 0)), "physics:masses": (0, 1), "physics:youngsModulus": (-1, 1), "physics:stiffness": (0, 1), "physics:damping": (0, 1),
    "physics:surfaceStretchStiffness": (0, 1), "physics:surfaceShearStiffness": (0, 1), "physics:surfaceBendStiffness": (2, 1),
    **{f"{name}{way}{what}": (length, 1) for name, what in (("physics:curves", "Stiffness"), ("newton:curves", "Damping")) for way, length in (("Stretch", 1), ("Shear", 1), ("Bend", 3), ("Twist", 3))},
}
# Sizes that nobody authors are lengths in the stage's unit.
SIZES = {"Cube": {"size": 2}, "Sphere": {"radius": 1}, "Capsule": {"radius": 0.5, "height": 1}, "Cylinder": {"radius": 1, "height": 2}, "Cone": {"radius": 1, "height": 2},
         "Capsule_1": {"radiusTop": 0.5, "radiusBottom": 0.5, "height": 1}, "Cylinder_1": {"radiusTop": 1, "radiusBottom": 1, "height": 2}, "Plane": {"width": 2, "length": 2}}


def places(text):
    """(line, path, type of the prim, name of the attribute or None) of every line."""
    path, kinds = [], []
    for line in text.split("\n"):
        opening = OPENING.match(line)
        if opening:
            path.append(opening[3])
            kinds.append(opening[2])
        attribute = ATTRIBUTE.match(line)
        yield line, "/" + "/".join(path), kinds[-1] if kinds else "", attribute[1] if attribute else None
        if line == "}":
            path.pop()
            kinds.pop()


def exponents(kind, name, acceleration):
    if name in ("physics:lowerLimit", "physics:upperLimit"):
        return (1, 0) if kind == "PhysicsPrismaticJoint" else (0, 0)
    parts = name.split(":")
    if parts[0] == "limit":
        return (0, 0) if parts[1].startswith("rot") else (1, 0)
    if parts[0] == "drive":
        if acceleration and parts[-1] in ("stiffness", "damping"):
            return 0, 0
        return (ANGULAR_DRIVE if parts[1].startswith("rot") or parts[1] == "angular" else LINEAR_DRIVE).get(parts[-1], (0, 0))
    return EXPONENTS.get(name, (0, 0))


def in_units(text, meters, kilograms):
    """A stage in metres and kilograms, written in other units."""
    rows = list(places(HEAD.sub("", text)))
    accelerated = {(path, name.rsplit(":", 1)[0]) for line, path, _, name in rows if name and name.startswith("drive:") and line.endswith('"acceleration"')}
    authored, out = {(path, name) for _, path, _, name in rows}, []
    for line, path, kind, name in rows:
        if line == "{":
            line += "".join(f"\ndouble {size} = {fallback / meters}" for size, fallback in SIZES.get(kind, {}).items() if (path, size) not in authored)
        length, mass = exponents(kind, name, (path, name.rsplit(":", 1)[0]) in accelerated) if name else (0, 0)
        if length or mass:
            head, value = line.split(" = ", 1)
            # Negative sizes and distances mean "none" in any unit, and so does a negative magnitude of gravity.
            line = f"{head} = " + NUMBER.sub(lambda n: repr(float(n[0]) / meters**length / kilograms**mass), value)
        out.append(line)
    return "\n".join(out).replace("(\n", f"(\nmetersPerUnit = {meters}\nkilogramsPerUnit = {kilograms}\n", 1)


HOSTILE = (
    (r"= \(([^()]*)\)$", lambda c, m: "= (" + ", ".join(c.choice(("nan", "inf", "-inf", "1e300", "0")) for _ in m[1].split(",")) + ")"),
    (r"(float|double) ([\w:]+) = .*$", lambda c, m: f"{m[1]} {m[2]} = {c.choice(('nan', 'inf', '-inf', '-1e30', '0'))}"),
    (r"rel ([\w:]+) = <.*>$", lambda c, m: f"rel {m[1]} = {c.choice(('None', '[]', '</W>', '</Nowhere>', '</W/j0>', '</W/joints>', '</W.size>'))}"),
    (r'token ([\w:]+) = ".*"$', lambda c, m: f'token {m[1]} = "{c.choice(("", "Q", "none", "z"))}"'),
    (r"bool ([\w:]+) = \d$", lambda c, m: f"bool {m[1]} = {c.choice('01')}"),
    (r"int\[\] ([\w:]+) = \[.*\]$", lambda c, m: f"int[] {m[1]} = {c.choice(('[]', '[3]', '[-1, 0, 9]', '[1000000000]', '[2, 2, 2]'))}"),
    (r"point3f\[\] points = \[.*\]$", lambda c, m: f"point3f[] points = {c.choice(('[]', '[(0, 0, 0)]', '[(nan, 0, 0), (1, 1, 1), (2, 2, 2), (0, inf, 1)]', '[(1, 1, 1), (1, 1, 1), (1, 1, 1), (1, 1, 1)]'))}"),
)


def mutated(text, chance):
    """One line in eight says something else."""
    out = []
    for line in text.split("\n"):
        if chance.random() < 0.125 and "xformOpOrder" not in line:
            for pattern, change in HOSTILE:
                if match := re.search(pattern, line):
                    line = line[:match.start()] + change(chance, match)
                    break
        out.append(line)
    return "\n".join(out)


def entangled(text, chance):
    """Half of the targets, connections and references lead elsewhere on the stage, mostly to what others lead to, so that what follows them comes in circles."""
    named = sorted(set(re.findall(r"<(/[^>.]*)", text)))
    paths = sorted({path for _, path, _, _ in places(text) if len(path) > 1})
    def elsewhere(match):
        if chance.random() < 0.5 or not named:
            return match[0]
        return f"<{chance.choice(named if chance.random() < 0.7 else paths)}{match[2]}>"
    return re.sub(r"<(/[^>.]*)([^>]*)>", elsewhere, text)


class RandomLaws(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.stages = [(f"{name} {seed}", module.Writer(seed).text) for seed in seeds("0:6") for name, module in (("physics", random_physics), ("robots", random_robots), ("soft", random_soft))]

    def file(self, text):
        path = self.folder / "stage.usda"
        path.write_text(text)
        return path

    def dump(self, text, *options):
        """The model, or None where the stage is refused."""
        done = mechane("dump", "model", self.file(text), "-q", *options, timeout=300)
        self.assertIn(done.returncode, (0, 1, 3), done.stderr)
        return json.loads(done.stdout)["model"] if done.returncode in (0, 1) else None

    def test_a_stage_in_centimetres_and_grams_is_the_same_model(self):
        for name, text in self.stages:
            if name.startswith("robots"):
                continue  # they carry attributes of other engines, each with units of its own
            with self.subTest(name):
                metres, centimetres = self.dump(in_units(text, 1, 1)), self.dump(in_units(text, 0.01, 0.001))
                for i, (one, other) in enumerate(zip(metres["body_mass"], centimetres["body_mass"])):
                    if one == 1 and abs(other - 0.001) < 1e-9:  # nothing says what it weighs: by the schema one unit of mass
                        for array in ("body_mass", "body_inv_mass", "body_inertia"):
                            centimetres[array][i] = metres[array][i]
                for i, kind in enumerate(metres["shape_type"]):
                    if kind in MESHES:  # the points stay as authored
                        self.assertTrue(all(abs(a - 100 * b) <= 1e-6 * abs(a) for a, b in zip(metres["shape_scale"][i], centimetres["shape_scale"][i])))
                        centimetres["shape_scale"][i] = metres["shape_scale"][i]
                self.assertEqual(differences(metres, centimetres), {})

    def test_the_number_of_threads_does_not_matter(self):
        for name, text in self.stages:
            with self.subTest(name):
                path = self.file(text)
                for what in ("physics", "model"):
                    one, eight = (mechane("dump", what, path, "-q", "--threads", n, timeout=300) for n in (1, 8))
                    self.assertEqual((one.returncode, one.stdout), (eight.returncode, eight.stdout), what)

    def test_every_authored_physics_property_is_accounted_for(self):
        for name, text in self.stages:
            with self.subTest(name):
                authored, outside = set(), set()
                for line, path, _, attribute in places(text):
                    if line == "active = false" or OPENING.match(line) and line.startswith("class"):
                        outside.add(path)
                    if attribute and attribute.startswith(("physics:", "drive:", "limit:")):
                        authored.add((path, attribute))
                rows = json.loads(mechane("info", self.file(text), "--ledger", "--json", "-q", timeout=300).stdout)["ledger"]["rows"]
                listed = {(row["prim"], row["property"]) for row in rows}
                self.assertEqual({pair for pair in authored - listed if not any((pair[0] + "/").startswith(at + "/") for at in outside)}, set())
                self.assertEqual([row for row in rows if row["verdict"] != "used" and not row["note"]], [], "a verdict without a reason")

    def test_nonsense_is_answered(self):
        for name, text in self.stages:
            for turn, change in enumerate((mutated, mutated, mutated, entangled, entangled)):
                with self.subTest(f"{name}, turn {turn}"):
                    path = self.file(change(text, random.Random(f"{name} {turn}")))
                    for arguments in (("dump", "physics"), ("dump", "model"), ("dump", "model", "--compat", "newton-1.8"), ("info", "--ledger")):
                        done = mechane(*arguments, path, "-q", timeout=300)
                        self.assertIn(done.returncode, (0, 1, 3), f"{arguments}: {done.stderr[-400:]}")
                        if arguments[0] == "dump" and done.returncode in (0, 1):
                            dump = json.loads(done.stdout)  # "result" repeats what is authored
                            self.assertNotIn('"nan"', json.dumps(dump.get("model", dump)), arguments)


if __name__ == "__main__":
    unittest.main()
