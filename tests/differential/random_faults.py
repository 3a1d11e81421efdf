"""Robots drawn by chance as authors write them who have not read REP-0158: units, layers, instances, packages, scales and the order of operations vary."""
import math
import pathlib
import random

AXES = "XYZ"


def numbers(values, digits=6):
    return "(" + ", ".join(f"{round(v, digits):g}" for v in values) + ")"


def quaternion(draw):
    q = [draw.gauss(0, 1) for _ in range(4)]
    size = math.sqrt(sum(x * x for x in q))
    return [x / size for x in q]


class Writer:
    """Writes the files of one robot; the same seed draws the same files."""

    def __init__(self, seed):
        self.draw = random.Random(f"faults {seed}")
        d = self.draw
        self.metres = d.choice([1, 1, 0.01, 0.001, 0.0254])
        self.kilograms = d.choice([1, 1, 1, 0.001])
        self.up = d.choice("ZZY")
        self.codes = d.choice([1, 24, 60])
        self.entry = d.choice(["robot.usda", "robot.usda", "robot.usda", "asset.usda"])
        self.layout = d.choice(["one", "sublayers", "references", "payload", "parts", "package", "crate"])
        self.count = d.randint(2, 5)
        self.ros = d.random() < 0.8
        self.files = {}
        self.names = []

    # -- pieces

    def chance(self, p):
        return self.draw.random() < p

    def length(self, metres):
        return metres / self.metres

    def header(self, more="", stated=True, default="robot"):
        lines = [f'    defaultPrim = "{default}"'] if default else []
        if stated:
            lines += [f"    metersPerUnit = {self.metres:g}", f'    upAxis = "{self.up}"']
            if self.kilograms != 1 or self.chance(0.5):
                lines.append(f"    kilogramsPerUnit = {self.kilograms:g}")
            if self.chance(0.6):
                lines.append(f"    timeCodesPerSecond = {self.codes}")
        lines += [more] if more else []
        return "#usda 1.0\n(\n" + "\n".join(lines) + "\n)\n"

    def placement(self, indent, scaled=True, spread=0.5):
        """Operations of a placement in one of the forms that exporters write."""
        d = self.draw
        p = [self.length(d.uniform(-spread, spread)) for _ in range(3)]
        form = d.choice(["standard", "standard", "order", "euler", "single", "matrix", "none", "suffix"])
        rows, order = [], []
        if form == "matrix":
            w, x, y, z = quaternion(d)
            m = [[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)], [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
                 [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)]]
            k = d.choice([1, 1, 0.5, 2]) if scaled else 1
            text = ", ".join("(" + ", ".join(f"{k * v:.12g}" for v in row) + ", 0)" for row in m)
            rows, order = [f"matrix4d xformOp:transform = ({text}, {numbers(p + [1])})"], ["xformOp:transform"]
        elif form != "none":
            at = "xformOp:translate" + (":pivot" if form == "suffix" else "")
            rows.append(f"double3 {at} = {numbers(p)}")
            if form in ("standard", "order"):
                turn = "xformOp:orient"
                rows.append(f"quatf {turn} = {numbers(quaternion(d))}")
            elif form == "single":
                turn = "xformOp:rotate" + d.choice(AXES)
                rows.append(f"float {turn} = {d.randint(-90, 90)}")
            else:
                turn = "xformOp:rotate" + d.choice(["XYZ", "ZYX", "XZY"])
                rows.append(f"float3 {turn} = {numbers([d.randint(-90, 90) for _ in range(3)])}")
            order = [turn, at] if form == "order" else [at, turn]
            if scaled and self.chance(0.4):
                k = d.choice([0.5, 2, 0.001, 10])
                factors = [k] * 3 if self.chance(0.6) else [k * f for f in (1, 2, 1)]
                rows.append(f"float3 xformOp:scale = {numbers(factors)}")
                order.insert(len(order) if self.chance(0.85) else 1, "xformOp:scale")
        if order:
            rows.append("uniform token[] xformOpOrder = [" + ", ".join(f'"{o}"' for o in order) + "]")
        return "".join(f"{indent}{row}\n" for row in rows)

    def geometry(self, indent, name, collides, guide):
        d = self.draw
        size = self.length(d.uniform(0.05, 0.2))
        kind = d.choice(["Cube", "Sphere", "Cylinder", "Mesh", "Mesh"])
        apis = (["PhysicsCollisionAPI"] + (["PhysicsMeshCollisionAPI"] if kind == "Mesh" and self.chance(0.5) else [])) if collides else []
        binds = self.material and (collides or self.chance(0.5))
        if binds:
            apis.append("MaterialBindingAPI")
        meta = " (\n" + indent + "    prepend apiSchemas = [" + ", ".join(f'"{a}"' for a in apis) + f"]\n{indent})" if apis else ""
        rows = []
        if kind == "Cube":
            rows.append(f"double size = {size:g}")
        elif kind == "Sphere":
            rows.append(f"double radius = {size:g}")
        elif kind == "Cylinder":
            rows += [f"double radius = {size:g}", f"double height = {2 * size:g}", f'uniform token axis = "{d.choice(AXES)}"']
        else:
            a, b, c = (size * d.uniform(0.5, 1) for _ in range(3))
            quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]]
            if self.chance(0.5):
                quads = [t for q in quads for t in (q[:3], [q[0], q[2], q[3]])]
            points = [((i & 1) * a, (i >> 1 & 1) * b, (i >> 2) * c) for i in range(8)]
            # Cube faces above are wound for corners numbered x + 2 y + 4 z, outwards.
            left = self.chance(0.2)
            if left:
                quads = [q[::-1] for q in quads]
                rows.append('uniform token orientation = "leftHanded"')
            rows += [f"int[] faceVertexCounts = {[len(q) for q in quads]}", f"int[] faceVertexIndices = {[i for q in quads for i in q]}",
                     "point3f[] points = [" + ", ".join(numbers(p) for p in points) + "]"]
            if self.chance(0.6):
                rows.append('uniform token subdivisionScheme = "none"')
            if "PhysicsMeshCollisionAPI" in apis and self.chance(0.6):
                rows.append(f'uniform token physics:approximation = "{d.choice(["convexHull", "none", "convexHull"])}"')
        if guide:
            rows.append('uniform token purpose = "guide"')
        if binds:
            purpose = ":physics" if collides and self.chance(0.8) else ""
            rows.append(f"rel material:binding{purpose} = <{self.material}>")
        inside = "".join(f"{indent}    {row}\n" for row in rows)
        if self.chance(0.3):
            inside += self.placement(indent + "    ", spread=0.1)
        return f'{indent}def {kind} "{name}"{meta}\n{indent}{{\n{inside}{indent}}}\n'

    def camera(self, indent, name):
        d = self.draw
        turn = d.choice(["(0, 1, 0, 0)", "(1, 0, 0, 0)", "(0.5, 0.5, -0.5, 0.5)"])
        frame = f'{indent}    def Xform "{name}_optical_frame" (\n{indent}        prepend apiSchemas = ["RosFrameAPI"]\n{indent}    )\n{indent}    {{\n{indent}        quatf xformOp:orient = {turn}\n{indent}        uniform token[] xformOpOrder = ["xformOp:orient"]\n{indent}    }}\n'
        if self.chance(0.4):  # the topic on the camera itself
            topic = f'\n{indent}    double ros:topic:publish_rate = 30\n{indent}    token ros:topic:role = "publisher"\n{indent}    string ros:topic:name = "{name}/image"\n{indent}    string ros:topic:type = "{d.choice(["sensor_msgs/msg/Image", "sensor_msgs/Image"])}"\n'
            return f'{indent}def Camera "{name}" (\n{indent}    prepend apiSchemas = ["RosTopicAPI"]\n{indent})\n{indent}{{{topic}{frame if self.chance(0.5) else ""}{indent}}}\n'
        return f'{indent}def Camera "{name}"\n{indent}{{\n{frame}{indent}}}\n'

    def topic(self, indent, name):
        d = self.draw
        kind = d.choice(["sensor_msgs/msg/LaserScan", "sensor_msgs/LaserScan", "std_msgs/Bool", "sensor_msgs::msg::Imu"])
        rate = d.choice(["double ros:topic:publish_rate = 10", "int ros:topic:publish_rate = 10", "float ros:topic:publish_rate = 12.5"])
        role = d.choice(["publisher", "publisher", "subscription"])
        rows = [rate] if role == "publisher" else []
        rows += [f'token ros:topic:role = "{role}"', f'string ros:topic:name = "{d.choice(["", "/", ""])}{name}"', f'string ros:topic:type = "{kind}"']
        if self.chance(0.2):
            rows.append("bool ros:topic:qos:match_publisher = 1")
        return f'{indent}def Xform "{name}" (\n{indent}    prepend apiSchemas = ["RosTopicAPI"]\n{indent})\n{indent}{{\n' + "".join(f"{indent}    {r}\n" for r in rows) + f"{indent}}}\n"

    def link(self, i, indent="    "):
        d, inner = self.draw, indent + "    "
        name = self.names[i]
        body = ['"PhysicsRigidBodyAPI"'] + (['"PhysicsMassAPI"'] if self.chance(0.8) else [])
        meta = ([f"{inner}kind = \"subcomponent\"\n"] if self.chance(0.4) else []) + [f"{inner}prepend apiSchemas = [{', '.join(body)}]\n"]
        rows = ""
        if len(body) == 2:
            rows += f"{inner}float physics:mass = {d.uniform(0.2, 3) / self.kilograms:g}\n"
            if self.chance(0.3):
                unit = self.kilograms * self.metres ** 2
                rows += f"{inner}float3 physics:diagonalInertia = {numbers([v / unit for v in (0.02, 0.03, 0.04)], 9)}\n{inner}quatf physics:principalAxes = (1, 0, 0, 0)\n"
            elif self.chance(0.3):
                rows += f"{inner}custom float newton:armature = 0.1\n" if self.chance(0.5) else f"{inner}custom double[] newton:inertia = [0.2, 0.3, 0.4, 0, 0, 0]\n"
        rows += self.placement(inner)
        if i == 0 and self.chance(0.2):
            rows += f"{inner}bool physics:kinematicEnabled = 1\n"
        if self.chance(0.2):
            rows += f"{inner}custom float physxRigidBody:linearDamping = 0.25\n"
        inside = self.geometry(inner, "visual", False, False)
        if self.chance(0.85):
            inside += self.geometry(inner, "collision", True, self.chance(0.3))
        if self.ros and self.chance(0.4):
            inside += self.camera(inner, f"camera_{i}")
        if self.ros and self.chance(0.4):
            inside += self.topic(inner, f"scan_{i}")
        if self.chance(0.25):
            inside += f'{inner}def Xform "tool_frame"\n{inner}{{\n{self.placement(inner + "    ", scaled=False)}{inner}}}\n'
        return f'{indent}def Xform "{name}" (\n' + "".join(meta) + f"{indent})\n{indent}{{\n{rows}{inside}{indent}}}\n"

    def joint(self, i, indent="    "):
        d = self.draw
        kind = d.choice(["Revolute", "Revolute", "Prismatic", "Fixed"])
        rows = [f"rel physics:body0 = </robot/{self.names[i - 1]}>", f"rel physics:body1 = </robot/{self.names[i]}>"]
        if kind != "Fixed":
            rows.append(f'uniform token physics:axis = "{d.choice(AXES)}"')
            bound = 45 if kind == "Revolute" else self.length(0.2)
            sides = d.choice([("lower", "upper")] * 3 + [("upper",), ()])
            rows += [f"float physics:{side}Limit = {-bound if side == 'lower' else bound:g}" for side in sides]
        return f'{indent}def Physics{kind}Joint "joint_{i}"\n{indent}{{\n' + "".join(f"{indent}    {r}\n" for r in rows) + f"{indent}}}\n"

    def anchor(self, indent="    "):
        rows = [f"rel physics:body1 = </robot/{self.names[0]}>"]
        if self.chance(0.4):
            rows.insert(0, "rel physics:body0 = </robot>")
        elif self.chance(0.3):
            rows = [f"rel physics:body0 = </robot/{self.names[0]}>"]
        return f'{indent}def PhysicsFixedJoint "anchor" (\n{indent}    prepend apiSchemas = ["PhysicsArticulationRootAPI"]\n{indent})\n{indent}{{\n' + "".join(f"{indent}    {r}\n" for r in rows) + f"{indent}}}\n"

    def contact_material(self, indent="    "):
        api = self.chance(0.7)
        meta = f' (\n{indent}        prepend apiSchemas = ["PhysicsMaterialAPI"]\n{indent}    )' if api else ""
        return (f'{indent}def Scope "materials"\n{indent}{{\n{indent}    def Material "rubber"{meta}\n{indent}    {{\n'
                + "".join(f"{indent}        float physics:{n} = {v}\n" for n, v in (("dynamicFriction", 0.5), ("restitution", 0), ("staticFriction", 0.6)))
                + f"{indent}    }}\n{indent}}}\n")

    def prop(self, name, instanceable, indent="    "):
        """A part that the asset brings in twice."""
        flag = f"{indent}    instanceable = true\n" if instanceable else ""
        anchored = self.draw.choice(["./", ""])
        arc = f"{indent}    prepend references = @{anchored}deps/bolt.usda@</bolt>\n" if self.chance(0.85) else ""
        if not arc and not flag:
            arc = f"{indent}    prepend references = @{anchored}deps/bolt.usda@</bolt>\n"
        return f'{indent}def Xform "{name}" (\n{flag}{arc}{indent})\n{indent}{{\n{self.placement(indent + "    ", spread=0.1)}{indent}}}\n'

    # -- the whole

    def write(self, folder):
        """Writes the files; returns the entry or, of a package or a crate, what `cat` is to be given first."""
        folder = pathlib.Path(folder)
        d = self.draw
        self.material = "/robot/materials/rubber" if self.chance(0.7) else ""
        self.names = [f"link_{i}" if i else d.choice(["base", "base_link"]) for i in range(self.count)]
        links = "".join(self.link(i) for i in range(self.count))
        joints = "".join(self.joint(i) for i in range(1, self.count)) + (self.anchor() if self.chance(0.5) else "")
        scene = '    def PhysicsScene "scene"\n    {\n    }\n' if self.chance(0.5) else ""
        material = self.contact_material() if self.material else ""
        bolts = "".join(self.prop(f"bolt_{i}", self.chance(0.5)) for i in range(2)) if self.chance(0.6) else ""
        if "deps/bolt.usda" in bolts:
            self.files["deps/bolt.usda"] = self.header(default="bolt", stated=self.chance(0.8)) + '\ndef Xform "bolt"\n{\n' + self.geometry("    ", "head", False, False).replace("</robot/materials/rubber>", "</bolt/none>") + "}\n"
        apis = ["RosContextAPI"] if self.ros and self.chance(0.85) else []
        space = f'    string ros:context:namespace = "{d.choice(["robot", "robot", "my-robot", "/robot/"])}"\n' if apis else ""
        if apis and self.chance(0.3):
            space = "    int ros:context:domain_id = 3\n" + space
        kind = d.choice(['    kind = "component"\n', '    kind = "component"\n', ""])
        info = d.choice(['    assetInfo = {\n        string identifier = "urn:example:robot"\n        string version = "1.0.0"\n    }\n', '    assetInfo = {\n        string identifier = "urn:example:robot"\n    }\n', ""])
        root_meta = lambda arcs="": " (\n" + info + kind + (f"    prepend apiSchemas = [{', '.join(chr(34) + a + chr(34) for a in apis)}]\n" if apis else "") + arcs + ")" if info or kind or apis or arcs else ""
        turned = self.placement("    ", scaled=False, spread=0) if self.chance(0.25) else ""
        default = "robot" if self.chance(0.85) else None
        whole = turned + space + material + links + joints + scene + bolts
        top = f'\n# drawn by chance\ndef Xform "robot"'
        files = self.files
        if self.layout in ("one", "package", "crate"):
            files[self.entry] = self.header(default=default) + top + root_meta() + "\n{\n" + whole + "}\n"
        elif self.layout == "sublayers":
            files["physics.usda"] = self.header(stated=self.chance(0.8)) + '\nover "robot"\n{\n' + joints + scene + "}\n"
            files["body.usda"] = self.header() + top + root_meta() + "\n{\n" + turned + space + material + links + bolts + "}\n"
            files[self.entry] = self.header(d.choice(["    subLayers = [@./physics.usda@, @./body.usda@]", "    subLayers = [@physics.usda@, @body.usda@]"]), default=default)
        elif self.layout in ("references", "payload"):
            arc = "payload" if self.layout == "payload" else "references"
            files["parts/body.usda"] = self.header() + '\ndef Xform "robot"\n{\n' + material + links + (joints if self.chance(0.5) else "") + bolts.replace("deps/", "../deps/").replace("@./../", "@../") + "}\n"
            rest = "" if joints in files["parts/body.usda"] else joints
            files[self.entry] = self.header(default=default) + top + root_meta(f"    prepend {arc} = @./parts/body.usda@\n") + "\n{\n" + turned + space + rest + scene + "}\n"
        else:  # each link a file
            over = ""
            for i, name in enumerate(self.names):
                text = self.link(i, "").replace("</robot/materials/rubber>", "</rubber>")
                local = '\ndef Material "rubber" (\n    prepend apiSchemas = ["PhysicsMaterialAPI"]\n)\n{\n    float physics:dynamicFriction = 0.5\n    float physics:restitution = 0\n    float physics:staticFriction = 0.6\n}\n' if "</rubber>" in text else ""
                text = text.replace("</rubber>", f"</{name}/rubber>")
                if local:
                    at = text.rindex("}")
                    text = text[:at] + "".join("    " + line + "\n" for line in local.strip().splitlines()) + text[at:]
                files[f"links/{name}.usda"] = self.header(default=name) + "\n" + text
                over += f'    def Xform "{name}" (\n        prepend references = @./links/{name}.usda@\n    )\n    {{\n    }}\n'
            files[self.entry] = self.header(default=default) + top + root_meta() + "\n{\n" + turned + space + over + joints + scene + bolts + "}\n"
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return folder / self.entry
