"""Resolvers and custom attributes in Python, helpers on prims of any kind."""
import math
import subprocess
import sys
import warnings

import mechane as mc
import numpy as np
import pytest
from mechane import usd
from mechane.usd import PrimType, SchemaResolver, SchemaResolverManager, SchemaResolverMjc, SchemaResolverNewton, SchemaResolverPhysx
from scenes import HEAD

Attribute = SchemaResolver.SchemaAttribute
pxr = pytest.mark.skipif(subprocess.run([sys.executable, "-c", "import pxr.Usd"], capture_output=True).returncode != 0, reason="usd-core is not installed")

#: Two bodies on a hinge whose armature three vendors disagree about.
DOOR = HEAD + '''def PhysicsScene "scene"
{
}
def Xform "door" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
    def Xform "frame" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 5
        float3 physics:diagonalInertia = (1, 1, 1)
    }
    def Xform "leaf" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {
        float physics:mass = 1
        float3 physics:diagonalInertia = (1, 1, 1)
    }
    def PhysicsFixedJoint "mount"
    {
        rel physics:body1 = </door/frame>
    }
    def PhysicsRevoluteJoint "hinge"
    {
        rel physics:body0 = </door/frame>
        rel physics:body1 = </door/leaf>
        uniform token physics:axis = "Z"
        float newton:armature = 0.01
        float physxJoint:armature = 0.02
        float mjc:armature = 0.03
        float house:rotorInertia = 400
        quatf house:pose = (1, 0, 0, 0)
        float3 house:triple = (1, 2, 3)
    }
}
'''


def imported(resolvers, source=DOOR, builder=None, **options):
    b = mc.ModelBuilder() if builder is None else builder
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = b.add_usd(source if not isinstance(source, str) else source.encode(), schema_resolvers=resolvers, **options)
    return b, result


def armature(b):
    return round(b.joint_armature[-1], 6)


def test_the_order_of_resolvers_decides():
    """(PYA-071)"""
    n, p, m = SchemaResolverNewton(), SchemaResolverPhysx(), SchemaResolverMjc()
    assert [armature(imported(order)[0]) for order in ([n, p, m], [p, n, m], [m, n, p])] == [0.01, 0.02, 0.03]


class House(SchemaResolver):
    name = "house"
    mapping = {PrimType.JOINT: {"armature": Attribute("house:rotorInertia", 0.0, lambda v: v * 1e-4)}}


class Declines(SchemaResolver):
    name = "declines"
    mapping = {PrimType.JOINT: {"armature": Attribute("house:rotorInertia", None, lambda v: None)}}


def test_attributes_of_our_own_are_read():
    """400 g cm^2 through the transformer; what the resolver owns is collected"""
    b, result = imported([House(), "newton"])
    assert armature(b) == 0.04
    assert result["schema_attrs"]["house"]["/door/hinge"]["house:rotorInertia"] == 400


def test_a_transformer_that_returns_none_passes_the_question_on():
    """(PYA-072)"""
    assert armature(imported([Declines(), House(), "newton"])[0]) == 0.04
    assert armature(imported([Declines(), "newton"])[0]) == 0.01


def test_a_getter_sees_the_prim():
    class Sum(SchemaResolver):
        name = "sum"
        mapping = {PrimType.JOINT: {"armature": Attribute("newton:armature", usd_value_getter=lambda prim: (
            usd.get_attribute(prim, "newton:armature") + usd.get_attribute(prim, "physxJoint:armature")) if prim.GetTypeName() == "PhysicsRevoluteJoint" else None,
            attribute_names=("newton:armature", "physxJoint:armature"))}}

    b, result = imported([Sum()])
    assert armature(b) == 0.03 and set(result["schema_attrs"]["sum"]["/door/hinge"]) == {"newton:armature", "physxJoint:armature"}


def test_get_value_may_be_overridden():
    """The class answers every look-up, and the result says so (PYA-074)"""
    asked = []

    class Oracle(SchemaResolver):
        name = "oracle"

        def get_value(self, prim, prim_type, key):
            asked.append((prim_type, key))
            return 0.5 if key == "armature" and prim.GetTypeName() == "PhysicsRevoluteJoint" else None

    b, result = imported([Oracle(), "newton"])
    assert armature(b) == 0.5 and (PrimType.JOINT, "armature") in asked and result.diagnostics.by_code("PYTHON_RESOLVER_PYTHON")


def test_an_exception_travels_unchanged():
    """With a note that names attribute and prim; the builder is as it was (PYA-037)"""
    class Bad(SchemaResolver):
        name = "bad"
        mapping = {PrimType.JOINT: {"armature": Attribute("house:rotorInertia", usd_value_transformer=lambda v: {}["no such key"])}}

    b = mc.ModelBuilder()
    b.add_body(label="kept")
    with pytest.raises(KeyError) as caught:
        imported([Bad()], builder=b)
    assert type(caught.value) is KeyError and "house:rotorInertia" in caught.value.__notes__[0] and "/door/hinge" in caught.value.__notes__[0]
    assert b.body_label == ["kept"]


def test_what_is_no_resolver_is_refused():
    class Twin(SchemaResolver):
        name = "newton"

    class Shape(SchemaResolver):
        name = "shape"
        mapping = {PrimType.JOINT: ["armature"]}

    for resolvers, kind, text in (([Twin(), "newton"], ValueError, "comes twice"), ([Shape()], TypeError, "mapping"), ([object()], TypeError, "no name")):
        with pytest.raises(kind, match=text):
            mc.ModelBuilder().add_usd("no such file.usda", schema_resolvers=resolvers)


def test_authored_then_the_importers_default_then_the_mappings():
    """(PYA-073)"""
    stage = usd.open(DOOR.encode())
    hinge, mount = stage.GetPrimAtPath("/door/hinge"), stage.GetPrimAtPath("/door/mount")
    manager = SchemaResolverManager([House(), SchemaResolverNewton()])
    assert math.isclose(manager.get_value(hinge, PrimType.JOINT, "armature", 9.0), 0.04)
    assert manager.get_value(mount, PrimType.JOINT, "armature", 9.0) == 9.0
    assert manager.get_value(mount, PrimType.JOINT, "armature") == 0.0
    assert manager.get_value(mount, PrimType.JOINT, "no_such_key") is None
    value, resolver = SchemaResolverManager([SchemaResolverMjc(), SchemaResolverNewton()]).get_value_with_resolver(hinge, PrimType.JOINT, "armature")
    assert math.isclose(value, 0.03, rel_tol=1e-6) and resolver.name == "mjc"
    assert list(manager.schema_attrs["house"]) == ["/door/hinge"]


# -- base joints


def test_a_base_joint_of_ones_own():
    axes = [mc.ModelBuilder.JointDofConfig(axis=a) for a in "XY"]
    source = DOOR.replace('def PhysicsFixedJoint "mount"', 'def Xform "mount"')
    b, _ = imported(["newton"], source, base_joint={"joint_type": mc.JointType.D6, "linear_axes": axes, "label": "rails"})
    at = b.joint_label.index("rails") if "rails" in list(b.joint_label) else 0
    assert b.joint_type[at] == mc.JointType.D6 and b.joint_dof_dim[at] == (2, 0)
    with pytest.raises(ValueError, match="cannot specify"):
        imported(["newton"], base_joint={"parent": 0})


# -- custom attributes


DECLARED = DOOR.replace('def PhysicsScene "scene"\n{\n}', '''def PhysicsScene "scene"
{
    custom float newton:wear = 1.5 (
        customData = {
            string assignment = "model"
            string frequency = "joint"
        }
    )
    custom quatf newton:us:pose = (0, 0, 0, 2) (
        customData = {
            string assignment = "state"
            string frequency = "body"
        }
    )
}''').replace("float newton:armature", "float newton:wear = 7\n        float newton:armature")


def test_attributes_that_a_stage_declares_become_arrays():
    b, _ = imported(["newton"], DECLARED)
    m = b.finalize()
    assert m.wear.tolist() == [1.5, 7] and m.state().us.pose.tolist() == [[0, 0, 1, 0]] * 2
    assert m.get_attribute_frequency("wear") == mc.Model.AttributeFrequency.JOINT and b.custom_attributes["us:pose"].dtype is mc.quat


def test_transformers_and_frequencies_of_our_own():
    """A transformer gets the raw value and where it stands; a frequency has one row for each prim that its filter takes."""
    f = mc.Model.AttributeFrequency
    b = mc.ModelBuilder()
    b.add_custom_attribute(b.CustomAttribute(name="rotor", dtype=float, frequency=f.JOINT, usd_attribute_name="house:rotorInertia",
                                             usd_value_transformer=lambda v, context: v / 100 if context["prim"].GetName() == "hinge" else None))
    b.add_custom_attribute(b.CustomAttribute(name="depth", dtype=int, frequency=f.BODY, usd_attribute_name="*",
                                             usd_value_transformer=lambda _, context: str(context["prim"].GetPath()).count("/")))
    b.add_custom_frequency(b.CustomFrequency(name="joint", namespace="my", usd_prim_filter=lambda prim, context: "Joint" in prim.GetTypeName()))
    b.add_custom_attribute(b.CustomAttribute(name="kind", dtype=str, frequency="my:joint", namespace="my", usd_attribute_name="*",
                                             usd_value_transformer=lambda _, context: context["prim"].GetTypeName()))
    imported(["newton"], builder=b)
    m = b.finalize()
    assert m.rotor.tolist() == [0, 4] and m.depth.tolist() == [2, 2] and m.my.kind == ["PhysicsFixedJoint", "PhysicsRevoluteJoint"]
    assert m.get_custom_frequency_count("my:joint") == 2


def test_a_failing_import_leaves_custom_attributes_alone():
    b = mc.ModelBuilder()
    f = mc.Model.AttributeFrequency

    def fails(value, context):
        raise ZeroDivisionError("on purpose")

    b.add_custom_attribute(b.CustomAttribute(name="a", dtype=int, frequency=f.BODY, usd_attribute_name="*", usd_value_transformer=lambda v, c: 3))
    b.add_custom_attribute(b.CustomAttribute(name="z", dtype=float, frequency=f.JOINT, usd_attribute_name="house:rotorInertia", usd_value_transformer=fails))
    with pytest.raises(ZeroDivisionError) as caught:
        imported(["newton"], DECLARED, builder=b)
    assert "z" in caught.value.__notes__[0] and "/door/hinge" in caught.value.__notes__[0]
    assert list(b.custom_attributes) == ["a", "z"] and b.custom_attributes["a"].values == {} and b.body_count == 0


# -- helpers: the same answers from our prims and from live ones


def both(text):
    from pxr import Usd

    live = Usd.Stage.CreateInMemory()
    live.GetRootLayer().ImportFromString(text)
    return usd.open(text.encode()), live


HELPERS = (
    lambda p: usd.get_attribute(p, "house:triple"), lambda p: usd.get_attribute(p, "physics:axis"), lambda p: usd.get_attribute(p, "no:such", 5),
    lambda p: usd.get_attribute(p, "physics:lowerLimit", "unauthored"), lambda p: usd.has_attribute(p, "newton:armature"),
    lambda p: usd.has_attribute(p, "physics:upperLimit"), lambda p: usd.get_float(p, "house:rotorInertia"), lambda p: usd.get_float(p, "gone", 2.0),
    lambda p: usd.get_quat(p, "house:pose"), lambda p: usd.get_gprim_axis(p, "physics:axis"), lambda p: usd.get_scale(p), lambda p: usd.get_scale(p, local=False),
    lambda p: tuple(usd.get_transform(p, local=False)), lambda p: usd.has_applied_api_schema(p, "PhysicsMassAPI"), lambda p: usd.get_attributes_in_namespace(p, "house"),
    lambda p: usd.has_applied_api_schema(p, "HouseAPI"))


@pxr
def test_prims_of_ours_and_live_prims_answer_alike():
    """(PYA-078)"""
    text = DOOR.replace('def Xform "leaf" (prepend apiSchemas = ["Phys', 'def Xform "leaf" (prepend apiSchemas = ["HouseAPI", "Phys').replace(
        '"leaf" (', '"leaf" (', 1).replace("float physics:mass = 1\n", '''float physics:mass = 1
        double3 xformOp:translate = (1, 2, 3)
        float3 xformOp:rotateXYZ = (10, 20, 30)
        float3 xformOp:scale = (2, -1, 4)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ", "xformOp:scale"]
''')
    ours, live = both(text)
    for path in ("/door/leaf", "/door/hinge", "/door/mount"):
        for k, helper in enumerate(HELPERS):
            a, b = helper(ours.GetPrimAtPath(path)), helper(live.GetPrimAtPath(path))
            if isinstance(a, dict):
                assert a == b, (path, k)
            else:
                assert type(a) is type(b) and (np.allclose(a, b, atol=1e-6) if isinstance(a, tuple) else a == b), (path, k, a, b)


@pxr
def test_what_is_not_authored_is_none():
    """(PYA-069)"""
    for stage in both(DOOR):
        hinge = stage.GetPrimAtPath("/door/hinge")
        assert usd.get_attribute(hinge, "physics:breakForce") is None and usd.get_attribute(hinge, "physics:breakForce", 4.0) == 4.0
        assert usd.get_attribute(hinge, "never:heard") is None and usd.get_attribute(hinge, "never:heard", "x") == "x"


@pxr
def test_quaternions_have_the_real_part_last():
    """(PYA-070)"""
    for stage in both(DOOR):
        assert usd.get_quat(stage.GetPrimAtPath("/door/hinge"), "house:pose") == (0, 0, 0, 1)


CUBE = HEAD + '''def Xform "Body"
{
    float3 xformOp:scale = (%s)
    uniform token[] xformOpOrder = ["xformOp:scale"]
    def Mesh "mesh" (prepend apiSchemas = ["PhysxSDFMeshCollisionAPI"])
    {
        point3f[] points = [(-0.5, -0.5, -0.5), (0.5, -0.5, -0.5), (0.5, 0.5, -0.5), (-0.5, 0.5, -0.5),
                            (-0.5, -0.5, 0.5), (0.5, -0.5, 0.5), (0.5, 0.5, 0.5), (-0.5, 0.5, 0.5)]
        int[] faceVertexCounts = [4, 4, 4, 4, 4, 4]
        int[] faceVertexIndices = [0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 2, 3, 7, 6, 0, 4, 7, 3, 1, 2, 6, 5]
        %s
    }
}
'''


@pxr
def test_distance_fields_are_ported_on_a_live_stage():
    """The figures of the four demonstrations: fractions times the diagonal, sqrt 3 of the unit cube, sqrt 14 when scaled by
    (2, 3, 1) (PYA-077)"""
    authored = '''float physxCollision:restOffset = 0.002
        float physxCollision:contactOffset = 0.005
        int physxSDFMeshCollision:sdfResolution = 256
        float physxSDFMeshCollision:sdfNarrowBandThickness = 0.01
        float physxSDFMeshCollision:sdfMargin = 0.02
        token physxSDFMeshCollision:sdfBitsPerSubgridPixel = "BitsPerPixel16"'''
    root3 = math.sqrt(3)
    full = {"newton:contactMargin": 0.002, "newton:contactGap": 0.003, "newton:sdfMaxResolution": 256, "newton:sdfNarrowBandInner": -0.01 * root3,
            "newton:sdfNarrowBandOuter": 0.01 * root3, "newton:sdfPadding": 0.02 * root3, "newton:sdfTextureFormat": "uint16"}
    backfilled = {"newton:sdfMaxResolution": 256, "newton:sdfNarrowBandInner": -0.01 * root3, "newton:sdfNarrowBandOuter": 0.01 * root3,
                  "newton:sdfPadding": 0.01 * root3, "newton:sdfTextureFormat": "uint16"}
    margin = "float physxSDFMeshCollision:sdfMargin = 0.01"
    for scale, text, defaults, expected in (("1, 1, 1", authored, usd.PortDefaults.NEWTON, full), ("1, 1, 1", "", usd.PortDefaults.PHYSX, backfilled),
                                            ("1, 1, 1", "", usd.PortDefaults.NEWTON, {}),
                                            ("2, 3, 1", margin, usd.PortDefaults.NEWTON, {"newton:sdfPadding": 0.01 * math.sqrt(14)})):
        _, live = both(CUBE % (scale, text))
        assert usd.port_physx_sdf_to_newton(live, defaults=defaults) == 1
        mesh = live.GetPrimAtPath("/Body/mesh")
        ported = {a.GetName(): a.Get() for a in mesh.GetAuthoredAttributes() if a.GetName().startswith("newton:")}
        assert set(ported) == set(expected) and usd.has_applied_api_schema(mesh, "NewtonSDFCollisionAPI")
        assert all(v == expected[k] or math.isclose(v, expected[k], abs_tol=1e-6) for k, v in ported.items())
        assert usd.port_physx_sdf_to_newton(live, defaults=defaults) == 1


def test_meshes_are_read_with_what_belongs_to_their_corners():
    """A cube: 8 points and 12 triangles; flat normals give every face corners of its own."""
    stage = usd.open((CUBE % ("2, 1, 1", 'uniform token subdivisionScheme = "none"')).encode())
    prim = stage.GetPrimAtPath("/Body/mesh")
    mesh = usd.get_mesh(prim)
    assert (len(mesh.vertices), len(mesh.indices)) == (8, 36) and math.isclose(mesh.mass, 1.0, rel_tol=1e-6)
    sharp = usd.get_mesh(prim, load_normals=True)
    assert len(sharp.vertices) == 24 and np.allclose(np.abs(sharp.normals).sum(axis=1), 1)
    assert math.isclose(usd.get_mesh(stage).mass, 2.0, rel_tol=1e-6)


def test_the_ledger_and_explanations_of_a_stage():
    rows = usd.explain(DOOR.encode(), "/door/hinge.armature", schema_resolvers=["physx", "newton"])
    assert rows[0]["won"][0]["property"] == "physxJoint:armature" and rows[0]["lost"][0]["property"] == "newton:armature"
    assert any(row["property"] == "physics:mass" and row["prim"] == "/door/leaf" for row in usd.ledger(DOOR.encode()))


def test_old_names_of_attributes_are_read_and_said():
    """Each warning names the attribute and what to author instead"""
    stage = usd.open((HEAD + '''def Cube "collider"
{
    custom float newton:contact_ke = 9999
    custom double[] mjc:solref = [0.01, 0.5]
}
def PhysicsRevoluteJoint "hinge"
{
    custom float newton:angular:limitStiffness = 5000
    custom float newton:angular:position = 0.5
}
''').encode())
    collider, hinge = stage.GetPrimAtPath("/collider"), stage.GetPrimAtPath("/hinge")
    newton = SchemaResolverManager([SchemaResolverNewton()])
    for prim, kind, key, value, old, new, category in (
            (collider, PrimType.SHAPE, "ke", 9999.0, "newton:contact_ke", "newton:contactStiffness", DeprecationWarning),
            (hinge, PrimType.JOINT, "limit_angular_ke", 5000.0, "newton:angular:limitStiffness", "newton:limitStiffness", DeprecationWarning),
            (hinge, PrimType.JOINT, "angular_position", 0.5, "newton:angular:position", "non-schema", mc.MechaneWarning)):
        with pytest.warns(category) as caught:
            assert newton.get_value(prim, kind, key) == pytest.approx(value)
        assert len(caught) == 1 and old in str(caught[0].message) and new in str(caught[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # 1 / (t d)^2 of MuJoCo's (t, d); a geom's own solref is no old name.
        assert SchemaResolverManager([SchemaResolverMjc()]).get_value(collider, PrimType.SHAPE, "ke") == pytest.approx(1 / (0.01 * 0.5) ** 2)
        assert newton.get_value(hinge, PrimType.JOINT, "limit_rotX_ke") is None


def test_a_default_of_the_mapping_is_an_answer_too():
    """PhysX says whether gravity is disabled, the key whether it is enabled"""
    scene = usd.open((HEAD + 'def PhysicsScene "scene"\n{\n}\n').encode()).GetPrimAtPath("/scene")
    assert SchemaResolverManager([SchemaResolverPhysx()]).get_value(scene, PrimType.SCENE, "gravity_enabled") is True


#: A chain of two hinges with equalities of each kind; a site names a place in a body.
EQUALITIES = HEAD + '''def PhysicsScene "scene"
{
}
def Xform "arm" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])
{
''' + "".join(f'''    def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {{
        float physics:mass = 1
        float3 physics:diagonalInertia = (1, 1, 1)
        def Xform "site" (prepend apiSchemas = ["MjcSiteAPI"])
        {{
            double3 xformOp:translate = (0.2, -0.1, 0.3)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }}
    }}
''' for name in ("a", "b", "c")) + '''    def PhysicsRevoluteJoint "ab"
    {
        rel physics:body0 = </arm/a>
        rel physics:body1 = </arm/b>
    }
    def PhysicsRevoluteJoint "bc" (prepend apiSchemas = ["MjcEqualityJointAPI", "NewtonMimicAPI"])
    {
        rel physics:body0 = </arm/b>
        rel physics:body1 = </arm/c>
        rel newton:mimicJoint = </arm/ab>
        float newton:mimicCoef0 = 90
        float newton:mimicCoef1 = 1.5
        double mjc:coef2 = 0.1
    }
}
def PhysicsSphericalJoint "connect" (prepend apiSchemas = ["MjcEqualityConnectAPI"])
{
    bool physics:excludeFromArticulation = 1
    rel physics:body0 = </arm/a/site>
    rel physics:body1 = </arm/c>
    double[] mjc:solref = [0.04, 0.7]
}
def PhysicsFixedJoint "weld" (prepend apiSchemas = ["MjcEqualityWeldAPI"])
{
    bool physics:excludeFromArticulation = 1
    rel physics:body0 = </arm/a>
    rel physics:body1 = </arm/c/site>
    point3f physics:localPos0 = (0.25, -0.2, 0.1)
    quatf physics:localRot0 = (0.70710678, 0, 0, 0.70710678)
    point3f physics:localPos1 = (0.1, 0.3, -0.2)
    float mjc:torqueScale = 2.5
}
def PhysicsFixedJoint "off" (prepend apiSchemas = ["MjcEqualityWeldAPI"])
{
    bool physics:excludeFromArticulation = 1
    bool physics:jointEnabled = 0
    rel physics:body0 = </arm/a>
}
'''


def test_equalities_of_mujoco_become_rows():
    """Unconverted: nothing but the rows, which a solver of MuJoCo's would take"""
    b = mc.ModelBuilder()
    mc.solvers.SolverMuJoCo.register_custom_attributes(b)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = b.add_usd(EQUALITIES.encode(), convert_mjc_equality_constraints=False, schema_resolvers=[SchemaResolverNewton(), SchemaResolverMjc()])
        rows = b.finalize().mujoco
    at = {label: i for i, label in enumerate(rows.equality_constraint_label)}
    assert set(at) == {"/arm/bc", "/connect", "/weld"} and rows.equality_constraint_count == 3  # the disabled one is not loaded
    bodies, joints = result["path_body_map"], result["path_joint_map"]
    joint, connect, weld = at["/arm/bc"], at["/connect"], at["/weld"]
    assert (rows.equality_constraint_joint1[joint], rows.equality_constraint_joint2[joint]) == (joints["/arm/bc"], joints["/arm/ab"])
    np.testing.assert_allclose(rows.equality_constraint_polycoef[joint], [math.pi / 2, 1.5, 0.1, 0, 0], rtol=1e-6)
    assert (rows.equality_constraint_body1[connect], rows.equality_constraint_body2[connect]) == (bodies["/arm/a"], bodies["/arm/c"])
    np.testing.assert_allclose(rows.equality_constraint_anchor[connect], (0.2, -0.1, 0.3), rtol=1e-6)
    np.testing.assert_allclose(rows.eq_solref[connect], (0.04, 0.7), rtol=1e-6)
    np.testing.assert_allclose(rows.eq_solref[weld], (0.02, 1.0), rtol=1e-6)
    # The anchor is the site in c. c's frame is site^-1 away from the joint's, so that the anchor lies at
    # localPos0 + Rz(90) (site - (site + localPos1)) = (0.25, -0.2, 0.1) + (0.3, -0.1, 0.2) in a.
    np.testing.assert_allclose(rows.equality_constraint_anchor[weld], (0.2, -0.1, 0.3), rtol=1e-6)
    np.testing.assert_allclose(rows.equality_constraint_relpose[weld], (0.55, -0.3, 0.3, 0, 0, math.sqrt(0.5), math.sqrt(0.5)), rtol=1e-6, atol=1e-7)
    assert rows.equality_constraint_torquescale[weld] == 2.5
    assert result["schema_attrs"]["mjc"]["/connect"]["mjc:solref"].tolist() == [0.04, 0.7]


def test_keys_of_single_axes_are_spelled_as_axes_are():
    """In the library's tables and in those of users"""
    class House(SchemaResolver):
        name = "house"
        mapping = {PrimType.JOINT: {"limit_transX_ke": Attribute("house:stiff")}}

    stage = usd.open((HEAD + 'def PhysicsJoint "joint"\n{\n    custom float physxLimit:transY:stiffness = 3\n    custom float newton:rotX:velocity = 2\n}\n').encode())
    joint = stage.GetPrimAtPath("/joint")
    assert SchemaResolverPhysx().get_value(joint, PrimType.JOINT, "limit_transY_ke") == 3
    with pytest.warns(mc.MechaneWarning, match="non-schema"):
        assert SchemaResolverNewton().get_value(joint, PrimType.JOINT, "rotX_velocity") == 2
    assert "limit_rotZ_kd" in SchemaResolverPhysx.mapping[PrimType.JOINT]
    assert [row[0] for row in House()._table(lambda core: core)["rows"]] == ["joint_limit_trans_x_ke"]


def test_springs_of_mujoco_rest_at_their_reference():
    """Degrees of a hinge, counted from its ref"""
    door = DOOR.replace("float mjc:armature = 0.03", "float mjc:armature = 0.03\n        float mjc:springref = 45\n        float mjc:ref = 30")
    b = mc.ModelBuilder()
    mc.solvers.SolverMuJoCo.register_custom_attributes(b)
    hinge = b.add_usd(door.encode())["path_joint_map"]["/door/hinge"]
    assert b.finalize().joint_rest_q[b.joint_q_start[hinge]] == pytest.approx(math.radians(15), rel=1e-6)
