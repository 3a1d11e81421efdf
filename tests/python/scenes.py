"""Small scenes that many tests begin with."""
import mechane as mc

HEAD = '#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\n'

#: A ball of 1 kg at a height of 2 m.
BALL = HEAD + '''def PhysicsScene "scene"
{
}
def Xform "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
{
    float physics:mass = 1
    double3 xformOp:translate = (0, 0, 2)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Sphere "geom" (prepend apiSchemas = ["PhysicsCollisionAPI"]) 
    {
        double radius = 0.1
    }
}
'''

#: The ball, and a hinge that names a body that is not there.
FAULTY = BALL + 'def PhysicsRevoluteJoint "hinge"\n{\n    rel physics:body0 = </gone>\n    rel physics:body1 = </ball>\n}\n'


def pendulum(links=2, builder=None):
    """A chain of 1 kg links of 1 m on hinges about y, hanging from the origin along x."""
    b = mc.ModelBuilder() if builder is None else builder
    joints, parent = [], -1
    for i in range(links):
        link = b.add_link(xform=(0.5 + i, 0, 0, 0, 0, 0, 1), mass=1.0, inertia=(0.01, 0, 0, 0, 0.1, 0, 0, 0, 0.1), label=f"link{i}")
        anchor = (0, 0, 0, 0, 0, 0, 1) if parent < 0 else (0.5, 0, 0, 0, 0, 0, 1)
        joints.append(b.add_joint_revolute(parent, link, parent_xform=anchor, child_xform=(-0.5, 0, 0, 0, 0, 0, 1), axis="Y", label=f"hinge{i}"))
        parent = link
    b.add_articulation(joints, label="pendulum")
    return b


def falling_ball():
    b = mc.ModelBuilder()
    ball = b.add_body(xform=(0, 0, 0.5, 0, 0, 0, 1), label="ball")
    b.add_shape_sphere(ball, radius=0.1)
    b.add_ground_plane()
    return b
