"""Kernels by rule of REP-0158: stages in which a rule has to be found, stages in which it must not, and what the former are guilty of besides."""
from tests.differential.catalogue import CUBE, LIMITS, QUADS, ROOT, TRIANGLES, Stage, apis, arm, body, collider, head, hull, joint, mesh, order, placed, prim, topic, variants, xform

BALL = prim("Sphere", "ball", "double radius = 0.3\n")
ROD = prim("Capsule", "rod", "double height = 0.4\ndouble radius = 0.05\n")
AT = "double3 xformOp:translate = (1, -0.5, 0.25)\n"
REST = "quatf xformOp:orient = (1, 0, 0, 0)\n"
TURN = "quatd xformOp:orient = (0.5, 0.5, 0.5, 0.5)\n"
FRAME, KINEMATIC = ("RosFrameAPI",), "bool physics:kinematicEnabled = true\n"
APART = "bool physics:excludeFromArticulation = true\n"
ANIMATED = "double3 xformOp:translate.timeSamples = {0: (0, 0, 0), 5: (0, 0, 1)}\n" + REST + order("translate", "orient")
NONE = 'uniform token physics:approximation = "none"\n'


def scale(value, name="scale"):
    return f"float3 xformOp:{name} = {value}\n"


def bring(text, of_layer=None, arc="references"):
    return Stage(f'def "pin" (\nprepend {arc} = @./lib/pin.usda@\n)\n{{\n}}\n', files={"lib/pin.usda": head(**{"defaultPrim": '"pin"', **(of_layer or {})}) + 'def Xform "pin"\n{\n' + text + "}\n"})


def head_with(text):
    return Stage(body("head", text))


def frame(name, lines="", kind="Xform", inside=""):
    return prim(kind, name, lines, inside, "", FRAME)


def camera(lines, inside=""):
    return head_with(prim("Camera", "eye", "", frame("lens", lines, inside=inside)))


def ghost(name, api=FRAME):
    return prim("Xform", name, placed(), "", 'kind = "subcomponent"\n', ("PhysicsRigidBodyAPI", *api))


def material(name, lines="", api=()):
    return prim("Material", name, lines, "", "", api)


def rubs(name):
    return f"rel material:binding:physics = <%R/{name}>\n"


def subset(family, faces="[0, 1]", name="s"):
    said = f'uniform token familyName = "{family}"\n' if family is not None else ""
    return prim("GeomSubset", name, f'uniform token elementType = "face"\n{said}int[] indices = {faces}\nrel material:binding = <%R/paint>\n', "", "", ("MaterialBindingAPI",))


PAINT = prim("Material", "paint", "token outputs:surface.connect = <%R/paint/s.outputs:surface>\n", prim("Shader", "s", 'uniform token info:id = "UsdPreviewSurface"\ntoken outputs:surface\n'))


def painted(subsets):
    return Stage(PAINT + prim("Mesh", "look", mesh(), subsets))


def quality(kind, word):
    return head_with(topic(f'token ros:topic:qos:{kind} = "{word}"\n'))


def named(**words):
    return head_with(topic(**words))


#: rule, guilty stages, innocent stages, what the guilty ones are guilty of besides
KERNELS = [
    ("1.1-a", [Stage(BALL, metersPerUnit="0.01"), Stage(arm(3), metersPerUnit="0.001")], [Stage(BALL)], "1.1-d"),
    ("1.1-b", [Stage(BALL, kilogramsPerUnit=None), Stage(body("a"), kilogramsPerUnit="0.001")], [Stage(body("a"))], "1.1-d"),
    ("1.1-c", [Stage(BALL, timeCodesPerSecond="24"), Stage(BALL, timeCodesPerSecond=None)], [Stage(BALL, framesPerSecond="24")], "1.1-d"),
    ("1.1-d", [bring(BALL, {"metersPerUnit": "0.01"}), bring(xform("s", ROD, AT + order("translate")), {"upAxis": '"Y"'}, "payload"), bring(mesh_ := prim("Mesh", "m", mesh()), {"metersPerUnit": "0.0254"})],
     [bring(BALL), bring(BALL, {"metersPerUnit": None}), bring(BALL, {"timeCodesPerSecond": "24"})], ""),
    ("1.1-e", [Stage(body("a", where=placed("(1, 2, 3)")), upAxis='"Y"')], [Stage(BALL)], "1.1-d"),
    ("1.1-f", [Stage(body("a", shapes=hull(more=scale("(-1, 1, 1)") + order("scale"))))], [Stage(body("a", shapes=hull(more=scale("(2, 1, 1)") + order("scale"))))], ""),
    ("1.1-g", [Stage(body("a", where=AT + REST + order("orient", "translate"))), Stage(body("a", where=AT + order("translate"))), Stage(body("a", where=AT + "quatf xformOp:orient = (2, 0, 0, 0)\n" + order("translate", "orient")))],
     [Stage(body("a", where=AT + TURN + order("translate", "orient")))], ""),
    ("1.1-h", [Stage(xform("g", BALL, "matrix4d xformOp:transform = ( (0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (1, 0, 0, 1) )\n" + order("transform")))],
     [Stage(xform("g", BALL, "matrix4d xformOp:transform = ( (0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (1, 0, 0, 1) )\n"))], "1.1-l"),
    ("1.1-i", [Stage(xform("g", body("a"), "float xformOp:rotateZ = 30\n" + order("rotateZ"))), Stage(prim("Cylinder", "c", "float3 xformOp:rotateXYZ = (1, 2, 3)\n" + order("rotateXYZ")))], [Stage(xform("g", BALL, TURN + order("orient")) + ROD)], ""),
    ("1.1-j", [Stage(body("a", where=AT + REST + scale("(3, 3, 3)") + order("translate", "orient", "scale"))), Stage(body("a", shapes=hull(), where=AT + TURN + scale("(1, 1, 2)") + order("translate", "orient", "scale")))],
     [Stage(body("a", where=AT + REST + scale("(1, 1, 1)") + order("translate", "orient", "scale")))], ""),
    ("1.1-k", [Stage(xform("g", ROD + BALL, scale("(0.5, 0.5, 0.5)") + order("scale"))), Stage(xform("g", xform("h", body("a")), scale("(2, 2, 2)") + order("scale"))), Stage(xform("g", prim("Mesh", "m", mesh()), AT + TURN + scale("(1, 1, 3)") + order("translate", "orient", "scale")))],
     [Stage(prim("Mesh", "m", mesh() + scale("(2, 1, 1)") + order("scale"))), Stage(xform("empty", "", scale("(2, 2, 2)") + order("scale")))], ""),
    ("1.1-l", [Stage(body("a") + ROD, lines="float xformOp:rotateX = -90\n" + order("rotateX")), Stage(arm(2), lines=AT + TURN + order("translate", "orient"))], [Stage(ROD, lines=REST + order("orient"))], "1.1-i"),
    ("1.2.2-a", [Stage(arm(), kind=""), Stage(body("a"), kind="group")], [Stage(body("a"))], "1.2.2-b 1.2.2-d"),
    ("1.2.2-d", [Stage(body("a", xform("tool", ROD, meta='kind = "component"\n')))], [Stage(body("a", xform("tool", ROD, meta='kind = "subcomponent"\n')))], "1.2.2-b"),
    ("1.2.2-e", [Stage(xform("a", BALL, meta='kind = "SubComponent"\n')), Stage(xform("a", BALL, meta='kind = "sub-component"\n'))], [Stage(xform("a", BALL, meta='kind = "subcomponent"\n'))], ""),
    ("1.2.4-a", [Stage(variants("v", {"none": "", "drill": ROD}))], [Stage(variants("v", {"none": "", "drill": ROD}, "drill"))], "1.2.4-c 1.1-l"),
    ("1.2.4-b", [Stage(variants("v", {"left": ROD, "right": BALL}, "Left"))], [Stage(variants("v", {"left": ROD, "right": BALL}, "left"))], "1.2.4-c 1.1-l"),
    ("1.2.4-c", [Stage(body("a", shapes=variants("c", {"none": "", "box": collider()}, "none"))), Stage(variants("v", {"off": prim("Cube", "c", 'token visibility = "invisible"\n'), "on": prim("Cube", "c")}, "off"))],
     [Stage(body("a", shapes=variants("c", {"none": "", "box": collider()}, "box")))], ""),
    ("1.2.5-c", [Stage(BALL, info='string version = "1.0.0"'), Stage(BALL, info='string identifier = " "\nstring version = "1.0.0"')], [Stage(BALL)], ""),
    ("1.2.5-d", [Stage(BALL, info='string identifier = "a"')], [Stage(BALL, info='string identifier = "a"\nstring version = "2026.1"')], ""),
    ("1.2.5-k", [Stage('def "n" (\nprepend references = @./gone.usda@\n)\n{\n}\n'), Stage(prim("DomeLight", "sky", "asset inputs:texture:file = @./gone.hdr@\n"))], [bring(BALL)], ""),
    ("1.2.5-m", [Stage(xform("d", BALL, 'custom token acme:what = "hand.urdf"\n'))], [Stage(xform("d", BALL, 'custom string userProperties:note = "see the manual"\n'))], "1.2.1-j"),
    ("1.3-b", [Stage(body("a", api=ROOT) + body("b") + joint("j", "a", "gone")), Stage(body("a", api=ROOT) + body("b") + joint("j", "a", "b", lines="quatf physics:localRot1 = (0, 0, 0, 3)\n"))], [Stage(arm(3))], "1.3-g"),
    ("1.3-d", [Stage(arm(limits="")), Stage(arm(3, limits=""))], [Stage(arm(limits="float physics:lowerLimit = -inf\nfloat physics:upperLimit = inf\n"))], ""),
    ("1.3-e", [Stage(arm(limits="float physics:lowerLimit = 10\nfloat physics:upperLimit = -10\n")), Stage(arm(limits="float physics:lowerLimit = 0\nfloat physics:upperLimit = 1080\n"))],
     [Stage(arm(limits="float physics:lowerLimit = -180\nfloat physics:upperLimit = 180\n")), Stage(arm(5, limits="float physics:lowerLimit = -5\nfloat physics:upperLimit = 5\n"))], "1.3-k"),
    ("1.3-f", [Stage(body("a", api=ROOT) + body("b", api=ROOT) + joint("j", "a", "b"))], [Stage(arm() + body("x", api=ROOT) + body("y") + joint("k", "x", "y"))], ""),
    ("1.3-j", [Stage(body("a", api=ROOT) + body("b") + joint("j", "a", "b") + joint("k", "a", "b", "Prismatic"))], [Stage(body("a", api=ROOT) + body("b") + joint("j", "a", "b") + joint("k", "a", "b", "Prismatic", lines=APART))], ""),
    ("1.3-l", [Stage(body("a", mass="float physics:mass = 0\n")), Stage(body("a", mass="float physics:density = -5\n"))], [Stage(body("a", mass="float physics:mass = 0.001\n"))], "1.3-m"),
    ("1.3-m", [Stage(body("a", mass=""))], [Stage(body("a", mass=KINEMATIC))], ""),
    ("1.3-o", [Stage(arm(3).replace("float physics:mass = 1", KINEMATIC + "float physics:mass = 1", 1)), Stage(arm() + xform("World") + joint("w", "World", "l0", "Fixed"))], [Stage(arm() + joint("w", "", "l0", "Fixed"))], ""),
    ("1.3-p", [Stage(body("a", where=ANIMATED)), Stage(xform("lift", body("a", shapes=hull()), ANIMATED))], [Stage(body("a", where=ANIMATED, lines=KINEMATIC)), Stage(xform("door", BALL, ANIMATED))], ""),
    ("1.3-q", [Stage(arm() + ghost("tool0") + joint("k", "l1", "tool0", "Fixed")), Stage(arm() + ghost("gps_frame", ()) + joint("k", "l1", "gps_frame", "Fixed"))], [Stage(arm() + body("tool_frame") + joint("k", "l1", "tool_frame", "Fixed"))], "1.3-m 2.7-i"),
    ("1.3-r", [Stage(body("a", lines="float3 physics:diagonalInertia = (1, 2, 4)\nquatf physics:principalAxes = (1, 0, 0, 0)\n"))], [Stage(body("a", lines="float3 physics:diagonalInertia = (1, 1, 1.9)\nquatf physics:principalAxes = (0, 1, 0, 0)\n"))], ""),
    ("1.3.1-a", [Stage(body("a", shapes=xform("collision", collider(purpose="")) + xform("visual", ROD)))], [Stage(body("a", shapes=xform("collision", collider(purpose=""), 'token purpose = "guide"\n') + xform("visual", ROD)))], ""),
    ("1.3.1-b", [Stage(body("a", shapes=hull(approximation="", api=()))), Stage(body("a", shapes=hull(approximation='uniform token physics:approximation = "ConvexHull"\n')))], [Stage(body("a", shapes=hull())), Stage(body("a"))], ""),
    ("1.3.3-c", [Stage(body("a", api=("PhysicsFilteredPairsAPI",), lines="rel physics:filteredPairs = <%R/gone>\n"))], [Stage(body("a", api=("PhysicsFilteredPairsAPI",), lines="rel physics:filteredPairs = <%R/b>\n") + body("b"))], ""),
    ("1.3.4-a", [Stage(body("a", shapes=collider(bind="")))], [Stage(body("a", shapes=collider(bind=""), lines=rubs("Contact/rubber"), api=("MaterialBindingAPI",)))], ""),
    ("1.3.4-b", [Stage(body("a", shapes=collider(bind=rubs("m"))) + material("m")), Stage(body("a", shapes=hull().replace("Contact/rubber", "m")) + material("m", "float physics:staticFriction = 0.7\n"))], [Stage(body("a"))], "1.3.4-c"),
    ("1.4-b", [Stage(body("a", lines="custom float physics:stiction = 1\n")), Stage(arm(lines="custom float backlash = 0.1\n"))], [Stage(xform("d", ROD, "custom float weight = 2\n"))], "1.2.1-j"),
    ("2-b", [head_with(topic(api=("RosTopicAPI:scan",)))], [head_with(topic())], "2.4-a 2.4-b 2.4-c 2.4-d"),
    ("2-c", [named(role='string ros:topic:role = "publisher"'), named(rate="float ros:topic:publish_rate = 10")], [head_with(topic())], ""),
    ("2.1-b", [Stage(BALL, lines="int ros:context:domain_id = 300\n")], [Stage(BALL, lines="int ros:context:domain_id = 232\n")], ""),
    ("2.1.1-a", [Stage(xform("s", body("a"), 'string ros:context:namespace = "left/"\n', api=("RosContextAPI",)))], [Stage(xform("s", body("a"), 'string ros:context:namespace = "left"\n', api=("RosContextAPI",)))], "2.1.1-g"),
    ("2.2-b", [head_with(prim("Cube", "x", 'token ros:topic:role = "publisher"\nstring ros:topic:name = "scan"\nstring ros:topic:type = "sensor_msgs/msg/Imu"\ndouble ros:topic:publish_rate = 5\n', "", "", ("RosTopicAPI",)))], [head_with(xform("a", topic()))], ""),
    ("2.3-a", [named(type="std_msgs/Bool"), named(type="sensor_msgs::msg::Imu"), named(type="sensor_msgs/msg/laserScan")], [named(type="sensor_msgs/msg/Imu")], "2.4-c"),
    ("2.3-c", [named(name="scan/"), named(name="front//scan")], [named(name="front/scan")], ""),
    ("2.4-a", [named(role='token ros:topic:role = "pub"'), named(role='token ros:topic:role = "PUBLISHER"')], [named(role='token ros:topic:role = "subscription"', rate="")], ""),
    ("2.4-d", [named(rate="double ros:topic:publish_rate = 0"), named(rate="")], [named(rate="double ros:topic:publish_rate = 0.5")], ""),
    ("2.4-f", [quality("reliability", "BestEffort"), quality("history", "last"), quality("durability", "TRANSIENT")], [quality("reliability", "best_effort")], ""),
    ("2.4-h", [head_with(topic("bool ros:topic:qos:match_publisher = true\n"))], [head_with(topic("bool ros:topic:qos:match_publisher = false\n"))], ""),
    ("2.7-e", [head_with(frame("s", kind="Scope"))], [head_with(frame("s"))], ""),
    ("2.7-f", [head_with(frame("s", 'string ros:frame:id = "/cam"\n')), head_with(frame("s", 'string ros:frame:id = " cam "\n'))], [head_with(frame("s", 'string ros:frame:id = "cam/left"\n'))], ""),
    ("2.7-g", [head_with(frame("s", ANIMATED)), head_with(xform("g", frame("s"), ANIMATED))], [head_with(frame("s", ANIMATED + "bool ros:frame:static = false\n"))], ""),
    ("2.7-h", [Stage(arm(2, frame("l0"))), head_with(frame("a", 'string ros:frame:id = "x"\n') + frame("b", 'string ros:frame:id = "x"\n'))], [Stage(arm(2, frame("tool")))], ""),
    ("2.7-i", [Stage(arm().replace('"PhysicsMassAPI"', '"PhysicsMassAPI", "RosFrameAPI"', 2))], [Stage(arm() + body("box", api=FRAME))], ""),
    ("2.8-a", [head_with(prim("Camera", "eye", "", "", "", FRAME))], [head_with(prim("Camera", "eye", "", frame("lens", "quatf xformOp:orient = (0, 1, 0, 0)\n" + order("orient"))))], ""),
    ("2.8-b", [camera(""), camera("quatf xformOp:orient = (0, 0, 1, 0)\n" + order("orient"))], [camera("quatd xformOp:orient = (0, 1, 0, 0)\n" + order("orient"))], ""),
    ("2.9-b", [Stage(xform("s", "", 'token ros:service:role = "server"\nstring ros:service:name = "a"\nstring ros:service:type = "simulation_interfaces/srv/SpawnEntity"\n', api=("RosServiceAPI",)))], [Stage(BALL)], ""),
    ("2.10-a", [Stage(arm(lines='custom string ros:joint:name = ""\n')), Stage(arm(lines='custom token ros:joint:name = "elbow"\n'))], [Stage(arm(lines='custom string ros:joint:name = "elbow"\n'))], ""),
    ("3.1-f", [painted(subset("parts")), painted(subset(None)), painted(subset("materialBind", "[0, 1, 2]") + subset("materialBind", "[2, 3]", "t"))], [painted(subset("materialBind"))], ""),
    ("3.4-a", [Stage(body("a", shapes=hull(QUADS))), Stage(body("a", shapes=hull(QUADS, more='uniform token orientation = "leftHanded"\n')))], [Stage(body("a", shapes=hull())), Stage(xform("visual", prim("Mesh", "m", mesh(QUADS))))], "3.4-b 3.4-d"),
    ("3.4-b", [Stage(prim("Mesh", "m", mesh(more='uniform token orientation = "leftHanded"\n')))], [Stage(mesh_)], "3.4-d"),
    ("3.4-d", [Stage(prim("Mesh", "m", mesh([tuple(reversed(t)) for t in TRIANGLES])))], [Stage(mesh_)], ""),
    ("3.4-g", [Stage(prim("Mesh", "m", mesh([*TRIANGLES, (3, 3, 3)]))), Stage(body("a", shapes=hull([*TRIANGLES[:-1], (0, 1, 99)])))], [Stage(mesh_)], "3.4-d 3.4-e"),
    ("3.5-c", [Stage(xform("a", BALL, meta="instanceable = true\n"))], [Stage(xform("a", BALL, meta="instanceable = false\n"))], ""),
    ("3.6-b", [Stage(prim("RectLight", "l"))], [Stage(prim("SphereLight", "l"))], ""),
]
