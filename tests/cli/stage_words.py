"""Words that tests of rules make stages of: prims, links, layers and assets of several files, each clean but for what a test adds."""
import pathlib

from tests.cli.program import mechane

HEAD = '#usda 1.0\n(\n    defaultPrim = "robot"\n    kilogramsPerUnit = 1\n    metersPerUnit = 1\n%s    timeCodesPerSecond = 1\n    upAxis = "Z"\n)\n'
LAYER = HEAD % ""
IDENTITY = '    assetInfo = {\n        string identifier = "urn:example:robot"\n        string version = "1.0.0"\n    }\n    kind = "component"\n'
CONTEXT = '    prepend apiSchemas = ["RosContextAPI"]\n'
NAMESPACE = '    string ros:context:namespace = "robot"\n'
SUBCOMPONENT = 'kind = "subcomponent"'


def ops(*pairs):
    """Operations and their order, each as (name, type, value)."""
    return "".join(f"{kind} xformOp:{name} = {value}\n" for name, kind, value in pairs) + "uniform token[] xformOpOrder = [" + ", ".join(f'"xformOp:{pair[0]}"' for pair in pairs) + "]\n"


PLACED = ops(("translate", "double3", "(0, 0, 0)"), ("orient", "quatf", "(1, 0, 0, 0)"))
SCALED = ops(("translate", "double3", "(0, 0, 0)"), ("orient", "quatf", "(1, 0, 0, 0)"), ("scale", "float3", "(2, 2, 2)"))
TETRAHEDRON = 'int[] faceVertexCounts = [3, 3, 3, 3]\nint[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\npoint3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\nuniform token subdivisionScheme = "none"\n'
RUBBER = 'def Material "rubber" (\n    prepend apiSchemas = ["PhysicsMaterialAPI"]\n)\n{\n    float physics:dynamicFriction = 0.5\n    float physics:restitution = 0\n    float physics:staticFriction = 0.6\n}\n'
PAINT = 'def Material "paint"\n{\n    token outputs:surface.connect = </robot/paint/s.outputs:surface>\n\n    def Shader "s"\n    {\n        uniform token info:id = "UsdPreviewSurface"\n        token outputs:surface\n    }\n}\n'


def prim(kind, name, body="", apis=(), metadata="", specifier="def"):
    schemas = "prepend apiSchemas = [" + ", ".join(f'"{api}"' for api in apis) + "]\n" if apis else ""
    return f'{specifier} {kind} "{name}" (\n{metadata}\n{schemas})\n{{\n{body}}}\n'


def link(name, body="", placed=PLACED, apis=(), mass="float physics:mass = 1\n", metadata=""):
    return prim("Xform", name, mass + placed + body, ("PhysicsRigidBodyAPI", "PhysicsMassAPI", *apis), SUBCOMPONENT + "\n" + metadata)


def collider(name="col", kind="Cube", body="", apis=()):
    """A guide that binds the rubber of the asset."""
    return prim(kind, name, 'rel material:binding:physics = </robot/rubber>\nuniform token purpose = "guide"\n' + body, ("PhysicsCollisionAPI", "MaterialBindingAPI", *apis))


def topic(name, kind="sensor_msgs/msg/LaserScan", more=""):
    return prim("Xform", name, f'string ros:topic:name = "{name}"\ndouble ros:topic:publish_rate = 10\ntoken ros:topic:role = "publisher"\nstring ros:topic:type = "{kind}"\n' + more, ("RosTopicAPI",))


def asset(inside, body="", metadata=""):
    """One layer, a robot with a context and a material for contact."""
    return LAYER + f'def Xform "robot" (\n{IDENTITY}{CONTEXT}{metadata})\n{{\n{NAMESPACE}{body}{RUBBER}{inside}}}\n'


def layer(inside, specifier="over", root="robot", metadata=""):
    """A layer that is brought in."""
    return LAYER + f'{specifier} {"Xform " if specifier == "def" else ""}"{root}" (\n{metadata})\n{{\n{inside}}}\n'


def entry(arcs, body="", context=False):
    return f'{LAYER}def Xform "robot" (\n{IDENTITY}    {arcs}\n{CONTEXT if context else ""})\n{{\n{NAMESPACE if context else ""}{body}}}\n'


def references(*files):
    return entry("prepend references = [" + ", ".join(f"@./{file}@" for file in files) + "]")


def sublayers(*files):
    return HEAD % ("    subLayers = [" + ", ".join(f"@./{file}@" for file in files) + "]\n") + f'over "robot" (\n{IDENTITY})\n{{\n}}\n'


def write(place, files):
    """Writes the files of an asset, crates where their name or a "#crate" in front says so; returns the entry, robot.usda."""
    for file, text in files.items():
        path = pathlib.Path(place) / file
        path.parent.mkdir(parents=True, exist_ok=True)
        if not file.endswith(".usdc") and not text.startswith("#crate"):
            path.write_text(text)
            continue
        source, crate = path.with_suffix(".text.usda"), path.with_suffix(".usdc")
        source.write_text(text.removeprefix("#crate"))
        done = mechane("cat", source, "-o", crate)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        source.unlink()
        crate.rename(path)
    return pathlib.Path(place) / "robot.usda"
