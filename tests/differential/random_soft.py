"""Soft things drawn by chance from a seed: cloths, solids of tetrahedra and cables, with what their materials, rest shapes and masses say, held by bodies and by one another. One text layer
and options each."""
import json

from tests.differential.random_physics import Draw

CLOTH, SOLID, CABLE = "Surface", "Volume", "Curves"
TYPES = {CLOTH: ("constant", "face", "point"), SOLID: ("constant", "tetrahedron", "point"), CABLE: ("constant", "segment", "point")}
BOX = ((0, 1, 3, 4), (1, 2, 3, 6), (1, 3, 4, 6), (1, 4, 5, 6), (3, 4, 6, 7))
BOX_POINTS = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))
STIFF = {CLOTH: ("physics:surfaceStretchStiffness", "physics:surfaceShearStiffness", "physics:surfaceBendStiffness"), SOLID: (),
         CABLE: ("physics:curvesStretchStiffness", "physics:curvesShearStiffness", "physics:curvesBendStiffness", "physics:curvesTwistStiffness")}
DAMPED = ("newton:curvesStretchDamping", "newton:curvesShearDamping", "newton:curvesBendDamping", "newton:curvesTwistDamping")


def rows(values):
    return "[" + ", ".join("(" + ", ".join(f"{round(x, 5):g}" for x in v) + ")" if isinstance(v, tuple) else f"{v:g}" for v in values) + "]"


class Writer(Draw):
    """One stage; `text` is its layer, `options` what the import is asked for."""

    def __init__(self, seed):
        super().__init__(f"soft {seed}")
        self.options = {}
        for name, values, share in (("schema_resolvers", ("newton", "newton,physx"), 0.5), ("collapse_fixed_joints", (True,), 0.1), ("apply_up_axis_from_stage", (True,), 0.15), ("joint_ordering", ("dfs", "bfs"), 0.1),
                                    ("xform", ([1.0, 2.0, 3.0, 0.0, 0.0, 0.70710678, 0.70710678],), 0.15), ("load_visual_shapes", (False,), 0.1), ("ignore_paths", (["/W/soft0"], ["/W/hold0"]), 0.06),
                                    ("enable_self_collisions", (False,), 0.1)):
            if self.maybe(share):
                self.options[name] = self.one(values)
        self.materials = {kind: [] for kind in TYPES}
        self.soft, self.bodies = [], []
        head = [f"metersPerUnit = {self.one((1, 1, 0.01))}"] * self.maybe(0.9) + [f"kilogramsPerUnit = {self.one((1, 0.001))}"] * self.maybe(0.3) + [f'upAxis = "{self.one("YZZ")}"'] * self.maybe(0.9)
        inside = 'def PhysicsScene "scene" {\n}\n' * self.maybe(0.8)
        for kind in TYPES:
            inside += "".join(self.material(kind, f"{kind.lower()}{i}") for i in range(self.one((0, 1, 2))))
        inside += "".join(self.body(f"hold{i}") for i in range(self.one((0, 1, 2))))
        inside += "".join(self.soft_thing(f"soft{i}") for i in range(self.one((1, 1, 2, 3))))
        inside += "".join(self.attachment(f"tie{i}") for i in range(self.one((0, 1, 2, 3)))) + "".join(self.filter(f"apart{i}") for i in range(self.one((0, 0, 1))))
        self.text = "#usda 1.0\n(\n" + "\n".join(['defaultPrim = "W"', *head]) + "\n)\n" + self.prim("Xform", "W", self.operations(0.2, mirrored=False) if self.maybe(0.15) else [], inside=inside)

    def amount(self, low, high):
        """A number, seldom one that means something else or nothing."""
        return self.one((0, -1, "inf", "-inf", "nan", "1e39")) if self.maybe(0.04) else self.number(low, high)

    def material(self, kind, name):
        """To Newton a material without any schema of these is one of an older proposal."""
        self.materials[kind].append(f"/W/{name}")
        own = f"Physics{kind}DeformableMaterialAPI"
        lines = [*self.some(0.5, f"custom float physics:youngsModulus = {self.amount(1e4, 1e6)}"), *self.some(0.5, f"custom float physics:poissonsRatio = {self.amount(0, 0.49)}"), *self.some(0.6, f"float physics:density = {self.amount(10, 2000)}"),
                 *self.some(0.2, f"float physics:dynamicFriction = {self.number(0, 1)}")]
        lines += [f"custom float {key} = {self.amount(1, 500)}" for key in STIFF[kind] if self.maybe(0.4)] + [f"float {key} = {self.amount(0, 5)}" for key in DAMPED if kind == CABLE and self.maybe(0.4)]
        return self.prim("Material", name, lines, [*(self.some(0.8, "PhysicsMaterialAPI") or [own]), *self.some(0.9, own), *(["NewtonCurvesDeformableMaterialAPI"] if kind == CABLE and self.maybe(0.6) else [])])

    def body(self, name):
        """Not mirrored: Newton takes such frames apart otherwise, and warns of spurious rotations."""
        self.bodies.append(f"/W/{name}")
        # A pair of a body that is itself a shape is to Newton one of that shape alone: no such one has more of them.
        alone = self.maybe(0.5)
        inside = self.prim("Xform", "hook", self.operations(0)) + "".join(self.prim("Sphere", f"knob{i}", ["double radius = 0.1", *self.operations(0)], ["PhysicsCollisionAPI"]) for i in range(0 if alone else self.one((1, 2))))
        schemas = self.some(0.85, "PhysicsRigidBodyAPI")
        if not alone:
            return self.prim("Xform", name, [*self.operations(0.1, mirrored=False), *self.some(0.1, "bool physics:kinematicEnabled = 1")], schemas, inside)
        return self.prim("Cube", name, [f"double size = {self.number(0.1, 0.4)}", *self.operations(0.1, mirrored=False), *self.some(0.1, "bool physics:kinematicEnabled = 1")], [*schemas, "PhysicsCollisionAPI"], inside)

    # Soft things.

    def soft_thing(self, name):
        kind = self.one(tuple(TYPES))
        path = f"/W/{name}"
        make = {CLOTH: self.cloth, SOLID: self.solid, CABLE: self.cable}[kind]
        schemas = [f"Physics{kind}DeformableSimAPI", *self.some(0.8, "PhysicsCollisionAPI")]
        lines, counts, prim = make()
        lines += self.element_array("thicknesses", kind, counts, 0.005, 0.05, 0.8 if kind != SOLID else 0.05) + self.element_array("masses", kind, counts, 0.1, 2, 0.25)
        lines += [*self.some(0.05, "bool physics:collisionEnabled = 0"), *self.some(0.1, f"bool newton:selfCollisionEnabled = {self.one('01')}"), *self.some(0.2, f"color3f[] primvars:displayColor = [{self.vector(0, 1)}]"),
                  *self.some(0.05, f"vector3f[] velocities = [{self.vector(-1, 1)}]"), *self.some(0.05, 'token visibility = "invisible"'), *self.some(0.05, 'uniform token purpose = "guide"')]
        if self.materials[kind] and self.maybe(0.7):
            schemas.append("MaterialBindingAPI")
            lines += self.targets(self.one(("material:binding:physics", "material:binding:physics", "material:binding")), self.materials[kind])
        others = [*self.bodies, *(one[0] for one in self.soft)]
        if others and self.maybe(0.1):
            schemas.append("PhysicsFilteredPairsAPI")
            lines += self.targets("physics:filteredPairs", others)
        whole = [*self.some(0.4, f"custom float physics:mass = {self.amount(0.5, 10)}"), *self.some(0.1, f"custom bool physics:bodyEnabled = {self.one('01')}"), *self.some(0.1, f"custom bool physics:kinematicEnabled = {self.one('01')}")]
        if self.maybe(0.2):  # below the body that it is the shape of
            self.soft.append((f"{path}/sim", kind, counts))
            return self.prim("Xform", name, [*whole, *self.operations(0.2)], ["PhysicsDeformableBodyAPI"], self.prim(prim, "sim", [*lines, *self.operations(0.3)], schemas))
        self.soft.append((path, kind, counts))
        if self.maybe(0.3):
            schemas.append("PhysicsDeformableBodyAPI")
            lines += whole
        return self.prim(prim, name, [*lines, *self.operations(0.3)], schemas)

    def element_array(self, name, kind, counts, low, high, share):
        if not self.maybe(share):
            return []
        over = self.one(TYPES[kind])
        if over == "constant" and "stray" in counts:  # to Newton a point of no face has the default thickness, whatever is constant
            over = "face"
        count = counts[over] + (self.maybe(0.04) and 1)
        values = [self.amount(low, high) for _ in range(count)]
        return [f"custom float[] physics:{name} = [{', '.join(map(str, values))}]", *self.some(0.95, f'custom token physics:{name}:elementType = "{over if self.maybe(0.96) else "edge"}"')]

    def moved(self, points):
        """The points at rest: stretched and bent, for each its own way."""
        s = self.number(0.8, 1.3)
        return [tuple(s * x + self.number(-0.03, 0.03) for x in p) for p in points]

    def cloth(self):
        wide, long, size = self.one((1, 2, 3)), self.one((1, 2)), self.number(0.1, 0.5)
        points = [(x * size, y * size, self.number(-0.05, 0.05)) for y in range(long + 1) for x in range(wide + 1)]
        faces = []
        for y in range(long):
            for x in range(wide):
                a, b = y * (wide + 1) + x, (y + 1) * (wide + 1) + x
                faces += self.one(([(a, a + 1, b + 1, b)], [(a, a + 1, b + 1), (a, b + 1, b)]))
        stray = {"stray": 1} if self.maybe(0.1) else {}
        points += [(5, 5, 5)] * len(stray)  # of no face
        lines = [f"int[] faceVertexCounts = {rows([len(f) for f in faces])}", f"int[] faceVertexIndices = {rows([i for f in faces for i in f])}", f"point3f[] points = {rows(points)}",
                 *self.some(0.1, 'uniform token orientation = "leftHanded"')]
        if self.maybe(0.3):
            lines.append(f"custom point3f[] physics:restShapePoints = {rows(self.moved(points)[:len(points) - self.maybe(0.05)])}")
            if self.maybe(0.2):
                fans = [(f[0], f[i], f[i + 1]) for f in faces for i in range(1, len(f) - 1)]
                lines.append(f"custom int3[] physics:restTriVertexIndices = {rows(fans)}")
        if self.maybe(0.2):
            pairs = [(self.one(range(len(faces))), self.one(range(len(faces)))) for _ in range(2)]
            lines += [f"custom int2[] physics:restAdjTriPairs = {rows(pairs)}", f"custom float[] physics:restBendAngles = [{self.number(-40, 40)}, {self.number(-40, 40)}]"]
        lines += self.some(0.3, f'custom token physics:restBendAnglesDefault = "{self.one(("flat", "restShape"))}"')
        return lines, {"constant": 1, "face": len(faces), "point": len(points), **stray}, "Mesh"

    def solid(self):
        size = self.number(0.2, 1)
        cells = self.one((BOX, BOX[:1], BOX[:2]))
        used = max(i for cell in cells for i in cell) + 1
        points = [tuple(size * x for x in p) for p in BOX_POINTS[:max(used, 8 if self.maybe(0.5) else used)]]
        inside_out = self.one((0, 0, 0, 0, 0, 0, 0.3, 1))
        cells = [(a, c, b, d) if self.maybe(inside_out) else (a, b, c, d) for a, b, c, d in cells]
        lines = [f"point3f[] points = {rows(points)}", f"int4[] tetVertexIndices = {rows(cells)}", *self.some(0.1, 'uniform token orientation = "leftHanded"')]
        if self.maybe(0.3):
            lines.append(f"custom point3f[] physics:restShapePoints = {rows(self.moved(points))}")
            lines += self.some(0.2, f"custom int4[] physics:restTetVertexIndices = {rows(cells)}")
        return lines, {"constant": 1, "tetrahedron": len(cells), "point": len(points)}, "TetMesh"

    def cable(self):
        counts = [self.one((2, 3, 4, 5)) for _ in range(self.one((1, 1, 2)))]
        periodic = self.maybe(0.12)
        if periodic:
            counts = [max(n, 3) for n in counts]
        points, at = [], [self.number(-1, 1) for _ in range(3)]
        for n in counts:
            for _ in range(n):
                at = [x + self.number(0.05, 0.3) for x in at]
                if periodic:
                    at[self.one((0, 1, 2))] -= 0.5
                points.append(tuple(at))
        lines = [f"int[] curveVertexCounts = {rows(counts)}", f"point3f[] points = {rows(points)}", 'uniform token type = "linear"', f'uniform token wrap = "{"periodic" if periodic else "nonperiodic"}"',
                 *self.some(0.1, f"float[] widths = [{self.number(0.01, 0.1)}]")]
        if self.maybe(0.3):
            lines.append(f"custom point3f[] physics:restShapePoints = {rows(self.moved(points))}")
        if self.maybe(0.15):
            lines.append("normal3f[] normals = [" + ", ".join(self.one(("(0, 0, 1)", "(0, 1, 0)")) for _ in points) + "]")
        segments = sum(counts) if periodic else sum(n - 1 for n in counts)
        return lines, {"constant": 1, "segment": segments, "point": len(points)}, "BasisCurves"

    # What ties them.

    def attachment(self, name):
        if not self.soft:
            return ""
        path, kind, counts = self.one(self.soft)
        sites = self.one((1, 1, 2))
        over = "point" if kind != CABLE or self.maybe(0.6) else "segment"
        indices = [self.one(range(counts[over])) for _ in range(sites)] if not self.maybe(0.04) else [99]
        lines = [f"custom rel physics:src0 = <{path}>", f'custom token physics:type0 = "{over}"', f"custom int[] physics:indices0 = {rows(indices)}"]
        if over == "segment":
            lines.append("custom vector3f[] physics:coords0 = [" + ", ".join(f"({self.number(0, 1)}, 0, 0)" for _ in indices) + "]")
        cables = [one for one in self.soft if one[1] == CABLE]
        if kind == CABLE and cables and self.maybe(0.3):
            other = self.one(cables)
            lines += [f"custom rel physics:src1 = <{other[0]}>", 'custom token physics:type1 = "point"', "custom int[] physics:indices1 = " + rows([self.one(range(other[2]["point"])) for _ in indices])]
        else:
            held = [*self.bodies, *(f"{one}/hook" for one in self.bodies), "/W", "/W/Nothing"]
            lines += [*self.some(0.95, f"custom rel physics:src1 = <{self.one(held)}>"), *self.some(0.97, 'custom token physics:type1 = "xform"'),
                      *self.some(0.8, "custom vector3f[] physics:coords1 = [" + ", ".join(self.vector(-0.5, 0.5) for _ in indices) + "]")]
        lines += [*self.some(0.5, f"custom bool physics:attachmentEnabled = {self.one('011')}"), *self.some(0.3, f"custom float physics:stiffness = {self.amount(10, 1e4)}"), *self.some(0.3, f"custom float physics:damping = {self.amount(0, 10)}")]
        return self.prim("PhysicsAttachment", name, lines)

    def filter(self, name):
        ends = [*self.bodies, *(one[0] for one in self.soft)]
        if len(ends) < 2:
            return ""
        a, b = self.chance.sample(ends, 2)
        lines = [f"custom rel physics:src0 = <{a}>", f"custom rel physics:src1 = <{b}>"]
        for side in "01":
            lines += self.some(0.4, f"custom int[] physics:groupElemCounts{side} = {self.one(('[1]', '[1, 1]', '[0]', '[2]'))}", f"custom int[] physics:groupElemIndices{side} = {self.one(('[0]', '[0, 1]', '[1, 0]'))}")
        return self.prim("PhysicsElementCollisionFilter", name, [*lines, *self.some(0.2, f"custom bool physics:filterEnabled = {self.one('01')}")])

    def write(self, folder):
        (folder / "root.usda").write_text(self.text)
        (folder / "options.json").write_text(json.dumps(self.options))
