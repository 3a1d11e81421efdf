"""Views of cloths, soft bodies and rods: what they choose, read and write."""
import re

import mechane as mc
import numpy as np
import pytest

sel = mc.selection


def cloth(builder, label, cells=2):
    builder.add_cloth_grid(pos=(0, 0, 1), rot=(0, 0, 0, 1), vel=(0, 0, 0), dim_x=cells, dim_y=cells, cell_x=0.1, cell_y=0.1, mass=0.01, label=label)


def block(builder, label):
    builder.add_soft_grid(pos=(0, 0, 1), rot=(0, 0, 0, 1), vel=(0, 0, 0), dim_x=1, dim_y=1, dim_z=1, cell_x=0.1, cell_y=0.1, cell_z=0.1, density=100,
                          k_mu=1e3, k_lambda=1e3, k_damp=0, label=label)


def worlds(add, count=3):
    one = mc.ModelBuilder()
    add(one)
    many = mc.ModelBuilder()
    many.replicate(one, count)
    return many.finalize()


def test_surfaces_and_volumes_are_chosen_by_family_and_label():
    """A pattern chooses within one family, world by world (SOFT-001 names the families)"""
    def add(b):
        cloth(b, "flag")
        block(b, "flag_stand")
        cloth(b, "rag")
    model = worlds(add)
    flags, all_of_them, stands = sel.DeformableSurfaceView(model, "flag*"), sel.DeformableSurfaceView(model, re.compile(".*")), sel.DeformableVolumeView(model, ["flag*"])
    assert (flags.count, flags.count_per_world, all_of_them.count, stands.count) == (3, 1, 6, 3)
    assert flags.worlds == [0, 1, 2] and all_of_them.count_per_world == 2 and all_of_them.deformable_object_ranges() == [(0, 2), (2, 4), (4, 6)]
    assert flags.particle_count == 9 and flags.element_count("triangle") == 8 and stands.particle_count == 8 and stands.element_count("tetrahedron") == 5
    assert sel.DeformableSurfaceView(model, [0, 3]).labels == [model.surface_label[0], model.surface_label[3]]
    assert list(flags.starts("particle")) == [start for start, _ in flags.ranges("particle")] == list(model.surface_particle_start[[0, 2, 4]])


def test_what_is_read_is_the_models_memory_where_it_lies_evenly():
    model = worlds(lambda b: cloth(b, "flag"))
    view, state = sel.DeformableSurfaceView(model, "flag"), model.state()
    q = view.get_particle_positions(state)
    assert q.shape == (3, 9, 3) and np.shares_memory(q, state.particle_q)
    assert np.array_equal(np.asarray(q).reshape(-1, 3), np.asarray(state.particle_q))
    assert view.get_particle_inv_masses(model).shape == view.get_particle_flags(model).shape == (3, 9)
    q[1, 0] = (7, 8, 9)
    assert tuple(state.particle_q[9]) == (7, 8, 9)


def test_what_is_written_reaches_the_masked_objects_alone():
    model = worlds(lambda b: (cloth(b, "a"), cloth(b, "b")))
    view, state = sel.DeformableSurfaceView(model, "b"), model.state()
    before = np.array(state.particle_qd)
    values = np.arange(3 * 9 * 3, dtype=np.float32).reshape(3, 9, 3)
    view.set_particle_velocities(state, values, mask=[True, False, True])
    after = np.array(state.particle_qd)
    for i, (start, end) in enumerate(view.ranges("particle")):
        assert np.array_equal(after[start:end], before[start:end] if i == 1 else values[i])
    others = np.ones(len(after), bool)
    for start, end in view.ranges("particle"):
        others[start:end] = False
    assert np.array_equal(after[others], before[others])
    # Values that are the target's own memory, in another order.
    view.set_particle_velocities(state, view.get_particle_velocities(state)[::-1])
    assert np.array_equal(view.get_particle_velocities(state)[0], values[2]) and np.array_equal(view.get_particle_velocities(state)[2], values[0])


def test_objects_of_different_sizes_have_ranges_and_no_arrays():
    builder = mc.ModelBuilder()
    cloth(builder, "small", 1)
    cloth(builder, "large", 2)
    model = builder.finalize()
    view = sel.DeformableSurfaceView(model, "*")
    assert view.particle_count is None and view.ranges("particle") == [(0, 4), (4, 13)]
    with pytest.raises(ValueError, match="different numbers of particles"):
        view.get_particle_positions(model)


def test_rods_are_curves_of_bodies():
    builder = mc.ModelBuilder()
    builder.add_rod(rod=mc.Rod([(0.1 * i, 0, 1) for i in range(5)], radius=0.01), label="cable")
    model = builder.finalize()
    view, state = sel.DeformableCurveView(model, "cable"), model.state()
    assert view.count == 1 and view.body_count == 4 and view.get_body_transforms(state).shape == (1, 4, 7) and view.get_body_velocities(state).shape == (1, 4, 6)
    poses = np.array(view.get_body_transforms(state))
    poses[0, :, 2] += 1
    view.set_body_transforms(state, poses)
    assert np.allclose(np.asarray(state.body_q)[view.ranges("body")[0][0]:view.ranges("body")[0][1], 2], poses[0, :, 2])


def test_masks_are_made_of_indices():
    model = worlds(lambda b: cloth(b, "flag"))
    view, mask = sel.DeformableSurfaceView(model, "flag"), np.ones(3, bool)
    view.set_mask_from_indices(mask, [2, 2, 0])
    assert mask.tolist() == [True, False, True]
    view.set_mask_from_indices(mask, [])
    assert not mask.any()
    for indices, kind in (([3], ValueError), ([-1], ValueError), ([True], TypeError), ([0.5], TypeError)):
        with pytest.raises(kind):
            view.set_mask_from_indices(mask, indices)


@pytest.mark.parametrize("pattern, kind, text", [("none", KeyError, "no surface matches 'none'; there are flag"), ([1, 0], ValueError, "ascending"), ([0, 9], ValueError, "range"),
                                                 ([0, "flag"], TypeError, "globs or indices"), ([True], TypeError, "globs or indices")])
def test_patterns_that_choose_nothing_say_why(pattern, kind, text):
    with pytest.raises(kind, match=text):
        sel.DeformableSurfaceView(worlds(lambda b: cloth(b, "flag")), pattern)


def test_wrong_kinds_shapes_and_masks_are_named():
    model = worlds(lambda b: cloth(b, "flag"))
    view, state = sel.DeformableSurfaceView(model, "flag"), model.state()
    before = np.array(state.particle_q)
    for call, kind, text in ((lambda: view.ranges("tetrahedron"), ValueError, "a surface has particle, triangle, edge"), (lambda: view.ranges(3), TypeError, "AttributeFrequency"),
                             (lambda: view.set_particle_positions(state, np.zeros((2, 9, 3))), ValueError, r"expected shape \(3, 9, 3\)"),
                             (lambda: view.set_particle_positions(state, before, mask=[1, 0, 1]), ValueError, "3 flags"),
                             (lambda: view.set_particle_positions(state, before, mask=[True]), ValueError, "3 flags"),
                             (lambda: view.get_particle_positions(mc.ModelBuilder().finalize().state()), ValueError, "particle")):
        with pytest.raises(kind, match=text):
            call()
    assert np.array_equal(before, np.asarray(state.particle_q)) and view.element_count(mc.Model.AttributeFrequency.PARTICLE) == 9
