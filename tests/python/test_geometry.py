"""Pairs of primitives, broad phases, rays, fields of distances."""
import gc
import math
import pickle
import weakref

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
    with pytest.warns(mc.MechaneWarning, match="MODEL_INERTIA_FIXED"):
        mass, inertia, corrected = geometry.verify_and_correct_inertia(1.0, np.diag([1.0, 1.0, 3.0]))
    # What is missing to the triangle inequality is added to each moment, and 1e-6.
    assert corrected
    np.testing.assert_allclose(np.diag(inertia), (2.000001, 2.000001, 4.000001), rtol=1e-6)


# -- fields of distances, and questions to meshes


def test_a_field_gives_the_distances_of_its_mesh():
    """A cube of 1 m: distances at the middle, outside of a face and in the band, to a tenth of a cell"""
    cube = mc.Mesh.create_box(0.5, duplicate_vertices=False)
    field = mc.SDF.create_from_mesh(cube, target_voxel_size=0.05, narrow_band_range=(-0.2, 0.2), margin=0.25, texture_format="float32")
    assert field.voxel_size == pytest.approx(0.05, rel=0.2) and not field.is_empty() and all(n % 8 == 0 for n in field.resolution)
    points = np.array([[0.0, 0.0, 0.45], [0.6, 0.1, 0.0], [0.0, 0.0, 0.5]])
    assert np.allclose(field.sample(points), [-0.05, 0.1, 0.0], atol=0.005)
    assert np.allclose(field.gradient(points[1]), [1, 0, 0], atol=1e-3)
    surface = field.extract_isomesh(0.1)  # rounded cube: 0.1 m beyond every face
    assert np.allclose(surface.vertices.max(axis=0), 0.6, atol=0.01) and surface.is_watertight
    shrunk = mc.SDF.create_from_mesh(cube, target_voxel_size=0.05, shape_margin=0.1)
    assert shrunk.sample((0.6, 0.0, 0.0)) == pytest.approx(field.sample((0.6, 0.0, 0.0)) - 0.1, abs=0.01)
    for options, word in (({"max_resolution": 12}, "resolution"), ({"texture_format": "int4"}, "texture_format"), ({"sign_method": "guess"}, "sign_method")):
        with pytest.raises(ValueError, match=word):
            mc.SDF.create_from_mesh(cube, **options)


def test_a_field_of_an_array_interpolates_it_and_comes_back_from_a_file(tmp_path):
    x = np.linspace(-1, 1, 33)
    values = np.sqrt(x[:, None, None] ** 2 + x[None, :, None] ** 2 + x[None, None, :] ** 2) - 0.5  # a ball of 0.5 m
    field = mc.SDF.from_array(values, 1 / 16, (-1, -1, -1), narrow_band_range=(-0.3, 0.3))
    assert field.sample((0.75, 0.0, 0.0)) == pytest.approx(0.25, abs=1e-3) and field.sample((0.0, 0.375, 0.0)) == pytest.approx(-0.125, abs=0.01)
    field.save(tmp_path / "ball.sdf")
    again = mc.SDF.load(tmp_path / "ball.sdf")
    points = np.random.default_rng(1).uniform(-1, 1, (50, 3))
    assert np.array_equal(again.sample(points), field.sample(points)) and np.array_equal(pickle.loads(pickle.dumps(field)).sample(points), field.sample(points))
    (tmp_path / "broken.sdf").write_bytes(b"no field")
    with pytest.raises(ValueError, match="field"):
        mc.SDF.load(tmp_path / "broken.sdf")
    with pytest.raises(ValueError, match="values"):
        mc.SDF.from_array(np.full((4, 4, 4), np.nan), 0.1)


def test_names_of_fields_that_are_left_out_say_what_to_use():
    for owner, name in ((mc.SDF, "create_from_data"), (mc.SDF, "to_kernel_data"), (mc.geometry.NarrowPhase, "launch_custom_write")):
        with pytest.raises(AttributeError, match="left out"):
            getattr(owner, name)


def test_a_mesh_that_becomes_its_hull_is_known_as_the_hull_alone():
    """What stood for the old mesh of the library does no longer, and what was made of the old triangles is not that of the new"""
    box = mc.Mesh.create_box(0.5)
    dented = mc.Mesh(np.vstack([box.vertices, [[0.0, 0.0, 0.0]]]), np.concatenate([box.indices, [0, 1, 8]]))
    before = dented._core
    dented.__dict__["_finalized"] = {"of": "the old triangles"}
    assert dented.compute_convex_hull(replace=True) is dented
    assert mc.Mesh._of(before) is not dented and mc.Mesh._of(dented._core) is dented
    assert "_finalized" not in dented.__dict__ and len(dented.vertices) == 8


def test_one_mesh_of_the_library_is_one_mesh_while_somebody_has_it():
    """Through builders, models and copies; when nobody has it, another one may stand for it"""
    mesh = mc.Mesh.create_box(0.5)
    mesh.note = "mine"
    b = mc.ModelBuilder()
    for _ in range(2):
        b.add_shape_mesh(b.add_link(mass=1.0), mesh=mesh)
    many = mc.ModelBuilder()
    many.replicate(b, 2)
    model = many.finalize()
    assert all(source is mesh for source in (*b.shape_source, *many.shape_source, *model.shape_source))
    core = mc.Mesh.create_box(0.25)._core
    first = mc.Mesh._of(core)
    first.note = "mine"
    assert mc.Mesh._of(core) is first
    gone = weakref.ref(first)
    del first
    gc.collect()
    assert gone() is None and not hasattr(mc.Mesh._of(core), "note")


def test_a_mesh_answers_where_it_is_nearest_and_where_rays_meet_it():
    cube = mc.Mesh.create_box(0.5)
    place, distance, triangle = cube.closest_point([[0.0, 0.0, 2.0], [0.1, 0.0, 0.0]])
    assert np.allclose(place[0], [0, 0, 0.5]) and np.allclose(distance, [1.5, -0.4]) and triangle.shape == (2,)
    assert cube.signed_distance((0.0, 0.75, 0.0)) == pytest.approx(0.25)
    t, normal = cube.ray([[0.0, 0.1, 3.0], [0.0, 0.0, 3.0]], [[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]])
    assert np.allclose(t, [2.5, -1]) and np.allclose(normal[0], [0, 0, 1])
    cube.vertices = cube.vertices * 2
    assert cube.signed_distance((0.0, 0.0, 2.0)) == pytest.approx(1.0)
    with pytest.raises(ValueError, match="points"):
        cube.signed_distance((1.0, 2.0))


def test_offset_meshes_and_boxes_around_points():
    out = mc.geometry.compute_offset_mesh(mc.GeoType.SPHERE, shape_scale=(0.5, 0, 0), offset=0.1)
    assert np.allclose(np.linalg.norm(out.vertices, axis=1), 0.6, atol=0.01)
    assert mc.geometry.compute_offset_mesh(mc.GeoType.PLANE) is None
    turn = np.array([[0.6, -0.8, 0], [0.8, 0.6, 0], [0, 0, 1]])
    corners = (np.array([[x, y, z] for x in (-1, 1) for y in (-2, 2) for z in (-3, 3)]) @ turn.T).astype(float)
    pose, half = mc.geometry.compute_obb(corners)
    assert np.allclose(sorted(half), [1, 2, 3]) and np.allclose(pose.p, 0, atol=1e-9)
    assert mc.geometry.sdf_mesh(mc.Mesh.create_box(0.5), (0.0, 0.0, 1.0), 10.0) == pytest.approx(0.5)


# -- the narrow phase without a model


def test_the_narrow_phase_fills_the_callers_arrays():
    """Two unit balls 1.5 m apart overlap by 0.5 m; a box on a plane touches it in four corners (GAP-052)"""
    g = mc.geometry
    types = np.array([mc.GeoType.SPHERE, mc.GeoType.SPHERE, mc.GeoType.PLANE, mc.GeoType.BOX], np.int32)
    data = np.array([[1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0], [0.5, 0.5, 0.5, 0]], np.float32)
    places = np.array([[0, 0, 5, 0, 0, 0, 1], [1.5, 0, 5, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 1], [0, 0, 0.49, 0, 0, 0, 1]], np.float32)
    room = 8
    out = {"contact_pair": np.full((room, 2), -1, np.int32), "contact_position": np.zeros((room, 3), np.float32), "contact_normal": np.zeros((room, 3), np.float32),
           "contact_penetration": np.full(room, 9, np.float32), "contact_count": np.zeros(1, np.int32), "contact_tangent": np.zeros((room, 3), np.float32)}
    phase = g.NarrowPhase(max_candidate_pairs=10)
    phase.launch(candidate_pair=np.array([[0, 1], [2, 3]], np.int32), candidate_pair_count=np.array([2], np.int32), shape_types=types, shape_data=data,
                 shape_transform=places, shape_source=None, shape_gap=np.zeros(4, np.float32), **out)
    n = int(out["contact_count"][0])
    assert n == 5 and np.allclose(out["contact_penetration"][:n], [-0.5] + [-0.01] * 4, atol=1e-5)
    assert np.allclose(out["contact_normal"][0], [1, 0, 0]) and np.allclose(out["contact_position"][0], [0.75, 0, 5])
    assert np.all(out["contact_pair"][:n] == [[0, 1]] + [[2, 3]] * 4) and np.all(out["contact_penetration"][n:] == 9)
    assert np.allclose(np.einsum("ij,ij->i", out["contact_normal"][:n], out["contact_tangent"][:n]), 0, atol=1e-6)
    with pytest.raises(IndexError, match="candidate_pair"):
        phase.launch(candidate_pair=np.array([[0, 7]], np.int32), candidate_pair_count=np.array([1], np.int32), shape_types=types, shape_data=data,
                     shape_transform=places, shape_source=None, shape_gap=np.zeros(4, np.float32), **out)


def test_pairs_of_shapes_have_a_distance():
    g = mc.geometry
    ball = g.Shape(mc.GeoType.SPHERE, (0.5, 0, 0), (0, 0, 3, 0, 0, 0, 1))
    box = g.Shape(mc.GeoType.BOX, (1, 1, 1))
    assert g.distance(ball, box) == pytest.approx(1.5, abs=1e-6)
    separation, on_ball, on_box, normal = g.gjk(ball, box)
    assert separation == pytest.approx(1.5, abs=1e-6) and np.allclose(on_ball, [0, 0, 2.5], atol=1e-6) and np.allclose(on_box, [0, 0, 1], atol=1e-6)
    assert np.allclose(normal, [0, 0, -1]) and g.contacts(ball, box) == []
    mesh = g.Shape(mc.GeoType.MESH, (1, 1, 1), (0, 0, 1.4, 0, 0, 0, 1), mc.Mesh.create_box(0.5))
    touching = g.contacts(mesh, box)
    assert touching and min(c["distance"] for c in touching) == pytest.approx(-0.1, abs=1e-6) and np.allclose(touching[0]["normal"], [0, 0, -1], atol=1e-6)


def test_pipelines_match_contacts_and_press_on_patches():
    """A box that stays where it is: every contact continues one; two soft boxes press on each other over a surface"""
    b = mc.ModelBuilder()
    b.add_ground_plane()
    b.add_shape_box(b.add_body(xform=(0, 0, 0.49, 0, 0, 0, 1)), hx=0.5, hy=0.5, hz=0.5)
    m = b.finalize()
    pipeline = mc.CollisionPipeline(m, contact_matching="latest", contact_report=True)
    contacts, state = pipeline.contacts(), m.state()
    pipeline.collide(state, contacts)
    n = int(contacts.rigid_contact_count[0])
    assert n >= 4 and int(contacts.rigid_contact_new_count[0]) == n
    pipeline.collide(state, contacts)
    assert sorted(contacts.rigid_contact_match_index[:n].tolist()) == list(range(n)) and int(contacts.rigid_contact_new_count[0]) == 0
    state.body_q[0, 2] = 5.0
    pipeline.collide(state, contacts)
    assert int(contacts.rigid_contact_broken_count[0]) == n
    assert m.contacts().rigid_contact_match_index is None
    with pytest.raises(ValueError, match="contact_matching"):
        mc.CollisionPipeline(m, contact_matching="always")
    own = mc.Contacts(pipeline.rigid_contact_max, 0, contact_matching=True)  # room of one's own serves any pipeline of its size
    pipeline.collide(m.state(), own)
    assert len(own.rows()) == n and own.rigid_contact_new_count is None
    with pytest.raises(ValueError, match="capacity"):
        pipeline.collide(m.state(), mc.Contacts(3, 0))

    soft = mc.ModelBuilder()
    for z in (0.0, 0.95):
        cfg = soft.ShapeConfig(is_hydroelastic=True, kh=1.0e6, sdf_max_resolution=32)
        soft.add_shape_box(soft.add_body(xform=(0, 0, z, 0, 0, 0, 1)), hx=0.5, hy=0.5, hz=0.5, cfg=cfg)
    assert soft.shape_sdf_max_resolution == [32, 32]
    m = soft.finalize()
    pipeline = mc.CollisionPipeline(m, sdf_hydroelastic_config=mc.geometry.HydroelasticSDF.Config(output_contact_surface=True))
    contacts = pipeline.contacts()
    pipeline.collide(m.state(), contacts)
    corners, depths, shapes = pipeline.contact_surface()
    areas = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    assert pipeline.sdf_count == 1 and int(contacts.rigid_contact_count[0]) > 0 and np.all(shapes == [0, 1])
    assert areas[depths < 0].sum() == pytest.approx(1.0, abs=0.15)  # the boxes press over a square of 1 m, but for a cell at its rim


def test_terrain_is_made_of_blocks_and_seen_from_above():
    """Four blocks of 5 m: flat, a wave of 0.3 m, five steps of 0.1 m, a box of 0.3 m"""
    ground = mc.Mesh.create_terrain((2, 2), (5.0, 5.0), ["flat", "wave", "pyramid_stairs", "box"], {"box": {"height": 0.2}}, seed=3)
    low, high = ground.vertices.min(axis=0), ground.vertices.max(axis=0)
    assert np.allclose(low, [-5, -5, -0.3], atol=0.02) and np.allclose(high, [5, 5, 0.5], atol=0.02)
    again = mc.Mesh.create_terrain((1, 1), (2.0, 2.0), "random_grid", seed=7)
    assert np.array_equal(again.vertices, mc.Mesh.create_terrain((1, 1), (2.0, 2.0), "random_grid", seed=7).vertices)
    with pytest.raises(ValueError, match="lava"):
        mc.Mesh.create_terrain(terrain_types="lava")
    field, middle = mc.Heightfield.create_from_mesh(ground, 0.5)
    assert (field.nrow, field.ncol) == (21, 21) and (field.hx, field.hy) == (5.0, 5.0) and middle == mc.transform()


@pytest.mark.parametrize("policy, kept", [("report", 2), ("error", 0)])
def test_contacts_that_do_not_fit_are_told(policy, kept):
    """A box on the ground has four contacts, and there is room for two"""
    b = mc.ModelBuilder()
    b.add_ground_plane()
    b.add_shape_box(b.add_body(xform=(0, 0, 0.49, 0, 0, 0, 1)), hx=0.5, hy=0.5, hz=0.5)
    m = b.finalize()
    pipeline = mc.CollisionPipeline(m, rigid_contact_max=2, overflow_policy=policy)
    contacts = pipeline.contacts()
    with pytest.warns(mc.MechaneWarning, match="PYTHON_CONTACT_OVERFLOW: 4 contacts, room for 2"):
        pipeline.collide(m.state(), contacts)
    assert int(contacts.rigid_contact_count[0]) == kept
    with pytest.raises(ValueError, match="overflow_policy"):
        mc.CollisionPipeline(m, overflow_policy="grow")


@pytest.mark.parametrize("gone", [1, 2])
def test_a_mesh_is_repaired_to_the_solid_that_it_was(gone):
    """A box of half extents 1, 2, 3 whose triangles have points of their own; some run the wrong way, `gone` of one face are missing."""
    box = mc.Mesh.create_box(1.0, 2.0, 3.0)
    corners = np.asarray(box.vertices)[np.asarray(box.indices).reshape(-1, 3)]
    corners = corners[:-gone].copy()
    corners[::4] = corners[::4, ::-1]
    broken = mc.Mesh(corners.reshape(-1, 3), np.arange(3 * len(corners), dtype=np.int32))
    whole, done = broken.repair()
    assert done["filled_holes"] == 1 and done["open_holes"] == 0 and done["turned_triangles"] == 3
    assert done["joined_points"] == len(corners) * 3 - 8
    assert whole.compute_inertia(1.0)[3] == pytest.approx(8 * 6, rel=1e-6)
    left, done = broken.repair(fill_holes=False)
    assert done["filled_holes"] == 0 and len(left.indices) == 3 * len(corners)
    assert len(broken.indices) == 3 * len(corners) and len(broken.vertices) == 3 * len(corners)  # itself unchanged
