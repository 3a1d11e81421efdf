"""Views of many equal articulations."""
import mechane as mc
import numpy as np
import pytest
from scenes import pendulum


def many(worlds=3):
    b = mc.ModelBuilder()
    b.add_ground_plane()
    b.replicate(pendulum(2), worlds)
    return b.finalize()


def test_rows_have_world_and_articulation_first():
    m = many()
    view = mc.selection.ArticulationView(m, "*")
    assert (view.count, view.world_count, view.count_per_world, view.link_count, view.joint_count, view.joint_dof_count) == (3, 3, 1, 2, 2, 2)
    state = m.state()
    q = view.get_dof_positions(state)
    assert q.shape == (3, 1, 2) and np.shares_memory(q, state.joint_q) and view.is_contiguous
    q[1, 0, 1] = 0.75
    assert state.joint_q[3] == 0.75 and view.get_link_transforms(state).shape == (3, 1, 2, 7)


def test_one_row_stands_for_all_and_one_number_for_no_row():
    b = mc.ModelBuilder()
    one = mc.ModelBuilder()
    one.add_body(mass=1.0, inertia=((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    b.replicate(one, 3)
    m = b.finalize()
    view, state = mc.selection.ArticulationView(m, "*"), m.state()
    with pytest.raises(ValueError, match=r"values: shape \(\), expected \(3, 1, 1, 6\)"):
        view.set_attribute("body_qd", state, 3.0)
    with pytest.raises(ValueError, match=r"values: shape \(1,\), expected \(3, 1, 1, 7\)"):
        view.set_attribute("body_q", state, [0.0])
    assert not state.body_qd.any()
    view.set_attribute("body_qd", state, [1, 2, 3, 4, 5, 6])
    assert state.body_qd.tolist() == [[1, 2, 3, 4, 5, 6]] * 3
    view.set_dof_velocities(state, 0.5)  # each entry of it is a number
    assert (state.joint_qd == 0.5).all()


def test_a_mask_leaves_the_others_alone():
    """(PYA-064)"""
    m = many()
    view, state = mc.selection.ArticulationView(m, "*"), m.state()
    before = state.joint_q.copy()
    view.set_dof_positions(state, np.full((3, 1, 2), 0.5), mask=[False, True, False])
    assert state.joint_q[2:4].tolist() == [0.5, 0.5]
    assert state.joint_q[:2].tobytes() == before[:2].tobytes() and state.joint_q[4:].tobytes() == before[4:].tobytes()
    poses = state.body_q.copy()
    view.eval_fk(state, mask=[False, True, False])
    assert np.array_equal(poses[:2], state.body_q[:2]) and np.array_equal(poses[4:], state.body_q[4:]) and not np.array_equal(poses[2:4], state.body_q[2:4])


def test_a_pattern_that_matches_nothing_names_near_labels():
    """(PYA-063)"""
    m = many()
    with pytest.raises(ValueError, match=m.articulation_label[0]):
        mc.selection.ArticulationView(m, m.articulation_label[0] + "s")


def test_joints_and_links_are_chosen_by_name():
    m = many()
    view = mc.selection.ArticulationView(m, "*", include_joints=["*1"], exclude_links="*0")
    assert len(view.joint_names) == 1 and len(view.link_names) == 1
    control = m.control()
    view.set_dof_forces(control, 2.0)
    assert np.count_nonzero(control.joint_f) == 3


def test_free_roots_have_poses_and_twists():
    b = mc.ModelBuilder()
    one = mc.ModelBuilder()
    one.add_body(xform=((0, 0, 1), (0, 0, 0, 1)), mass=1.0, label="box")
    b.replicate(one, 2, spacing=(2, 0, 0))
    m = b.finalize()
    view, state = mc.selection.ArticulationView(m, "*"), m.state()
    assert view.is_floating_base and view.get_root_transforms(state).shape == (2, 1, 7) and view.get_root_velocities(state).shape == (2, 1, 6)
    view.set_root_transforms(state, [[[0, 0, 5, 0, 0, 0, 1]], [[1, 0, 6, 0, 0, 0, 1]]])
    view.eval_fk(state)
    assert state.body_q[:, 2].tolist() == [5, 6]


def test_rows_of_a_frequency_of_ones_own_belong_to_articulations():
    """Two rows of the first articulation, one of none between them"""
    b = pendulum(2)
    b.add_custom_frequency(mc.ModelBuilder.CustomFrequency(name="spring", namespace="my", articulation_owner_attribute="my:spring_articulation", label_attribute="my:spring_label"))
    b.add_custom_attribute(mc.ModelBuilder.CustomAttribute(name="spring_articulation", namespace="my", frequency="my:spring", dtype=int, references="articulation"))
    b.add_custom_attribute(mc.ModelBuilder.CustomAttribute(name="gain", namespace="my", frequency="my:spring", dtype=float))
    b.add_custom_attribute(mc.ModelBuilder.CustomAttribute(name="spring_label", namespace="my", frequency="my:spring", dtype=str))
    b.add_custom_frequency(mc.ModelBuilder.CustomFrequency(name="loose", namespace="my"))
    b.add_custom_attribute(mc.ModelBuilder.CustomAttribute(name="size", namespace="my", frequency="my:loose", dtype=float))
    for owner, gain in ((0, 10.0), (-1, 20.0), (0, 30.0)):
        b.add_custom_values(**{"my:spring_articulation": owner, "my:gain": gain, "my:spring_label": f"leg/s{gain:g}"})
    b.add_custom_values(**{"my:size": 1.0})
    m = b.finalize()
    view = mc.selection.ArticulationView(m, "*")
    assert view.custom_frequency_counts == {"my:spring": 2} and view.custom_frequency_labels == {"my:spring": ["s10", "s30"]}
    assert view.get_attribute("my.gain", m).tolist() == [[[10.0, 30.0]]]
    view.set_attribute("my.gain", m, [[[11.0, 31.0]]])
    assert m.my.gain.tolist() == [11.0, 20.0, 31.0]
    with pytest.raises(AttributeError, match="custom frequency 'my:loose'"):
        view.get_attribute("my.size", m)


def test_labels_of_rows_take_the_prefix_of_the_copy():
    one = pendulum(1)
    one.add_custom_frequency(mc.ModelBuilder.CustomFrequency(name="spring", namespace="my", label_attribute="my:spring_label"))
    one.add_custom_attribute(mc.ModelBuilder.CustomAttribute(name="spring_label", namespace="my", frequency="my:spring", dtype=str))
    one.add_custom_values(**{"my:spring_label": "leg/s"})
    b = mc.ModelBuilder()
    for side in ("left", "right"):
        b.add_builder(one, label_prefix=side)
    assert b.finalize().my.spring_label == ["left/leg/s", "right/leg/s"]
