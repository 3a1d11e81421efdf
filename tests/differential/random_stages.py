"""Stages drawn by chance from a seed: every arc, list edit and value form, tangled. Each is a folder of text layers that begins at root.usda."""
import random

NAMES = ("A", "B", "C", "D")
CLASSES = ("_class_P", "_class_Q")
TYPES = ("", "Xform", "Xform", "Scope", "Cube", "Sphere", "Mesh", "Material")
SCHEMAS = ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsCollisionAPI", "CollectionAPI:parts", "PhysicsLimitAPI:rotX", "NoSuchAPI")
VALUES = {
    "float": ("1.5", "-2", "inf"), "double": ("0.25", "3"), "int": ("7", "-1"), "bool": ("true", "false"), "token": ('"a"', '"b"'), "string": ('"text"', '"\\"quoted\\""'),
    "double3": ("(1, 2, 3)", "(0, -1, 0.5)"), "quatf": ("(1, 0, 0, 0)", "(0.5, 0.5, -0.5, 0.5)"), "int[]": ("[]", "[1, 2, 3]"), "float3[]": ("[(1, 2, 3)]", "[(0, 0, 1), (0, 1, 0)]"),
    "asset": ("@./other.png@", "@no/where.usd@"), "matrix4d": ("((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (4, 5, 6, 1))",), "timecode": ("4", "12.5"),
}
OPS = {"translate": ("double3", "(1, 2, 3)", "(-4, 0, 2)"), "rotateXYZ": ("float3", "(30, 0, 90)", "(0, -45, 10)"), "scale": ("float3", "(2, 2, 2)", "(1, -1, 3)"),
       "orient": ("quatf", "(0.5, 0.5, 0.5, 0.5)", "(0, 1, 0, 0)"), "rotateZ": ("double", "90", "-15"),
       "transform": ("matrix4d", "((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (1, 1, 1, 1))", "((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 5, 1))")}


class Writer:
    """One stage; `layers` gives the texts by file name."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        # Prims that inherit below an instance depend on which of equal instances OpenUSD's threads come to first.
        self.instances = seed % 2 == 1
        self.files = ["root.usda", "strong.usda", "weak.usda", "part.usda", "piece.usda", "load.usda"]
        # Arcs lead to later files only, or within a file: most stages are then free of cycles, and the rest are errors both report.
        self.layers = {name: self.layer(i) for i, name in enumerate(self.files)}

    def maybe(self, share):
        return self.chance.random() < share

    def one(self, of):
        return self.chance.choice(of)

    def layer(self, index):
        lines = ['    defaultPrim = "A"']
        if index == 0:
            lines.append(f"    subLayers = [@./strong.usda@{self.offset()}, @./weak.usda@{self.offset()}]")
            lines += ["    startTimeCode = 0", "    endTimeCode = 24"]
        if self.maybe(0.3):
            lines.append(f"    timeCodesPerSecond = {self.one((24, 48, 12))}")
        if self.maybe(0.2):
            lines.append(f'    upAxis = "{self.one("YZ")}"')
        if index < 3 and not self.instances and self.maybe(0.25):
            a, b = self.chance.sample(NAMES, 2)
            lines.append(f"    relocates = {{ </A/{a}>: </A/{self.one((b, 'Moved'))}> }}")
        self.depth_of_file = index
        prims = "".join(self.prim(name, "/" + name, 0) for name in self.chance.sample(NAMES, 2))
        classes = "".join(self.prim(name, "/" + name, 1, "class") for name in CLASSES if self.maybe(0.7))
        return "#usda 1.0\n(\n" + "\n".join(lines) + "\n)\n" + prims + classes

    def offset(self):
        return f" (offset = {self.one((5, -2.5))}; scale = {self.one((2, 0.5, 1))})" if self.maybe(0.3) else ""

    def edit(self, key, items, share=0.25):
        """Up to two statements of a list edit; `items` makes one item."""
        out = []
        if self.maybe(share):
            for word in self.chance.sample(("prepend ", "append ", "delete ", "add ", ""), 2 if self.maybe(0.2) else 1):
                picked = list(dict.fromkeys(items() for _ in range(self.one((1, 1, 2)))))
                if word == "" and out:
                    break
                out.append(f"{word}{key} = " + (picked[0] if len(picked) == 1 and not picked[0].startswith('"') else "[" + ", ".join(picked) + "]"))
                if word == "":
                    break
        return out

    def arc(self, with_offset=True):
        later = self.files[max(3, self.depth_of_file + 1):]
        target = self.one(("", "</A>", "</B>", "</A/B>", "</Missing>" if self.maybe(0.1) else "</C>"))
        if later and self.maybe(0.8):
            return f"@./{self.one(later)}@{target}{self.offset() if with_offset else ''}"
        return (target or "</D>") + (self.offset() if with_offset else "")

    def prim(self, name, path, depth, specifier=None):
        specifier = specifier or self.one(("def", "def", "def", "over"))
        kind = self.one(TYPES) if specifier != "over" or self.maybe(0.2) else ""
        meta, inner = self.metadata(depth), ""
        inner += self.properties(path)
        if depth < 2:
            for child in self.chance.sample(NAMES, self.one((0, 1, 1, 2))):
                inner += self.prim(child, f"{path}/{child}", depth + 1, "class" if self.maybe(0.04) else None)
        sets = self.chance.sample(("shape", "look"), self.one((0, 0, 0, 1, 2)) if depth < 2 else 0)
        for name_of_set in sets:
            if self.maybe(0.8):
                meta.append(f'prepend variantSets = "{name_of_set}"' if not any("variantSets" in m for m in meta) else "")
            variants = "".join(f'"{v}" ' + (f"({chr(10).join(self.edit('references', self.arc, 0.3))}) " if self.maybe(0.4) else "") + "{\n" + self.properties(path) +
                               (self.prim(self.one(NAMES), path + "/V", depth + 2) if self.maybe(0.6) else "") + "}\n" for v in ("one", "two"))
            inner += f'variantSet "{name_of_set}" = {{\n{variants}}}\n'
        if self.maybe(0.25):
            chosen = "".join(f'string {s} = "{self.one(("one", "two", "none"))}"\n' for s in ("shape", "look") if self.maybe(0.6))
            meta.append(f"variants = {{\n{chosen}}}")
        if self.maybe(0.1):
            names = list(NAMES)
            self.chance.shuffle(names)
            inner = "reorder nameChildren = [" + ", ".join(f'"{n}"' for n in names) + "]\n" + inner
        return f'{specifier} {kind} "{name}" (\n' + "\n".join(m for m in meta if m) + "\n) {\n" + inner + "}\n"

    def metadata(self, depth):
        meta = []
        if self.maybe(0.06):
            meta.append("active = " + self.one(("false", "true")))
        if self.maybe(0.15):
            meta.append(f'kind = "{self.one(("component", "group", "assembly", "subcomponent"))}"')
        if self.instances and self.maybe(0.2):
            meta.append("instanceable = " + self.one(("true", "true", "false")))
        if self.maybe(0.1):
            meta.append('customData = {\nstring who = "me"\ndictionary deep = {\nint n = %d\n}\n}' % self.one((1, 2)))
        if self.maybe(0.06):
            meta.append("hidden = true")
        meta += self.edit("apiSchemas", lambda: f'"{self.one(SCHEMAS)}"')
        meta += self.edit("references", self.arc, 0.25 if depth < 2 else 0.05)
        meta += self.edit("payload", self.arc, 0.1)
        if not self.instances:
            meta += self.edit("inherits", lambda: f"</{self.one(CLASSES)}>", 0.15)
            meta += self.edit("specializes", lambda: f"</{self.one(CLASSES + ('B',))}>", 0.1)
        return meta

    def properties(self, path):
        out, ops = [], []
        for kind in self.chance.sample(sorted(VALUES), self.one((0, 1, 2))):
            out += self.attribute(kind, f"v_{kind.replace('[]', 's')}", VALUES[kind])
        if self.maybe(0.35):
            for op in self.chance.sample(sorted(OPS), self.one((1, 2))):
                kind, *values = OPS[op]
                suffix = ":pivot" if self.maybe(0.2) else ""
                out += self.attribute(kind, f"xformOp:{op}{suffix}", values, custom=False)
                ops.append(f'"xformOp:{op}{suffix}"')
                if suffix and self.maybe(0.5):
                    ops.append(f'"!invert!xformOp:{op}{suffix}"')
            if self.maybe(0.1):
                ops.insert(0, '"!resetXformStack!"')
            out.append(f"uniform token[] xformOpOrder = [{', '.join(ops)}]")
        if self.maybe(0.1):
            out.append(f'token visibility = "{self.one(("invisible", "inherited"))}"')
        if self.maybe(0.1):
            out.append(f'uniform token purpose = "{self.one(("guide", "render", "proxy", "default"))}"')
        if self.maybe(0.2):
            out += self.edit("rel friends", lambda: self.target(path), 1)
        if self.maybe(0.1):
            out += self.edit("rel material:binding", lambda: self.target(path), 1)
        return "".join(row + "\n" for row in out)

    def attribute(self, kind, name, values, custom=True):
        head = f"{'custom ' if custom and self.maybe(0.3) else ''}{kind} {name}"
        out = []
        if self.maybe(0.75):
            note = ' (doc = "said")' if self.maybe(0.1) else ""
            out.append(f"{head} = {'None' if self.maybe(0.08) else self.one(values)}{note}")
        if self.maybe(0.3):
            times = sorted(self.chance.sample((-3, 0, 1, 4.5, 10, 24), 2))
            out.append(f"{head}.timeSamples = {{ " + ", ".join(f"{t}: {'None' if self.maybe(0.1) else self.one(values)}" for t in times) + " }")
        if self.maybe(0.08):
            out += self.edit(f"{kind} {name}.connect", lambda: f"{self.target('/A')[:-1]}.v_float>", 1)
        return out

    def target(self, path):
        return self.one((f"<{path}>", f"<{path}/A>", "</A/B>", "</B>", "</A/Moved>"))

    def write(self, folder):
        for name, text in self.layers.items():
            (folder / name).write_text(text)
        return folder / "root.usda"
