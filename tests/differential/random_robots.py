"""Robots drawn by chance from a seed, such as importers take: trees of bodies with every joint, beside loose bodies and static shapes. One text layer and options each."""
import json

from tests.differential.random_physics import APPROXIMATIONS, QUATERNIONS, Draw

PRIMITIVES = ("Cube", "Sphere", "Capsule", "Cylinder", "Cone")
JOINTS = ("PhysicsRevoluteJoint",) * 4 + ("PhysicsPrismaticJoint",) * 2 + ("PhysicsFixedJoint",) * 2 + ("PhysicsSphericalJoint", "PhysicsJoint", "PhysicsJoint", "PhysicsDistanceJoint")
RESOLVERS = ("newton", "newton", "newton,physx", "physx,newton", "newton,physx,mjc", "mjc,newton", "physx", "mjc,physx,newton")
# One tetrahedron, one box, two boxes apart: hulls and boxes of which there is no choice.
TETRAHEDRON = ("[3, 3, 3, 3]", "[0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2]", ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)))
BOX_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


class Writer(Draw):
    """One stage; `text` is its layer, `options` what the import is asked for."""

    def __init__(self, seed):
        super().__init__(seed)
        self.bodies, self.colliders, self.materials, self.looks, self.articulations, self.turning, self.pins = [], [], [], [], [], [], set()
        self.options = {"schema_resolvers": self.one(RESOLVERS)} if self.maybe(0.7) else {}
        if "mjc" in self.options.get("schema_resolvers", ""):
            self.options["register_mujoco"] = True
        for name, values, share in (("collapse_fixed_joints", (True,), 0.1), ("joint_ordering", ("dfs", "bfs"), 0.15), ("enable_self_collisions", (False,), 0.15),
                                    ("bodies_follow_joint_ordering", (False,), 0.1), ("load_visual_shapes", (False,), 0.1), ("load_sites", (False,), 0.05),
                                    ("hide_collision_shapes", (True,), 0.1), ("force_show_colliders", (True,), 0.1), ("skip_mesh_approximation", (True,), 0.1),
                                    ("only_load_enabled_joints", (False,), 0.1), ("only_load_enabled_rigid_bodies", (True,), 0.1), ("floating", (True, False), 0.1),
                                    ("force_position_velocity_actuation", (True,), 0.1), ("apply_up_axis_from_stage", (True,), 0.15), ("joint_drive_gains_scaling", (2.0,), 0.1),
                                    ("xform", ([1.0, 2.0, 3.0, 0.0, 0.0, 0.70710678, 0.70710678],), 0.15),
                                    ("ignore_paths", (["/W/loose0"], ["/W/static0"]), 0.06), ("root_path", ("/W/R0",), 0.03), ("mesh_maxhullvert", (16,), 0.05),
                                    ("legacy_margin_gap", (True,), 0.05)):
            if self.maybe(share):
                self.options[name] = self.one(values)
        head = [f"metersPerUnit = {self.one((1, 1, 0.01))}"] * self.maybe(0.9) + [f"kilogramsPerUnit = {self.one((1, 1, 0.001))}"] * self.maybe(0.3) + [f'upAxis = "{self.one("YZZ")}"'] * self.maybe(0.9)
        inside = "".join(self.scene(f"scene{i}") for i in range(self.one((0, 1, 1, 1, 2)))) + "".join(self.material(f"grip{i}") for i in range(self.one((0, 1, 2)))) + "".join(self.look(f"paint{i}") for i in range(self.one((0, 1))))
        inside += "".join(self.robot(f"R{i}") for i in range(self.one((1, 1, 1, 2, 3))))
        inside += "".join(self.loose(f"loose{i}") for i in range(self.one((0, 0, 1, 2)))) + "".join(self.geometry("/W", f"static{i}", 0.7) for i in range(self.one((0, 1, 2))))
        self.groups = self.one((0, 0, 0, 1, 2, 3))
        inside += "".join(self.group(f"group{i}") for i in range(self.groups))
        if self.maybe(0.15):
            inside += self.instances()
        self.text = "#usda 1.0\n(\n" + "\n".join(['defaultPrim = "W"', *head]) + "\n)\n" + self.prim("Xform", "W", self.operations(0.1) if self.maybe(0.1) else [], inside=inside)

    def scene(self, name):
        lines = [*self.some(0.3, f"vector3f physics:gravityDirection = {self.one(('(0, 0, -1)', '(0, -1, 0)', '(1, 2, 3)'))}"), *self.some(0.3, f"float physics:gravityMagnitude = {self.one((0, 1.62, 9.81, -1))}"),
                 *self.some(0.2, f"int newton:timeStepsPerSecond = {self.one((100, 240, 0))}"), *self.some(0.2, f"int newton:maxSolverIterations = {self.one((-1, 7))}"),
                 *self.some(0.1, "bool newton:gravityEnabled = 0"), *self.some(0.1, "uint physxScene:timeStepsPerSecond = 120"), *self.some(0.1, "double mjc:option:timestep = 0.004"), *self.some(0.1, "int mjc:option:iterations = 30"),
                 *self.some(0.1, f'uniform token mjc:compiler:angle = "{self.one(("degree", "radian"))}"'), *self.some(0.1, "float newton:joint_drive_gains_scaling = 3")]
        if self.maybe(0.15):
            self.declared = self.one(("body", "joint", "joint_dof", "shape", "articulation"))
            lines.append(f'custom float newton:tag = 0.5 (customData = {{ string assignment = "model"\nstring frequency = "{self.declared}" }})')
        return self.prim("PhysicsScene", name, lines, self.some(0.4, "NewtonSceneAPI"))

    def material(self, name):
        self.materials.append(f"/W/{name}")
        values = (("physics:density", 3000), ("physics:staticFriction", 1), ("physics:dynamicFriction", 1), ("physics:restitution", 1), ("newton:torsionalFriction", 0.1), ("newton:rollingFriction", 0.1),
                  ("newton:contactStiffness", 1e4), ("newton:contactDamping", 100), ("newton:contactFrictionGain", 1e3), ("newton:contactAdhesion", 1), ("physxMaterial:compliantContactStiffness", 1e4),
                  ("physxMaterial:compliantContactDamping", 50), ("mjc:torsionalfriction", 0.1), ("mjc:rollingfriction", 0.1))
        lines = [f"float {key} = {self.number(0, most)}" for key, most in values if self.maybe(0.5 if key.startswith("physics") else 0.15)]
        return self.prim("Material", name, lines, [*self.some(0.9, "PhysicsMaterialAPI"), *self.some(0.3, "NewtonMaterialAPI")])

    def look(self, name):
        self.looks.append(f"/W/{name}")
        shader = self.prim("Shader", "S", ['uniform token info:id = "UsdPreviewSurface"', f"color3f inputs:diffuseColor = {self.vector(0, 1)}", *self.some(0.3, f"float inputs:opacity = {self.number(0, 1)}"), "token outputs:surface"])
        return self.prim("Material", name, [f"token outputs:surface.connect = </W/{name}/S.outputs:surface>"], inside=shader)

    def tag(self, frequency):
        return self.some(0.5, f"float newton:tag = {self.number(1, 2)}") if getattr(self, "declared", None) in frequency else []

    def operations(self, scales=0.25, reset=False, uneven=False):
        """Scaled evenly but for shapes: Newton takes bodies under shear or a mirror apart in several ways, and warns of spurious rotations. Not mirrored: it takes such shapes
        apart differently when they collide, when they are seen and in its record, and a mirrored box weighs nothing where its mass computer is asked."""
        return super().operations(scales, reset, uneven, mirrored=False)

    # Geometry.

    def mesh(self, approximation):
        """The box and the sphere around a box are the same to everybody; which ones fit a tetrahedron best is not, nor which of several pieces is the first."""
        if not approximation.startswith("bounding") and self.maybe(0.5):
            counts, indices, corners = TETRAHEDRON
            size = [self.number(0.3, 1) for _ in range(3)]
            points = [tuple(c * s for c, s in zip(corner, size)) for corner in corners]
        else:
            boxes = 1 if approximation.startswith("bounding") or approximation == "convexDecomposition" or self.maybe(0.7) else 2
            counts = "[" + ", ".join(["4"] * 6 * boxes) + "]"
            indices = "[" + ", ".join(str(i + 8 * b) for b in range(boxes) for face in BOX_FACES for i in face) + "]"
            half = [self.number(0.1, 0.8) for _ in range(3)]
            points = [(half[0] * (1 if i & 4 else -1) + 4 * b, half[1] * (1 if i & 2 else -1), half[2] * (1 if i & 1 else -1)) for b in range(boxes) for i in range(8)]
        return [f"int[] faceVertexCounts = {counts}", f"int[] faceVertexIndices = {indices}", "point3f[] points = [" + ", ".join(str(tuple(round(x, 5) for x in p)) for p in points) + "]",
                *self.some(0.1, 'uniform token orientation = "leftHanded"')]

    def geometry(self, above, name, collides, ground=True, weighs=True):
        """A prim with a shape, which collides with this probability, else is seen only or marks a site; it may say what it `weighs`."""
        path, kind = f"{above}/{name}", self.one(PRIMITIVES + ("Mesh", "Mesh") + ("Plane",) * ground)
        approximation = self.one(APPROXIMATIONS[:4] + ("convexDecomposition",)) if self.maybe(0.6) else ""
        schemas, lines = [], [*(self.mesh(approximation) if kind == "Mesh" else self.sizes(kind)), *self.operations(0.3 if kind != "Plane" else 0, uneven=True)]
        if self.maybe(collides):
            schemas.append("PhysicsCollisionAPI")
            self.colliders.append(path)
            lines += [*self.some(0.1, "bool physics:collisionEnabled = 0"), *self.surface()]
            # Of one that is off Newton draws the shape and forgets the value.
            lines += self.tag(("shape",)) if "bool physics:collisionEnabled = 0" not in lines else []
            if kind == "Mesh" and approximation:
                schemas.append("PhysicsMeshCollisionAPI")
                lines += [f'uniform token physics:approximation = "{approximation}"', *self.some(0.1, f"int newton:maxHullVertices = {self.one((-1, 16))}")]
            # A shape that is off and has a mass schema sends Newton to masses of its own, which it then takes for those of the default density.
            weighs = weighs and "bool physics:collisionEnabled = 0" not in lines
            if self.maybe(0.15):
                said = self.some(0.5, f"float physics:mass = {self.number(0.1, 5)}") + self.some(0.5, f"float physics:density = {self.number(100, 2000)}") + self.some(0.2, f"point3f physics:centerOfMass = {self.vector(-0.5, 0.5)}") + self.some(0.2, f"float3 physics:diagonalInertia = {self.vector(1, 1.5)}")
                schemas += ["PhysicsMassAPI"] * weighs
                lines += said * weighs
            # The boxes here are wound both ways, so that their walls weigh nothing but rounding; of a shell without thickness OpenUSD makes nan.
            if kind != "Mesh" and weighs and self.maybe(0.1):
                schemas.append("NewtonMassAPI")
                lines += ['uniform token newton:massModel = "shell"', f"float newton:shellThickness = {self.number(0.001, 0.02)}"]
            if self.materials and self.maybe(0.5):
                schemas += self.some(0.85, "MaterialBindingAPI")
                lines += self.targets(self.one(("material:binding:physics", "material:binding")), self.materials)
        elif self.maybe(0.25) and kind not in ("Mesh", "Plane"):
            schemas.append(self.one(("NewtonSiteAPI", "MjcSiteAPI")))
        elif self.looks and self.maybe(0.4):
            schemas.append("MaterialBindingAPI")
            lines += self.targets("material:binding", self.looks)
        lines += [*self.some(0.15, f"color3f[] primvars:displayColor = [{self.vector(0, 1)}]"), *self.some(0.08, 'token visibility = "invisible"'), *self.some(0.1, f'uniform token purpose = "{self.one(("guide", "proxy", "render"))}"')]
        return self.prim(kind, name, lines, schemas)

    def surface(self):
        rest = self.number(0, 0.02)
        return [*self.some(0.15, f"float newton:contactMargin = {self.number(0, 0.02)}"), *self.some(0.15, f"float newton:contactGap = {self.one((0.01, '-inf'))}"), *self.some(0.1, f"float physxCollision:restOffset = {rest}"),
                *self.some(0.1, f"float physxCollision:contactOffset = {self.one((0.05, '-inf'))}"), *self.some(0.1, "double mjc:margin = 0.003"), *self.some(0.1, "double mjc:gap = 0.001"),
                *self.some(0.1, f"double[] mjc:solref = {self.one(('[0.02, 1]', '[-100, -7]', '[-100, 7]'))}"), *self.some(0.05, f"float newton:contact_ke = {self.number(100, 1000)}")]

    # Bodies.

    def body(self, above, name, inside="", base=False, loose=False):
        """A body with its geometry and what else lies `inside`. Only loose ones are switched off, and nothing says what they weigh then: to Newton such a body has all that is
        authored, about its origin, though its colliders are part of the world (docs/importer.md)."""
        path, schemas, own_shape, off = f"{above}/{name}", ["PhysicsRigidBodyAPI"], self.maybe(0.1), loose and self.maybe(0.1)
        lines = self.operations(0.1)
        self.bodies.append(path)
        lines += [*self.some(0.15, f"vector3f physics:velocity = {self.vector(-1, 1)}"), *self.some(0.15, f"vector3f physics:angularVelocity = {self.vector(-90, 90)}"),
                  *self.some(0.2 if loose else 0.02, "bool physics:kinematicEnabled = 1"), *["bool physics:rigidBodyEnabled = 0"] * off, *self.tag(("body",))]
        if not off and self.maybe(0.5):
            schemas.append("PhysicsMassAPI")
            lines += self.masses(body=False)
        if not off and self.maybe(0.1):
            schemas.append("NewtonMassAPI")
            lines.append(f"float[] newton:inertia = [{self.number(1, 1.5)}, {self.number(1, 1.5)}, {self.number(1, 1.5)}, 0.1, 0.05, {self.one((0, 0.2, 4))}]")
        # A pair of a body that is itself a shape is to Newton one of that shape alone, not of all that the body has.
        ends = sorted(set(self.bodies[:-1]) ^ set(self.colliders))
        if ends and not own_shape and self.maybe(0.05):
            schemas.append("PhysicsFilteredPairsAPI")
            lines += self.targets("physics:filteredPairs", ends)
        if base:
            schemas.append("PhysicsArticulationRootAPI")
            lines += self.articulation()
        kind = "Xform"
        if own_shape:
            kind = self.one(PRIMITIVES)
            schemas.append("PhysicsCollisionAPI")
            self.colliders.append(path)
            lines += self.sizes(kind)
        shapes = "".join(self.geometry(path, f"{'hull' if i else 'shell'}", 0.75, ground=False, weighs=not off) for i in range(self.one((0, 1, 1, 2))))
        if path in self.pins:
            shapes += self.prim("Xform", "pin", self.operations(0.1))
        if self.maybe(0.1):
            shapes += self.prim("Xform", "mount", self.operations(0), inside=self.geometry(f"{path}/mount", "cover", 0.5, ground=False, weighs=not off))
        return self.prim(kind, name, lines, schemas, shapes + inside)

    def loose(self, name):
        return self.body("/W", name, base=self.maybe(0.1), loose=True)

    def articulation(self):
        return [*self.some(0.2, f"bool newton:selfCollisionEnabled = {self.one('01')}"), *self.some(0.1, f"bool physxArticulation:enabledSelfCollisions = {self.one('01')}"), *self.tag(("articulation",))]

    # Robots.

    def robot(self, name, specifier="def"):
        path, count = f"/W/{name}", self.one((1, 2, 3, 3, 4, 6))
        where = self.one(("root", "root", "root", "base", "joint", "none"))  # of the articulation root
        fixed = where == "joint" or (where in ("root", "none") and self.maybe(0.4))
        parents = [self.one(range(i)) if self.maybe(0.5) else i - 1 for i in range(1, count)]
        # A link lies in its parent seldom: importers read it all the same.
        nested = [self.maybe(0.1) for _ in parents]
        places = [f"{path}/link0"]
        for i, (parent, inside) in enumerate(zip(parents, nested), 1):
            places.append(f"{places[parent] if inside else path}/link{i}")
        # Joints may name a prim in a body for the body.
        self.pins.update(place for place in places if self.maybe(0.1))
        order = list(range(1, count))
        self.chance.shuffle(order)
        joints = [self.joint(f"{self.one('abc')}{i}", places[parents[i - 1]], places[i]) for i in order]
        if fixed:
            world = self.one(("", "", "/W" if specifier == "def" else "", path))
            schemas = ["PhysicsArticulationRootAPI"] if where == "joint" else []
            joints.append(self.joint("anchor", world, places[0], schemas, "PhysicsFixedJoint" if self.maybe(0.7) else None, turned=self.maybe(0.1)))
        if count > 2 and self.maybe(0.12):  # closes a loop
            joints.append(self.joint("loop", places[0], places[-1], more=[*self.some(0.9, "uniform bool physics:excludeFromArticulation = 1")]))
        if count > 1 and self.maybe(0.07):  # a second joint of the same two
            joints.append(self.joint("twin", places[parents[0]], places[1]))
        below = {}
        for i in reversed(range(count)):
            mine = below.pop(i, "")
            text = self.body(places[i].rsplit("/", 1)[0], f"link{i}", inside=mine, base=where == "base" and i == 0)
            home = parents[i - 1] if i and nested[i - 1] else None
            below[home] = text + below.get(home, "")
        self.articulations.append(path)
        lines = [*self.operations(0.1), *(self.articulation() if where == "root" else [])]
        return self.prim("Xform", name, lines, ["PhysicsArticulationRootAPI"] if where == "root" else [], below[None] + self.prim("Scope", "joints", [], inside="".join(joints)), specifier)

    def joint(self, name, parent, child, schemas=(), kind=None, more=(), turned=False):
        # Newton fails on a distance joint's labels with MuJoCo's attributes, and what hangs on one starts at rest unless another body is merged into it.
        kind = kind or self.one(JOINTS[:-1] if self.options.keys() & {"register_mujoco", "collapse_fixed_joints"} else JOINTS)
        path = f"/W/{child.split('/')[2]}/joints/{name}"
        more_schemas, lines = self.freedom(kind)
        schemas = [*schemas, *more_schemas]
        turns = kind == "PhysicsRevoluteJoint"
        ends = [f"{end}/pin" if end in self.pins and self.maybe(0.7) else end for end in ((child, parent) if turned else (parent, child))]
        lines += [f"rel physics:body{i} = <{end}>" for i, end in enumerate(ends) if end]
        lines += [*self.some(0.7, f"point3f physics:localPos0 = {self.vector(-1, 1)}"), *self.some(0.4, f"point3f physics:localPos1 = {self.vector(-1, 1)}"),
                  *self.some(0.4, f"quatf physics:localRot0 = {self.one(QUATERNIONS)}"), *self.some(0.4, f"quatf physics:localRot1 = {self.one(QUATERNIONS)}"),
                  *self.some(0.05, "bool physics:jointEnabled = 0"), *self.some(0.2, f"bool physics:collisionEnabled = {self.one('01')}"), *self.tag(("joint", "joint_dof")), *more]
        if kind not in ("PhysicsFixedJoint", "PhysicsDistanceJoint"):
            lines += [*self.some(0.15, f"float newton:armature = {self.number(0, 1)}"), *self.some(0.1, f"float newton:damping = {self.number(0, 1)}"), *self.some(0.1, f"float newton:friction = {self.number(0, 1)}"),
                      *self.some(0.1, f"float newton:velocityLimit = {self.one((90, 'inf'))}"), *self.some(0.1, f"float newton:limitStiffness = {self.one((50, 'inf', '-inf'))}"), *self.some(0.1, f"float newton:limitDamping = {self.one((5, 'inf', '-inf'))}"),
                      *self.some(0.1, f"float physxJoint:armature = {self.number(0, 1)}"), *self.some(0.1, f"float physxJoint:maxJointVelocity = {self.number(10, 90)}"),
                      *self.some(0.1, f"double mjc:armature = {self.number(0, 1)}"), *self.some(0.1, f"double mjc:damping = {self.number(0, 1)}"), *self.some(0.1, f"double mjc:frictionloss = {self.number(0, 1)}")]
        if kind in ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint"):
            dof = "angular" if turns else "linear"
            lines += [*self.some(0.15, f"float state:{dof}:physics:position = {self.number(-30, 30) if turns else self.number(-1, 1)}"), *self.some(0.1, f"float state:{dof}:physics:velocity = {self.number(-30, 30)}"),
                      *self.some(0.1, f"float physxLimit:{dof}:stiffness = {self.number(10, 100)}"), *self.some(0.1, f"float physxLimit:{dof}:damping = {self.number(1, 10)}"),
                      *self.some(0.05, "double mjc:stiffness = 4"), *self.some(0.05, "double mjc:springref = 20"), *self.some(0.05, "double mjc:ref = 10"), *self.some(0.05, "double mjc:actuatorfrcrange:min = -3", "double mjc:actuatorfrcrange:max = 5")]
            # Two that move alike: newton's or physx's way to say it.
            if self.turning and self.maybe(0.12):
                leader = self.one(self.turning)
                if leader[0].split("/")[2] == path.split("/")[2] and leader[1] == kind:
                    if self.maybe(0.6):
                        schemas.append("NewtonMimicAPI")
                        lines += [f"rel newton:mimicJoint = <{leader[0]}>", *self.some(0.5, f"float newton:mimicCoef0 = {self.number(-10, 10)}"), *self.some(0.7, f"float newton:mimicCoef1 = {self.number(-2, 2)}")]
                    else:
                        schemas.append("PhysxMimicJointAPI:rotX")
                        lines += [f"rel physxMimicJoint:rotX:referenceJoint = <{leader[0]}>", f"float physxMimicJoint:rotX:gearing = {self.number(-2, 2)}", f"float physxMimicJoint:rotX:offset = {self.number(-1, 1)}"]
                    return self.prim(kind, name, lines, schemas)
            self.turning.append((path, kind))
        return self.prim(kind, name, lines, schemas)

    def group(self, name):
        """None is merged and all filter others that exist: elsewise OpenUSD's table, which Newton asks, takes a wrong pair (usd-physics 8.1)."""
        ends = self.colliders + self.bodies + self.articulations
        lines = [*self.targets("collection:colliders:includes", ends), *self.targets("physics:filteredGroups", [f"/W/group{i}" for i in range(self.groups)], 0.6), *self.some(0.3, "bool physics:invertFilteredGroups = 1")]
        return self.prim("PhysicsCollisionGroup", name, lines, ["CollectionAPI:colliders"])

    def instances(self):
        kept = self.bodies, self.colliders
        self.bodies, self.colliders = [], []
        if self.maybe(0.4):  # robots that are copies of one
            model = self.robot("Model", specifier="class")
            self.bodies, self.colliders = kept
            return model + "".join(self.prim("Xform", f"copy{i}", self.operations(0), metadata=["references = </W/Model>", *self.some(0.5, "instanceable = true")]) for i in range(self.one((1, 2))))
        text = self.prim("Xform", "Kit", [], inside=self.body("/W/Kit", "part") + self.geometry("/W/Kit", "lid", 0.6), specifier="class")
        self.bodies, self.colliders = kept
        text += "".join(self.prim("Xform", f"kit{i}", self.operations(0), metadata=["references = </W/Kit>", "instanceable = true"]) for i in range(self.one((1, 2))))
        if self.maybe(0.3):
            text += self.prim("PointInstancer", "many", ["int[] protoIndices = [0]", "point3f[] positions = [(1, 0, 0)]", "rel prototypes = </W/many/grain>"], inside=self.geometry("/W/many", "grain", 0.5, ground=False))
        return text

    def write(self, folder):
        (folder / "root.usda").write_text(self.text)
        (folder / "options.json").write_text(json.dumps(self.options))
