"""Stages as random_stages draws them, with what is rare there: every type of value, splines, blocked animation, sublayers below sublayers and below references, relocates of
referenced layers, variants in variants, nested classes, collections, permissions, property orders, types and kinds of property that layers do not agree on, packages in packages."""
import io
import re
import zipfile

from tests.differential import random_stages

#: Types that random_stages leaves out, with values of each.
MORE_VALUES = {
    "half": ("0.5", "-1"), "uchar": ("1", "255"), "uint": ("4", "4294967295"), "int64": ("-9007199254740993", "12"), "uint64": ("18446744073709551615", "3"), "double2": ("(1, 2)", "(3, 4.5)"),
    "float2": ("(0.5, 1)", "(2, -2)"), "float3": ("(1, 2, 3)", "(0, 0, 1e-7)"), "float4": ("(1, 2, 3, 4)", "(0, 0, 0, 1)"), "half3": ("(1, 2, 3)", "(0.5, 0, 0)"), "int2": ("(1, 2)", "(-3, 4)"),
    "int3": ("(1, 2, 3)", "(0, 0, 0)"), "quatd": ("(1, 0, 0, 0)", "(0, 1, 0, 0)"), "quath": ("(1, 0, 0, 0)", "(0, 0, 0, 1)"), "matrix2d": ("((1, 2), (3, 4))", "((0, 1), (-1, 0))"),
    "matrix3d": ("((1, 0, 0), (0, 1, 0), (0, 0, 1))", "((0, 1, 0), (1, 0, 0), (0, 0, 2))"), "frame4d": ("((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))", "((2, 0, 0, 0), (0, 2, 0, 0), (0, 0, 2, 0), (1, 0, 0, 1))"),
    "color3f": ("(1, 0, 0)", "(0, 1, 0.5)"), "normal3f": ("(0, 0, 1)", "(0, 1, 0)"), "point3d": ("(1, 2, 3)", "(4, 5, 6)"), "vector3h": ("(1, 0, 0)", "(0, 1, 0)"), "texCoord2f": ("(0, 1)", "(0.5, 0.5)"), "color4f": ("(1, 0, 0, 1)", "(0, 1, 0, 0.5)"),
    "token[]": ('["a", "b"]', '["b"]'), "string[]": ('["x", "y z"]', "[]"), "bool[]": ("[1, 0]", "[true, false, true]"), "double[]": ("[1, 2]", "[3, 4]"), "half[]": ("[1, 2]", "[0.5, 4]"), "quatf[]": ("[(1, 0, 0, 0), (0, 1, 0, 0)]", "[(0.5, 0.5, 0.5, 0.5), (0, 0, 1, 0)]"),
    "point3f[]": ("[(0, 0, 0), (1, 1, 1)]", "[(2, 2, 2), (3, 3, 3)]"), "color3f[]": ("[(1, 0, 0)]", "[(0, 0, 1)]"), "texCoord2f[]": ("[(0, 0), (1, 1)]", "[(0.5, 0)]"), "matrix4d[]": ("[((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))]",),
    "asset[]": ("[@./a.png@, @b.png@]", "[]"), "timecode[]": ("[1, 2]", "[3, 4]"), "int64[]": ("[1, -1]", "[9007199254740993, 0]"), "uchar[]": ("[0, 255]", "[7]"), "group": (), "opaque": (),
    "pathExpression": ('"//A"', '"/A/B//{isa:Xform}"', '"%_ /C"', '"/A/B - %_"'),
}
NOTES = ('displayName = "Name"', 'displayGroup = "Group"', "hidden = true", 'colorSpace = "lin_rec709_scene"', 'interpolation = "vertex"', "elementSize = 2", 'allowedTokens = ["a", "b"]', 'connectability = "interfaceOnly"', 'doc = "several\\nlines"',
         'customData = { int n = 3; dictionary in = { string a = "b" } }', "unauthoredValuesIndex = 3", 'bindMaterialAs = "strongerThanDescendants"', "sdrMetadata = { string role = \"x\" }", 'renderType = "float"', 'limits = { dictionary soft = { double maximum = 3 } }', 'arraySizeConstraint = 2', 'noSuchField = 4', 'noSuchList = ["a"]')
PRIM_NOTES = ('displayName = "A prim"', 'doc = "said"', '"a comment"', 'sdrMetadata = { string role = "x" }', 'assetInfo = { asset identifier = @./x.usda@; string name = "x" }', "customData = { int n = 5; string[] names = [\"a\", \"b\"] }", 'noSuchField = 4', 'noSuchDictionary = { int a = 1 }',
              'uiHints = { int displayOrder = 2 }', 'prefixSubstitutions = { "$Left": "Right" }', 'add noSuchList = [1, 2]', 'kind = "noSuchKind"', 'kind = ""')
CURVES = ("none", "held", "linear", "curve (0.5, 1)", "curve (1, -2)")

STATEMENT = re.compile(r"(?P<word>prepend |append |delete |add |)(?:custom )?(?P<uniform>uniform |)(?P<kind>\S+) (?P<name>[^\s.=]+)(?P<field>\.\w+|)")


class Writer(random_stages.Writer):
    """The same seed draws another stage than random_stages does."""

    def __init__(self, seed):
        self.arc_classes, self.values = [], {**random_stages.VALUES, **MORE_VALUES}
        super().__init__(2 * seed)  # without instances: what classes do is drawn here
        self.chance.seed(f"wild {seed}")
        self.layers = {}
        self.files = ["root.usda", "strong.usda", "weak.usda", "below.usda", "part.usda", "piece.usda", "load.usda", "under.usda"]
        for i, name in enumerate(self.files):
            self.layers[name] = self.layer(i)
        self.packs = {name: self.layers[name] for name in ("piece.usda", "load.usda", "under.usda")}

    # Layers.

    def layer(self, index):
        lines = ["    defaultPrim = " + self.one(('"A"', '"A"', '"A"', '"/A/B"', '"Nothing"'))] if self.maybe(0.9) else []
        below = {0: ("strong.usda", "weak.usda"), 1: ("below.usda",), 2: ("below.usda",), 4: ("under.usda",), 5: ("under.usda",)}.get(index, ()) if hasattr(self, "arc_classes") else ()
        if below and (index == 0 or self.maybe(0.5)):
            lines.append("    subLayers = [" + ", ".join(f"@./{name}@{self.offset()}" for name in below[:1 + (index == 0)]) + "]")
        if index == 0:
            lines += ["    startTimeCode = 0", "    endTimeCode = 24"]
            if self.maybe(0.2):
                lines.append('    fallbackPrimTypes = {\ntoken[] NoSuchType = ["NoSuchEither", "Cube"]\n}')
        if self.maybe(0.3):
            lines.append(f"    {self.one(('timeCodesPerSecond', 'framesPerSecond'))} = {self.one((24, 48, 12))}")
        if self.maybe(0.3):
            a, b = self.chance.sample(random_stages.NAMES, 2)
            moves = [f"</A/{a}>: {self.one((f'</A/{b}>', '</A/Moved>', f'</A/{b}/Moved>', '<>', '</B/Moved>', f'</A/{b}/{a}>'))}"]
            if self.maybe(0.4):
                moves.append(f"</A/{b}/{self.one(random_stages.NAMES)}>: </A/Other>")
            lines.append("    relocates = {\n" + ",\n".join(moves) + "\n}")
        if self.maybe(0.1):
            lines.append('    customLayerData = {\nint n = 1\n}')
        self.depth_of_file = index
        prims = "".join(self.prim(name, "/" + name, 0) for name in self.chance.sample(random_stages.NAMES, 2))
        classes = "".join(self.prim(name, "/" + name, 1, "class") for name in random_stages.CLASSES if self.maybe(0.7))
        order = "reorder rootPrims = [" + ", ".join(f'"{n}"' for n in self.chance.sample(random_stages.NAMES, 3)) + "]\n" if self.maybe(0.2) else ""
        return "#usda 1.0\n(\n" + "\n".join(lines) + "\n)\n" + order + prims + classes

    def arc(self, with_offset=True):
        later = [name for name in self.files[max(4, self.depth_of_file + 1):] if name != "under.usda" or self.depth_of_file not in (4, 5)]
        target = self.one(("", "</A>", "</B>", "</A/B>", "</A/C/D>", "</C>"))
        if later and self.depth_of_file < 4 and self.maybe(0.2):
            name = self.one(("pack.usdz", "pack.usdz[load.usda]", "outer.usdz", "outer.usdz[pack.usdz]", "outer.usdz[pack.usdz[under.usda]]", "piece.usdc"))
            return f"@./{name}@{target}{self.offset() if with_offset else ''}"
        if later and self.maybe(0.8):
            note = ""
            if with_offset and self.maybe(0.4):
                parts = [f"offset = {self.one((5, -2.5))}", f"scale = {self.one((2, 0.5, -1))}", "customData = { int n = 1 }"][:3 if self.noted else 2]
                note = " (" + "; ".join(self.chance.sample(parts, self.one((1, 2)))) + ")"
            return f"@./{self.one(later)}@{target}{note}"
        return (target or "</D>") + (self.offset() if with_offset else "")

    def edit(self, key, items, share=0.25):
        self.noted = key == "references"  # of a payload nothing can be noted
        return super().edit(key, items, share)

    # Prims.

    def prim(self, name, path, depth, specifier=None):
        text = super().prim(name, path, depth, specifier)
        inside = ""
        if depth < 2 and self.maybe(0.15):
            inside += super().prim(self.one(("_class_P", "_class_R", "Größe")), path + "/_class_P", depth + 2, self.one(("class", "def", "over")))
        if depth < 2 and self.maybe(0.1):
            inside += self.variants_within(path, depth)
        if self.maybe(0.15):
            names = [f"v_{kind.replace('[]', 's')}" for kind in sorted(self.values)] + ["friends", "xformOpOrder"]
            inside = "reorder properties = [" + ", ".join(f'"{n}"' for n in self.chance.sample(names, self.one((2, 5)))) + "]\n" + inside
        return text.rstrip()[:-1] + inside + "}\n"

    def variants_within(self, path, depth):
        """A set whose variants hold a second set, select in a third, and bring arcs of their own."""
        def inner(name):
            arcs = self.edit("references", self.arc, 0.2) + self.edit("inherits", self.inherited, 0.1)
            return f'"{name}" (\n' + "\n".join(arcs) + "\n) {\n" + self.properties(path) + (self.prim(self.one(random_stages.NAMES), path + "/W", depth + 2) if self.maybe(0.5) else "") + "}\n"

        out = 'variantSet "outer" = {\n'
        for v in ("one", "two"):
            meta = []
            if self.maybe(0.6):
                meta.append('prepend variantSets = "inner"')
            if self.maybe(0.6):
                meta.append(f'variants = {{\nstring inner = "{self.one(("near", "far"))}"\nstring shape = "{self.one(("one", "two"))}"\n}}')
            meta += self.edit("payload", self.arc, 0.3) + self.edit("apiSchemas", lambda: f'"{self.one(random_stages.SCHEMAS)}"', 0.3) + self.edit("specializes", self.inherited, 0.2)
            out += f'"{v}" (\n' + "\n".join(meta) + "\n) {\n" + self.properties(path) + 'variantSet "inner" = {\n' + inner("near") + inner("far") + "}\n}\n"
        return out + "}\n"

    def inherited(self):
        return f"<{self.one(('/_class_P', '/_class_Q', '/A/_class_P', '/A/B/_class_R', '/B/_class_P', '/C', '/A/D'))}>"

    def metadata(self, depth):
        meta = super().metadata(depth)
        meta = [one for one in meta if "inherits" not in one and "specializes" not in one]
        meta += self.edit("inherits", self.inherited, 0.12) + self.edit("specializes", self.inherited, 0.08)
        if self.maybe(0.2):
            meta.append(self.one(PRIM_NOTES))
        if self.maybe(0.04):
            meta.append(f"permission = {self.one(('private', 'public'))}")
        if self.maybe(0.1):
            meta.append('prepend variantSets = "outer"' if not any("variantSets" in one for one in meta) else "")
        if self.maybe(0.15) and not any(one.startswith("variants") for one in meta):
            meta.append(f'variants = {{\nstring outer = "{self.one(("one", "two", ""))}"\nstring inner = "{self.one(("near", "far"))}"\n}}')
        seen, out = set(), []
        for one in meta:  # a field is authored once; list edits are told apart by their words
            key = one.split("=")[0].strip().split("{")[0] if not one.startswith('"') else "comment"
            if key not in seen:
                seen.add(key)
                out.append(one)
        return out if len([one for one in out if "variants =" in one]) < 2 else [one for one in out if "variants =" not in one]

    # Properties.

    def properties(self, path):
        out = []
        for kind in self.chance.sample(sorted(MORE_VALUES), self.one((0, 1, 2))):
            out += self.attribute(kind, f"v_{kind.replace('[]', 's')}", MORE_VALUES[kind])
        if self.maybe(0.1):  # another type, another variability or another kind of property than other layers say
            kind = self.one(("float", "double", "int", "token", "string", "float3", "double3", "color3f", "half"))
            out += self.attribute(self.one(("", "uniform ")) + kind, f"v_{self.one(('float', 'double', 'int', 'token', 'double3', 'float3'))}", self.values[kind])
        if self.maybe(0.05):
            out += self.edit("rel v_float", lambda: self.target(path), 1)
        if self.maybe(0.15):
            out += self.spline(self.one(("float", "double", "half")))
        if self.maybe(0.1):
            out.append("rel collection:parts:includes = " + f"[<{path}/B>, </B/A>]" if self.maybe(0.7) else "delete rel collection:parts:excludes = " + self.target(path))
            out.append(f'uniform token collection:parts:expansionRule = "{self.one(("expandPrims", "explicitOnly", "expandPrimsAndProperties"))}"')
        if self.maybe(0.1):
            out.append(f"rel material:binding:collection:{self.one(('near', 'physics:far'))} = [<{path}.collection:parts>, {self.target(path + '/X')}]")
        if self.maybe(0.05):
            out.append(f'rel material:binding{self.one(("", ":physics", ":preview"))} = {self.target(path)} (\nbindMaterialAs = "{self.one(("strongerThanDescendants", "weakerThanDescendants"))}"\n)')
        if self.maybe(0.1):
            out.append(self.one(("", "prepend ", "append ", "delete ")) + "rel friends = " + self.one(("</A.v_float>", "</A/B.friends>", "</Outside/X>")))
        if self.maybe(0.06):
            out.append(self.one(('token visibility.timeSamples = { 0: "invisible", 5: "inherited" }', 'custom uniform token purpose = "guide"', "double radius = None", 'float size = 3', "double3 xformOp:translate:a.connect = </A.v_double3>", 'string Größe = "π"',
                                 'custom string "ns:a:b" = "x"'.replace('"ns:a:b"', "ns:a:b"), "custom rel empty", "float v_float.timeSamples = { }", "bool v_bool.timeSamples = { 1: true, 2: None }")))
        return agreeing(super().properties(path).split("\n") + out)

    def attribute(self, kind, name, values, custom=True):
        """OpenUSD has no times for an expression that varies, and no edits of paths of assets."""
        if not values:
            return [f"custom {kind} {name}"]
        out = [row for row in super().attribute(kind, name, values, custom) if kind != "pathExpression" or ".timeSamples" not in row]
        edited = kind.endswith("[]") and kind != "asset[]" and self.maybe(0.2)
        for i, row in enumerate(out):
            if ".timeSamples" not in row and ".connect" not in row:
                if edited and " = " in row:
                    row = row.split(" = ")[0] + " = " + self.array_edit(values)
                if "(doc" not in row and self.maybe(0.25):
                    row += " (" + "; ".join(self.chance.sample(NOTES, self.one((1, 1, 2)))) + ")"
                if self.maybe(0.03):
                    row = row.split(" = ")[0] + " = AnimationBlock"
                out[i] = row
        return out

    def array_edit(self, values):
        element = next((value for value in values if value != "[]"), "")[1:-1]
        if element.startswith("("):  # the first of several
            depth = [element[:i + 1].count("(") - element[:i + 1].count(")") for i in range(len(element))]
            element = element[:depth.index(0) + 1]
        else:
            element = element.split(", ")[0]
        return "edit [" + "; ".join(self.chance.sample((f"append {element}", f"prepend {element}", f"write {element} to [0]", f"insert {element} at [1]", "erase [0]", "erase [-1]"), self.one((1, 1, 2)))) + "]"

    def spline(self, kind):
        times = sorted(self.chance.sample((-3, 0, 1, 4.5, 10, 24), self.one((1, 2, 3))))
        knots = []
        for t in times:
            value = f"{self.one((0, 1, -2, 8.5))}" + (f" & {self.one((1, 3))}" if self.maybe(0.15) else "")
            knots.append(f"{t}: {value}; " + self.one(("pre (0.5, 1); ", "", "")) + f"post {self.one(CURVES)}")
        head = [self.one(("bezier", "hermite")) if self.maybe(0.8) else ""]
        if "hermite" in head:
            knots = [k.replace("(0.5, 1)", "(1)").replace("(1, -2)", "(-2)") for k in knots]
        head += [f"{side}: {self.one(('held', 'linear', 'none', 'sloped(0.5)', 'loop repeat', 'loop oscillate', 'loop reset'))}" for side in ("pre", "post") if self.maybe(0.4)]
        if self.maybe(0.1) and len(times) > 1:
            head.append(f"loop: ({times[0]}, {times[-1]}, 1, 2, 3)")
        return [f"{kind} v_{kind}.spline = {{\n" + ",\n".join([one for one in head if one] + knots) + "\n}"]

    # Files.

    def write(self, folder):
        root = super().write(folder)
        (folder / "piece.crate.usda").write_text(self.layers["piece.usda"])  # the oracle writes piece.usdc of it
        (folder / "pack.usdz").write_bytes(package(self.packs))
        (folder / "outer.usdz").write_bytes(package({"first.usda": self.layers["under.usda"], "pack.usdz": package(self.packs), "piece.usda": self.layers["piece.usda"]}))
        return root


def agreeing(rows):
    """Those statements that may stand in one spec: each is made once, and of a property all say the same kind, type and variability."""
    kept, said, kinds = [], set(), {}
    for row in rows:
        parts = STATEMENT.match(row)
        if not parts or parts["word"] + parts["name"] + parts["field"] in said:
            continue
        kind = parts["uniform"] + parts["kind"]
        if kinds.setdefault(parts["name"], kind) != kind:
            continue
        said.add(parts["word"] + parts["name"] + parts["field"])
        kept.append(row + "\n")
    return "".join(kept)


def package(entries):
    """Bytes of a package: entries are stored, each at a multiple of 64 bytes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as out:
        for name, content in entries.items():
            entry = zipfile.ZipInfo(name)
            pad = -(made.tell() + 30 + len(name)) % 64
            pad += 64 * (0 < pad < 4)
            if pad:
                entry.extra = b"\x86\x19" + (pad - 4).to_bytes(2, "little") + bytes(pad - 4)
            out.writestr(entry, content)
    return made.getvalue()
