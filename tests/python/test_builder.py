"""ModelBuilder: verbs, lists, worlds, custom attributes, finalize."""
import copy
import warnings

import mechane as mc
import numpy as np
import pytest
from scenes import BALL, falling_ball, pendulum


def test_add_body_brings_a_joint_and_an_articulation_and_add_link_does_not():
    """(PYA-024)"""
    b = mc.ModelBuilder()
    b.add_body(mass=1.0)
    assert (b.body_count, b.joint_count, b.articulation_count, b.joint_type[0]) == (1, 1, 1, mc.JointType.FREE)
    b.add_link(mass=1.0)
    assert (b.body_count, b.joint_count, b.articulation_count) == (2, 1, 1)


def test_keyword_only_arguments_are_keyword_only():
    """(PYA-025)"""
    b = mc.ModelBuilder()
    for call in (lambda: b.add_body((0, 0, 0, 0, 0, 0, 1)), lambda: b.add_shape_box(-1, (0, 0, 0, 0, 0, 0, 1)), lambda: mc.ModelBuilder.ShapeConfig(1000.0)):
        with pytest.raises(TypeError):
            call()


def test_lists_are_lists():
    """Negative index, slices, comparison, assignment"""
    b = pendulum(3)
    b.body_mass[-1] = 5
    assert b.body_mass == [1, 1, 5] and b.body_mass[1:] == [1, 5] and len(b.body_mass) == 3 and 5 in b.body_mass
    b.body_mass[:2] = [2, 3]
    assert list(b.body_mass) == [2, 3, 5]
    b.joint_limit_upper = [1.0, 2.0, 3.0]
    assert b.joint_limit_upper[1] == 2
    b.joint_target_q[2] = 0.25
    assert b.joint_target_q == [0, 0, 0.25] and b.joint_q == [0, 0, 0]
    with pytest.raises(IndexError, match="body_mass index 3 out of range"):
        b.body_mass[3]
    with pytest.raises(ValueError, match="2 values for 3 places"):
        b.body_mass = [1, 2]
    with pytest.raises(TypeError, match="joint_q_start"):
        b.joint_q_start[0] = 1
    assert b.joint_parent == [-1, 0, 1] and b.joint_children == {-1: [0], 0: [1], 1: [2]} and b.body_label == ["link0", "link1", "link2"]
    assert b.joint_axis[0] == (0, 1, 0) and b.joint_X_c[0].p == (-0.5, 0, 0)


def test_shapes_carry_their_configuration_into_the_model():
    b = mc.ModelBuilder()
    body = b.add_body()
    cfg = mc.ModelBuilder.ShapeConfig(density=500, mu=0.25, margin=0.01, gap=0.02, collision_group=-3)
    shape = b.add_shape_box(body, hx=0.1, hy=0.2, hz=0.3, cfg=cfg, color=(1, 0, 0), label="crate")
    m = b.finalize()
    # 500 kg/m^3 of 0.2 x 0.4 x 0.6 m
    assert m.body_mass[body] == pytest.approx(24) and m.shape_type[shape] == mc.GeoType.BOX
    assert m.shape_scale[shape].tolist() == pytest.approx([0.1, 0.2, 0.3]) and m.shape_color[shape].tolist() == [1, 0, 0]
    assert (m.shape_material_mu[shape], m.shape_margin[shape], m.shape_gap[shape]) == pytest.approx((0.25, 0.01, 0.02))
    assert m.shape_collision_group[shape] == -3 and m.shape_label[shape] == "crate" and m.body_shapes == {-1: [], 0: [0]}


def test_sites_have_neither_mass_nor_collision():
    b = mc.ModelBuilder()
    body = b.add_body(mass=1.0, inertia=np.eye(3))
    site = b.add_site(body, xform=(1, 0, 0, 0, 0, 0, 1))
    ball = b.add_shape_sphere(body, as_site=True)
    m = b.finalize()
    assert m.body_mass[body] == 1 and m.shape_flags.tolist() == [mc.ShapeFlags.SITE, mc.ShapeFlags.SITE | mc.ShapeFlags.VISIBLE]
    assert (site, ball) == (0, 1)


def test_a_plane_lies_where_its_equation_says():
    """x + z = sqrt(2) is at distance 1 from the origin, along (1, 0, 1)"""
    b = mc.ModelBuilder()
    b.add_shape_plane((1, 0, 1, -np.sqrt(2)), width=0, length=0)
    X = b.shape_transform[0]
    assert np.allclose(X.p, np.array([1, 0, 1]) / np.sqrt(2)) and np.allclose(X.q.rotate((0, 0, 1)), np.array([1, 0, 1]) / np.sqrt(2))


def test_deprecated_names_work_and_warn_at_the_callers_line():
    """(PYA-027)"""
    b = mc.ModelBuilder()
    body = b.add_link(mass=1.0)
    with pytest.warns(mc.MechaneDeprecationWarning, match="target_pos is called target_q") as caught:
        b.add_joint_revolute(-1, body, target_pos=0.5)
    assert caught[0].filename == __file__
    assert b.joint_target_q == [0.5]
    with pytest.warns(mc.MechaneDeprecationWarning):
        assert mc.ModelBuilder.JointDofConfig(target_vel=2).target_qd == 2


def test_custom_attributes_have_the_shape_of_their_type():
    """(PYA-026)"""
    class vec3:  # a Warp type is recognised by its name
        pass

    b = pendulum(2)
    C, F, A = mc.ModelBuilder.CustomAttribute, mc.Model.AttributeFrequency, mc.Model.AttributeAssignment
    b.add_custom_attribute(C("push", vec3, F.BODY))
    b.add_custom_attribute(C("pull", mc.vec3, F.BODY, namespace="robot", default=(1, 2, 3)))
    b.add_custom_attribute(C("wear", np.float32, F.JOINT_DOF, assignment=A.STATE, default=0.5))
    b.add_custom_attribute(C("id", int, F.BODY, values={1: 7}))
    m = b.finalize()
    assert m.push.shape == (2, 3) and m.robot.pull.tolist() == [[1, 2, 3], [1, 2, 3]] and m.id.tolist() == [0, 7]
    a, c = m.state(), m.state()
    a.wear[0] = 3
    assert c.wear.tolist() == [0.5, 0.5] and a.wear.dtype == mc.build_info()["real"] and not hasattr(m, "wear")
    c.assign(a)
    assert c.wear[0] == 3 and m.get_attribute_frequency("robot:pull") == F.BODY and m.get_attribute_frequency("body_q") == F.BODY
    with pytest.raises(ValueError, match="incompatible spec") as caught:
        b.add_custom_attribute(C("push", float, F.BODY))
    assert caught.value.code == "MODEL_CUSTOM_CONFLICT"
    with pytest.raises(AttributeError, match="not defined"):
        b.add_link(custom_attributes={"missing": 1})


def test_an_array_of_an_attribute_gets_the_values_that_are_assigned_and_stays_the_one_that_is_read():
    attribute, frequency = mc.ModelBuilder.CustomAttribute, mc.Model.AttributeFrequency
    b = mc.ModelBuilder()
    for space in ("own", None):
        b.add_custom_attribute(attribute(name="gain", namespace=space, frequency=frequency.BODY, dtype=mc.vec3, assignment=mc.Model.AttributeAssignment.CONTROL))
    b.add_body(mass=1.0, inertia=np.eye(3))
    control = b.finalize().control()
    for home in (control.own, control):
        array = home.gain
        home.gain = [[1, 2, 3]]
        assert home.gain is array and array.tolist() == [[1, 2, 3]]
        with pytest.raises(ValueError, match=r"src has 1 numbers, expected 3 \(shape \(1, 3\)\)"):
            home.gain = 5
        assert array.tolist() == [[1, 2, 3]]


def test_custom_values_follow_copies_and_references_are_shifted():
    one = pendulum(2)
    C, F = mc.ModelBuilder.CustomAttribute, mc.Model.AttributeFrequency
    one.add_custom_attribute(C("partner", int, F.BODY, references="body", default=-1, values={0: 1}))
    one.add_custom_attribute(C("gain", float, F.JOINT_DOF, values={1: 2.0}))
    many = mc.ModelBuilder()
    many.replicate(one, 2)
    m = many.finalize()
    assert m.partner.tolist() == [1, -1, 3, -1] and m.gain.tolist() == [0, 2, 0, 2]


def test_copies_share_meshes():
    """(PYA-028)"""
    one = mc.ModelBuilder()
    mesh = mc.Mesh.create_box(0.1)
    one.add_shape_mesh(one.add_body(), mesh=mesh)
    many = mc.ModelBuilder()
    many.replicate(one, 3)
    m = many.finalize()
    assert m.shape_source[0] is m.shape_source[2] is mesh and m.world_count == 3 and m.body_world.tolist() == [0, 1, 2]


def test_copies_are_spaced_and_named():
    one = falling_ball()
    many = mc.ModelBuilder()
    many.replicate(one, 4, spacing=(2, 2, 0), label_prefixes=["a", "b", "c", "d"])
    m = many.finalize()
    assert sorted(map(tuple, m.body_q[:, :2].tolist())) == [(-1, -1), (-1, 1), (1, -1), (1, 1)]
    assert m.body_label == ["a/ball", "b/ball", "c/ball", "d/ball"] and m.joint_q[:2].tolist() == m.body_q[0, :2].tolist()


def test_a_builder_goes_into_another_at_a_pose():
    b = mc.ModelBuilder()
    b.add_builder(pendulum(1), xform=((0, 0, 1), (0, 0, 0, 1)), label_prefix="left")
    m = b.finalize()
    s = m.state()
    mc.eval_fk(m, s.joint_q, s.joint_qd, s)
    assert s.body_q[0, :3].tolist() == [0.5, 0, 1] and m.body_label == ["left/link0"] and m.joint_X_p[0, 2] == 1


def test_finalize_twice_gives_two_models():
    """(PYA-029)"""
    b = pendulum()
    first, second = b.finalize(), b.finalize()
    first.body_mass[0] = 9
    assert second.body_mass[0] == 1 and not np.shares_memory(first.body_mass, second.body_mass)


def test_worlds_that_are_open_or_not_are_runtime_errors():
    """(PYA-031, COL-043)"""
    b = mc.ModelBuilder()
    with pytest.raises(RuntimeError, match="no world is open"):
        b.end_world()
    b.begin_world()
    for call in (b.begin_world, b.finalize, lambda: b.add_world(pendulum())):
        with pytest.raises(RuntimeError, match="world 0 is open"):
            call()
    b.end_world()
    assert b.finalize().world_count == 1


def test_a_world_has_its_own_gravity():
    b = mc.ModelBuilder(gravity=(0, 0, -9.81))
    b.begin_world(gravity=(0, 0, -1.62))
    b.add_body(mass=1.0, inertia=np.eye(3))
    b.end_world()
    b.begin_world()
    b.end_world()
    m = b.finalize()
    assert m.gravity[:, 2].tolist() == pytest.approx([-1.62, -9.81, -9.81])
    m.set_gravity((0, 0, -3), world=1)
    assert m.gravity[:, 2].tolist() == pytest.approx([-1.62, -3, -9.81])


def test_a_copy_of_a_builder_goes_its_own_way():
    """(PYA-051)"""
    b = pendulum()
    other = copy.deepcopy(b)
    other.add_body(mass=3.0)
    b.body_mass[0] = 4
    assert (b.body_count, other.body_count, other.body_mass[0]) == (2, 3, 1)


def test_nonsense_is_refused_with_the_arguments_name():
    b = pendulum()
    for call, kind, text in (
            (lambda: b.add_joint_fixed(0, 99), IndexError, "no body 99"),
            (lambda: b.add_joint_fixed(1, 1), ValueError, "same body"),
            (lambda: b.add_shape_sphere(99), IndexError, "no body 99"),
            (lambda: b.add_shape_sphere(0, radius=float("nan")), ValueError, "scale"),
            (lambda: b.add_shape_sphere(0, cfg=mc.ModelBuilder.ShapeConfig(density=-1)), ValueError, "density"),
            (lambda: b.add_shape_mesh(0, mesh="a box"), TypeError, "mesh"),
            (lambda: b.add_joint_revolute(0, 1, axis=(0, 0, 0)), ValueError, "axis"),
            (lambda: b.add_joint_d6(0, 1, linear_axes=["x"]), TypeError, "linear_axes"),
            (lambda: b.add_articulation([0, 1]), ValueError, "already belongs"),
            (lambda: b.add_articulation([]), ValueError, "at least one"),
            (lambda: b.add_articulation([7]), ValueError, "no joint 7"),
            (lambda: b.set_joint_mimic(0, 0), ValueError, "cannot follow itself"),
            (lambda: b.add_link(com=(1, 2)), ValueError, "com: expected 3 numbers"),
            (lambda: b.add_link(xform="here"), TypeError, "xform"),
            (lambda: mc.Mesh([(0, 0, 0)], [0, 1, 2]), ValueError, "exceeds vertex count 1"),
            (lambda: mc.ModelBuilder(up_axis="W"), ValueError, "axis"),
            (lambda: mc.ModelBuilder(gravity=(1, 2)), ValueError, "gravity"),
            (lambda: b.finalize(device="cuda:1000"), NotImplementedError, "cuda")):
        before = (b.body_count, b.joint_count, b.shape_count)
        with pytest.raises(kind, match=text):
            call()
        assert (b.body_count, b.joint_count, b.shape_count) == before


def test_fixed_joints_collapse():
    b = mc.ModelBuilder()
    a, c = b.add_link(mass=1.0, label="a"), b.add_link(mass=2.0, xform=(1, 0, 0, 0, 0, 0, 1), label="c")
    j = [b.add_joint_free(a), b.add_joint_fixed(a, c, parent_xform=(1, 0, 0, 0, 0, 0, 1))]
    b.add_articulation(j)
    done = b.collapse_fixed_joints()
    assert b.body_count == 1 and b.body_mass == [3] and done["body_merged_parent"] == {1: 0} and done["joint_remap"] == {0: 0}


def test_meshes_are_approximated():
    b = mc.ModelBuilder()
    body = b.add_body()
    corner = mc.Mesh([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3])
    shapes = [b.add_shape_mesh(body, mesh=corner) for _ in range(3)]
    assert b.approximate_meshes("convex_hull", [shapes[0]]) == {0} and b.shape_type[0] == mc.GeoType.CONVEX_MESH
    b.approximate_meshes("bounding_box", [shapes[1]])
    assert b.shape_type[1] == mc.GeoType.BOX and b.shape_scale[1] == (0.5, 0.5, 0.5) and b.shape_transform[1].p == (0.5, 0.5, 0.5)
    b.approximate_meshes("bounding_sphere", [shapes[2]])
    assert b.shape_type[2] == mc.GeoType.SPHERE
    with pytest.raises(ValueError, match="'magic' is none of"):
        b.approximate_meshes("magic")


def test_a_mesh_of_two_boxes_becomes_two_hulls():
    box = mc.Mesh.create_box(0.5, duplicate_vertices=False)
    points = np.concatenate([box.vertices, box.vertices + [3, 0, 0]])
    corners = np.concatenate([box.indices, box.indices + len(box.vertices)])
    b = mc.ModelBuilder()
    ball = b.add_shape_sphere(b.add_body(), radius=0.1)
    shape = b.add_shape_mesh(b.add_body(), mesh=mc.Mesh(points, corners), cfg=mc.ModelBuilder.ShapeConfig(mu=0.25), color=(1, 0, 0))
    b.add_shape_collision_filter_pair(ball, shape)
    mass = b.body_mass[1]
    assert b.approximate_meshes("coacd", [shape]) == {shape} and b.shape_count == 3
    assert [b.shape_type[i] for i in (shape, 2)] == [mc.GeoType.CONVEX_MESH] * 2 and b.shape_material_mu[2] == 0.25 and b.shape_color[2] == (1, 0, 0)
    assert (ball, 2) in b.shape_collision_filter_pairs and b.body_mass[1] == mass


def test_views_name_rows():
    m = pendulum(2).finalize()
    assert m.bodies["link1"].mass == 1 and m.joints[-1].label == "hinge1" and [v.label for v in m.bodies["link*"]] == ["link0", "link1"]
    assert m.joints["hinge1"].child == 1 and m.joints["hinge1"].dofs == slice(1, 2) and list(m.articulations[0].joints) == [0, 1]
    m.bodies["link0"].mass = 2.5
    assert m.body_mass[0] == 2.5
    with pytest.raises(KeyError, match="near: .*link"):
        m.bodies["lonk0"]
    assert m.tree() == "link0  [hinge0: REVOLUTE]\n  link1  [hinge1: REVOLUTE]" and '"link0" -> "link1"' in m.to_dot()


def test_a_row_takes_as_many_numbers_as_it_has():
    """One number for six is more likely a slip than a wish"""
    m = pendulum().finalize()
    body = m.bodies["link0"]
    for name, value, shape in (("qd", 3, r"\(6,\)"), ("q", [1, 2, 3], r"\(7,\)"), ("inertia", 1.0, r"\(3, 3\)"), ("mass", [1, 2], r"\(\)")):
        before = np.array(m._np(f"body_{name}"))
        with pytest.raises(ValueError, match=f"{name}: shape .*expected {shape}"):
            setattr(body, name, value)
        np.testing.assert_array_equal(m._np(f"body_{name}"), before)
    body.qd = [1, 2, 3, 4, 5, 6]
    body.inertia = np.eye(3)
    assert m.body_qd[body.index].tolist() == [1, 2, 3, 4, 5, 6] and m.body_inertia[body.index].tolist() == np.eye(3).tolist()


def test_a_number_that_is_no_type_is_refused_with_those_that_are():
    builder = pendulum()
    builder.add_shape_sphere(0)
    for column, kind in (("joint_type", mc.JointType), ("shape_type", mc.GeoType), ("joint_target_mode", mc.JointTargetMode)):
        rows = getattr(builder, column)
        for wrong in (99, -1):
            with pytest.raises(ValueError, match=f"{wrong} is no {kind.__name__}: .*{list(kind)[-1].name} \\({int(list(kind)[-1])}\\)"):
                rows[0] = wrong
        rows[0] = rows[0]
    with pytest.raises(ValueError, match="77 is no GeoType"):
        builder.add_shape(body=-1, type=77)


def test_repr_is_one_line_with_counts():
    """(PYA-055)"""
    b = falling_ball()
    m = b.finalize()
    s = m.state()
    for thing, text in ((b, "1 bodies"), (m, "<Model 0 worlds, 1 bodies, 1 joints (6 dof), 2 shapes>"), (s, "1 bodies"), (m.control(), "6 dof"),
                        (m.collide(s), "rows"), (b.diagnostics, "0 errors"), (mc.Mesh.create_box(1), "24 vertices, 12 triangles")):
        assert text in repr(thing) and "\n" not in repr(thing)


def test_counts_of_constraints():
    """A hinge holds 5 directions, a free joint none, a distance one"""
    b = pendulum(2)
    b.add_body(mass=1.0, inertia=np.eye(3))
    assert b.joint_constraint_count == 10 and b.finalize().joint_constraint_count == 10


def test_meshes_know_their_mass():
    """A cube of edge 2: 8 m^3, inertia 8/12 (4 + 4) about each axis, and it is closed"""
    for mesh in (mc.Mesh.create_box(1.0), mc.Mesh.create_box(1.0, duplicate_vertices=False)):
        mass, com, inertia, volume = mesh.compute_inertia()
        assert (mass, volume) == pytest.approx((8, 8)) and np.allclose(com, 0) and np.allclose(np.asarray(inertia), np.eye(3) * 16 / 3)
    assert mc.Mesh.create_box(1.0, duplicate_vertices=False).is_watertight
    # Volumes of fine grids: from below, within the chord's error of 1 - cos(pi/32) each way
    for mesh, volume in ((mc.Mesh.create_sphere(1.0), 4 / 3 * np.pi), (mc.Mesh.create_cylinder(1.0, 1.0), 2 * np.pi), (mc.Mesh.create_cone(1.0, 1.0), 2 / 3 * np.pi),
                         (mc.Mesh.create_capsule(0.5, 1.0), np.pi / 2 + np.pi / 6)):
        assert mesh.is_watertight and 0.97 * volume < mesh.compute_inertia()[3] < volume


def test_a_stage_and_verbs_mix():
    b = mc.ModelBuilder()
    b.add_usd(BALL.encode())
    extra = b.add_link(mass=1.0, inertia=np.eye(3))
    b.add_joint_fixed(0, extra)
    assert b.body_count == 2 and b.finalize().joint_count == 2


def test_builder_columns_are_lists():
    """Negative index, slices, comparison, append; a column that is longer than there are entities is refused by finalize (PYA-020)"""
    b = pendulum(3)
    b.body_mass[-1] = 5.0
    b.body_mass[0:2] = [2.0, 3.0]
    assert b.body_mass == [2.0, 3.0, 5.0] and b.body_mass[-2] == 3.0 and b.body_mass[1:] == [3.0, 5.0] and list(b.body_mass) == b.body_mass
    b.joint_armature.append(0.5)
    assert len(b.joint_armature) == 4 and b.joint_armature[-1] == 0.5 and b.joint_armature == [0.0, 0.0, 0.0, 0.5]
    with pytest.raises(ValueError, match="joint_armature has length 4") as caught:
        b.finalize()
    assert caught.value.code == "MODEL_STRUCTURE"


def test_finalize_names_the_material_that_is_not_finite():
    b = mc.ModelBuilder()
    b.add_shape_sphere(-1, radius=1.0, label="ball")
    b.shape_material_kd[0] = float("nan")
    with pytest.raises(ValueError, match=r"shape_material_kd is nan for shape 0 \(ball\)") as caught:
        b.finalize()
    assert caught.value.code == "MODEL_SHAPE_MATERIAL" and caught.value.site == "ball.shape_material_kd"


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf"), 1e100])
def test_settings_of_the_inertia_check_are_checked(value):
    for name in ("inertia_relative_tolerance", "inertia_absolute_tolerance", "inertia_correction"):
        b = mc.ModelBuilder()
        setattr(b, name, value)
        with pytest.raises(ValueError, match=name):
            b.finalize()


def test_builders_whose_attributes_have_other_defaults_do_not_merge():
    def builder(default):
        b = mc.ModelBuilder()
        b.add_custom_attribute(mc.ModelBuilder.CustomAttribute(name="tag", frequency=mc.Model.AttributeFrequency.BODY, dtype=int, default=default))
        b.add_body(mass=1.0)
        return b

    scene = builder(0)
    with pytest.raises(ValueError, match="default mismatch"):
        scene.add_world(builder(2))
    assert scene.world_count == 0 and scene.body_count == 1
    scene.add_world(builder(0))
    assert scene.world_count == 1


def test_rows_without_a_value_of_their_own_are_said():
    b = mc.ModelBuilder()
    b.add_custom_frequency(mc.ModelBuilder.CustomFrequency(name="pair", namespace="my"))
    for name in ("a", "b"):
        b.add_custom_attribute(mc.ModelBuilder.CustomAttribute(name=name, namespace="my", frequency="my:pair", dtype=int, default=7))
    b.add_custom_values(**{"my:a": 1})
    b.add_custom_values(**{"my:b": 2})
    with pytest.warns(mc.MechaneWarning, match="'my:a' has 1 missing values"):
        m = b.finalize()
    assert m.my.a.tolist() == [1, 7] and m.my.b.tolist() == [7, 2]


#: The table of types of the founding document (000: 340 to 394), each as an attribute of contacts, and one in a namespace.
OF_CONTACTS = '''#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene"
{
''' + "".join(f'''    custom {kind} newton:{name} = {value} (
        customData = {{
            string assignment = "contact"
            string frequency = "contact"
        }}
    )
''' for kind, name, value in (("bool", "flag", "true"), ("int", "count", "3"), ("float", "wear", "0.25"), ("float2", "f2", "(1, 2)"), ("float3", "f3", "(1, 2, 3)"),
                              ("float4", "f4", "(1, 2, 3, 4)"), ("quatf", "turn", "(1, 0, 0, 0)"), ("float", "robot:wear", "0.5"))) + '''}
def Xform "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{
    def Sphere "shape" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { double radius = 0.5 }
}
def Plane "ground" (prepend apiSchemas = ["PhysicsCollisionAPI"]) { uniform token axis = "Z" }
'''.replace(" { ", "\n{\n").replace(" }\n", "\n}\n")


def test_contacts_hold_the_attributes_that_are_assigned_to_them():
    """GAP-022: at the capacity of rigid rows, filled with the default, reset by each collide; nobody else has them"""
    for worlds in (1, 3):
        one = mc.ModelBuilder()
        one.add_usd(OF_CONTACTS.encode())
        builder = one
        if worlds > 1:
            builder = mc.ModelBuilder()
            builder.replicate(one, worlds)
        model = builder.finalize()
        contacts = model.collide(model.state())
        rows = contacts.rigid_contact_max
        expected = {"flag": (True, ()), "count": (3, ()), "wear": (0.25, ()), "f2": ((1, 2), (2,)), "f3": ((1, 2, 3), (3,)), "f4": ((1, 2, 3, 4), (4,)),
                    "turn": ((0, 0, 0, 1), (4,))}  # x y z w
        for name, (value, shape) in expected.items():
            array = getattr(contacts, name)
            assert array.shape == (rows, *shape), name
            assert (np.asarray(array) == np.asarray(value)).all(), name
        assert np.asarray(contacts.flag).dtype == bool and np.asarray(contacts.count).dtype == np.int32
        assert (np.asarray(contacts.robot.wear) == 0.5).all() and contacts.robot.wear.shape == (rows,)
        held = contacts.wear
        held[...] = 7  # the array of the contacts themselves, until the next call
        assert (np.asarray(contacts.wear) == 7).all()
        assert model.collide(model.state(), contacts) is contacts and contacts.wear is held
        assert (np.asarray(held) == 0.25).all()
        for other in (model, model.state(), model.control()):
            for name in ("wear", "robot"):
                with pytest.raises(AttributeError, match="contacts hold it"):
                    getattr(other, name)
        own = mc.CollisionPipeline(model, rigid_contact_max=5).contacts()
        assert own.f4.shape == (5, 4)


def test_contact_attributes_declared_in_python_are_those_of_the_stage():
    A, F = mc.Model.AttributeAssignment, mc.Model.AttributeFrequency
    b = mc.ModelBuilder()
    b.add_custom_attribute(mc.ModelBuilder.CustomAttribute("wear", float, F.CONTACT, assignment=A.CONTACT, default=0.25))
    b.add_custom_attribute(mc.ModelBuilder.CustomAttribute("soft_wear", float, F.CONTACT_SOFT, assignment=A.CONTACT))
    b.add_shape_sphere(b.add_body())
    b.add_ground_plane()
    m = b.finalize()
    contacts = m.contacts()
    assert contacts.wear.shape == (contacts.rigid_contact_max,) and (np.asarray(contacts.wear) == 0.25).all()
    assert contacts.soft_wear.shape == (contacts.soft_contact_max,)


@pytest.mark.parametrize("call, name", [
    (lambda b: b.add_body(mass=float("nan")), "mass"), (lambda b: b.add_body(mass=-1), "mass"), (lambda b: b.add_link(mass=float("inf")), "mass"),
    (lambda b: b.add_link(mass=1, com=(0, float("nan"), 0)), "com"), (lambda b: b.add_link(mass=1, inertia=(1, 0, 0, 0, float("nan"), 0, 0, 0, 1)), "inertia"),
    (lambda b: b.add_shape_box(-1, hx=-1), "hx"), (lambda b: b.add_shape_sphere(-1, radius=-0.1), "radius"), (lambda b: b.add_shape_capsule(-1, half_height=-1), "half_height"),
    (lambda b: b.add_shape_ellipsoid(-1, rz=-1), "rz"), (lambda b: b.add_shape_plane(width=-1), "width"), (lambda b: b.add_particle((0, 0, 0), (0, 0, 0), -1), "mass"),
    (lambda b: b.add_particle((0, float("nan"), 0), (0, 0, 0), 1), "pos"), (lambda b: b.add_particle((0, 0, 0), (0, 0, 0), 1, radius=float("nan")), "radius")])
def test_a_value_that_cannot_be_is_refused_where_it_is_given_and_by_its_name(call, name):
    """Not later, by finalize, and not by another value that is taken for it"""
    b = mc.ModelBuilder()
    with pytest.raises(ValueError, match=name) as caught:
        call(b)
    assert isinstance(caught.value, mc.MechaneError)
    assert (b.body_count, b.shape_count, b.particle_count) == (0, 0, 0)


def test_the_rest_of_a_ball_joint_is_what_was_written():
    """A quaternion x y z w among the coordinates; it is normalised when the model is made"""
    b = mc.ModelBuilder()
    links = [b.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(2)]
    b.add_articulation([b.add_joint_revolute(-1, links[0], rest_q=0.5), b.add_joint_ball(links[0], links[1])])
    assert list(b.joint_rest_q) == [0.5, 0.0, 0.0, 0.0, 1.0]
    b.joint_rest_q[1:] = [0.6, 0.0, 0.0, 0.8]
    b.joint_rest_q[0] = 0.25
    assert np.allclose(b.finalize().joint_rest_q, [0.25, 0.6, 0.0, 0.0, 0.8])
    copies = mc.ModelBuilder()
    copies.replicate(b, 2)
    assert np.allclose(copies.finalize().joint_rest_q, 2 * [0.25, 0.6, 0.0, 0.0, 0.8])


@pytest.mark.parametrize("call", ["replicate", "add_world", "add_builder"])
def test_a_copy_that_cannot_be_made_leaves_nothing_behind(call):
    """No empty world, no first copies without the others"""
    one, worlds, opened = pendulum(1), mc.ModelBuilder(), mc.ModelBuilder()
    worlds.add_world(pendulum(1))
    opened.begin_world()
    b = pendulum(1)
    other_values = mc.ModelBuilder()
    other_values.add_custom_attribute(mc.ModelBuilder.CustomAttribute("weight", float, mc.Model.AttributeFrequency.BODY, default=1.0))
    b.add_custom_attribute(mc.ModelBuilder.CustomAttribute("weight", float, mc.Model.AttributeFrequency.BODY, default=2.0))
    made = {"replicate": lambda what, place=None, label=None: b.replicate(what, 2, **({} if place is None else {"xforms": [None, place]}), **({} if label is None else {"label_prefixes": ["a", label]})),
            "add_world": lambda what, place=None, label=None: b.add_world(what, xform=place, label_prefix=label),
            "add_builder": lambda what, place=None, label=None: b.add_builder(what, xform=place, label_prefix=label)}[call]
    for arguments, kind, text in (((b,), ValueError, "builder: it is the one that it would be added to"), ((worlds,), ValueError, "builder: it has worlds of its own"),
                                  ((opened,), ValueError, "builder: it has worlds of its own"), ((one, (1, 2)), (TypeError, ValueError), "xform"), ((one, None, 3), TypeError, "label_prefix"),
                                  ((3,), TypeError, "builder: expected ModelBuilder"), ((other_values,), ValueError, "weight")):
        with pytest.raises(kind, match=text) as raised:
            made(*arguments)
        assert isinstance(raised.value, mc.MechaneError) and raised.value.code
        assert (b.world_count, b.current_world, b.body_count, b.joint_count) == (0, -1, 1, 1)
    made(one)
    assert b.body_count == (3 if call == "replicate" else 2)


def test_how_many_copies_and_how_far_apart():
    b, one = mc.ModelBuilder(), pendulum(1)
    for count, kind in ((-1, ValueError), (1.5, TypeError), ("2", TypeError), (None, TypeError)):
        with pytest.raises(kind, match="copy_count"):
            b.replicate(one, count)
    with pytest.raises(ValueError, match="spacing: .* not finite"):
        b.replicate(one, 2, spacing=(float("nan"), 1, 0))
    assert b.world_count == 0 and b.body_count == 0


def test_older_mimics_that_no_simulation_follows_are_told():
    """What `set_joint_mimic` refuses stays a row of the model, with a warning that says why."""
    def hinges(articulations):
        b = mc.ModelBuilder()
        links = [b.add_link(mass=1.0, inertia=np.eye(3)) for _ in range(3)]
        joints = [b.add_joint_revolute(-1, link, axis=(0, 0, 1)) for link in links]
        for rows in articulations:
            b.add_articulation([joints[i] for i in rows])
        return b

    def said(b, *rows):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for row in rows:
                b.add_constraint_mimic(*row)
        return [str(w.message) for w in caught if issubclass(w.category, mc.MechaneWarning)]

    one = hinges([(0, 1, 2)])
    assert said(one, (1, 0, 0.0, -1.0)) == [] and one.joint_mimic_joint[1] == 0
    assert "chains" in said(one, (2, 1))[0]
    assert "itself" in said(hinges([(0, 1, 2)]), (1, 1))[0]
    assert "different articulations" in said(hinges([(0,), (1,), (2,)]), (1, 0))[0]
    assert "does not exist" in said(hinges([(0, 1, 2)]), (1, 7))[0]
    other = hinges([(0, 1, 2)])
    assert said(other, (1, 1, 0.0, 1.0, False)) == [] and other.constraint_mimic_count == 1
