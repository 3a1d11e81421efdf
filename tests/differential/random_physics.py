"""Physics drawn by chance from a seed: bodies below bodies, joints to anything, masses partly said. One text layer each."""
import random
import re

SOLIDS = ("Cube", "Sphere", "Capsule", "Cylinder", "Cone", "Plane", "Mesh", "Capsule_1", "Cylinder_1", "Points")
APPROXIMATIONS = ("none", "convexHull", "boundingCube", "boundingSphere", "meshSimplification", "convexDecomposition")
JOINTS = ("PhysicsFixedJoint", "PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint", "PhysicsDistanceJoint", "PhysicsJoint")
DOFS = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ", "distance")
QUATERNIONS = ("(1, 0, 0, 0)", "(0.5, 0.5, 0.5, 0.5)", "(0.7071068, 0, 0.7071068, 0)", "(0.7071068, 0.7071068, 0, 0)", "(0.8, 0, 0, 0.6)")


#: Types that values are seldom given instead of the schema's, and a value of each; some are the same to a reader of C++, as float3 for point3f.
OTHER_TYPES = {"float": ("double", "half", "int"), "double": ("float", "half"), "bool": ("int", "uchar"), "token": ("string",), "point3f": ("float3", "double3", "half3"),
               "vector3f": ("float3", "vector3d"), "float3": ("point3f", "double3"), "quatf": ("quatd", "quath")}
RETYPED = re.compile(r"^(\s*)((?:uniform )?)(\w+) ((?:\w+:)*physics:\w+|size|radius|height|axis|width|length) = (.*)$", re.M)


class Draw:
    """What chance can say in the words of a layer."""

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def maybe(self, share):
        return self.chance.random() < share

    def one(self, of):
        return self.chance.choice(of)

    def number(self, low, high):
        return round(self.chance.uniform(low, high), 3)

    def vector(self, low, high):
        return f"({self.number(low, high)}, {self.number(low, high)}, {self.number(low, high)})"

    def some(self, share, *lines):
        return list(lines) if self.maybe(share) else []

    def targets(self, name, of, share=1.0):
        """A relationship to one of `of`, seldom to two."""
        if not of or not self.maybe(share):
            return []
        picked = list(dict.fromkeys(self.one(of) for _ in range(2 if self.maybe(0.1) else 1)))
        return [f"rel {name} = " + (f"<{picked[0]}>" if len(picked) == 1 else "[" + ", ".join(f"<{p}>" for p in picked) + "]")]

    @staticmethod
    def prim(kind, name, lines, schemas=(), inside="", specifier="def", metadata=()):
        head = list(metadata)
        if schemas:
            head.append("prepend apiSchemas = [" + ", ".join(f'"{s}"' for s in dict.fromkeys(schemas)) + "]")
        return f'{specifier} {kind} "{name}" (\n' + "\n".join(head) + "\n)\n{\n" + "".join(line + "\n" for line in lines) + inside + "}\n"

    def operations(self, scales=0.25, reset=False, uneven=True, mirrored=True):
        """Lines that place a prim, scaled with this probability, also in each direction differently and mirrored."""
        ops = []
        if self.maybe(0.7):
            ops.append(("double3", "translate", self.vector(-2, 2)))
        if self.maybe(0.5):
            ops.append(("float3", "rotateXYZ", self.vector(-90, 90)) if self.maybe(0.5) else ("quatf", "orient", self.one(QUATERNIONS)))
        if self.maybe(scales):
            s = self.number(0.5, 2)
            ops.append(("float3", "scale", f"({s}, {s}, {s})" if not uneven or self.maybe(0.6) else self.one((self.vector(0.5, 2), f"(-{s}, {s}, {s})")[:1 + mirrored])))
        names = ['"!resetXformStack!"'] if reset else []
        names += [f'"xformOp:{name}"' for _, name, _ in ops]
        return [f"{kind} xformOp:{name} = {value}" for kind, name, value in ops] + [f"uniform token[] xformOpOrder = [{', '.join(names)}]"] * bool(names)

    def sizes(self, kind):
        if kind == "Cube":
            return self.some(0.5, f"double size = {self.number(0.2, 2)}")
        if kind == "Sphere":
            return self.some(0.5, f"double radius = {self.number(0.1, 1)}")
        if kind in ("Capsule", "Cylinder", "Cone"):
            return [*self.some(0.5, f"double radius = {self.number(0.1, 1)}", f"double height = {self.number(0.1, 2)}"), *self.axis()]
        if kind in ("Capsule_1", "Cylinder_1"):
            return [*self.some(0.5, f"double radiusTop = {self.number(0.1, 1)}", f"double radiusBottom = {self.number(0.1, 1)}", f"double height = {self.number(0.1, 2)}"), *self.axis()]
        if kind == "Plane":
            return [*self.axis(), *self.some(0.3, "double width = 5")]
        if kind == "Points":
            return ["point3f[] points = [(0, 0, 0), (1, 2, 3)]", *self.some(0.8, "float[] widths = [" + self.one(("0.2, 0.4", "1, 1", "1")) + "]")]
        if kind == "Mesh":
            return ["int[] faceVertexCounts = [3, 3, 3, 3]", "int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]",
                    f"point3f[] points = [(0, 0, 0), ({self.number(0.5, 1)}, 0, 0), (0, {self.number(0.5, 1)}, 0), (0, 0, {self.number(0.5, 1)})]", *self.some(0.2, "bool doubleSided = 1")]
        return []

    def axis(self, name="axis", share=0.5):
        return self.some(share, f'uniform token {name} = "{self.one("XYZ")}"')

    def masses(self, body):
        """Moments of a body come with their axes: the axes of what is below it are a matter of rounding where moments are equal."""
        moments = [f"float3 physics:diagonalInertia = {self.vector(1, 1.5)}"] if self.maybe(0.3) else []
        return [*self.some(0.5, f"float physics:mass = {self.one((0, self.number(0.1, 5), self.number(0.1, 5)))}"),
                *self.some(0.3, f"float physics:density = {self.one((0, self.number(100, 2000)))}"),
                *self.some(0.3, f"point3f physics:centerOfMass = {self.vector(-1, 1)}"),
                *moments, *self.some(1 if body and moments else 0.2, f"quatf physics:principalAxes = {self.one(QUATERNIONS)}")]

    def drive(self, dof, reach):
        """(schemas, lines) of a drive of one degree of freedom."""
        name = f"drive:{dof}:physics"
        return [f"PhysicsDriveAPI:{dof}"], [
            *self.some(0.7, f"float {name}:stiffness = {self.number(0, 100)}"), *self.some(0.5, f"float {name}:damping = {self.number(0, 10)}"),
            *self.some(0.5, f"float {name}:targetPosition = {self.number(-reach, reach)}"), *self.some(0.3, f"float {name}:targetVelocity = {self.number(-reach, reach)}"),
            *self.some(0.4, f"float {name}:maxForce = {self.number(1, 50)}"), *self.some(0.3, f'uniform token {name}:type = "{self.one(("force", "acceleration"))}"')]

    def freedom(self, kind):
        """(schemas, lines) of what a kind of joint leaves free."""
        schemas, lines = [], []
        if kind in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"):
            turns = kind == "PhysicsRevoluteJoint"
            reach = 90 if turns else 1
            lines += [*self.axis("physics:axis"), *self.some(0.5, f"float physics:lowerLimit = {self.number(-reach, 0)}"), *self.some(0.5, f"float physics:upperLimit = {self.number(0, reach)}")]
            if self.maybe(0.5):
                more = self.drive("angular" if turns else "linear", reach / 2)
                schemas += more[0]
                lines += more[1]
        elif kind == "PhysicsSphericalJoint":
            lines += [*self.axis("physics:axis"), *self.some(0.6, f"float physics:coneAngle0Limit = {self.number(-1, 90)}", f"float physics:coneAngle1Limit = {self.number(-1, 90)}")]
        elif kind == "PhysicsDistanceJoint":
            lines += [*self.some(0.6, f"float physics:minDistance = {self.number(-1, 1)}"), *self.some(0.6, f"float physics:maxDistance = {self.number(1, 2)}")]
        elif kind == "PhysicsJoint":
            for dof in self.chance.sample(DOFS, self.one((0, 1, 2, 4))):
                reach = 90 if dof.startswith("rot") else 1
                schemas.append(f"PhysicsLimitAPI:{dof}")
                lines += [*self.some(0.8, f"float limit:{dof}:physics:low = {self.number(-reach, reach)}"), *self.some(0.8, f"float limit:{dof}:physics:high = {self.number(-reach, reach)}")]
                if self.maybe(0.3):
                    more = self.drive(dof, reach / 2)
                    schemas += more[0]
                    lines += more[1]
        return schemas, lines


class Writer(Draw):
    """One stage; `text` is its layer."""

    def __init__(self, seed):
        super().__init__(seed)
        self.bodies, self.colliders, self.scenes, self.materials, self.everything, self.joints = [], [], [], [], [], 0
        head = [f"metersPerUnit = {self.one((1, 0.01))}"] * self.maybe(0.8) + [f"kilogramsPerUnit = {self.one((1, 0.001))}"] * self.maybe(0.5) + [f'upAxis = "{self.one("YZ")}"'] * self.maybe(0.8)
        inside = "".join(self.scene(f"s{i}") for i in range(self.one((0, 1, 1, 2)))) + "".join(self.material(f"m{i}") for i in range(self.one((0, 1, 2))))
        inside += "".join(self.part("/W", f"r{i}", 0) for i in range(self.one((2, 3, 4))))
        self.everything = [*self.bodies, *self.colliders, "/W", *["/W/Nothing"] * self.maybe(0.2)]
        inside += "".join(self.joint(f"j{i}") for i in range(self.one((0, 1, 2, 3, 5)))) + "".join(self.group(f"g{i}") for i in range(self.one((0, 0, 1, 2, 3))))
        copies = "".join(self.copy(f"copy{i}") for i in range(self.one((0, 0, 1, 2))))
        if copies:
            inside += self.prim("Xform", "Original", [], inside=self.original(), specifier="class") + copies
        root = self.some(0.1, "PhysicsArticulationRootAPI")
        self.text = "#usda 1.0\n(\n" + "\n".join(['defaultPrim = "W"', *head]) + "\n)\n" + self.prim("Xform", "W", self.operations() if self.maybe(0.2) else [], root, inside)

    def scene(self, name):
        self.scenes.append(f"/W/{name}")
        return self.prim("PhysicsScene", name, [*self.some(0.5, f"vector3f physics:gravityDirection = {self.vector(-1, 1)}"), *self.some(0.5, f"float physics:gravityMagnitude = {self.number(0, 20)}")])

    def material(self, name):
        self.materials.append(f"/W/{name}")
        values = (("density", 3000), ("staticFriction", 1), ("dynamicFriction", 1), ("restitution", 1))
        return self.prim("Material", name, [f"float physics:{key} = {self.number(0, most)}" for key, most in values if self.maybe(0.6)], self.some(0.85, "PhysicsMaterialAPI"))

    def binding(self, share):
        """(schemas, lines); the schema is often forgotten."""
        lines = self.targets(self.one(("material:binding:physics", "material:binding:physics", "material:binding")), self.materials, share)
        return self.some(0.7, "MaterialBindingAPI") if lines else self.some(0.1, "MaterialBindingAPI"), lines

    def part(self, above, name, depth):
        path, kind = f"{above}/{name}", self.one(("Xform",) * 5 + ("Scope",) * 2 + SOLIDS + ("Cube", "Sphere", "Mesh"))
        schemas, lines, below = [], self.sizes(kind), ""
        body = kind != "Scope" and self.maybe(0.35)
        if body:
            schemas.append("PhysicsRigidBodyAPI")
            self.bodies.append(path)
            lines += self.body()
            schemas += self.some(0.15, "PhysicsArticulationRootAPI")
        elif self.maybe(0.03):
            schemas.append("PhysicsArticulationRootAPI")
        if kind != "Scope":
            lines += self.operations(reset=body and self.maybe(0.15))
        collides = kind in SOLIDS and self.maybe(0.7)
        if collides:
            schemas.append("PhysicsCollisionAPI")
            self.colliders.append(path)
            lines += [*self.some(0.15, "bool physics:collisionEnabled = 0"), *([] if body else self.targets("physics:simulationOwner", self.scenes, 0.1))]
            if kind == "Mesh":
                below = self.faces()
        if kind == "Mesh" and self.maybe(0.6):
            schemas.append("PhysicsMeshCollisionAPI")
            lines.append(f'uniform token physics:approximation = "{self.one(APPROXIMATIONS)}"')
        bound = self.binding(0.4 if collides else 0.1)
        schemas += bound[0]
        lines += bound[1]
        if self.maybe(0.5 if body or collides else 0.05):
            schemas.append("PhysicsMassAPI")
            lines += self.masses(body)
        if self.maybe(0.08):
            pairs = self.targets("physics:filteredPairs", self.bodies + self.colliders)
            schemas += ["PhysicsFilteredPairsAPI"] * bool(pairs)
            lines += pairs
        lines += [*self.some(0.05, 'token visibility = "invisible"'), *self.some(0.05, 'uniform token purpose = "guide"')]
        if depth < 3:
            below += "".join(self.part(path, "abcd"[i] + str(depth), depth + 1) for i in range(self.one((0, 1, 1, 2))))
        if self.maybe(0.05):
            below += self.joint(f"k{self.joints}")
        if depth > 0 and self.maybe(0.04) and not any(path.startswith(b + "/") for b in self.bodies):
            return self.prim("PointInstancer", name, ["int[] protoIndices = [0]", "point3f[] positions = [(1, 0, 0)]", f"rel prototypes = <{path}/in>"], inside=self.prim(kind, "in", lines, schemas, below))
        return self.prim(kind, name, lines, schemas, below, metadata=self.some(0.03, "active = false"))

    def faces(self):
        """A part of a mesh with a material of its own."""
        if not self.materials or not self.maybe(0.2):
            return ""
        lines = ['uniform token elementType = "face"', 'uniform token familyName = "materialBind"', "int[] indices = [0, 1]", *self.targets("material:binding:physics", self.materials)]
        return self.prim("GeomSubset", "some", lines, ["MaterialBindingAPI"])

    def body(self):
        return [*self.some(0.2, f"bool physics:rigidBodyEnabled = {self.one('01')}"), *self.some(0.2, "bool physics:kinematicEnabled = 1"), *self.some(0.2, "uniform bool physics:startsAsleep = 1"),
                *self.some(0.3, f"vector3f physics:velocity = {self.vector(-1, 1)}"), *self.some(0.3, f"vector3f physics:angularVelocity = {self.vector(-90, 90)}"),
                *self.targets("physics:simulationOwner", self.scenes, 0.3)]

    def joint(self, name):
        self.joints += 1
        kind, ends = self.one(JOINTS), self.everything or [*self.bodies, "/W"]
        schemas, lines = self.freedom(kind)
        lines += [*self.targets("physics:body0", ends, 0.85), *self.targets("physics:body1", ends, 0.95),
                  *self.some(0.5, f"point3f physics:localPos0 = {self.vector(-1, 1)}"), *self.some(0.3, f"point3f physics:localPos1 = {self.vector(-1, 1)}"),
                  *self.some(0.3, f"quatf physics:localRot0 = {self.one(QUATERNIONS)}"), *self.some(0.5, f"quatf physics:localRot1 = {self.one(QUATERNIONS)}"),
                  *self.some(0.1, "bool physics:jointEnabled = 0"), *self.some(0.2, "bool physics:collisionEnabled = 1"), *self.some(0.2, "uniform bool physics:excludeFromArticulation = 1"),
                  *self.some(0.2, f"float physics:breakForce = {self.number(1, 100)}"), *self.some(0.2, f"float physics:breakTorque = {self.number(1, 100)}")]
        schemas = [*schemas, *self.some(0.15, "PhysicsArticulationRootAPI"), *self.some(0.05 if name.startswith("j") else 0, "PhysicsCollisionAPI")]
        return self.prim(kind, name, lines, schemas)

    def group(self, name):
        lines = [*self.targets("collection:colliders:includes", self.everything), *self.targets("physics:filteredGroups", [f"/W/g{i}" for i in (0, 1, 2)], 0.6),
                 *self.some(0.5, f"bool physics:invertFilteredGroups = {self.one('01')}"), *self.some(0.3, 'string physics:mergeGroup = "x"')]
        return self.prim("PhysicsCollisionGroup", name, lines, ["CollectionAPI:colliders"])

    def original(self):
        self.bodies, self.colliders, kept = [], [], (self.bodies, self.colliders)
        text = "".join(self.part("/W/Original", f"o{i}", 1) for i in range(2))
        self.bodies, self.colliders = kept
        return text

    def copy(self, name):
        return self.prim("Xform", name, self.operations(), metadata=["references = </W/Original>", *self.some(0.7, "instanceable = true")])

    def retyped(self, line):
        space, uniform, kind, name, value = line.groups()
        if kind not in OTHER_TYPES or "rigidBodyEnabled" in name or not self.maybe(0.02):
            return line[0]
        other = self.one(OTHER_TYPES[kind])
        if other in ("int", "uchar"):
            if value in ("inf", "-inf"):
                return line[0]
            value = str(int(float(value))) if kind == "float" else value
        return f"{space}{uniform}{other} {name} = {value}"

    def write(self, folder):
        root = folder / "root.usda"
        root.write_text(RETYPED.sub(self.retyped, self.text))
        return root
