"""Pairs of primitives, broad phases, rays."""
import math

import mechane as mc
import numpy as np
import pytest
from mechane import geometry
from mechane.math import quat_from_axis_angle, quat_to_matrix

RNG = np.random.default_rng(5)


def rotations(n):
    axes = RNG.normal(size=(n, 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    return np.array([np.asarray(quat_to_matrix(quat_from_axis_angle(a, t))).reshape(3, 3) for a, t in zip(axes, RNG.uniform(-3, 3, n))])


def units(n):
    v = RNG.normal(size=(n, 3))
    return v / np.linalg.norm(v, axis=1, keepdims=True)


def places(n):
    return RNG.uniform(-1, 1, (n, 3))


def sizes(n, k=None):
    return RNG.uniform(0.1, 0.6, n if k is None else (n, k))


CALLS = {
    "collide_plane_sphere": lambda n: (units(n), places(n), places(n), sizes(n)),
    "collide_plane_capsule": lambda n: (units(n), places(n), places(n), units(n), sizes(n), sizes(n)),
    "collide_plane_ellipsoid": lambda n: (units(n), places(n), places(n), rotations(n), sizes(n, 3)),
    "collide_plane_box": lambda n: (units(n), places(n), places(n), rotations(n), sizes(n, 3)),
    "collide_plane_cylinder": lambda n: (units(n), places(n), places(n), units(n), sizes(n), sizes(n)),
    "collide_sphere_sphere": lambda n: (places(n), sizes(n), places(n), sizes(n)),
    "collide_sphere_capsule": lambda n: (places(n), sizes(n), places(n), units(n), sizes(n), sizes(n)),
    "collide_sphere_cylinder": lambda n: (places(n), sizes(n), places(n), units(n), sizes(n), sizes(n)),
    "collide_sphere_box": lambda n: (places(n), sizes(n), places(n), rotations(n), sizes(n, 3)),
    "collide_capsule_capsule": lambda n: (places(n), units(n), sizes(n), sizes(n), places(n), units(n), sizes(n), sizes(n)),
    "collide_capsule_box": lambda n: (places(n), units(n), sizes(n), sizes(n), places(n), rotations(n), sizes(n, 3)),
    "collide_box_box": lambda n: (places(n), rotations(n), sizes(n, 3), places(n), rotations(n), sizes(n, 3)),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_batch_is_a_thousand_calls(name):
    """(PYA-058)"""
    function, arguments = getattr(geometry, name), CALLS[name](1000)
    together = function(*arguments)
    for i in range(1000):
        alone = function(*(a[i] for a in arguments))
        for one, all_of_them in zip(alone, together):
            assert np.array_equal(np.asarray(one), np.asarray(all_of_them)[i])


def test_contacts_of_known_pairs():
    """Closed forms: a ball of radius 0.5 whose centre is 0.4 above a plane is 0.1 deep; two balls 3 apart are 3 - 1 - 0.5 apart."""
    d, p = geometry.collide_plane_sphere((0, 0, 1), (0, 0, 0), (1, 2, 0.4), 0.5)
    assert math.isclose(d, -0.1, abs_tol=1e-7) and np.allclose(p, (1, 2, -0.05))
    d, p, n = geometry.collide_sphere_sphere((0, 0, 0), 1.0, (3, 0, 0), 0.5)
    assert (d, tuple(p), tuple(n)) == (1.5, (1.75, 0, 0), (1, 0, 0))
    d, p, n = geometry.collide_sphere_box((0, 0, 1.0), 0.25, (0, 0, 0), np.eye(3), (0.5, 0.5, 0.5))
    assert math.isclose(d, 0.25, abs_tol=1e-6) and np.allclose(n, (0, 0, -1)) and np.allclose(p, (0, 0, 0.625))


def test_unused_slots_hold_the_largest_value():
    """Boxes far apart have no contact at all, stacked ones have four (PYA-059)"""
    eye, half = np.eye(3), (0.5, 0.5, 0.5)
    d, _, _ = geometry.collide_box_box((0, 0, 0), eye, half, (9, 0, 0), eye, half)
    assert (d >= mc.MAXVAL).all() and d.shape == (8,)
    d, _, n = geometry.collide_box_box((0, 0, 0), eye, half, (0, 0, 0.99), eye, half)
    used = d < mc.MAXVAL
    assert used.sum() == 4 and np.allclose(d[used], -0.01, atol=1e-6) and np.allclose(n[used], (0, 0, 1), atol=1e-6)


def test_broad_phases_fill_callers_arrays():
    """Sorted, each pair once, the same from all of them (PYA-060)"""
    n = 60
    lower = RNG.uniform(-2, 2, (n, 3)).astype(np.float32)
    upper = lower + RNG.uniform(0.1, 1.0, (n, 3)).astype(np.float32)
    group, world = np.ones(n, np.int32), np.zeros(n, np.int32)
    expected = [(i, k) for i in range(n) for k in range(i + 1, n) if (lower[i] <= upper[k]).all() and (lower[k] <= upper[i]).all()]
    for kind in (geometry.BroadPhaseAllPairs, geometry.BroadPhaseSAP):
        pairs, count = np.full((2000, 2), -1, np.int32), np.zeros(1, np.int32)
        kind(world).launch(lower, upper, None, group, world, n, pairs, count)
        assert count[0] == len(expected) and [tuple(p) for p in pairs[: count[0]].tolist()] == expected
    listed = np.array(expected[::-1] + expected[:5], np.int32)[:, ::-1].copy()
    pairs, count = np.full((2000, 2), -1, np.int32), np.zeros(1, np.int32)
    geometry.BroadPhaseExplicit().launch(lower, upper, None, listed, len(listed), pairs, count)
    assert [tuple(p) for p in pairs[: count[0]].tolist()] == expected


def test_rays_meet_the_nearest_shape():
    """A ball of radius 0.5 at z = 2 over a plane: from z = 5 downwards 2.5 to the ball, beside it 5 to the plane, upwards nothing."""
    b = mc.ModelBuilder()
    ball = b.add_shape_sphere(b.add_body(xform=((0, 0, 2), (0, 0, 0, 1))), radius=0.5)
    ground = b.add_ground_plane()
    m = b.finalize()
    distance, shape, normal = mc.intersect_ray(m, ray_origins=[(0, 0, 5), (3, 0, 5), (3, 0, 5)], ray_directions=[(0, 0, -1), (0, 0, -1), (0, 0, 1)], ray_worlds=-1)
    assert np.allclose(distance, (2.5, 5, -1), atol=1e-6) and shape.tolist() == [ball, ground, -1]
    assert np.allclose(normal, [(0, 0, 1), (0, 0, 1), (0, 0, 0)], atol=1e-6)
    state = m.state()
    state.body_q[0, 2] = 3
    out = np.zeros(1, np.float32)
    mc.intersect_ray(m, ray_origins=(0, 0, 5), ray_directions=(0, 0, -1), ray_worlds=-1, out_dist=out, state=state)
    assert math.isclose(out[0], 1.5, abs_tol=1e-6) and geometry.raycast(m, state, (0, 0, 5), (0, 0, -1))[1].tolist() == [ball]


def test_inertia_of_a_box():
    """m/3 (h_y^2 + h_z^2) about x, and m d^2 more about an axis d away."""
    mass, com, inertia = geometry.compute_inertia_box(1000.0, 0.5, 1.0, 1.5)
    assert math.isclose(mass, 6000) and tuple(com) == (0, 0, 0)
    assert np.allclose(np.diag(np.asarray(inertia)), (2000 * 3.25, 2000 * 2.5, 2000 * 1.25))
    moved = geometry.transform_inertia(mass, inertia, (2, 0, 0), (0, 0, 0, 1))
    assert np.allclose(np.diag(np.asarray(moved)) - np.diag(np.asarray(inertia)), (0, 24000, 24000))


def test_helpers_of_inertia_boxes_and_hulls():
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-2, 2) for z in (-3, 3)], float)
    hull = geometry.remesh_convex_hull(np.concatenate([corners, [(0, 0, 0)]]))
    assert len(hull.vertices) == 8 and hull.is_watertight
    low, high = geometry.compute_aabb(corners + 5)
    assert low.tolist() == [4, 3, 2] and high.tolist() == [6, 7, 8]
    mass, inertia, corrected = geometry.verify_and_correct_inertia(1.0, np.diag([1.0, 2.0, 3.0]))
    assert (mass, corrected) == (1.0, False) and np.diag(inertia).tolist() == [1, 2, 3]
    with pytest.warns(mc.MechaneWarning, match="W_INERTIA_FIXED"):
        mass, inertia, corrected = geometry.verify_and_correct_inertia(1.0, np.diag([1.0, 1.0, 3.0]))
    # What is missing to the triangle inequality is added to each moment, and 1e-6.
    assert corrected
    np.testing.assert_allclose(np.diag(inertia), (2.000001, 2.000001, 4.000001), rtol=1e-6)
