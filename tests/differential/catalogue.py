"""Stages written from the catalogue of rules: kernels, each with a fault or without, in wrappings that change nothing about it.

A kernel is what stands in the default prim; `%R` is that prim's path, whatever the wrapping makes of it. A wrapping puts the same content into a sublayer, a reference, a payload, a variant,
an instance, a class, a deeper prim, another unit or axis. What a wrapping is guilty of itself is found by a stage without a fault.
"""

#: What a conforming layer says.
META = {"defaultPrim": '"robot"', "kilogramsPerUnit": "1", "metersPerUnit": "1", "timeCodesPerSecond": "1", "upAxis": '"Z"'}
BIND = "rel material:binding:physics = <%R/Contact/rubber>\n"
LIMITS = "float physics:lowerLimit = -90\nfloat physics:upperLimit = 90\n"
ROOT = ("PhysicsArticulationRootAPI",)
CUBE = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
QUADS = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
TRIANGLES = [t for q in QUADS for t in ((q[0], q[1], q[2]), (q[0], q[2], q[3]))]
LAYOUTS = ("single", "sublayer", "reference", "payload", "variant", "nested", "part", "instance", "inherits")
FORMS = ("plain", "package", "crate", "cm", "yup")


def head(**changed):
    rows = {**META, **changed}
    return "#usda 1.0\n(\n" + "".join(f"    {key} = {value}\n" for key, value in rows.items() if value is not None) + ")\n\n"


def apis(*names):
    return "prepend apiSchemas = [" + ", ".join(f'"{n}"' for n in names) + "]\n" if names else ""


def prim(kind, name, lines="", inside="", meta="", api=()):
    said = (apis(*api) + meta).strip()
    return f'def {kind} "{name}"' + (f" (\n{said}\n)" if said else "") + f"\n{{\n{lines}{inside}}}\n"


def xform(name, inside="", lines="", meta="", api=()):
    return prim("Xform", name, lines, inside, meta, api)


def order(*names):
    return "uniform token[] xformOpOrder = [" + ", ".join(f'"xformOp:{n}"' for n in names) + "]\n"


def placed(t="(0, 0, 0)", q="(1, 0, 0, 0)"):
    return f"double3 xformOp:translate = {t}\nquatf xformOp:orient = {q}\n" + order("translate", "orient")


def collider(name="shape", kind="Cube", lines="double size = 0.1\n", bind=BIND, purpose='token purpose = "guide"\n', api=(), inside=""):
    return prim(kind, name, purpose + bind + lines, inside, "", ("PhysicsCollisionAPI", "MaterialBindingAPI", *api))


def body(name, inside="", lines="", where=None, mass="float physics:mass = 1\n", shapes=None, api=(), meta='kind = "subcomponent"\n'):
    return prim("Xform", name, (placed() if where is None else where) + mass + lines, (collider() if shapes is None else shapes) + inside, meta,
                ("PhysicsRigidBodyAPI", "PhysicsMassAPI", *api))


def joint(name, first, second, kind="Revolute", limits=LIMITS, lines="", api=()):
    rows = "".join(f"rel physics:{which} = <%R/{target}>\n" for which, target in (("body0", first), ("body1", second)) if target)
    axis = 'uniform token physics:axis = "Z"\n' + limits if kind in ("Revolute", "Prismatic") else ""
    return prim(f"Physics{kind}Joint", name, rows + axis + lines, "", "", api)


def arm(links=2, last="", **of_joints):
    return "".join(body(f"l{i}", last if i == links - 1 else "", api=ROOT if i == 0 else ()) + (joint(f"j{i}", f"l{i - 1}", f"l{i}", **of_joints) if i else "") for i in range(links))


def topic(more="", api=("RosTopicAPI",), role='token ros:topic:role = "publisher"', name="scan", type="sensor_msgs/msg/LaserScan", rate="double ros:topic:publish_rate = 10"):
    rows = [role, f'string ros:topic:name = "{name}"', f'string ros:topic:type = "{type}"', rate]
    return xform("scan", "", "".join(f"{row}\n" for row in rows if row) + more, "", api)


def mesh(faces=TRIANGLES, points=CUBE, more="", size=0.1):
    at = ", ".join("(" + ", ".join(f"{c * size:g}" for c in p) + ")" for p in points)
    return (f"int[] faceVertexCounts = [{', '.join(str(len(f)) for f in faces)}]\nint[] faceVertexIndices = [{', '.join(str(i) for f in faces for i in f)}]\n"
            f'point3f[] points = [{at}]\nuniform token subdivisionScheme = "none"\n{more}')


def hull(faces=TRIANGLES, points=CUBE, approximation='uniform token physics:approximation = "convexHull"\n', more="", api=("PhysicsMeshCollisionAPI",)):
    return collider("hull", "Mesh", mesh(faces, points, approximation + more), api=api)


def variants(name, choices, selected=None, kind="tool", lines=""):
    select = f'variants = {{\nstring {kind} = "{selected}"\n}}\n' if selected is not None else ""
    return f'def Xform "{name}" (\nprepend variantSets = "{kind}"\n{select})\n{{\n{lines}variantSet "{kind}" = {{\n' + "".join(f'"{key}" {{\n{text}}}\n' for key, text in choices.items()) + "}\n}\n"


class Stage:
    """What stands in the default prim, and what the root says otherwise than it should."""

    def __init__(self, inside, kind="component", info='string identifier = "urn:acme:thing"\nstring version = "2.1.0"', lines="", files=None, context=True, **layer):
        self.inside, self.kind, self.info, self.lines, self.files, self.context, self.layer = inside, kind, info, lines, files or {}, context, layer


CONTACT = (prim("Scope", "Contact", "", prim("Material", "rubber", "float physics:dynamicFriction = 0.5\nfloat physics:restitution = 0\nfloat physics:staticFriction = 0.6\n", "", "", ("PhysicsMaterialAPI",)))
           + prim("PhysicsCollisionGroup", "parts", "rel collection:colliders:includes = <%R>\n"))


def written(stage, layout, form):
    """{file: text} of a stage in a wrapping; the entry is robot.usda."""
    content = CONTACT + stage.inside
    meta = (apis("RosContextAPI") if stage.context else "") + (f"assetInfo = {{\n{stage.info}\n}}\n" if stage.info else "") + (f'kind = "{stage.kind}"\n' if stage.kind else "")
    said = ('string ros:context:namespace = "robot"\n' if stage.context else "") + stage.lines
    units = {"cm": {"metersPerUnit": "0.01"}, "yup": {"upAxis": '"Y"'}}.get(form, {})

    def layer(**more):
        return head(**{**more, **units, **(stage.layer if more.get("defaultPrim", '"robot"') == '"robot"' else {})})

    def root(inside="", arcs="", how="def Xform"):
        return f'{how} "robot" (\n{meta}{arcs})\n{{\n{said}{inside}}}\n'

    def at(path):
        return content.replace("%R", path)

    folder, files = "", {}
    if layout == "sublayer":
        folder, files["parts/content.usda"] = "parts/", layer() + 'def Xform "robot"\n{\n' + at("/robot") + "}\n"
        files["robot.usda"] = layer().replace(")\n\n", "    subLayers = [@./parts/content.usda@]\n)\n\n", 1) + root(how="over")
    elif layout in ("reference", "payload"):
        folder, files["parts/content.usda"] = "parts/", layer(defaultPrim='"content"') + 'def Xform "content"\n{\n' + at("/content") + "}\n"
        files["robot.usda"] = layer() + root("", f"prepend {'references' if layout == 'reference' else 'payload'} = @./parts/content.usda@\n")
    elif layout in ("part", "instance"):
        folder, files["unit/unit.usda"] = "unit/", layer(defaultPrim='"unit"') + 'def Xform "unit"\n{\n' + at("/unit") + "}\n"
        flag = "instanceable = true\n" if layout == "instance" else ""
        files["robot.usda"] = layer() + root(f'def "unit" (\n{flag}prepend references = @./unit/unit.usda@\n)\n{{\n}}\n')
    elif layout == "variant":
        files["robot.usda"] = layer() + root('variantSet "make" = {\n"one" {\n' + at("/robot") + '}\n"two" {\n}\n}\n', 'prepend variantSets = "make"\nvariants = {\nstring make = "one"\n}\n')
    elif layout == "inherits":
        files["robot.usda"] = layer() + 'class Xform "_make"\n{\n' + at("/_make") + "}\n" + root("", "prepend inherits = </_make>\n")
    elif layout == "nested":
        files["robot.usda"] = layer() + root('def Xform "deck"\n{\ndef Xform "bay"\n{\n' + at("/robot/deck/bay") + "}\n}\n")
    else:
        files["robot.usda"] = layer() + root(at("/robot"))
    files.update({folder + name: text for name, text in stage.files.items()})
    return files
