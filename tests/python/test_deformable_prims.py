"""Surfaces that belong to a deformable body, and the points at which they are bound."""
import mechane as mc
import numpy as np
import pytest

def points(values, name="points"):
    return f"    {'uniform token[]' if 'purposes' in name else 'point3f[]'} {name} = {values}\n"


def prim(kind, name, apis=(), inside=""):
    applied = " (apiSchemas = [" + ", ".join(f'"{api}"' for api in apis) + "])" if apis else ""
    return f"def {kind} \"{name}\"{applied}\n{{\n{inside}}}\n"


POSE = "physics:deformablePose:"
SKIN = points("[(0, 0, 0), (1, 0, 0), (0, 1, 0)]") + points('["rest"]', POSE + "rest:purposes") + points("[(9, 9, 9), (9, 9, 9), (9, 9, 9)]", POSE + "rest:points") + \
    points('["other", "bindPose"]', POSE + "bound:purposes") + points("[(0, 0, 1), (1, 0, 1), (0, 1, 1)]", POSE + "bound:points")
BODY = (prim("TetMesh", "sim", ["PhysicsVolumeDeformableSimAPI"], points("[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]")) +
        prim("Mesh", "skin", ["PhysicsDeformablePoseAPI:rest", "PhysicsDeformablePoseAPI:bound"], SKIN) +
        prim("Mesh", "collider", ["PhysicsCollisionAPI"], "    bool physics:collisionEnabled = 0\n") +
        prim("Xform", "group", (), prim("BasisCurves", "hair", (), points("[(0, 0, 0), (0, 0, 2)]")) + prim("Sphere", "eye")) +
        prim("Points", "dust", ["NewtonPointsDeformableSimAPI"], points("[(0, 0, 0)]")) +
        prim("Points", "sparks", (), "    point3f[] points.timeSamples = {\n        1: [(0, 0, 0)],\n    }\n") +
        prim("Xform", "wheel", ["PhysicsRigidBodyAPI"], prim("Mesh", "tyre")) +
        prim("Xform", "arm", ["PhysicsArticulationRootAPI"], prim("Mesh", "hand")) +
        prim("Xform", "other", ["PhysicsDeformableBodyAPI"], prim("Mesh", "others")))


def wrong(second):
    """Two poses, the first of another length than the shape; `second` are the purposes of the other."""
    return prim("Mesh", "wrong", ["PhysicsDeformablePoseAPI:a", "PhysicsDeformablePoseAPI:b"],
                points("[(0, 0, 0)]") + points('["bindPose"]', POSE + "a:purposes") + points("[(0, 0, 0), (1, 1, 1)]", POSE + "a:points") +
                points(second, POSE + "b:purposes") + points("[(0, 0, 0)]", POSE + "b:points"))


def at(path, second="[]"):
    text = "#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\n" + prim("Xform", "body", ["PhysicsDeformableBodyAPI"], BODY) + wrong(second)
    return mc.usd.open(text.encode()).GetPrimAtPath(path)


def test_what_is_only_seen_belongs_to_the_body():
    """Neither what is simulated nor what collides, and nothing of another body below it"""
    found = mc.usd.find_deformable_visual_prims(at("/body"))
    assert [str(p.GetPath()) for p in found] == ["/body/skin", "/body/group/hair", "/body/sparks"]
    assert [str(p.GetPath()) for p in mc.usd.find_deformable_visual_prims(at("/body/other"))] == ["/body/other/others"]
    for path, text in (("/body/skin", "expected a prim with PhysicsDeformableBodyAPI"), ("/nowhere", "not one that is not there")):
        with pytest.raises(ValueError, match=text):
            mc.usd.find_deformable_visual_prims(at(path))


def test_the_bind_pose_is_the_pose_of_that_purpose_else_the_points():
    skin = mc.usd.get_deformable_bind_pose(at("/body/skin"))
    assert skin.dtype == np.float64 and skin.tolist() == [[0, 0, 1], [1, 0, 1], [0, 1, 1]]
    assert mc.usd.get_deformable_bind_pose(at("/body/group/hair")).tolist() == [[0, 0, 0], [0, 0, 2]]
    for path, text in (("/body/group/eye", "expected a prim with points"), ("/body/sparks", "no value at the default time"), ("/wrong", "has 2 points, the shape 1")):
        with pytest.raises(ValueError, match=text):
            mc.usd.get_deformable_bind_pose(at(path))
    with pytest.raises(ValueError, match="2 poses have the purpose bindPose"):
        mc.usd.get_deformable_bind_pose(at("/wrong", '["bindPose"]'))
