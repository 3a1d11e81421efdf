"""Chains of bodies drawn by chance whose masses are said in every way there is: authored, in part, not at all, by numbers that no body has, and by colliders that
weigh nothing."""
import random

#: A tetrahedron; two that do not touch are what a decomposition takes apart.
TETRA = ([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])


def vec(r, s, n=3):
    return "(" + ", ".join(f"{r.uniform(-s, s):.5g}" for _ in range(n)) + ")"


def mesh(r, size):
    points = [tuple(size * x for x in p) for p in TETRA[0]]
    faces = list(TETRA[1])
    if r.random() < 0.6:
        points += [tuple(3 * size + size * x for x in p) for p in TETRA[0]]
        faces += [tuple(4 + i for i in f) for f in TETRA[1]]
    if r.random() < 0.2:
        faces = faces[:-1]  # open
    method = r.choice(["none", "convexHull", "convexDecomposition", "boundingCube", "boundingSphere"])
    return f"""        def Mesh "c" (
            prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"]
        )
        {{
            int[] faceVertexCounts = [{", ".join("3" for _ in faces)}]
            int[] faceVertexIndices = [{", ".join(str(i) for f in faces for i in f)}]
            point3f[] points = [{", ".join(str(p) for p in points)}]
            uniform token physics:approximation = "{method}"
            double3 xformOp:translate = {vec(r, size)}
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }}"""


def collider(r, unit):
    """A shape, or one that weighs nothing, or none."""
    size = r.uniform(0.02, 0.3) / unit
    kind = r.choice(["none", "Cube", "Sphere", "Capsule", "Cylinder", "Mesh", "Mesh", "Plane", "disabled"])
    if kind == "none":
        return ""
    if kind == "Mesh":
        return mesh(r, size)
    lines = ["bool physics:collisionEnabled = 0"] if kind == "disabled" else []
    exact = kind == "Sphere" and r.random() < 0.3
    kind = "Sphere" if kind == "disabled" else kind
    lines += {"Cube": [f"double size = {size:.5g}"], "Sphere": [f"double radius = {size:.5g}"], "Plane": [f"double width = {size:.5g}"]}.get(
        kind, [f"double radius = {size:.5g}", f"double height = {2 * size:.5g}"])
    mass = r.choice(["", "", f"float physics:mass = {r.uniform(0.1, 2):.4g}", f"float physics:density = {r.uniform(100, 3000) * unit**3:.5g}"])
    lines += [mass] if mass else []
    lines.append(f"double3 xformOp:translate = {vec(r, size)}")
    order = ["xformOp:translate"]
    if exact or (kind == "Cube" and r.random() < 0.4):
        lines.append("double3 xformOp:scale = (1, 2, 0.5)" if exact else f"double3 xformOp:scale = ({r.uniform(0.5, 2):.4g}, {r.uniform(0.5, 2):.4g}, {r.uniform(0.5, 2):.4g})")
        order.append("xformOp:scale")
    lines.append("uniform token[] xformOpOrder = [" + ", ".join(f'"{o}"' for o in order) + "]")
    apis = ["PhysicsCollisionAPI", *(["PhysicsMassAPI"] if mass else [])]
    told = "            customData = {\n                dictionary mechane = {\n                    bool exactShape = 1\n                }\n            }\n" if exact else ""
    return (f'        def {kind} "c" (\n' + told + "            prepend apiSchemas = [" + ", ".join(f'"{a}"' for a in apis) + "]\n        )\n        {\n"
            + "".join(f"            {line}\n" for line in lines) + "        }")


def inertia(r, m, unit):
    """diagonalInertia: of a body, of none, nearly of none, without one of its moments."""
    a, b, c = (m / 5 * sum(x * x for x in pair) / unit**2 for pair in [[r.uniform(0.05, 0.3) for _ in range(2)] for _ in range(3)])
    a, b, c = r.choice([(a, b, a + b), (a, b, 0.9 * (a + b)), (a, b, 3 * (a + b)), (a, a, a), (a, 0, c), (1e-9, b, b), (1e-12, 1e-12, 2e-12)])
    return f"({a:.6g}, {b:.6g}, {c:.6g})"


def stage(seed):
    """usda of a chain; bodies are called b0, b1, ..., and their frames are those of the joints."""
    r = random.Random(seed)
    unit, kilos = r.choice([1, 1, 0.01, 0.0254]), r.choice([1, 1, 0.001])
    out = [f"""#usda 1.0
(
    defaultPrim = "robot"
    kilogramsPerUnit = {kilos}
    metersPerUnit = {unit}
    upAxis = "Z"
)

def Xform "robot" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI"]
)
{{"""]
    for i in range(4):
        mass = r.uniform(0.05, 20) / kilos
        said = []
        if r.random() < 0.6:
            said.append(f"float physics:mass = {mass:.6g}")
        if r.random() < 0.2:
            said.append(f"float physics:density = {r.uniform(100, 3000) * unit**3 / kilos:.6g}")
        if r.random() < 0.5:
            said.append(f"float3 physics:diagonalInertia = {inertia(r, mass, unit)}")
            if r.random() < 0.5:
                q = [r.gauss(0, 1) for _ in range(4)]
                n = sum(x * x for x in q)**0.5
                said.append("quatf physics:principalAxes = (" + ", ".join(f"{x / n:.7g}" for x in q) + ")")
        if r.random() < 0.4:
            said.append(f"point3f physics:centerOfMass = {vec(r, 0.1 / unit)}")
        apis = ", ".join(f'"{a}"' for a in ["PhysicsRigidBodyAPI", *(["PhysicsMassAPI"] if said else [])])
        lines = "".join(f"        {line}\n" for line in said)
        out.append(f"""    def Xform "b{i}" (
        prepend apiSchemas = [{apis}]
    )
    {{
{lines}        double3 xformOp:translate = (0, 0, {i * 0.5 / unit:.6g})
        uniform token[] xformOpOrder = ["xformOp:translate"]
{collider(r, unit)}
    }}""")
        if i:
            out.append(f"""    def PhysicsRevoluteJoint "j{i}"
    {{
        uniform token physics:axis = "Y"
        rel physics:body0 = </robot/b{i - 1}>
        rel physics:body1 = </robot/b{i}>
        point3f physics:localPos0 = (0, 0, {0.5 / unit:.6g})
        point3f physics:localPos1 = (0, 0, 0)
        quatf physics:localRot0 = (1, 0, 0, 0)
        quatf physics:localRot1 = (1, 0, 0, 0)
    }}""")
    return "\n".join(out) + "\n}\n"
