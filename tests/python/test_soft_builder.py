"""Springs, cloth and soft bodies in builders and models: closed forms, and Newton 1.8 for drawn arguments.

The last needs a Python that has Newton: environment variable MECHANE_ORACLE_PYTHON, else the one that runs the tests.
"""
import copy
import json
import math
import os
import pathlib
import pickle
import subprocess
import sys

import mechane as mc
import numpy as np
import pytest

HERE = pathlib.Path(__file__).resolve().parent
ORACLE = os.environ.get("MECHANE_ORACLE_PYTHON", sys.executable)
AT = {"pos": (0, 0, 0), "rot": (0, 0, 0, 1), "vel": (0, 0, 0)}
SOFT = {"density": 1000.0, "k_mu": 1e3, "k_lambda": 2e3, "k_damp": 0.5}


def square(b, raised=0.0):
    for p in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, raised)):
        b.add_particle(p, (0, 0, 0), 1.0)


def test_defaults_are_newtons():
    """SOFT-002"""
    b = mc.ModelBuilder()
    assert (b.default_tri_ke, b.default_tri_ka, b.default_tri_kd, b.default_tri_drag, b.default_tri_lift) == (100, 100, 10, 0, 0)
    assert (b.default_spring_ke, b.default_spring_kd, b.default_edge_ke, b.default_edge_kd) == (100, 0, 100, 0)
    assert (b.default_tet_k_mu, b.default_tet_k_lambda, b.default_tet_k_damp, b.default_tet_density) == (1e3, 1e3, 0, 1)
    model = b.finalize()
    assert (model.soft_contact_ke, model.soft_contact_kd, model.soft_contact_kf, model.soft_contact_mu) == (1e3, 10, 1e3, 0.5)
    assert (model.particle_ke, model.particle_kd, model.particle_kf, model.particle_mu, model.particle_max_velocity) == (1e3, 100, 100, 0.5, 1e5)


def test_rest_shapes():
    """SOFT-006 to SOFT-009: the length of a spring, the inverse of a cell's edges, the angle of a raised corner, the volume of a tetrahedron"""
    b = mc.ModelBuilder()
    square(b, raised=0.5)
    b.add_spring(0, 3, 10.0, 1.0, 0.0)
    assert b.spring_rest_length[0] == pytest.approx(1.5) and b.spring_indices == [0, 3]
    assert b.add_triangle(0, 1, 2) == 0.5 and b.add_triangle(3, 2, 1) == pytest.approx(math.sqrt(1.5) / 2)
    assert b.tri_poses[0] == ((1, 0), (0, 1)) and b.tri_materials[0] == (100, 100, 10, 0, 0)
    b.add_edge(0, 3, 1, 2)
    b.add_edge(0, -1, 1, 2)
    assert b.edge_rest_angle[0] == pytest.approx(-math.atan(math.sqrt(2) / 2)) and b.edge_rest_angle[1] == 0
    grid = mc.ModelBuilder()
    grid.add_cloth_grid(**AT, dim_x=2, dim_y=1, cell_x=0.1, cell_y=0.1, mass=0.5)
    model = grid.finalize()
    assert np.allclose(model.tri_poses[0], np.diag([10, 10])) and np.allclose(model.tri_areas, 0.005)
    assert model.edge_indices.tolist() == [[3, -1, 0, 1], [0, 4, 1, 3], [1, -1, 3, 0], [3, 2, 1, 4], [1, -1, 4, 3], [4, -1, 1, 2], [1, 5, 2, 4], [4, -1, 2, 5],
                                           [2, -1, 5, 4]]
    assert (model.particle_mass == 0.5).all() and model.surface_label == ["surface_0"]


def test_degenerate_elements_are_left_out_with_a_warning():
    b = mc.ModelBuilder()
    square(b)
    with pytest.warns(mc.MechaneWarning, match="degenerate triangle"):
        assert b.add_triangle(0, 1, 1) == 0
    with pytest.warns(mc.MechaneWarning, match="inverted tetrahedral"):
        assert b.add_tetrahedron(0, 1, 2, 3) == 0
    assert b.tri_count == b.tet_count == 0


def test_counts_of_grids():
    """SOFT-011, SOFT-012, SOFT-014, SOFT-015"""
    b = mc.ModelBuilder()
    b.add_cloth_grid(**AT, dim_x=10, dim_y=10, cell_x=0.1, cell_y=0.1, mass=0.1, add_springs=True, fix_left=True)
    assert (b.particle_count, b.tri_count, b.edge_count, b.spring_count) == (121, 200, 320, 600)
    assert b.particle_mass[0] == 0 and b.particle_flags[0] == 0 and b.particle_mass[1] == 0.1 and b.particle_flags[1] == 1
    one = mc.ModelBuilder()
    one.add_soft_grid(**AT, dim_x=1, dim_y=1, dim_z=1, cell_x=0.1, cell_y=0.1, cell_z=0.1, **SOFT)
    assert list(one.tet_indices) == [(1, 5, 3, 0), (4, 0, 6, 5), (2, 6, 0, 3), (7, 3, 5, 6), (3, 5, 6, 0)] or one.tet_count == 5
    assert (one.particle_count, one.tet_count, one.tri_count, one.edge_count) == (8, 5, 12, 18)
    if mc.config.compat is None:
        assert sum(one.particle_mass) == pytest.approx(1.0)  # density times volume


def test_no_element_has_two_particles_of_one_colour():
    """SOFT-017, springs and bending included"""
    b = mc.ModelBuilder()
    b.add_cloth_grid(**AT, dim_x=6, dim_y=5, cell_x=0.1, cell_y=0.1, mass=0.1, add_springs=True)
    b.add_soft_grid(**AT, dim_x=2, dim_y=2, dim_z=2, cell_x=0.1, cell_y=0.1, cell_z=0.1, **SOFT)
    b.color()
    model = b.finalize()
    color = np.asarray(model.particle_colors)
    rows = [*model.tri_indices, *model.tet_indices, *[e for e in model.edge_indices if e[0] >= 0 and e[1] >= 0 and e[2] < 42], *model.spring_indices.reshape(-1, 2)]
    zero = {i for i in range(model.tri_count) if not model.tri_materials[i][:2].any()}
    for i, row in enumerate(rows):
        assert i in zero or len({color[p] for p in row}) == len(row)
    assert sorted(np.concatenate(model.particle_color_groups).tolist()) == list(range(model.particle_count))
    for wrong in ([[0, 1], [1]], [[0]], [[0, 99]]):
        b.set_coloring(wrong)
        with pytest.raises(ValueError, match="particle_color_groups"):
            b.finalize()


def test_attachments():
    """SOFT-018"""
    b = mc.ModelBuilder()
    body = b.add_link(mass=1.0)
    particle = b.add_particle((0, 0, 0), (0, 0, 0), 1.0)
    assert b.add_attachment_particle_body(particle, body, stiffness=math.inf) == 0
    for kind, wrong in ((IndexError, {"body": 7}), (IndexError, {"particle": 7}), (ValueError, {"stiffness": -1.0}), (ValueError, {"stiffness": math.nan}),
                        (ValueError, {"stiffness": 1e39}), (ValueError, {"damping": math.inf}), (ValueError, {"body_point": (math.nan, 0, 0)})):
        with pytest.raises(kind):
            b.add_attachment_particle_body(**{"particle": particle, "body": body, **wrong})
    model = b.finalize()
    assert model.attachment_particle_body_count == 1 and model.attachment_particle_body_stiffness[0] == math.inf and model.attachment_particle_body_enabled[0]


@pytest.mark.parametrize("call, wrong", [("add_spring", {"ke": -1.0}), ("add_spring", {"i": 9}), ("add_spring", {"kd": math.nan}), ("add_cloth_mesh", {"indices": [0, 1, 9]}),
                                         ("add_cloth_mesh", {"indices": [0, 1]}), ("add_cloth_mesh", {"density": -1.0}), ("add_soft_mesh", {"k_mu": math.nan}),
                                         ("add_cloth_mesh", {"vertices": [(math.nan, 0, 0)] * 3})])
def test_bad_arguments_are_refused(call, wrong):
    """SOFT-076, and nothing is added"""
    b = mc.ModelBuilder()
    square(b)
    good = {"add_spring": {"i": 0, "j": 1, "ke": 1.0, "kd": 0.0, "control": 0.0},
            "add_cloth_mesh": {**AT, "scale": 1.0, "vertices": [(0, 0, 0), (1, 0, 0), (0, 1, 0)], "indices": [0, 1, 2], "density": 1.0},
            "add_soft_mesh": {**AT, "scale": 1.0, "vertices": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], "indices": [0, 1, 2, 3], **SOFT}}[call]
    with pytest.raises((ValueError, IndexError)):
        getattr(b, call)(**{**good, **wrong})
    assert b.particle_count == 4 and b.spring_count == b.tri_count == b.tet_count == 0


def test_copies_and_files_keep_what_is_soft(tmp_path):
    part = mc.ModelBuilder()
    part.add_cloth_grid(**AT, dim_x=2, dim_y=2, cell_x=0.1, cell_y=0.1, mass=0.1, add_springs=True, label="flag")
    part.add_soft_grid(**AT, dim_x=1, dim_y=1, dim_z=1, cell_x=0.1, cell_y=0.1, cell_z=0.1, **SOFT)
    part.add_attachment_particle_body(0, part.add_link(mass=1.0), stiffness=5.0)
    part.color()
    b = mc.ModelBuilder()
    b.replicate(part, 3)
    model = b.finalize()
    assert model.particle_world.tolist() == sum(([w] * 17 for w in range(3)), []) and model.surface_count == 3 and model.volume_count == 3
    assert model.surface_particle_start.tolist() == [0, 17, 34] and model.volume_tet_end.tolist() == [5, 10, 15]
    assert model.attachment_particle_body_particle.tolist() == [0, 17, 34] and model.attachment_particle_body_world.tolist() == [0, 1, 2]
    for twin in (pickle.loads(pickle.dumps(b)).finalize(), copy.deepcopy(b).finalize(), pickle.loads(pickle.dumps(model))):
        for name in ("tri_indices", "tri_poses", "tri_materials", "edge_rest_length", "tet_poses", "spring_rest_length", "attachment_particle_body_stiffness", "particle_colors"):
            assert np.array_equal(getattr(twin, name), getattr(model, name)), name
        assert list(twin.surface_label) == list(model.surface_label) == ["flag"] * 3


def test_vbd_steps_a_cloth_and_never_writes_to_what_it_is_given():
    """SOFT-068"""
    b = mc.ModelBuilder()
    b.add_cloth_grid(pos=(0, 0, 1), rot=(0, 0, 0, 1), vel=(0, 0, 0), dim_x=4, dim_y=4, cell_x=0.1, cell_y=0.1, mass=0.01, fix_top=True)
    b.add_ground_plane()
    b.color()
    model = b.finalize()
    model.soft_contact_ke = 2e3
    assert model.soft_contact_ke == 2e3
    solver = mc.solvers.SolverVBD(model, iterations=8)
    first, second = model.state(), model.state()
    for _ in range(50):
        kept = np.array(first.particle_q)
        solver.step(first, second, model.control(), model.collide(first), 1 / 300)
        assert np.array_equal(first.particle_q, kept)
        first, second = second, first
    assert np.array_equal(first.particle_q[20:], model.particle_q[20:]) and first.particle_q[0, 2] < 0.99
    with pytest.raises(ValueError, match="iterations"):
        mc.solvers.SolverVBD(model, iterations=0)
    with pytest.raises(TypeError, match="nonsense"):
        mc.solvers.SolverVBD(model, nonsense=1)


def drawn_calls(random):
    """A list of builder calls."""
    turn = random.normal(size=4)
    place = {"pos": random.uniform(-1, 1, 3).tolist(), "rot": (turn / np.linalg.norm(turn)).tolist(), "vel": random.uniform(-1, 1, 3).tolist()}
    u = lambda low, high: float(random.uniform(low, high))  # noqa: E731
    flip = lambda: bool(random.integers(2))  # noqa: E731
    dims = {f"dim_{a}": int(random.integers(1, 4)) for a in "xyz"}
    cells = {f"cell_{a}": u(0.05, 0.3) for a in "xyz"}
    fixed = {f"fix_{side}": flip() for side in ("left", "right", "top", "bottom")}
    tri = {f"tri_{k}": u(0, 100) for k in ("ke", "ka", "kd", "drag", "lift") if flip()}
    edge = {f"edge_{k}": u(0, 10) for k in ("ke", "kd") if flip()}
    points = random.uniform(-1, 1, (6, 3)).tolist()
    # Newton takes single triangles and edges of particles that were added one by one only.
    calls = [*(["add_particle", {"pos": p, "vel": place["vel"], "mass": u(0, 1)}] for p in points[:4]),
             ["add_spring", {"i": 0, "j": 1, "ke": u(1, 100), "kd": u(0, 1), "control": u(0, 1)}],
             ["add_triangle", {"i": 0, "j": 1, "k": 3, **tri}],
             ["add_edge", {"i": 0, "j": 1, "k": 2, "l": 3, **edge}],
             ["add_tetrahedron", {"i": 0, "j": 1, "k": 2, "l": 3}],
             ["add_cloth_grid", {**place, **{k: v for k, v in (dims | cells).items() if not k.endswith("z")}, "mass": u(0.01, 1), "reverse_winding": flip(), **fixed, **tri,
                                 **edge, "add_springs": False, "particle_radius": u(0.01, 0.1)}],
             ["add_cloth_mesh", {**place, "scale": u(0.5, 2), "vertices": points, "indices": [0, 1, 2, 2, 1, 3, 3, 4, 2, 0, 5, 1], "density": u(0.1, 2), **tri, **edge}],
             ["add_soft_grid", {**place, **dims, **cells, "density": u(1, 1000), "k_mu": u(1, 1e4), "k_lambda": u(1, 1e4), "k_damp": u(0, 1), **fixed,
                                "add_surface_mesh_edges": flip(), **edge}],
             ["add_soft_mesh", {**place, "scale": u(0.5, 2), "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], "indices": [0, 1, 2, 3, 1, 2, 3, 4],
                                "density": u(1, 1000), "k_mu": u(1, 1e4), "k_lambda": u(1, 1e4), "k_damp": u(0, 1)}],
             ["add_link", {"mass": 1.0}],
             ["add_attachment_particle_body", {"particle": 2, "body": 0, "body_point": [u(-1, 1), 0, 0], "stiffness": u(1, 1e4), "damping": u(0, 1)}]]
    return calls + ([["replicate", {"count": 2}]] if flip() else [])


def test_the_same_calls_give_newtons_arrays(tmp_path):
    if subprocess.run([ORACLE, "-c", "import newton, warp"], capture_output=True, env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"}).returncode:
        pytest.skip("no Newton: 20 builders not compared (MECHANE_ORACLE_PYTHON)")
    calls = [drawn_calls(np.random.default_rng(seed)) for seed in range(20)]
    (tmp_path / "calls.json").write_text(json.dumps(calls))
    for name, python, more in (("newton", ORACLE, {}), ("mechane", sys.executable, {"MECHANE_COMPAT": "newton-1.8"})):
        done = subprocess.run([python, "-W", "ignore", str(HERE / "soft_oracle.py"), name, str(tmp_path / "calls.json"), str(tmp_path / f"{name}.npz")],
                              capture_output=True, text=True, env={**(os.environ if name == "mechane" else {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}), **more})
        assert done.returncode == 0, done.stderr[-2000:]
    theirs, ours = (np.load(tmp_path / f"{name}.npz") for name in ("newton", "mechane"))
    assert set(theirs.files) == set(ours.files)
    for key in theirs.files:
        a, b = theirs[key], ours[key]
        if a.dtype.kind in "fc" and a.size:
            # Newton computes in single precision, rest matrices by an inverse: its rounding grows with their size.
            assert a.shape == b.shape and np.allclose(a, b, rtol=2e-4, atol=2e-5 * max(1.0, float(np.abs(a).max()))), key
        else:
            assert a.size == b.size and np.array_equal(a.reshape(-1), b.reshape(-1)), key


def test_no_joint_ties_two_bodies_of_one_colour():
    """DYN-064; bodies that come after `color` are in a group too"""
    b = mc.ModelBuilder()
    links = [b.add_link(mass=1, inertia=np.eye(3)) for _ in range(9)]
    joints = [b.add_joint_revolute(parent=-1, child=links[0], axis=(0, 0, 1))]
    joints += [b.add_joint_revolute(parent=links[p], child=links[c], axis=(0, 0, 1)) for p, c in ((0, 1), (1, 2), (0, 3), (3, 4), (3, 5), (3, 6), (6, 7), (7, 8))]
    b.add_articulation(joints)
    b.add_joint_fixed(parent=links[2], child=links[8])  # closes a loop
    assert b.body_color_groups == [] and b.finalize().body_colors is None and b.finalize().body_color_groups == []
    b.color()
    assert sorted(np.concatenate(b.body_color_groups).tolist()) == links
    for late in (False, True):
        if late:
            link = b.add_link(mass=1, inertia=np.eye(3))
            b.add_articulation([b.add_joint_revolute(parent=-1, child=link, axis=(0, 0, 1))])
            b.add_joint_ball(parent=link, child=links[4])
        model = b.finalize()
        color = np.asarray(model.body_colors)
        assert sorted(np.concatenate(model.body_color_groups).tolist()) == list(range(model.body_count))
        assert all(color[i] == c for c, group in enumerate(model.body_color_groups) for i in np.asarray(group))
        ends = [(p, c) for p, c in zip(model.joint_parent, model.joint_child) if p >= 0]
        assert len(ends) == (10 if late else 9) and all(color[p] != color[c] for p, c in ends)


def test_the_verbs_for_what_is_soft_are_there():
    """GAP-109: the names of the table of verbs (soft 1.2), which an earlier table kept for a later stage"""
    names = ("add_particle add_particles add_particle_grid add_spring add_triangle add_triangles add_edge add_edges add_tetrahedron add_cloth_grid add_cloth_mesh "
             "add_soft_grid add_soft_mesh add_rod add_joint_rod add_attachment_particle_body color set_coloring add_deformable_visual_mesh").split()
    assert [name for name in names if not callable(getattr(mc.ModelBuilder, name, None))] == []
    model = mc.ModelBuilder().finalize()
    for name in ("spring", "tri", "edge", "tet", "particle", "attachment_particle_body"):
        assert getattr(model, f"{name}_count") == 0
