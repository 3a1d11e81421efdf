"""Small stages of one value each, whose motion has a closed form: what a solver makes of the value is seen in one number.

`CASES` names the row of the table in docs/solvers.md that each of them stands for.
"""
import cmath
import math
from typing import Callable, NamedTuple

G = 9.81
LOCKED = ("transX", "transY", "transZ", "rotX", "rotY", "rotZ")


class Case(NamedTuple):
    row: str  #: of the table
    stage: str
    plain: str  #: the same without the value
    seconds: float
    measure: Callable  #: of the last frame
    expected: float
    tolerance: float
    prim: str  #: whose value it is
    options: tuple = ()
    other: dict = {}  #: expected values of solvers whose own law (docs/solvers.md, "Laws") gives another one
    suffix: str = ".usda"


def stage(parts, gravity=0.0, head="", direction=(0, 0, -1)):
    return f"""#usda 1.0
(
    defaultPrim = "w"
    metersPerUnit = 1
    kilogramsPerUnit = 1
    upAxis = "Z"
    {head}
)
def Xform "w"
{{
    def PhysicsScene "scene"
    {{
        float physics:gravityMagnitude = {gravity}
        vector3f physics:gravityDirection = {tuple(direction)}
    }}
{parts}
}}
"""


def applied(*names):
    return f" (prepend apiSchemas = [{', '.join(f'{chr(34)}{name}{chr(34)}' for name in names)}])" if names else ""


def body(name, at=(0, 0, 0), mass=1.0, inertia=0.1, apis=(), values="", inside=""):
    return f"""def Xform "{name}"{applied("PhysicsRigidBodyAPI", "PhysicsMassAPI", *apis)}
{{
    double3 xformOp:translate = {tuple(at)}
    uniform token[] xformOpOrder = ["xformOp:translate"]
    float physics:mass = {mass}
    float3 physics:diagonalInertia = ({inertia}, {inertia}, {inertia})
    {values}
    {inside}
}}
"""


def joint(kind, name, first, second, axis="", at0=(0, 0, 0), at1=(0, 0, 0), apis=(), values=""):
    lines = [f"rel physics:body{i} = <{path}>" for i, path in enumerate((first, second)) if path]
    if axis:
        lines.append(f'uniform token physics:axis = "{axis}"')
    lines += [f"point3f physics:localPos0 = {tuple(at0)}", f"point3f physics:localPos1 = {tuple(at1)}", values]
    return f'def Physics{kind} "{name}"{applied(*apis)}\n{{\n    ' + "\n    ".join(lines) + "\n}\n"


def cube(name, size=1.0, at=(0, 0, 0), scale=(1, 1, 1), apis=(), values=""):
    return f"""def Cube "{name}"{applied("PhysicsCollisionAPI", *apis)}
{{
    double size = {size}
    double3 xformOp:translate = {tuple(at)}
    float3 xformOp:scale = {tuple(scale)}
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:scale"]
    {values}
}}
"""


def ball(name="c", radius=0.1, apis=(), values=""):
    return f'def Sphere "{name}"{applied("PhysicsCollisionAPI", *apis)}\n{{\n    double radius = {radius}\n    {values}\n}}\n'


def floor(apis=(), values=""):
    return cube("floor", 1, (0, 0, -0.5), (40, 40, 1), apis, values)


def material(values, apis=(), name="m"):
    return f'def Material "{name}"{applied("PhysicsMaterialAPI", *apis)}\n{{\n    {values}\n}}\n'


BIND = ("MaterialBindingAPI",)


def bound(name="m"):
    return f"rel material:binding:physics = </w/{name}>"


def position(of, axis):
    return lambda frame: frame["body_q"][of][axis]


def velocity(of, axis):
    return lambda frame: frame["body_qd"][of][axis]


def coordinate(of):
    return lambda frame: frame["joint_q"][of]


def yaw(of):
    return lambda frame: 2 * math.atan2(frame["body_q"][of][5], frame["body_q"][of][6])


def oscillation(k, d, m, x, t):
    """m x'' = -k x - d x', from rest at x."""
    a = d / (2 * m)
    w = cmath.sqrt(a * a - k / m)
    return (x * cmath.exp(-a * t) * (cmath.cosh(w * t) + a * cmath.sinh(w * t) / w)).real


# -- joints

DRIVE = ("PhysicsDriveAPI:linear",)
NEWTON = ("NewtonJointAPI",)
MUJOCO = ("MjcJointAPI",)
MOVING = "vector3f physics:velocity = (1, 0, 0)"
LOOP = "bool physics:excludeFromArticulation = 1"


def slider(values="", apis=(), mass=1.0, axis="X", gravity=0.0, moving=""):
    """A body on a rail of the world."""
    return stage(body("b", mass=mass, values=moving) + joint("PrismaticJoint", "j", None, "/w/b", axis, apis=apis, values=values), gravity)


def drive(stiffness, damping=0.0, target=1.0, more="", of="linear"):
    return f"""float drive:{of}:physics:stiffness = {stiffness}
    float drive:{of}:physics:damping = {damping}
    float drive:{of}:physics:targetPosition = {target}
    {more}"""


def pendulum(values="", apis=()):
    """A rod that lies level and falls about the y axis."""
    return stage(body("b", (0.5, 0, 0), 1, 0.01) + joint("RevoluteJoint", "j", None, "/w/b", "Y", (0, 0, 0), (-0.5, 0, 0), apis, values), G)


def wheel(values, apis=()):
    return stage(body("b") + joint("RevoluteJoint", "j", None, "/w/b", "Y", apis=apis, values=values))


def hanging(values, mass=10.0):
    return stage(body("b", mass=mass) + joint("FixedJoint", "j", None, "/w/b", values=values), G)


def several_axes(free, values, apis=(), gravity=0.0):
    held = [name for name in LOCKED if name not in free]
    locks = "\n    ".join(f"float limit:{name}:physics:low = 1\n    float limit:{name}:physics:high = -1" for name in held)
    return stage(body("b") + joint("Joint", "j", None, "/w/b", apis=(*(f"PhysicsLimitAPI:{name}" for name in held), *apis), values=locks + "\n    " + values), gravity)


def pair(leader, follower, apis=(), inertia=0.1):
    """Two wheels on a base that stands."""
    base = body("base") + joint("FixedJoint", "hold", None, "/w/base")
    wheels = body("a") + joint("RevoluteJoint", "ja", "/w/base", "/w/a", "Z", apis=("PhysicsDriveAPI:angular",), values=leader)
    wheels += body("b", (1, 0, 0), 1, inertia) + joint("RevoluteJoint", "jb", "/w/base", "/w/b", "Z", (1, 0, 0), apis=apis, values=follower)
    return stage(base + wheels).replace('def Xform "w"', f'def Xform "w"{applied("PhysicsArticulationRootAPI")}')


def angular(stiffness, damping, target, more=""):
    return drive(math.radians(stiffness), math.radians(damping), target, more, "angular")


def joint_cases():
    fall = -G * 0.125  # of half a second
    limits = "float physics:lowerLimit = -0.1\n    float physics:upperLimit = 1"
    turns = "float physics:lowerLimit = -170\n    float physics:upperLimit = 10"
    free = hanging("bool physics:jointEnabled = 0")
    sag = {"semi-implicit": -10 * G / 1e4}  # locked directions are springs of 1e4 N/m
    yield Case("drives: stiffness, damping, targets", slider(drive(40, 2), DRIVE), slider(), 0.7, coordinate(0), 1 + oscillation(40, 2, 1, -1, 0.7), 0.01, "/w/j")
    yield Case("drives: stiffness, damping, targets", slider(drive(100, 20, 0), DRIVE, axis="Z", gravity=G), slider(axis="Z", gravity=G), 2, coordinate(0), -G / 100, 1e-3, "/w/j")
    yield Case("drives: stiffness, damping, targets", slider("float drive:linear:physics:damping = 5\n    float drive:linear:physics:targetVelocity = 0.5", DRIVE), slider(), 0.2, velocity(0, 0),
               0.5 * (1 - math.exp(-1)), 3e-3, "/w/j")
    yield Case("drives: stiffness, damping, targets", wheel(angular(4, 0.2, 60), ("PhysicsDriveAPI:angular",)), wheel(""), 0.4, coordinate(0),
               math.pi / 3 + oscillation(4, 0.2, 0.1, -math.pi / 3, 0.4), 0.01, "/w/j")
    yield Case("drives: maxForce", slider(drive(400, 10, 2, "float drive:linear:physics:maxForce = 2"), DRIVE), slider(drive(400, 10, 2), DRIVE), 0.5, coordinate(0), 0.25, 5e-3, "/w/j")
    strong = drive(1, 0.1, 120, of="angular")
    yield Case("drives: maxForce", wheel(strong + "\n    float drive:angular:physics:maxForce = 0.5", ("PhysicsDriveAPI:angular",)), wheel(strong, ("PhysicsDriveAPI:angular",)), 0.4,
               coordinate(0), 0.4, 0.01, "/w/j")
    yield Case("drives of type acceleration", slider(drive(40, 2, 1, 'uniform token drive:linear:physics:type = "acceleration"'), DRIVE, mass=4), slider(drive(40, 2), DRIVE, mass=4), 0.5,
               coordinate(0), 1 + oscillation(40, 2, 1, -1, 0.5), 0.01, "/w/j")
    yield Case("limits", slider(limits, axis="Z", gravity=G), slider(axis="Z", gravity=G), 2, coordinate(0), -0.1, 2e-3, "/w/j")
    yield Case("limits", pendulum(turns), pendulum(), 2, coordinate(0), math.radians(10), 5e-3, "/w/j")
    spring = "\n    float newton:limitStiffness = {}\n    float newton:limitDamping = {}"
    yield Case("stiffness and damping of limits", slider(limits + spring.format(200, 20), NEWTON, axis="Z", gravity=G), slider(limits, axis="Z", gravity=G), 3, coordinate(0), -0.1 - G / 200,
               2e-3, "/w/j")
    # Into the spring at the speed of a fall of 0.1 m, and on for a quarter of its period: how a limit moves shows its inertia.
    yield Case("stiffness and damping of limits", slider(limits + spring.format(200, 0.001), NEWTON, axis="Z", gravity=G), slider(limits, axis="Z", gravity=G),
               math.sqrt(0.2 / G) + math.pi / 2 / math.sqrt(200), coordinate(0), -0.1 - G / 200 - math.sqrt(0.2 * G / 200), 3e-3, "/w/j")
    sinks = lambda frame: (frame["joint_q"][0] - math.radians(10)) * 40 - G * 0.5 * math.cos(frame["joint_q"][0])
    yield Case("stiffness and damping of limits", pendulum(turns + spring.format(math.radians(40), math.radians(4)), NEWTON), pendulum(turns), 4, sinks, 0, 0.1, "/w/j")
    push = drive(1000, 0, 100, "float drive:linear:physics:maxForce = 2")
    yield Case("velocity limits", slider(push + "\n    float newton:velocityLimit = 0.5", DRIVE + NEWTON), slider(push, DRIVE), 0.5, velocity(0, 0), 0.5, 0.01, "/w/j")
    for values, apis in (("float newton:armature = 1", NEWTON), ("double mjc:armature = 1", MUJOCO), ("float physxJoint:armature = 1", ("PhysxJointAPI",))):
        yield Case("armature", slider(drive(40, 2) + "\n    " + values, DRIVE + apis), slider(drive(40, 2), DRIVE), 0.5, coordinate(0), 1 + oscillation(40, 2, 2, -1, 0.5), 5e-3, "/w/j")
    for values, apis in (("float newton:friction = 1", NEWTON), ("double mjc:frictionloss = 1", MUJOCO)):
        yield Case("dry friction", slider(values, apis, moving=MOVING), slider(moving=MOVING), 2, coordinate(0), 0.5, 5e-3, "/w/j")
    for values, apis in (("float newton:damping = 2", NEWTON), ("double mjc:damping = 2", MUJOCO)):
        yield Case("damping and springs of joints", slider(values, apis, moving=MOVING), slider(moving=MOVING), 0.5, velocity(0, 0), math.exp(-1), 5e-3, "/w/j")
    yield Case("damping and springs of joints", slider("double mjc:stiffness = 40\n    double mjc:springref = 0.5", MUJOCO), slider(), 0.3, coordinate(0),
               0.5 + oscillation(40, 1e-9, 1, -0.5, 0.3), 5e-3, "/w/j")
    yield Case("start positions and velocities", slider("float state:linear:physics:position = 0.3\n    float state:linear:physics:velocity = 0.5", ("PhysicsJointStateAPI:linear",)), slider(), 0.4,
               coordinate(0), 0.5, 2e-3, "/w/j")
    rod = lambda values: stage(body("b", (0.5, 0, 0), 1, 0.01) + joint("SphericalJoint", "j", None, "/w/b", "X", (0, 0, 0), (-0.5, 0, 0), values=values), G)
    yield Case("cone limits", rod("float physics:coneAngle0Limit = 20\n    float physics:coneAngle1Limit = 20"), rod(""), 3, position(0, 2), -0.5 * math.sin(math.radians(20)), 5e-3, "/w/j")
    two = several_axes(("rotX", "rotZ"), "\n    ".join(drive(0.1, 0.02, target, of=name) for name, target in (("rotX", 30), ("rotZ", 60))), ("PhysicsDriveAPI:rotX", "PhysicsDriveAPI:rotZ"))
    yield Case("joints of several axes", two, several_axes(("rotX", "rotZ"), ""), 4, lambda frame: frame["joint_q"][0] + 10 * frame["joint_q"][1], math.radians(30) + 10 * math.radians(60), 0.02, "/w/j")
    rails = "float limit:transZ:physics:low = -0.2\n    float limit:transZ:physics:high = 1\n    " + drive(40, 12, 0.3, of="transX")
    yield Case("joints of several axes", several_axes(("transX", "transZ"), rails, ("PhysicsLimitAPI:transZ", "PhysicsDriveAPI:transX"), G), several_axes(("transX", "transZ"), "", (), G), 3,
               lambda frame: frame["body_q"][0][0] + 10 * frame["body_q"][0][2], 0.3 - 2, 0.02, "/w/j")
    follow = "rel newton:mimicJoint = </w/ja>\n    float newton:mimicCoef0 = 5\n    float newton:mimicCoef1 = 2"
    yield Case("followers", pair(angular(40, 8, 30), follow, ("NewtonMimicAPI",)), pair(angular(40, 8, 30), ""), 4, lambda frame: frame["joint_q"][-1], math.radians(65), 0.01, "/w/jb")
    follow = "rel newton:mimicJoint = </w/ja>\n    float newton:mimicCoef1 = 2"
    yield Case("followers", pair(angular(40, 0, 30), follow, ("NewtonMimicAPI",), 0.3), pair(angular(40, 0, 30), "", (), 0.3), 0.2, lambda frame: frame["joint_q"][-1],
               math.pi / 3 * (1 - math.cos(math.sqrt(40 / (0.1 + 4 * 0.3)) * 0.2)), 0.01, "/w/jb")
    yield Case("joints that break", hanging("float physics:breakForce = 50"), hanging(""), 0.5, position(0, 2), fall, 0.02, "/w/j")
    arm = lambda values: stage(body("b", (1, 0, 0)) + joint("FixedJoint", "j", None, "/w/b", at1=(-1, 0, 0), values=values), G)
    yield Case("joints that break", arm("float physics:breakTorque = 5"), arm(""), 0.5, position(0, 2), fall, 0.02, "/w/j")
    yield Case("joints that are off", free, hanging(""), 0.5, position(0, 2), fall, 5e-3, "/w/j")
    rope = lambda values, z: stage(body("b", (0, 0, z)) + joint("DistanceJoint", "j", None, "/w/b", values=values), G)
    yield Case("distance joints", rope("float physics:maxDistance = 0.8", -0.5), stage(body("b", (0, 0, -0.5)), G), 2, position(0, 2), -0.8, 5e-3, "/w/j")
    yield Case("distance joints", rope("float physics:minDistance = 0.3", 0.5), stage(body("b", (0, 0, 0.5)), G), 1, position(0, 2), 0.3, 5e-3, "/w/j")
    yield Case("loops: fixed and turning joints", hanging(LOOP), free, 0.5, position(0, 2), 0, 3e-3, "/w/j", other=sag)
    yield Case("loops: sliding joints", slider(LOOP, axis="X", gravity=G), free, 1, position(0, 2), 0, 3e-3, "/w/j")
    yield Case("loops: drives and limits", slider(drive(40, 2) + "\n    " + LOOP, DRIVE), slider(LOOP), 0.7, position(0, 0), 1 + oscillation(40, 2, 1, -1, 0.7), 0.01, "/w/j")
    yield Case("loops: drives and limits", slider(limits + "\n    " + LOOP, axis="Z", gravity=G), slider(LOOP, axis="Z", gravity=G), 2, position(0, 2), -0.1, 3e-3, "/w/j")
    yield Case("loops: damping", slider("float newton:damping = 2\n    " + LOOP, NEWTON, moving=MOVING), slider(LOOP, moving=MOVING), 0.5, velocity(0, 0), math.exp(-1), 5e-3, "/w/j")
    yield Case("loops: dry friction", slider("float newton:friction = 1\n    " + LOOP, NEWTON, moving=MOVING), slider(LOOP, moving=MOVING), 2, position(0, 0), 0.5, 5e-3, "/w/j")
    yield Case("loops: armature", slider(drive(40, 2) + "\n    float newton:armature = 1\n    " + LOOP, DRIVE + NEWTON), slider(drive(40, 2) + "\n    " + LOOP, DRIVE), 0.5, position(0, 0),
               1 + oscillation(40, 2, 2, -1, 0.5), 5e-3, "/w/j")


# -- bodies

def free(values="", apis=(), gravity=0.0, direction=(0, 0, -1)):
    return stage(body("b", apis=apis, values=values), gravity, direction=direction)


def carried(seconds=1.0, acceleration=2.0):
    """Angle [rad] of a rod of 1 kg, 0.5 m below a joint that is accelerated along x."""
    angle = rate = 0.0
    h = 1e-4
    for _ in range(round(seconds / h)):
        rate += h * (-G * 0.5 * math.sin(angle) - acceleration * 0.5 * math.cos(angle)) / 0.26
        angle += h * rate
    return angle


def body_cases():
    turning = "vector3f physics:angularVelocity = (0, 0, 90)"
    damped = {"semi-implicit": math.pi / 2 * (1 - math.exp(-0.05 * 0.5)) / 0.05}  # its angular damping of 0.05 1/s
    yield Case("gravity", free(gravity=G), free(), 0.5, position(0, 2), -G * 0.125, 5e-3, "/w/scene")
    yield Case("gravity", free(gravity=G, direction=(1, 0, 0)), free(gravity=G), 0.5, position(0, 0), G * 0.125, 5e-3, "/w/scene")
    yield Case("start velocities of bodies", free(MOVING), free(), 0.5, position(0, 0), 0.5, 1e-3, "/w/b")
    yield Case("start velocities of bodies", free(turning), free(), 0.5, yaw(0), math.pi / 4, 2e-3, "/w/b", other=damped)
    yield Case("centres of mass", free(turning + "\n    point3f physics:centerOfMass = (0.5, 0, 0)"), free(turning), 0.5, position(0, 0), 0.5 - 0.5 * math.cos(math.pi / 4), 5e-3, "/w/b")
    physx = ("PhysxRigidBodyAPI",)
    yield Case("bodies without gravity (PhysX)", free("bool physxRigidBody:disableGravity = 1", physx, G), free(gravity=G), 0.5, position(0, 2), 0, 1e-3, "/w/b")
    yield Case("damping of bodies (PhysX)", free(MOVING + "\n    float physxRigidBody:linearDamping = 2", physx), free(MOVING), 0.5, velocity(0, 0), math.exp(-1), 5e-3, "/w/b")
    yield Case("damping of bodies (PhysX)", free(turning + "\n    float physxRigidBody:angularDamping = 2", physx), free(turning), 0.5, velocity(0, 5), math.pi / 2 * math.exp(-1), 5e-3, "/w/b")
    yield Case("largest speeds of bodies (PhysX)", free(MOVING + "\n    float physxRigidBody:maxLinearVelocity = 0.5", physx), free(MOVING), 0.5, velocity(0, 0), 0.5, 5e-3, "/w/b")
    yield Case("gravity compensation (MuJoCo)", free("double mjc:gravcomp = 1\n    double mjc:sleep = 0", gravity=G).replace("double mjc:sleep = 0", ""), free(gravity=G), 0.5, position(0, 2), 0,
               1e-3, "/w/b", ("--resolvers", "newton,mjc"))
    yield Case("bodies that start asleep", free("bool physics:startsAsleep = 1", gravity=G), free(gravity=G), 0.5, position(0, 2), 0, 1e-3, "/w/b", ("--sleeping",))
    yield Case("kinematic bodies", free("bool physics:kinematicEnabled = 1", gravity=G), free(gravity=G), 0.5, position(0, 2), 0, 1e-3, "/w/b")
    moving = "bool physics:kinematicEnabled = 1\n    " + MOVING
    yield Case("kinematic bodies with a velocity", free(moving), free(moving.replace("(1, 0, 0)", "(0, 0, 0)")), 0.5, position(0, 0), 0.5, 1e-3, "/w/b", ("--option", "kinematic_velocity=follow"))
    # A carrier that the stage moves at 2 m/s2.
    head = "startTimeCode = 0\n    endTimeCode = 200\n    timeCodesPerSecond = 200"
    carrier = lambda inside, z: (f'def Xform "k"{applied("PhysicsRigidBodyAPI", "PhysicsMassAPI")}\n{{\n    float physics:mass = 1\n    bool physics:kinematicEnabled = 1\n'
                                 f"    double3 xformOp:translate.timeSamples = {{{', '.join(f'{i}: ({(i / 200) ** 2:.9f}, 0, {z})' for i in range(201))}}}\n"
                                 f'    uniform token[] xformOpOrder = ["xformOp:translate"]\n    {inside}}}\n')
    rod = carrier("", 1) + body("b", (0, 0, 0.5), 1, 0.01)
    lags = lambda frame: (frame["body_q"][1][0] - frame["body_q"][0][0]) / 0.5
    hinge = lambda values: joint("RevoluteJoint", "j", "/w/k", "/w/b", "Y", (0, 0, 0), (0, 0, 0.5), values=values)
    yield Case("animated bodies carry what hangs on them", stage(rod + hinge(""), G, head), stage(rod, G, head), 1, lags, math.sin(carried()), 0.01, "/w/k")
    yield Case("loops: fixed and turning joints", stage(rod + hinge(LOOP), G, head), stage(rod, G, head), 1, lags, math.sin(carried()), 0.01, "/w/j")
    slab = carrier(cube("c", 1, scale=(20, 20, 1)), -0.5) + body("b", (0, 0, 0.1), 1, 1 / 150, inside=cube("c", 0.2))
    yield Case("animated bodies carry what lies on them", stage(slab, G, head), stage(slab.replace("timeSamples", "nothing").replace(".nothing = {", " = (0, 0, -0.5)\n    #"), G, head), 1, position(1, 0),
               1.0, 0.02, "/w/k")
    beam = body("b", (0, 0, 1), values="bool physics:rigidBodyEnabled = {}", inside=cube("c")) + body("o", (0, 0, 1.7), inside=ball(radius=0.2))
    yield Case("bodies that are off", stage(beam.replace("{}", "0"), G), stage(beam.replace("{}", "1"), G), 1, lambda frame: frame["body_q"][-1][2], 1.7, 5e-3, "/w/b")


# -- contacts

def friction(dynamic, static=None, more="", apis=(), name="m"):
    return material(f"float physics:dynamicFriction = {dynamic}\n    float physics:staticFriction = {dynamic if static is None else static}\n    {more}", apis, name)


def block(own="", ground="", more="", values=MOVING, direction=(0, 0, -1)):
    """A box of 0.2 m on a floor; `own` and `ground`: names of materials."""
    boxed = cube("c", 0.2, apis=BIND if own else (), values=bound(own) if own else "")
    return stage(floor(BIND if ground else (), bound(ground) if ground else "") + body("b", (0, 0, 0.1), 1, 1 / 150, values=values, inside=boxed) + more, G, direction=direction)


def marble(more="", values="", z=0.1, apis=(), own="", ground=True):
    """A ball of 0.1 m on a floor."""
    inside = ball(apis=(*apis, *(BIND if more else ())), values=(bound() if more else "") + "\n    " + own)
    return stage(floor(BIND if more and ground else (), bound() if more and ground else "") + body("b", (0, 0, z), 1, 0.004, values=values, inside=inside) + more, G)


def contact_cases():
    slope = (math.sin(math.atan(0.45)), 0, -math.cos(math.atan(0.45)))
    yield Case("sliding friction", block("m", "m", friction(0.2)), block(), 1, position(0, 0), 1 / (2 * 0.2 * G), 0.01, "/w/b/c")
    yield Case("sliding friction", block("m", "m", friction(0)), block(), 0.5, velocity(0, 0), 1, 5e-3, "/w/b/c")
    yield Case("static friction above the dynamic", block("m", "m", friction(0.3, 0.6), "", slope), block("m", "m", friction(0.3), "", slope), 1, position(0, 0), 0, 0.02, "/w/b/c")
    mixed = lambda more="", apis=(): block("n", "m", friction(0.1, None, more, apis) + friction(0.3, name="n"))
    rule = lambda name: mixed(f'uniform token physxMaterial:frictionCombineMode = "{name}"', ("PhysxMaterialAPI",))
    yield Case("friction of two materials: the mean", mixed(), block(), 1.2, position(0, 0), 1 / (2 * 0.2 * G), 0.01, "/w/floor")
    yield Case("friction of two materials: other rules", rule("min"), mixed(), 1.2, position(0, 0), 1 / (2 * 0.1 * G), 0.03, "/w/floor")
    yield Case("friction of two materials: the larger", rule("max"), mixed(), 1.2, position(0, 0), 1 / (2 * 0.3 * G), 0.01, "/w/floor")
    time = math.sqrt(2 / G)
    yield Case("restitution", marble(friction(0, more="float physics:restitution = 0.8"), z=1.1), marble(z=1.1), 1.8 * time, position(0, 2), 0.1 + 0.64, 0.03, "/w/b/c")
    belt = lambda values: block(values="").replace('def Cube "floor" (prepend apiSchemas = ["PhysicsCollisionAPI"])', f'def Cube "floor"{applied("PhysicsCollisionAPI", "PhysxSurfaceVelocityAPI")}').replace(
        "float3 xformOp:scale = (40, 40, 1)", f"float3 xformOp:scale = (40, 40, 1)\n    {values}")
    yield Case("moving surfaces", belt("vector3f physxSurfaceVelocity:surfaceVelocity = (0.5, 0, 0)"), belt(""), 1, position(0, 0), 0.5 - 0.125 / G, 0.01, "/w/floor")
    yield Case("moving surfaces", belt("vector3f physxSurfaceVelocity:surfaceAngularVelocity = (0, 0, 45)"), belt(""), 1, yaw(0), math.radians(45), 0.1, "/w/floor")
    turning = lambda torsional, rolling: friction(1, more=f"float newton:torsionalFriction = {torsional}\n    float newton:rollingFriction = {rolling}", apis=("NewtonMaterialAPI",))
    spun, rolled = "vector3f physics:angularVelocity = (0, 0, 573)", MOVING + "\n    vector3f physics:angularVelocity = (0, 572.958, 0)"
    yield Case("torsional and rolling friction", marble(turning(0.002, 0), spun), marble(turning(0, 0), spun), 1, velocity(0, 5), 10.0007 - 0.002 * G / 0.004, 0.1, "/w/b/c")
    yield Case("torsional and rolling friction", marble(turning(0, 0.002), rolled), marble(turning(0, 0), rolled), 1, velocity(0, 0), 1 - 0.002 * G / 0.14, 0.02, "/w/b/c")
    soft = friction(1, more="float newton:contactStiffness = 500\n    float newton:contactDamping = 40", apis=("NewtonMaterialAPI",))
    yield Case("stiffness of contacts", marble(soft), marble(), 3, position(0, 2), 0.1 - G / 500, 2e-3, "/w/b/c")
    yield Case("margins", marble(apis=("NewtonCollisionAPI",), own="float newton:contactMargin = 0.05", z=0.3), marble(z=0.3), 2, position(0, 2), 0.15, 6e-3, "/w/b/c")
    through = 0.1 - G * 0.125
    yield Case("filters: collisionEnabled, pairs, groups", marble(own="bool physics:collisionEnabled = 0"), marble(), 0.5, position(0, 2), through, 0.01, "/w/b/c")
    filtered = stage(floor() + body("b", (0, 0, 0.1), 1, 0.004, ("PhysicsFilteredPairsAPI",), "rel physics:filteredPairs = </w/floor>", ball()), G)
    yield Case("filters: collisionEnabled, pairs, groups", filtered, marble(), 0.5, position(0, 2), through, 0.01, "/w/b")
    groups = ('def PhysicsCollisionGroup "g1"\n{\n    prepend rel collection:colliders:includes = </w/b>\n    rel physics:filteredGroups = </w/g2>\n}\n'
              'def PhysicsCollisionGroup "g2"\n{\n    prepend rel collection:colliders:includes = </w/floor>\n}\n')
    yield Case("filters: collisionEnabled, pairs, groups", stage(floor() + body("b", (0, 0, 0.1), 1, 0.004, inside=ball()) + groups, G), marble(), 0.5, position(0, 2), through, 0.01, "/w/g1")


# -- what MuJoCo alone has words for

def mjcf(world, rest="", options='gravity="0 0 0"'):
    return f'<mujoco model="m"><option {options}/><worldbody>{world}</worldbody>{rest}</mujoco>'


def mjcf_cases():
    slide = '<body name="b"><joint name="j" type="slide" axis="1 0 0"{}/><geom type="sphere" size="0.1" mass="1" contype="0" conaffinity="0"/></body>'
    sphere = '<body name="b"><freejoint/><geom type="sphere" size="0.1" mass="1" contype="0" conaffinity="0"/></body>'
    moves = ("--set", "j.qd=1")
    # The box of the same inertia has half sizes of sqrt(0.6) r: f = -3 pi (2 sqrt(0.6) r) viscosity v.
    thick = 3 * math.pi * 2 * math.sqrt(0.6) * 0.1
    yield Case("media (MuJoCo)", mjcf(slide.format(""), options='gravity="0 0 0" viscosity="1"'), mjcf(slide.format("")), 0.5, velocity(0, 0), math.exp(-thick * 0.5), 5e-3, "medium", moves, {}, ".xml")
    servo = '<actuator><position name="a" joint="j" kp="100" kv="20"{}/></actuator>'
    target = ("--set", "j.target=0.5")
    yield Case("ranges of controls (MuJoCo)", mjcf(slide.format(""), servo.format(' ctrlrange="-0.2 0.2"')), mjcf(slide.format(""), servo.format("")), 2, coordinate(0), 0.2, 5e-3, "/m/", target, {}, ".xml")
    pulled = mjcf(slide.format(""), '<tendon><fixed name="t" stiffness="40" springlength="0.5"><joint joint="j" coef="1"/></fixed></tendon>')
    yield Case("tendons (MuJoCo)", pulled, mjcf(slide.format("")), 0.3, coordinate(0), 0.5 + oscillation(40, 1e-9, 1, -0.5, 0.3), 5e-3, "tendons", (), {}, ".xml")
    motor = mjcf(slide.format(""), '<actuator><general name="a" joint="j" gainprm="0" biastype="affine" biasprm="2 0 0"/></actuator>')
    yield Case("actuators that are no drives (MuJoCo)", motor, mjcf(slide.format("")), 0.5, coordinate(0), 0.25, 5e-3, "actuators", (), {}, ".xml")
    both = slide.format("").replace("</body>", slide.replace('"b"', '"c"').replace('"j"', '"k"').format("") + "</body>")
    tied = lambda poly: mjcf(both, f'<equality><joint joint1="k" joint2="j" polycoef="{poly}"/></equality><actuator><position joint="j" kp="100" kv="60"/></actuator>')
    yield Case("followers by a polynomial (MuJoCo)", tied("0 1 2 0 0"), tied("0 1 0 0 0"), 5, lambda frame: frame["joint_q"][1], 0.5 + 2 * 0.25, 0.02, "/m/", target, {}, ".xml")
    ratio = '<actuator><position name="a" joint="j" kp="100" dampratio="1"/></actuator>'
    yield Case("ratios of damping (MuJoCo)", mjcf(slide.format(""), ratio), mjcf(slide.format(""), ratio.replace(' dampratio="1"', "")), 0.3, coordinate(0), 0.5 * (1 - 4 * math.exp(-3)), 5e-3, "/m/", target,
               {}, ".xml")


CASES = [*joint_cases(), *body_cases(), *contact_cases(), *mjcf_cases()]
