"""Physics as random_physics draws it, with what is rare there: materials and groups by collections of every kind, values over time only or without end, schemas where they do
not belong and in any order, bodies and joints in variants, classes and instances within instances, ends of joints that are copies."""
from tests.differential import random_physics

#: Prims that are no solids but may be called one.
NO_SOLIDS = ("Xform", "Scope", "BasisCurves", "NurbsPatch", "TetMesh", "Camera", "GeomSubset", "")
ODD_NUMBERS = ("0", "-1", "inf", "-inf", "1e-30", "1e8")


class Writer(random_physics.Writer):
    """The same seed draws another stage than random_physics does."""

    in_original = False

    def __init__(self, seed):
        super().__init__(f"wild {seed}")

    # Collections.

    def collection(self, name, of):
        """Statements of a collection that holds some of `of`."""
        lines = self.targets(f"collection:{name}:includes", of, 0.7) + self.targets(f"collection:{name}:excludes", of, 0.3)
        lines += self.some(0.4, f'uniform token collection:{name}:expansionRule = "{self.one(("expandPrims", "explicitOnly", "expandPrimsAndProperties"))}"')
        lines += self.some(0.1, f"bool collection:{name}:includeRoot = 1")
        if self.maybe(0.2):
            lines += [f"uniform pathExpression collection:{name}:membershipExpression = " + self.one(('"/W//"', '"/W/r0//{isa:Cube}"', '"//{isa:PhysicsJoint} + //r1"', '"/W// - /W/r1//"', '"//{abstract:false}"'))]
            lines += self.some(0.2, f'uniform token collection:{name}:mode = "{self.one(("automatic", "membershipExpression", "relationship" + "s"))}"')
        return lines

    def group(self, name):
        text = super().group(name)
        if self.maybe(0.6):
            lines = self.collection("colliders", self.everything)
            text = "\n".join(line for line in text.split("\n") if "collection:colliders:includes" not in line or self.maybe(0.2))
            if "collection:colliders:includes" in text:
                lines = [line for line in lines if ":includes" not in line]
            text = text.replace("{\n", "{\n" + "".join(line + "\n" for line in lines), 1)
        return text.replace('mergeGroup = "x"', f'mergeGroup = "{self.one(("x", "y", ""))}"')

    def bound_by_collection(self, path):
        """(schemas, lines): materials for some of what is below."""
        if not self.materials:
            return [], []
        name = self.one(("near", "far"))
        lines = self.collection(name, [path, *self.colliders[-3:], *self.bodies[-2:]])
        lines.append(f"rel material:binding:collection:{self.one(('', 'physics:'))}{name} = [<{path}.collection:{name}>, <{self.one(self.materials)}>]")
        if self.maybe(0.2):
            lines[-1] += f' (bindMaterialAs = "{self.one(("strongerThanDescendants", "weakerThanDescendants"))}")'
        return [*self.some(0.9, f"CollectionAPI:{name}"), *self.some(0.8, "MaterialBindingAPI")], lines

    # Prims.

    def prim(self, kind, name, lines, schemas=(), inside="", specifier="def", metadata=()):
        lines, schemas, metadata = list(lines), list(schemas), list(metadata)
        if kind in ("Xform", "Cube", "Mesh") and self.maybe(0.08):
            more = self.bound_by_collection(self.place(name))
            schemas += more[0]
            lines += [line for line in more[1] if line.split(" = ")[0] not in {other.split(" = ")[0] for other in lines}]
        if kind != "Material" and self.maybe(0.04):
            schemas += [self.one(("PhysicsMaterialAPI", "PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMassAPI", "PhysicsMeshCollisionAPI", "PhysicsArticulationRootAPI", "PhysicsFilteredPairsAPI", "PhysicsDriveAPI:angular", "PhysicsDriveAPI:rotZ",
                                  "PhysicsLimitAPI:linear", "PhysicsLimitAPI", "PhysicsDriveAPI:nonsense"))]
        if self.maybe(0.05):
            self.chance.shuffle(schemas)
        lines = [self.odd(line) for line in lines]
        if inside and self.maybe(0.03):
            inside = 'variantSet "shape" = {\n"one" {\n' + inside + '}\n"two" {\n}\n}\n'
            metadata += ['prepend variantSets = "shape"', f'variants = {{ string shape = "{self.one(("one", "one", "two"))}" }}']
        return random_physics.Draw.prim(kind, name, lines, schemas, inside, specifier, metadata)

    def place(self, name):
        """Where the prim is, as far as its name tells: names of parts are unique but for those below one another."""
        return next((path for path in reversed([*self.bodies, *self.colliders]) if path.endswith("/" + name)), f"/W/{name}")

    def odd(self, line):
        """The statement, seldom with a value that is rare, or over time only."""
        head, _, value = line.partition(" = ")
        if not head.startswith(("float physics:", "float limit:", "float drive:")) or not self.maybe(0.06):
            return line
        if self.maybe(0.4):
            return f"{head}.timeSamples = {{ 0: {value}, 10: {value} }}"
        # An endless distance is no limit, though OpenUSD calls it one, and an endless gravity none that a scene can have; masses without end or meaning are a matter of the solver.
        number = self.one(ODD_NUMBERS)
        return line if any(word in head for word in ("mass", "density", "Friction", "restitution", "Distance")) or "gravity" in head and number == "inf" else f"{head} = {number}"

    def part(self, above, name, depth):
        if depth > 0 and self.maybe(0.05):  # a collider that is no solid
            kind = self.one(NO_SOLIDS)
            path = f"{above}/{name}"
            self.colliders.append(path)
            return self.prim(kind, name, self.operations() if kind == "Xform" else [], ["PhysicsCollisionAPI", *self.some(0.3, "PhysicsMassAPI"), *self.some(0.2, "PhysicsRigidBodyAPI")])
        return super().part(above, name, depth)

    def original(self):
        self.in_original = True
        text = super().original()
        self.in_original = False
        return text

    def copy(self, name):
        text = super().copy(name)
        if self.maybe(0.4):  # a copy of copies
            text += self.prim("Xform", f"{name}nest", self.operations(), inside=super().copy("inner").replace("</W/Original>", f"</W/{name}>" if self.maybe(0.4) else "</W/Original>"))
        return text

    def joint(self, name):
        kept = self.everything
        # Which of alike copies is meant by a joint that all of them have is OpenUSD's choice (docs/usd.md).
        copies = [] if self.in_original else self.some(0.2, "/W/copy0/o0", "/W/copy0/o1", "/W/copy1/o0")
        self.everything = [*(kept or self.bodies or ["/W"]), *copies, *self.some(0.1, "/W/j0", "/W/s0")]
        text = super().joint(name)
        self.everything = kept
        return text
