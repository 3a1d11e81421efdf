"""Stages drawn by chance whose values depend on where they are authored: expressions in asset paths, variables that layer stacks hand on, time
codes wherever a value may hold one, value clips, layers in packages, orders of root prims. Each is a folder that begins at root.usda."""
import random
import zipfile

NAMES = ("A", "B", "C")
ASSETS = ("@./paint.png@", "@paint.png@", "@sub/paint.png@", "@../paint.png@", "@@", '@`"${DIR}/paint.png"`@', '@`"${DIR}/${FILE}"`@', '@`"${NOWHERE}/paint.png"`@', '@`if(defined("DIR"), "yes.png", "no.png")`@', '@`if(defined("DIR", "NOWHERE"), "yes.png", "${NOWHERE}.png")`@', '@`"\\${DIR}/${NOWHERE}"`@', "@`'${DIR}${NOWHERE}'`@", '@`${VAGUE}`@', '@`if(defined(DIR), "bad.png", "worse.png")`@',
          "@`${FILE}`@", "@`${NUMBER}`@", '@`if(eq(${FILE}, "paint.png"), "./paint.png")`@', '@`"${DIR`@', "@`[1, 2]`@", "@`${NESTED}`@", "@tile.<UDIM>.png@")
TIMES = ("0", "1", "2.5", "6", "10", "-3", "24")
ODD_TIMES = ("inf", "-inf", "1e308", "-1e308", "1e300", "1e400", "3e-320")
SCALARS = {"double": ("0.25", "-3"), "float": ("1.5", "2"), "int": ("7", "-1"), "token": ('"a"', '"b"'), "string": ('"text"', '"`${FILE}`"'), "half": ("0.5", "4"), "bool": ("true", "false"),
           "double3": ("(1, 2, 3)", "(0, -1, 0.5)"), "quatf": ("(1, 0, 0, 0)", "(0.5, 0.5, -0.5, 0.5)"), "float[]": ("[1, 2]", "[3, 4]", "[5]"), "matrix2d": ("((1, 0), (0, 1))",)}


class ValueWriter:
    """One stage; `layers` gives the texts by file name, `packed` the names of those that lie in pack.usdz."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.layers = {}
        self.clips = [f"clip.{i}.usda" for i in (1, 2, 3)]
        for name in ("root.usda", "one.usda", "two.usda", "sub/part.usda", "sub/leaf.usda"):
            self.layers[name] = self.layer(name)
        for name in self.clips:
            self.layers[name] = self.clip()
        self.layers["manifest.usda"] = self.manifest()
        self.packed = {"first.usda": self.layer("first.usda"), "sub/part.usda": self.layer("sub/part.usda"), "sub/leaf.usda": self.layer("sub/leaf.usda"), "other.usda": self.layer("other.usda")}
        if self.maybe(0.3):
            del self.packed["sub/leaf.usda"]  # then a search path may find it elsewhere
            self.packed["leaf.usda"] = self.layer("leaf.usda")

    def maybe(self, share):
        return self.chance.random() < share

    def one(self, of):
        return self.chance.choice(of)

    def some(self, of, most):
        return self.chance.sample(of, self.chance.randrange(min(most, len(of)) + 1))

    def offset(self, share=0.4):
        return f" (offset = {self.one((5, -2.5, 0))}; scale = {self.one((2, 0.5, 1, 1))})" if self.maybe(share) else ""

    def layer(self, name):
        self.name = name
        lines = ['    defaultPrim = "A"']
        if name == "root.usda":
            subs = ["@one.usda@", "@./two.usda@", '@`"${WHICH}.usda"`@', '@`if(defined("FILE"), "one.usda", "two.usda")`@']
            # One at most: of a layer that is there twice OpenUSD takes one offset for both.
            lines.append("    subLayers = [" + ", ".join(s + self.offset(0.3) for s in self.some(subs, 1)) + "]")
            lines += ["    startTimeCode = 0", "    endTimeCode = 10"]
        if self.maybe(0.7):
            variables = {"string DIR": '"sub"', "string FILE": '"paint.png"', "string WHICH": self.one(('"two"', '"one"', "\"`${OTHER}`\"")), "int NUMBER": "3", "string NESTED": "'`\"${DIR}/x.png\"`'", "string OTHER": '"two"', "string VAGUE": "'`\"${NOWHERE}/${FILE}\"`'",
                         "string CHOICE": self.one(('"red"', '"blue"'))}
            lines.append("    expressionVariables = {\n" + "".join(f"{k} = {v}\n" for k, v in variables.items() if self.maybe(0.8)) + "}")
        if self.maybe(0.3):
            lines.append(f"    timeCodesPerSecond = {self.one((24, 48, 12))}")
        if self.maybe(0.3):
            lines.append("    customLayerData = {\n" + self.entries() + "}")
        order = list(NAMES)
        self.chance.shuffle(order)
        reorder = "reorder rootPrims = [" + ", ".join(f'"{n}"' for n in order[:self.one((2, 3))]) + "]\n" if self.maybe(0.4) else ""
        prims = "".join(self.prim(n, 0) for n in ["A"] + self.some(NAMES[1:], 2))
        return "#usda 1.0\n(\n" + "\n".join(lines) + "\n)\n" + reorder + prims

    def entries(self, depth=0):
        """Entries of a dictionary of metadata."""
        made = {"asset picture": self.one(ASSETS), "asset[] pictures": f"[{self.one(ASSETS)}, {self.one(ASSETS)}]", "timecode when": self.one(TIMES), "timecode[] whens": f"[{self.one(TIMES)}, 4]",
                "double much": "2.5", "string said": '"`${DIR}`"'}
        out = "".join(f"{key} = {value}\n" for key, value in made.items() if self.maybe(0.5))
        if depth < 2 and self.maybe(0.5):
            out += "dictionary deep = {\n" + self.entries(depth + 1) + "}\n"
        return out

    def arc(self):
        here = {"root.usda": ("sub/part.usda", "./sub/leaf.usda", "pack.usdz", "pack.usdz[other.usda]", '`"${DIR}/part.usda"`', '`"${NOWHERE}/part.usda"`'), "one.usda": ("sub/leaf.usda", "./sub/part.usda", '`"${DIR}/part.usda"`'),
                "two.usda": ("sub/part.usda", "pack.usdz[sub/part.usda]"), "sub/part.usda": ("./leaf.usda", "leaf.usda", "sub/leaf.usda", '`"${WHERE}/leaf.usda"`', '`"leaf.usda"`'), "first.usda": ("sub/part.usda", "./other.usda", "other.usda"),
                "other.usda": ("sub/leaf.usda", "./sub/leaf.usda"), "sub/leaf.usda": ("leaf.usda", "../paint.usda"), "leaf.usda": ("sub/nothing.usda",)}[self.name]
        return f"@{self.one(here)}@{self.one(('', '</B>'))}{self.offset(0.4)}"

    def prim(self, name, depth):
        meta, inner = [], self.attributes()
        if self.maybe(0.3):
            meta.append("customData = {\n" + self.entries() + "}")
        if self.maybe(0.2):
            meta.append("assetInfo = {\nasset identifier = " + self.one(ASSETS) + "\nasset[] payloadAssetDependencies = [" + self.one(ASSETS) + "]\n}")
        if self.maybe(0.45):
            meta.append(f"{self.one(('prepend references', 'references', 'prepend payload'))} = {self.arc()}")
        if self.maybe(0.35) and self.name in ("root.usda", "one.usda", "sub/part.usda"):
            meta.append(self.clip_sets())
        if self.maybe(0.3):
            meta.append('prepend variantSets = "look"')
            if self.maybe(0.7):
                meta.append("variants = {\nstring look = " + self.one(('"red"', '"blue"', "\"`${CHOICE}`\"", "\"`if(defined('CHOICE'), 'blue', 'red')`\"", "\"`${NOWHERE}`\"")) + "\n}")
            inner += 'variantSet "look" = {\n' + "".join(f'"{v}" {{\n{self.attributes()}}}\n' for v in ("red", "blue")) + "}\n"
        if depth < 1:
            inner += "".join(self.prim(child, depth + 1) for child in self.some(NAMES, 2))
        return f'{self.one(("def", "def", "over")) if name != "A" else "def"} {self.one(("Xform", "Scope", ""))} "{name}" (\n' + "\n".join(meta) + "\n) {\n" + inner + "}\n"

    def attributes(self):
        out = ""
        for kind in self.some(sorted(SCALARS), 2):
            out += self.attribute(kind, "v_" + kind.replace("[]", "s"), SCALARS[kind])
        for kind, name, values in (("asset", "picture", ASSETS), ("asset[]", "pictures", [f"[{a}, {self.one(ASSETS)}]" for a in ASSETS]), ("timecode", "when", TIMES), ("timecode[]", "whens", ("[1, 2.5]", "[4, 8]", "[6]"))):
            if self.maybe(0.35):
                out += self.attribute(kind, name, values)
        return out

    def attribute(self, kind, name, values):
        out = ""
        if self.maybe(0.6):
            note = " (\ncustomData = {\n" + self.entries() + "}\n)" if self.maybe(0.2) else ""
            out += f"{kind} {name} = {self.one(values) if self.maybe(0.92) else 'None'}{note}\n"
        if self.maybe(0.4):
            out += f"{kind} {name}.timeSamples = {{ " + ", ".join(f"{t}: {self.one(values) if self.maybe(0.9) else 'None'}" for t in self.times()) + " }\n"
        return out or f"{kind} {name}\n"

    def times(self):
        picked = self.chance.sample(TIMES, self.one((1, 2, 3)))
        if self.maybe(0.15):
            picked.append(self.one(ODD_TIMES))
        return picked

    def clip_sets(self):
        return "clips = {\n" + "".join(f"dictionary {name} = {{\n{self.clip_set()}}}\n" for name in (("default",) if self.maybe(0.8) else ("first", "second"))) + "}"

    def clip_set(self):
        up = "../" if self.name.startswith("sub/") else "./"
        out = f'string primPath = "{self.one(("/A", "/A", "/B", "/A/B", "/Nothing"))}"\n'
        if self.maybe(0.3):
            out += f'string templateAssetPath = "{up}clip.#.usda"\ndouble templateStartTime = 1\ndouble templateEndTime = {self.one((2, 3, 5))}\ndouble templateStride = {self.one((1, 0.5, 2))}\n'
            if self.maybe(0.3):
                out += f"double templateActiveOffset = {self.one((0.5, -0.5, 1))}\n"
        else:
            files = self.chance.sample(self.clips, self.one((1, 2, 3)))
            if self.maybe(0.1):
                files.append("nothing.usda")
            out += "asset[] assetPaths = [" + ", ".join(f"@{up}{f}@" for f in files) + "]\n"
            begins = sorted(self.chance.sample((0, 1, 3, 5.5, 8), len(files)))
            out += "double2[] active = [" + ", ".join(f"({t}, {i})" for i, t in enumerate(begins)) + "]\n"
            if self.maybe(0.6):
                out += "double2[] times = [" + ", ".join(self.one(("(0, 0), (10, 10)", "(0, 0), (4, 8), (4, 0), (10, 6)", "(0, 10), (10, 0)", "(2, 1), (6, 1), (8, 4)", "(0, 0), (20, 10)")).split(";")) + "]\n"
        if self.maybe(0.5):
            out += f"asset manifestAssetPath = @{up}{self.one(('manifest.usda', 'manifest.usda', 'nothing.usda'))}@\n"
        if self.maybe(0.3):
            out += f"bool interpolateMissingClipValues = {self.one(('true', 'false'))}\n"
        return out

    def clip(self):
        self.name = "clip"
        body = lambda: "".join(self.sampled(kind, name, values) for kind, name, values in self.animated() if self.maybe(0.6))
        return '#usda 1.0\ndef "A" {\n' + body() + 'def "B" {\n' + body() + '}\n}\ndef "B" {\n' + body() + "}\n"

    def animated(self):
        yield from ((kind, "v_" + kind.replace("[]", "s"), values) for kind, values in sorted(SCALARS.items()))
        yield from (("timecode", "when", TIMES), ("timecode[]", "whens", ("[1, 2.5]", "[4, 8]")), ("asset", "picture", ASSETS))

    def sampled(self, kind, name, values):
        return self.attribute(kind, name, values) if self.maybe(0.2) else f"{kind} {name}.timeSamples = {{ " + ", ".join(f"{t}: {self.one(values)}" for t in self.times()) + " }\n"

    def manifest(self):
        body = lambda: "".join(f"{'uniform ' if self.maybe(0.1) else ''}{kind} {name}{' = ' + self.one(values) if self.maybe(0.3) else ''}\n" for kind, name, values in self.animated() if self.maybe(0.7))
        return '#usda 1.0\nover "A" {\n' + body() + 'over "B" {\n' + body() + '}\n}\nover "B" {\n' + body() + "}\n"

    def write(self, folder):
        (folder / "sub").mkdir()
        for name, text in self.layers.items():
            (folder / name).write_text(text)
        for name in ("paint.png", "sub/paint.png"):
            (folder / name).write_bytes(b"")
        with zipfile.ZipFile(folder / "pack.usdz", "w", zipfile.ZIP_STORED) as package:
            for name, text in {**self.packed, "paint.png": "", "sub/paint.png": ""}.items():
                entry = zipfile.ZipInfo(name)
                # What is in a package begins at multiples of 64 bytes.
                here = package.fp.tell() + 30 + len(name)
                pad = -here % 64
                if 0 < pad < 4:
                    pad += 64
                if pad:
                    entry.extra = b"\x86\x19" + (pad - 4).to_bytes(2, "little") + bytes(pad - 4)
                package.writestr(entry, text)
        return folder / "root.usda"
