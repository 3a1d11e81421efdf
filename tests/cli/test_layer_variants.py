"""Rules of layers and arcs (REP-0158 1.1-d, 1.2.1, 1.2.3, 1.2.5, 2.1.1-g, 2.2-d) in several layers, by several arcs, as text and crates, and what looks alike and is
none. What is repairable is repaired; the repair brings no finding, and a second one changes nothing."""
import json
import pathlib
import tempfile
import unittest

from tests.cli.program import mechane
from tests.cli.stage_words import (CONTEXT, LAYER, NAMESPACE, PAINT, PLACED, SUBCOMPONENT, TETRAHEDRON, entry, layer, link, prim, references, sublayers, topic, write)

TREE = prim("Xform", "a", PLACED, metadata=SUBCOMPONENT)
BASE = layer(TREE, "def")
WEIGHT = prim("", "a", "float physics:mass = 1\n", ("PhysicsRigidBodyAPI", "PhysicsMassAPI"), specifier="over")
PHYSICS = layer(WEIGHT)
SCENE = prim("PhysicsScene", "scene")
ROS = layer(NAMESPACE, metadata=CONTEXT)
ROS_TOPIC = layer(NAMESPACE + prim("", "a", topic("scan"), specifier="over"), metadata=CONTEXT)
MESH = prim("Mesh", "m", TETRAHEDRON)
CLOUD = prim("Points", "cloud", "point3f[] points = [" + ", ".join(f"({i}, 0, 0)" for i in range(1001)) + "]\n")
CUBE = prim("Cube", "look")
GEOMETRY, HEAVY = layer(MESH, "def"), layer(CLOUD, "def")
ALL = references("ros.usda", "physics.usda", "base.usda")
OF_GEOMETRY = entry("prepend payload = @./geometries.usdc@")
WORD = "custom float physxRigidBody:linearDamping = 1\n"


def whole(**changed):
    """An asset of a base, physics and ROS, some of its layers replaced."""
    files = {"robot.usda": ALL, "base.usda": BASE, "physics.usda": PHYSICS, "ros.usda": ROS}
    return files | {f"{name}.usda": text for name, text in changed.items()}


def with_arm(file, text, beside="", context=False):
    """A link /robot/arm that is the /arm of another layer, by payload."""
    arm = prim("Xform", "arm", metadata=f"{SUBCOMPONENT}\nprepend payload = @./{file}@</arm>")
    return {"robot.usda": entry("prepend references = @./base.usda@", context=context), "base.usda": layer(beside + arm, "def"), file: text}


def of_arm(inside, specifier="def", metadata=""):
    return layer(inside, specifier, "arm", metadata)


def units(text, **said):
    """The same layer with other units; None for one that says nothing."""
    for name, value in said.items():
        old = f"    {name} = 1\n"
        assert old in text
        text = text.replace(old, "" if value is None else f"    {name} = {value}\n")
    return text


#: (rule, what, files, severity or "" for not at all, repaired)
CASES = [
    ("1.2.1-a", "three mixed layers", {"robot.usda": references("p1.usda", "p2.usda", "p3.usda")} | {f"p{i}.usda": layer(link(f"a{i}", CUBE), "def") for i in (1, 2, 3)}, "error", True),
    ("1.2.1-a", "an entry of two groups", {"robot.usda": entry("prepend references = @./base.usda@", SCENE + CUBE), "base.usda": BASE}, "error", True),
    ("1.2.1-a", "looks and an interface in a folder", {"robot.usda": entry("prepend references = @./parts/x.usda@", context=True), "parts/x.usda": layer(CUBE + topic("t"), "def")}, "error", True),
    ("1.2.1-a", "physics and a sensor", {"robot.usda": references("x.usda", "base.usda"), "base.usda": BASE, "x.usda": layer(SCENE + prim("", "a", apis=("SensorLidarAPI",), specifier="over"))}, "error", True),
    ("1.2.1-a", "two arcs deep", {"robot.usda": references("arm.usda"), "arm.usda": entry("prepend references = @./deep/x.usda@"), "deep/x.usda": layer(link("a", CUBE) + SCENE, "def")}, "error", True),
    ("1.2.1-a", "a layer for each group", whole(), "", False),
    ("1.2.1-a", "an Xform that is there for a scene", {"robot.usda": references("x.usda", "base.usda"), "base.usda": BASE, "x.usda": layer(prim("Xform", "j", SCENE))}, "", False),
    ("1.2.1-b", "a crate called .usd", {"robot.usda": references("physics.usd", "base.usda"), "base.usda": BASE, "physics.usd": "#crate" + PHYSICS}, "error", True),
    ("1.2.1-b", "a base", {"robot.usda": references("base.usdc"), "base.usdc": BASE}, "error", True),
    ("1.2.1-b", "interfaces as a sublayer", {"robot.usda": sublayers("ros.usdc", "base.usda"), "base.usda": BASE, "ros.usdc": ROS_TOPIC}, "error", True),
    ("1.2.1-b", "two sublayers", {"robot.usda": sublayers("ros.usdc", "physics.usdc", "base.usda"), "base.usda": BASE, "ros.usdc": ROS_TOPIC, "physics.usdc": PHYSICS}, "error", True),
    ("1.2.1-b", "below another reference", {"robot.usda": references("base.usda"), "base.usda": references("physics.usdc"), "physics.usdc": layer(link("a") + SCENE, "def")}, "error", True),
    ("1.2.1-b", "control", {"robot.usda": references("control.usdc", "base.usda"), "base.usda": BASE, "control.usdc": layer(prim("Xform", "c", apis=("RosControlDiffDriveAPI",)))}, "error", True),
    ("1.2.1-b", "geometry with a relationship of its own", {"robot.usda": OF_GEOMETRY, "geometries.usdc": layer(prim("Mesh", "m", TETRAHEDRON + "custom rel my:link = </robot>\n"), "def")}, "error", True),
    ("1.2.1-b", "geometry with a binding", {"robot.usda": OF_GEOMETRY, "geometries.usdc": layer(prim("Mesh", "m", TETRAHEDRON + "rel material:binding = </robot/paint>\n", ("MaterialBindingAPI",)), "def")}, "", False),
    ("1.2.1-c", "in a base", {"robot.usda": references("base.usda"), "base.usda": layer(prim("Xform", "a", PLACED + CLOUD, metadata=SUBCOMPONENT), "def")}, "error", True),
    ("1.2.1-c", "samples", {"robot.usda": entry("prepend payload = @./geometries.usda@"), "geometries.usda": layer(CLOUD.replace("points = [", "points.timeSamples = {0: [").replace("]\n", "]}\n"), "def")}, "error", True),
    ("1.2.1-c", "many middling arrays", {"robot.usda": entry("prepend payload = @./geometries.usda@"), "geometries.usda": layer(prim("Points", "p", "".join(f"custom double[] d{i} = [{', '.join(['1.5'] * 900)}]\n" for i in range(10))), "def")}, "error", True),
    ("1.2.1-c", "two text layers", {"robot.usda": entry("prepend payload = [@./g/one.usda@, @./g/two.usda@]"), "g/one.usda": HEAVY, "g/two.usda": HEAVY.replace("cloud", "dust")}, "error", True),
    ("1.2.1-c", "text called .usd", {"robot.usda": entry("prepend payload = @./geometries.usd@"), "geometries.usd": HEAVY}, "error", True),
    ("1.2.1-c", "a motion of many samples", {"robot.usda": references("base.usda"), "base.usda": layer(prim("Xform", "a", "double3 xformOp:translate.timeSamples = {" + ", ".join(f"{i}: ({i}, 0, 0)" for i in range(1001)) + "}\n" + 'uniform token[] xformOpOrder = ["xformOp:translate"]\n'), "def")}, "error", False),
    ("1.2.1-c", "a thousand elements", {"robot.usda": entry("prepend payload = @./geometries.usda@"), "geometries.usda": HEAVY.replace(", (1000, 0, 0)", "")}, "", False),
] + [("1.2.1-d", f"{what} in {file}", {"robot.usda": entry(f"prepend payload = @./{file}@"), file: layer(inside, "def")}, severity, severity == "error")
     for file in ("geometries.usdc", "geometries.usda")
     for what, inside, severity in (("a collider", prim("Mesh", "m", TETRAHEDRON, ("PhysicsCollisionAPI",)), "error"), ("a frame", MESH + prim("Xform", "f", apis=("RosFrameAPI",)), "error"), ("a shader", MESH + PAINT, "error"),
                                    ("a joint", MESH + prim("PhysicsFixedJoint", "j"), "error"), ("a binding", prim("Mesh", "m", TETRAHEDRON + "rel material:binding = </robot/paint>\n", ("MaterialBindingAPI",)), "info"), ("nothing else", MESH, ""))
     ] + [("1.2.1-e", what, {"robot.usda": references("materials.usda", "base.usda"), "base.usda": BASE, "materials.usda": layer(PAINT + inside)}, severity, severity == "warning")
          for what, inside, severity in (("a mesh", MESH, "warning"), ("a body", prim("", "b", apis=("PhysicsRigidBodyAPI",)), "warning"), ("a topic", topic("t"), "warning"),
                                         ("contact", prim("Material", "r", "float physics:restitution = 0\n", ("PhysicsMaterialAPI",)), "info"), ("looks alone", "", ""))
          ] + [("1.2.1-e", f"a {name} that another layer names by {arc}", {"robot.usda": references("base.usda"), "materials.usda": layer(PAINT, "def", "looks") + inside,
                                                                           "base.usda": layer(TREE + prim("Scope", "x", metadata=f"prepend {arc} = @./materials.usda@</{name}>"), "def")}, "warning", True)
               for arc in ("references", "payload") for name, inside in (("shape", prim("Mesh", "shape", TETRAHEDRON)), ("scene", SCENE))
          ] + [("1.2.1-g", f"{what}, {'by reference' if arc is references else 'as a sublayer'}", {"robot.usda": arc("base.usda"), "base.usda": layer(prim("Xform", "a", PLACED + body, apis, SUBCOMPONENT), "def")}, severity, bool(severity))
               for arc in (references, sublayers)
               for what, body, apis, severity in (("a mass", "float physics:mass = 1\n", ("PhysicsMassAPI",), "error"), ("a topic", topic("t"), (), "error"), ("a shader", PAINT.replace("/robot/", "/robot/a/"), (), "error"), ("a cube", CUBE, (), "error"),
                                                  ("a mesh", MESH, (), "error"), ("a frame", "", ("RosFrameAPI",), "error"), ("a controller", "", ("RosControlDiffDriveAPI",), "error"), ("a camera and a light", prim("Camera", "c") + prim("SphereLight", "l"), (), ""))
               ] + [
    ("1.2.1-f", "two meshes straight from the base", {"robot.usda": references("base.usda"), "base.usda": layer(prim("Xform", "l", metadata="prepend payload = @./geometries.usdc@</g/a>") + prim("Xform", "r", metadata="prepend payload = @./geometries.usdc@</g/b>"), "def"),
                                                      "geometries.usdc": layer(MESH.replace('"m"', '"a"') + MESH.replace('"m"', '"b"'), "def", "g")}, "info", False),
    ("1.2.1-h", "a frame in physics", whole(physics=PHYSICS.replace('"PhysicsMassAPI"]', '"PhysicsMassAPI", "RosFrameAPI"]')), "error", True),
    ("1.2.1-h", "a joint in ROS", whole(ros=layer(NAMESPACE + prim("PhysicsFixedJoint", "w", "rel physics:body1 = </robot/a>\n", ("PhysicsArticulationRootAPI",)), metadata=CONTEXT)), "error", True),
    ("1.2.1-h", "a mesh in physics", whole(physics=layer(WEIGHT + MESH)), "error", True),
    ("1.2.1-h", "looks in ROS", whole(ros=layer(NAMESPACE + PAINT, metadata=CONTEXT)), "error", True),
    ("1.2.1-h", "contact in physics", whole(physics=layer(WEIGHT + prim("Material", "r", "float physics:restitution = 0\n", ("PhysicsMaterialAPI",)))), "", False),
    ("1.2.1-h", "the context in the entry", {"robot.usda": entry("prepend references = [@./physics.usda@, @./base.usda@]", context=True), "base.usda": BASE, "physics.usda": PHYSICS}, "", False),
    ("1.2.1-i", "a cube", {"robot.usda": entry("prepend references = @./base.usda@", CUBE), "base.usda": BASE}, "error", True),
    ("1.2.1-i", "a body", {"robot.usda": entry("prepend references = @./base.usda@", WEIGHT), "base.usda": BASE}, "error", True),
    ("1.2.1-i", "a shader", {"robot.usda": entry("prepend references = @./base.usda@", PAINT), "base.usda": BASE}, "error", True),
    ("1.2.1-i", "a scene as a sublayer's entry", {"robot.usda": sublayers("base.usda").rstrip("}\n") + SCENE + "}\n", "base.usda": BASE}, "error", True),
    ("1.2.1-i", "arcs and a context", whole(), "", False),
    ("1.2.1-j", "in physics", whole(physics=PHYSICS.replace("float physics:mass = 1\n", "float physics:mass = 1\n" + WORD)), "error", True),
    ("1.2.1-j", "in a base that holds nothing else", whole(base=BASE.replace(PLACED, PLACED + WORD)), "error", True),
    ("1.2.1-j", "in ROS", whole(ros=ROS_TOPIC.replace('string ros:topic:name', WORD + 'string ros:topic:name')), "error", True),
    ("1.2.1-j", "of two vendors", whole(physics=PHYSICS.replace("float physics:mass = 1\n", "float physics:mass = 1\ncustom float mjc:solref = 1\n" + WORD)), "error", True),
    ("1.2.1-j", "in the entry", whole(robot=entry("prepend references = [@./ros.usda@, @./physics.usda@, @./base.usda@]", prim("", "a", WORD, specifier="over"))), "error", True),
    ("1.2.1-j", "an execution graph", whole(ros=layer(NAMESPACE + prim("OmniGraph", "g", prim("OmniGraphNode", "n")), metadata=CONTEXT)), "error", True),
    ("1.2.1-k", "three names", {"robot.usda": references("r.usda", "phys.usda", "tree.usda"), "tree.usda": BASE, "phys.usda": PHYSICS, "r.usda": ROS_TOPIC}, "warning", True),
    ("1.2.1-k", "three sublayers", {"robot.usda": sublayers("r.usda", "phys.usda", "tree.usda"), "tree.usda": BASE, "phys.usda": PHYSICS, "r.usda": ROS_TOPIC}, "warning", True),
    ("1.2.1-k", "a crate of shapes", {"robot.usda": entry("prepend payload = @./shapes.usdc@"), "shapes.usdc": GEOMETRY}, "warning", True),
    ("1.2.1-k", "a name that is taken", {"robot.usda": references("phys.usda", "physics.usda", "base.usda"), "base.usda": BASE, "physics.usda": layer(SCENE), "phys.usda": PHYSICS}, "warning", True),
    ("1.2.1-k", "in capitals", {"robot.usda": references("Physics.usda", "base.usda"), "base.usda": BASE, "Physics.usda": PHYSICS}, "", False),
    ("1.2.3-a", "a class that is nowhere", {"robot.usda": references("physics.usda"), "physics.usda": layer(link("a", metadata="inherits = </_nowhere>"), "def")}, "warning", False),
    ("1.2.3-a", "one that is nowhere to be specialized", {"robot.usda": references("physics.usda"), "physics.usda": layer(link("a", metadata="specializes = </_nowhere>"), "def")}, "warning", False),
    ("1.2.3-a", "a class of the layer", {"robot.usda": references("physics.usda"), "physics.usda": layer(link("a", metadata="inherits = </_class>"), "def") + 'class "_class"\n{\n}\n'}, "", False),
    ("1.2.3-a", "a class below the part that is brought in", {"robot.usda": references("physics.usda"), "physics.usda": layer(prim("Xform", "_class", specifier="class") + link("a", metadata="inherits = </part/_class>"), "def", "part").replace('defaultPrim = "robot"', 'defaultPrim = "part"')}, "", False),
    ("1.2.3-b", "two references deep", {"robot.usda": references("base.usda"), "base.usda": references("geometries.usdc"), "geometries.usdc": HEAVY}, "error", True),
    ("1.2.3-b", "as a sublayer", {"robot.usda": sublayers("geometries.usdc"), "geometries.usdc": HEAVY}, "error", True),
    ("1.2.3-b", "by a prim's path", {"robot.usda": references("base.usda"), "base.usda": layer(prim("Points", "v", metadata="prepend references = @./geometries.usdc@</robot/cloud>"), "def"), "geometries.usdc": HEAVY}, "error", True),
    ("1.2.3-b", "in a variant", {"robot.usda": references("base.usda"), "base.usda": layer('variantSet "s" = {\n"a" (\nprepend references = @./geometries.usdc@\n) {\n}\n}\n', "def", metadata='prepend variantSets = "s"\nvariants = {\nstring s = "a"\n}\n'), "geometries.usdc": HEAVY}, "error", True),
    ("1.2.3-b", "as text", {"robot.usda": references("geometries.usda"), "geometries.usda": HEAVY}, "error", True),
    ("1.2.3-b", "copied inside a payload", {"robot.usda": OF_GEOMETRY, "geometries.usdc": layer(CLOUD + prim("Points", "copy", metadata="references = </robot/cloud>"), "def")}, "", False),
    ("1.2.3-c", "links", with_arm("physics.usda", of_arm(link("a"))), "error", True),
    ("1.2.3-c", "links that a payload's reference brings", with_arm("mid.usda", of_arm("", metadata="prepend references = @./physics.usda@</arm>\n")) | {"physics.usda": of_arm(link("a"))}, "error", True),
    ("1.2.3-c", "a joint", with_arm("physics.usda", of_arm(prim("PhysicsFixedJoint", "j"))), "error", True),
    ("1.2.3-c", "an articulation root", with_arm("physics.usda", of_arm("", "over", 'prepend apiSchemas = ["PhysicsArticulationRootAPI"]\n')), "error", True),
    ("1.2.3-c", "by the entry's default prim", {"robot.usda": entry("prepend payload = [@./physics.usda@, @./base.usda@]"), "base.usda": BASE, "physics.usda": PHYSICS}, "warning", True),
    ("1.2.3-c", "in a variant", {"robot.usda": references("base.usda"), "base.usda": layer(prim("Xform", "arm", 'variantSet "s" = {\n"a" (\nprepend payload = @./physics.usda@</arm>\n) {\n}\n}\n', metadata=SUBCOMPONENT + '\nprepend variantSets = "s"\nvariants = {\nstring s = "a"\n}'), "def"), "physics.usda": of_arm(link("a"))}, "error", True),
    ("1.2.3-c", "a collider", {"robot.usda": references("base.usda"), "base.usda": layer(link("a", metadata="prepend payload = @./geometries.usdc@</robot>"), "def"), "geometries.usdc": layer(prim("Mesh", "m", TETRAHEDRON, ("PhysicsCollisionAPI",)), "def")}, "warning", None),
    ("1.2.3-c", "a link whose mesh alone does", {"robot.usda": references("base.usda"), "base.usda": layer(link("a", metadata="prepend payload = @./geometries.usdc@</robot>"), "def"), "geometries.usdc": GEOMETRY}, "", False),
    ("1.2.3-d", "a link that a payload defines", {"robot.usda": references("physics.usda"), "physics.usda": layer(prim("", "arm", WEIGHT, metadata="prepend payload = @./geometries.usda@</arm>", specifier="over"), "def"), "geometries.usda": of_arm(prim("Xform", "a"))}, "error", True),
    ("1.2.3-d", "a frame that a payload defines", {"robot.usda": entry("prepend references = @./ros.usda@", context=True), "ros.usda": layer(prim("", "arm", prim("", "a", apis=("RosFrameAPI",), specifier="over"), metadata="prepend payload = @./geometries.usda@</arm>", specifier="over"), "def"), "geometries.usda": of_arm(prim("Xform", "a"))}, "error", True),
    ("1.2.3-d", "a joint that a payload types", {"robot.usda": references("physics.usda"), "physics.usda": layer(prim("", "arm", prim("", "j", "rel physics:body1 = </robot/arm>\n", specifier="over"), metadata="prepend payload = @./geometries.usda@</arm>", specifier="over"), "def"), "geometries.usda": of_arm(prim("PhysicsFixedJoint", "j"))}, "", False),
    ("1.2.3-d", "a link that is defined beside its payload", {"robot.usda": references("base.usda"), "base.usda": layer(link("a", metadata="prepend payload = @./geometries.usda@</arm>"), "def"), "geometries.usda": of_arm(MESH)}, "", False),
    ("2.1.1-g", "a context", with_arm("ros.usda", of_arm('string ros:context:namespace = "arm"\n', "over", CONTEXT)), "error", True),
    ("2.1.1-g", "a payload deeper", with_arm("mid.usda", of_arm(prim("Xform", "hand", metadata="prepend payload = @./ros.usda@</arm>"))) | {"ros.usda": of_arm('string ros:context:namespace = "arm"\n', metadata=CONTEXT)}, "error", True),
    ("2.1.1-g", "by the entry", {"robot.usda": entry("prepend payload = @./ros.usda@\nprepend references = @./base.usda@"), "base.usda": BASE, "ros.usda": ROS}, "warning", True),
    ("2.1.1-g", "in a payload's reference", with_arm("mid.usda", of_arm("", metadata="prepend references = @./ros.usda@</arm>\n")) | {"ros.usda": of_arm('string ros:context:namespace = "arm"\n', metadata=CONTEXT)}, "error", True),
    ("2.1.1-g", "on a prim with a payload", {"robot.usda": references("base.usda"), "base.usda": layer(prim("Xform", "arm", 'string ros:context:namespace = "arm"\n', ("RosContextAPI",), "prepend payload = @./geometries.usdc@</robot>"), "def"), "geometries.usdc": GEOMETRY}, "", False),
] + [("2.2-d", what, with_arm("ros.usda", of_arm(inside), context=True), "error", True) for what, inside in (
    ("a topic", topic("t")), ("a frame", prim("Xform", "f", apis=("RosFrameAPI",))),
    ("a service", prim("Xform", "s", 'token ros:service:role = "server"\nstring ros:service:name = "s"\nstring ros:service:type = "std_srvs/srv/Trigger"\n', ("RosServiceAPI",))),
    ("an action", prim("Xform", "s", 'token ros:action:role = "server"\nstring ros:action:name = "s"\nstring ros:action:type = "control_msgs/action/FollowJointTrajectory"\n', ("RosActionAPI",))))
     ] + [
    ("2.2-d", "beside large arrays", with_arm("geometries.usdc", of_arm(CLOUD + topic("t")), context=True), "error", True),
    ("2.2-d", "below a prim with a payload", {"robot.usda": entry("prepend references = @./base.usda@", context=True), "base.usda": layer(prim("Xform", "arm", topic("t"), metadata="prepend payload = @./geometries.usdc@</robot>"), "def"), "geometries.usdc": GEOMETRY}, "", False),
    ("1.1-d", "a sublayer in centimetres", {"robot.usda": sublayers("base.usda"), "base.usda": units(BASE, metersPerUnit="0.01")}, "error", True),
    ("1.1-d", "a crate in millimetres", {"robot.usda": OF_GEOMETRY, "geometries.usdc": units(GEOMETRY, metersPerUnit="0.001")}, "error", True),
    ("1.1-d", "two layers in two units", {"robot.usda": references("b.usda", "base.usda"), "base.usda": units(BASE, metersPerUnit="0.01"), "b.usda": units(BASE, metersPerUnit="0.001").replace('"a"', '"b"')}, "error", True),
    ("1.1-d", "a crate that is Y up", {"robot.usda": OF_GEOMETRY, "geometries.usdc": GEOMETRY.replace('upAxis = "Z"', 'upAxis = "Y"')}, "error", True),
    ("1.1-d", "a layer that says nothing", {"robot.usda": OF_GEOMETRY, "geometries.usdc": units(GEOMETRY, metersPerUnit=None, kilogramsPerUnit=None)}, "", False),
    ("1.1-d", "an entry that says nothing", {"robot.usda": units(OF_GEOMETRY, metersPerUnit=None), "geometries.usdc": GEOMETRY}, "", False),
    ("1.2.5-b", "a default prim that is not there", {"robot.usda": references("base.usda"), "base.usda": BASE.replace('defaultPrim = "robot"', 'defaultPrim = "nope"')}, "error", True),
    ("1.2.5-b", "none in a crate", {"robot.usda": OF_GEOMETRY, "geometries.usdc": GEOMETRY.replace('    defaultPrim = "robot"\n', "")}, "error", True),
    ("1.2.5-b", "none of several, one of the arc's name", {"robot.usda": references("base.usda"), "base.usda": BASE.replace('    defaultPrim = "robot"\n', "") + prim("Xform", "other")}, "error", True),
    ("1.2.5-b", "another case", {"robot.usda": LAYER.replace('"robot"', '"Robot"') + prim("Xform", "robot") + prim("Xform", "x")}, "error", True),
    ("1.2.5-b", "switched off", {"robot.usda": LAYER + prim("Xform", "robot", metadata="active = false")}, "error", True),
    ("1.2.5-b", "spoken of and never defined", {"robot.usda": LAYER + prim("", "robot", CUBE, specifier="over")}, "error", True),
    ("1.2.5-b", "a class that nobody inherits", {"robot.usda": LAYER + prim("Xform", "robot", CUBE, specifier="class")}, "error", True),
    ("1.2.5-b", "beside a camera and a light", {"robot.usda": LAYER.replace('"robot"', '"nope"') + prim("Xform", "robot") + prim("Camera", "c") + prim("DomeLight", "d")}, "error", True),
    ("1.2.5-b", "two that it may be", {"robot.usda": LAYER.replace('"robot"', '"nope"') + prim("Xform", "arm") + prim("Xform", "hand")}, "error", False),
]


class Variants(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def findings(self, path, statuses=(0, 1)):
        done = mechane("check", path, "--format", "json")
        self.assertIn(done.returncode, statuses, done.stderr)
        return json.loads(done.stdout)["findings"]

    def repaired(self, source, out):
        done = mechane("fix", source, "-o", out)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        report = json.loads((out / "fix-report.json").read_text())
        return out / report["entry"], report

    def test_found_repaired_and_left_alone(self):
        for number, (rule, what, files, severity, repaired) in enumerate(CASES):
            with self.subTest(rule=rule, what=what):
                place = self.folder / str(number)
                source = write(place / "source", files)
                before = self.findings(source, (0, 1, 3))  # 3: what an arc names is missing
                self.assertEqual({f["severity"] for f in before if f["rule"] == "REP-" + rule}, {severity} - {""})
                if not severity:
                    continue
                fixed, report = self.repaired(source, place / "once")
                after = self.findings(fixed)
                left = [f for f in after if f["rule"] == "REP-" + rule]
                if repaired is not None:
                    self.assertEqual(not left, repaired, [u for u in report["unrepaired"] if u["rule"] == "REP-" + rule])
                counts = [{r: sum(f["rule"] == r for f in findings) for r in {f["rule"] for f in findings}} for findings in (before, after)]
                if rule != "1.2.5-b":  # without a default prim nothing of the asset could be checked before
                    self.assertEqual({r: n for r, n in counts[1].items() if n > counts[0].get(r, 0)}, {}, "the repair brings findings")
                listed = {(u["rule"], u["prim"], u["layer"]) for u in report["unrepaired"]}
                for finding in after:
                    self.assertTrue(any(r == finding["rule"] and p == (finding["prim"] or "") for r, p, _ in listed), finding)
                self.assertEqual(self.repaired(fixed, place / "twice")[1]["edits"], [], "a second repair")


if __name__ == "__main__":
    unittest.main()
