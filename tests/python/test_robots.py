"""URDF and MJCF read by Newton's rules. (Newton's own tests of both readers run through newton_suite.py.)"""
import math

import mechane as mc
import numpy as np
import pytest

MJCF = """<mujoco model="arm">
  <compiler angle="degree"/>
  <option gravity="0 0 -9.81"/>
  <default>
    <default class="visual"><geom contype="0" conaffinity="0"/></default>
    <joint damping="0.5"/>
  </default>
  <worldbody>
    <body name="base-link" pos="0 0 1">
      <freejoint/>
      <geom name="ball" type="sphere" size="0.1" density="1000"/>
      <geom class="visual" type="box" size="0.1 0.1 0.1" mass="2"/>
      <body name="upper" pos="0.2 0 0">
        <joint name="yaw" type="hinge" axis="0 0 1" range="-90 90"/>
        <joint name="slide" type="slide" axis="1 0 0" range="-0.5 0.5" limited="true"/>
        <geom name="rod" type="capsule" fromto="0 0 0 0 0 1" size="0.05" mass="3"/>
        <site name="tip" pos="0 0 1"/>
      </body>
    </body>
    <body name="other" pos="1 0 0"><joint name="swing" axis="0 1 0"/><geom type="sphere" size="0.1" mass="1"/></body>
  </worldbody>
  <contact><exclude body1="base-link" body2="other"/></contact>
  <tendon><fixed name="both" stiffness="4"><joint joint="yaw" coef="2"/><joint joint="swing" coef="-1"/></fixed></tendon>
  <equality><joint joint1="yaw" joint2="swing" polycoef="0 1.5"/></equality>
  <actuator>
    <position name="p" joint="yaw" kp="30" kv="2"/>
    <velocity name="v" joint="swing" kv="5"/>
    <motor name="m" tendon="both" gear="3"/>
  </actuator>
</mujoco>"""


def read(text=MJCF, kind="mjcf", **options):
    b = mc.ModelBuilder()
    getattr(b, f"add_{kind}")(text, compat="newton-1.8", **options)
    return b


def test_labels_are_paths_and_roots_are_articulations():
    b = read()
    assert list(b.body_label) == ["arm/worldbody/base_link", "arm/worldbody/base_link/upper", "arm/worldbody/other"]
    assert list(b.joint_label)[1:] == ["arm/worldbody/base_link/upper/yaw_slide", "arm/worldbody/other/swing"]
    assert list(b.articulation_label) == ["arm/base_link", "arm/other"]
    assert [mc.JointType(t).name for t in b.joint_type] == ["FREE", "D6", "REVOLUTE"]


def test_axes_along_come_before_axes_about_with_their_limits():
    b = read()
    assert b.joint_dof_dim[1] == (1, 1)
    first = b.joint_qd_start[1]
    assert np.allclose(b.joint_limit_lower[first:first + 2], [-0.5, -math.pi / 2]) and np.allclose(b.joint_limit_upper[first:first + 2], [0.5, math.pi / 2])


def test_geoms_that_are_only_seen_weigh_too():
    """MuJoCo's masses do not depend on what collides."""
    ball = 1000 * 4 / 3 * math.pi * 0.1**3
    for options in ({}, {"parse_visuals": False}, {"parse_visuals_as_colliders": True}):
        assert np.allclose(read(**options).body_mass, [ball + 2, 3, 1], rtol=1e-5), options


def test_a_scale_is_of_lengths_and_volumes():
    one, two = read(), read(scale=2.0)
    assert np.allclose(np.array(two.body_q)[:, :3], 2 * np.array(one.body_q)[:, :3])
    assert two.body_mass[0] - 2 == pytest.approx(8 * (one.body_mass[0] - 2)) and two.body_mass[1] == pytest.approx(3)
    first = one.joint_qd_start[1]
    assert two.joint_limit_upper[first] == pytest.approx(1.0) and two.joint_limit_upper[first + 1] == pytest.approx(one.joint_limit_upper[first + 1])


def test_actuators_are_rows_and_drive_the_joints_that_they_name():
    m = read().finalize()
    rows = m.mujoco
    assert rows.actuator_trntype.tolist() == [0, 0, 2] and rows.ctrl_source.tolist() == [0, 0, 1] and rows.ctrl_type.tolist() == [0, 1, 2]
    yaw, swing = rows.actuator_trnid[0][0], rows.actuator_trnid[1][0]
    assert (m.joint_target_ke[yaw], m.joint_target_kd[yaw], m.joint_target_kd[swing]) == (30, 2, 5)
    assert rows.actuator_gainprm[0][0] == 30 and np.allclose(rows.actuator_biasprm[0][:3], [0, -30, -2]) and rows.actuator_gear[2][0] == 3


def test_tendons_and_equalities_are_rows():
    m = read().finalize()
    rows = m.mujoco
    assert rows.tendon_joint_num.tolist() == [2] and rows.tendon_joint.tolist() == [1, 2] and rows.tendon_coef.tolist() == [2, -1] and rows.tendon_stiffness.tolist() == [4]
    assert rows.equality_constraint_type.tolist() == [2] and np.allclose(rows.equality_constraint_polycoef[0], [0, 1.5, 0, 0, 0])


def test_bodies_that_are_excluded_do_not_meet():
    b = read()
    by = {label.split("/")[-1]: i for i, label in enumerate(b.shape_label)}
    balls = [i for i, body in enumerate(b.shape_body) if body == 2]
    assert all(b.shape_collision_filter_contains(by["ball"], i) if hasattr(b, "shape_collision_filter_contains") else (min(by["ball"], i), max(by["ball"], i)) in
               {tuple(sorted(p)) for p in b.shape_collision_filter_pairs} for i in balls)


def test_a_reader_that_fails_leaves_the_builder_as_it_was():
    b = read()
    before = (b.body_count, b.joint_count, list(b.shape_label))
    for text in ("<mujoco><worldbody><body>", '<mujoco><worldbody><body name="a"><joint/><geom type="sphere" size="x"/></body></worldbody></mujoco>',
                 '<mujoco><equality><joint joint1="no" joint2="none"/></equality><worldbody><body><geom size="1"/></body></worldbody></mujoco>'):
        with pytest.raises(ValueError):
            b.add_mjcf(text, compat="newton-1.8")
        assert (b.body_count, b.joint_count, list(b.shape_label)) == before


URDF = """<robot name="r">
  <link name="base"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="0.2 0.4 0.6"/></geometry></collision></link>
  <link name="tool"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="revolute"><parent link="base"/><child link="tool"/><origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="7" velocity="3"/><dynamics damping="0.25" friction="0.5"/></joint>
</robot>"""


def test_a_joint_of_urdf_has_its_frame_axis_limits_and_losses():
    b = read(URDF, "urdf", floating=False)
    j = list(b.joint_label).index("r/j") if "r/j" in list(b.joint_label) else next(i for i, t in enumerate(b.joint_type) if t == mc.JointType.REVOLUTE)
    dof = b.joint_qd_start[j]
    assert np.allclose(np.array(b.joint_X_p[j])[:3], [0.1, 0.2, 0.3]) and np.allclose(np.abs(np.array(b.joint_X_p[j])[3:]), [0, 0, math.sqrt(0.5), math.sqrt(0.5)], atol=1e-6)
    assert (b.joint_limit_lower[dof], b.joint_limit_upper[dof], b.joint_effort_limit[dof]) == (-1, 2, 7)
    assert np.allclose(b.joint_axis[dof], (0, 1, 0)) and b.joint_friction[dof] == 0.5


def test_a_robot_hangs_on_a_body_of_another():
    b = read(URDF, "urdf", floating=False)
    bodies = b.body_count
    tool = list(b.body_mass).index(1)
    b.add_urdf(URDF, compat="newton-1.8", floating=False, parent_body=tool, xform=((0, 0, 1), (0, 0, 0, 1)))
    assert b.articulation_count == 1 and b.body_count == 2 * bodies
    held = list(b.joint_child).index(bodies)
    assert b.joint_parent[held] == tool and np.allclose(np.array(b.joint_X_p[held])[:3], (0, 0, 1))


def test_a_mesh_that_only_is_seen_weighs_as_its_mode_of_inertia_has_it():
    """The faces of a cube of 0.2 m, two of which are turned inside out: "legacy", the default, takes the cones from the centre to all faces as positive (MuJoCo, `inertia` of a mesh)"""
    corners = " ".join(f"{x} {y} {z}" for x in (-0.1, 0.1) for y in (-0.1, 0.1) for z in (-0.1, 0.1))
    faces = "0 1 3  0 3 2  4 6 7  4 7 5  0 4 5  0 5 1  2 3 7  2 7 6  0 2 6  0 6 4  1 7 5  1 3 7"  # the last two are turned
    for more in ("", 'contype="0" conaffinity="0"', 'contype="0" conaffinity="0" mass="8"'):
        b = mc.ModelBuilder()
        b.add_mjcf(f'<mujoco><asset><mesh name="cube" vertex="{corners}" face="{faces}"/></asset><worldbody><body pos="0 0 1"><freejoint/>'
                   f'<geom type="mesh" mesh="cube" pos="0.3 0 0" {more}/></body></worldbody></mujoco>', compat="newton-1.8")
        assert b.body_mass[0] == pytest.approx(1000 * 0.2**3, rel=1e-5)
        np.testing.assert_allclose(b.body_com[0], (0.3, 0, 0), atol=1e-6)
        np.testing.assert_allclose(np.asarray(b.body_inertia[0], float).reshape(3, 3), 8 * 0.2**2 / 6 * np.eye(3), atol=1e-6)


def test_remedies_for_robots_of_other_formats_name_no_attributes_of_openusd(tmp_path):
    link = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="5" ixy="0" ixz="0" iyz="0"/></inertial></link>'
    arm = tmp_path / "arm.urdf"
    arm.write_text('<robot name="r">' + link.format("a") + link.format("b") + '<joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint></robot>')
    b = mc.ModelBuilder()
    with pytest.warns(mc.MechaneWarning):
        b.add_urdf(str(arm))
    hints = {d.code: d.hint for d in b.diagnostics}
    assert hints["RESOLVE_MASS_SMALL_SPHERE"] == "Give the link an inertia beside its mass."
    assert not [hint for hint in hints.values() if "physics:" in hint or "Author" in hint]
