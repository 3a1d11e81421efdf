"""Programs written for Newton, with nothing but the import changed; and the pages of docs/ as they stand."""
import os
import pathlib
import re
import warnings

import mechane as newton
import numpy as np
import pytest
from scenes import FAULTY
from test_resolvers import DECLARED, DOOR

ROOT = pathlib.Path(os.environ["MECHANE_SOURCE_DIR"])


def falling_sphere():
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    body = builder.add_body(xform=newton.transform((0.0, 0.0, 2.0), (0.0, 0.0, 0.0, 1.0)))
    builder.add_shape_sphere(body, radius=0.5)
    return builder.finalize()


def test_a_sphere_comes_to_rest_on_its_radius():
    """120 frames of ten substeps from z = 2: at rest at 0.5 within 5 mm (SMP-11)"""
    model = falling_sphere()
    solver = newton.solvers.SolverSoftStep(model, substeps=1)
    state_0, state_1 = model.state(), model.state()
    control, contacts = model.control(), model.contacts()
    dt = 1.0 / 60.0 / 10.0
    for _ in range(120):
        for _ in range(10):
            state_0.clear_forces()
            model.collide(state_0, contacts)
            solver.step(state_0, state_1, control, contacts, dt)
            state_0, state_1 = state_1, state_0
    assert abs(state_0.body_q.numpy()[0, 2] - 0.5) < 0.005 and np.abs(state_0.body_qd.numpy()[0]).max() < 0.02


def resting_pair():
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    for x in (0.0, 0.99):
        builder.add_shape_sphere(builder.add_body(xform=((x, 0.0, 0.49), (0.0, 0.0, 0.0, 1.0))), radius=0.5)
    return builder.finalize()


def test_broad_phases_give_the_same_contacts():
    """The default, and pipelines of the caller's (SMP-10, SMP-20, SMP-28)"""
    model = resting_pair()
    state = model.state()
    contacts = model.contacts()
    model.collide(state, contacts)
    counts = {int(contacts.rigid_contact_count.numpy()[0])}
    for broad_phase in ("explicit", "nxn", "sap", "tree"):
        pipeline = newton.CollisionPipeline(model, broad_phase=broad_phase, rigid_contact_max=50000)
        a = pipeline.contacts()
        pipeline.collide(state, a)
        b = model.contacts(collision_pipeline=pipeline)
        model.collide(state, b)
        c = model.collide(state, collision_pipeline=pipeline)
        counts |= {int(x.rigid_contact_count.numpy()[0]) for x in (a, b, c)}
        assert pipeline.rigid_contact_max == 50000
    assert counts == {3}


def test_contacts_say_where_and_between_what():
    """Two spheres 0.99 apart, both 1 cm in the ground: each pair once, normals unit (SMP-27)"""
    model = resting_pair()
    contacts = model.collide(model.state())
    n = contacts.rigid_contact_count.numpy()[0]
    shapes = {tuple(sorted(p)) for p in zip(contacts.rigid_contact_shape0.numpy()[:n].tolist(), contacts.rigid_contact_shape1.numpy()[:n].tolist())}
    assert shapes == {(0, 1), (0, 2), (1, 2)}
    assert np.allclose(np.linalg.norm(contacts.rigid_contact_normal.numpy()[:n], axis=1), 1, atol=1e-6)
    assert contacts.rigid_contact_point0.numpy()[:n].shape == (n, 3)


def test_worlds_do_not_meet():
    """The ground is in no world, each robot in its own: one contact each with the ground, none between them (SMP-13)"""
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    robot_builder = newton.ModelBuilder()
    body = robot_builder.add_link(xform=((0, 0, 0.49), (0, 0, 0, 1)))
    robot_builder.add_shape_sphere(body, radius=0.5)
    joint = robot_builder.add_joint_free(body)
    robot_builder.add_articulation([joint])
    builder.add_world(robot_builder)
    builder.add_world(robot_builder)
    model = builder.finalize()
    assert model.shape_world.numpy().tolist() == [-1, 0, 1]
    contacts = model.collide(model.state())
    assert sorted(zip(contacts.rigid_contact_shape0.numpy()[:2].tolist(), contacts.rigid_contact_shape1.numpy()[:2].tolist())) == [(0, 1), (0, 2)] or \
        int(contacts.rigid_contact_count.numpy()[0]) == 2


def test_a_thousand_worlds():
    """(SMP-14)"""
    env_builder = newton.ModelBuilder()
    env_builder.add_shape_sphere(env_builder.add_body(), radius=0.5)
    main = newton.ModelBuilder()
    main.add_ground_plane()
    main.replicate(env_builder, world_count=1024)
    model = main.finalize()
    assert (model.shape_count, model.world_count, model.body_count) == (1025, 1024, 1024)


@pytest.mark.parametrize("groups, meet", [((1, 1), True), ((1, 2), False), ((1, -1), True), ((-1, -1), False), ((-1, -2), True), ((0, 1), False)])
def test_collision_groups(groups, meet):
    """Six rows of the table (SMP-15)"""
    builder = newton.ModelBuilder()
    for group in groups:
        builder.add_shape_sphere(builder.add_body(), radius=0.5, cfg=builder.ShapeConfig(collision_group=group))
    model = builder.finalize()
    assert (int(model.collide(model.state()).rigid_contact_count.numpy()[0]) > 0) is meet
    assert (newton.CollisionPipeline(model).explain_pair(0, 1) == []) is meet


def test_a_pair_that_is_filtered():
    """Once in the set, and no contact (SMP-19)"""
    builder = newton.ModelBuilder()
    shape_a = builder.add_shape_sphere(builder.add_body(), radius=0.5)
    shape_b = builder.add_shape_box(builder.add_body(), hx=0.5, hy=0.5, hz=0.5)
    builder.add_shape_collision_filter_pair(shape_b, shape_a)
    model = builder.finalize()
    assert model.shape_collision_filter_pairs == {(shape_a, shape_b)} and int(model.collide(model.state()).rigid_contact_count.numpy()[0]) == 0


def test_shape_poses_follow_bodies():
    """X_world = body_q * shape_transform; of a body turned a quarter about z the local x axis is the world's y (SMP-12)"""
    builder = newton.ModelBuilder()
    h = 0.5**0.5
    builder.add_shape_sphere(builder.add_body(xform=((1, 0, 0), (0, 0, h, h))), xform=((1, 0, 0), (0, 0, 0, 1)))
    model = builder.finalize()
    state = model.state()
    world = newton.transform(*state.body_q[int(model.shape_body[0])]) * newton.transform(*model.shape_transform[0])
    assert np.allclose(world.p, (1, 1, 0), atol=1e-6)


def test_the_order_of_resolvers_in_a_program(tmp_path):
    """(SMP-02)"""
    from mechane import ModelBuilder
    from mechane.usd import SchemaResolverMjc, SchemaResolverNewton, SchemaResolverPhysx

    (tmp_path / "conflicting_asset.usda").write_text(DOOR)
    n, p, m = SchemaResolverNewton(), SchemaResolverPhysx(), SchemaResolverMjc()
    for resolvers, expected in (([n, p, m], 0.01), ([p, n, m], 0.02), ([m, n, p], 0.03)):
        builder = ModelBuilder()
        builder.add_usd(source=str(tmp_path / "conflicting_asset.usda"), schema_resolvers=resolvers)
        assert abs(builder.joint_armature[-1] - expected) < 1e-6


def test_collected_attributes_in_a_program():
    """One line for each joint that authors it; nothing for resolvers that are not listed (SMP-03)"""
    from mechane.usd import SchemaResolverNewton, SchemaResolverPhysx

    result = newton.ModelBuilder().add_usd(source=DOOR.encode(), schema_resolvers=[SchemaResolverPhysx(), SchemaResolverNewton()])
    found = {path: attrs["physxJoint:armature"] for path, attrs in result.get("schema_attrs", {})["physx"].items() if "physxJoint:armature" in attrs}
    assert set(found) == {"/door/hinge"} and abs(found["/door/hinge"] - 0.02) < 1e-6 and "mjc" not in result["schema_attrs"]


def test_custom_attributes_in_a_program():
    """Declared in the stage, read from the model (SMP-04)"""
    builder = newton.ModelBuilder()
    builder.add_usd(source=DECLARED.encode())
    model = builder.finalize()
    assert model.wear.numpy().tolist() == [1.5, 7.0] and model.state().us.pose.numpy().shape == (2, 4)


#: Two boxes on a hinge, of which every format can say all.
ROBOT = """<robot name="robot">@</robot>""".replace("@", "".join(
    f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    f'<collision><geometry><box size="1 1 1"/></geometry></collision></link>' for name in ("base", "arm")) +
    '<joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>')


@pytest.mark.parametrize("page", ["python.md"])
def test_the_programs_of_a_page_run(page, tmp_path, monkeypatch):
    """Each block of Python on the page, in a folder with the stages that it names"""
    (tmp_path / "arm.usda").write_text(DOOR)
    (tmp_path / "faulty.usda").write_text(FAULTY)
    (tmp_path / "robot.urdf").write_text(ROBOT)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.S)
    assert blocks
    for block in blocks:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(block, page, "exec"), {})


def test_the_names_of_the_imports_resolve():
    """(SMP-35)"""
    from mechane import CollisionPipeline, Contacts, GeoType  # noqa: F401
    from mechane.geometry import BroadPhaseAllPairs, BroadPhaseExplicit, BroadPhaseSAP, HydroelasticSDF, NarrowPhase  # noqa: F401


def test_building_blocks_find_the_contacts_of_the_pipeline():
    """Boxes, then a broad phase, then the narrow phase, on the model's arrays: rows as of the pipeline (SMP-34)"""
    model = resting_pair()
    state, n = model.state(), model.shape_count
    poses = np.array([np.asarray(newton.transform(*state.body_q[b]) * newton.transform(*X) if b >= 0 else X)
                      for b, X in zip(model.shape_body.numpy(), model.shape_transform.numpy())], dtype=np.float32)
    reach = np.where(model.shape_type.numpy() == newton.GeoType.PLANE, 1e6, 0.5)[:, None].astype(np.float32)
    lower, upper = poses[:, :3] - reach, poses[:, :3] + reach
    pairs, pair_count = np.zeros((100, 2), np.int32), np.zeros(1, np.int32)
    newton.geometry.BroadPhaseSAP(model.shape_world, model.shape_flags).launch(
        shape_lower=lower, shape_upper=upper, shape_gap=model.shape_gap, shape_collision_group=model.shape_collision_group, shape_world=model.shape_world,
        shape_count=n, candidate_pair=pairs, candidate_pair_count=pair_count, device=None)
    room = 50
    out_pairs, out_positions, out_normals = np.zeros((room, 2), np.int32), np.zeros((room, 3), np.float32), np.zeros((room, 3), np.float32)
    out_depths, out_count = np.zeros(room, np.float32), np.zeros(1, np.int32)
    newton.geometry.NarrowPhase(max_candidate_pairs=10000, reduce_contacts=True, device=None).launch(
        candidate_pair=pairs, candidate_pair_count=pair_count, shape_types=model.shape_type,
        shape_data=np.column_stack([model.shape_scale.numpy(), model.shape_margin.numpy()]).astype(np.float32), shape_transform=poses, shape_source=model.shape_source,
        shape_gap=model.shape_gap, contact_pair=out_pairs, contact_position=out_positions, contact_normal=out_normals, contact_penetration=out_depths,
        contact_count=out_count, device=None)
    contacts = model.collide(state)
    k = int(contacts.rigid_contact_count[0])
    assert int(out_count[0]) == k == 3 and {tuple(r) for r in out_pairs[:k]} == {tuple(r) for r in zip(contacts.rigid_contact_shape0[:k], contacts.rigid_contact_shape1[:k])}
    assert np.allclose(np.sort(out_depths[:k]), np.sort(contacts.rigid_contact_distance[:k]), atol=1e-6)


def test_meshes_collide_by_their_fields():
    """A mesh with a field on another: the same depth as without one, and the field is shared (SMP-21)"""
    depths = {}
    for with_field in (False, True):
        my_mesh = newton.Mesh.create_box(0.5, 0.5, 0.5, duplicate_vertices=False)
        if with_field:
            my_mesh.build_sdf(max_resolution=64)
        builder = newton.ModelBuilder()
        cfg = builder.ShapeConfig(collision_group=-1, margin=0.001, gap=0.01)
        builder.add_shape_mesh(builder.add_body(), mesh=my_mesh, cfg=cfg)
        other = builder.ShapeConfig(collision_group=-2, margin=0.001, gap=0.01)
        builder.add_shape_mesh(builder.add_body(xform=((0, 0, 0.98), (0, 0, 0, 1))), mesh=my_mesh, cfg=other)
        model = builder.finalize()
        pipeline = newton.CollisionPipeline(model)
        contacts = model.contacts(collision_pipeline=pipeline)
        pipeline.collide(model.state(), contacts)
        n = contacts.rigid_contact_count.numpy()[0]
        assert n > 0 and pipeline.sdf_count == (1 if with_field else 0) and builder.shape_force_sdf == [with_field] * 2
        depths[with_field] = float(contacts.rigid_contact_distance.numpy()[:n].min())
    assert depths[False] == pytest.approx(-0.022, abs=1e-4) and depths[True] == pytest.approx(-0.022, abs=2e-3)


@pytest.mark.parametrize("said", [{"sdf_max_resolution": 32}, {"sdf_target_voxel_size": 0.1}, {"sdf_padding": 0.2}, {"sdf_texture_format": "float32"}])
def test_a_shape_and_the_field_of_its_mesh_must_not_disagree(said):
    mesh = newton.Mesh.create_box(0.5, 0.5, 0.5, duplicate_vertices=False)
    mesh.build_sdf(max_resolution=64)
    builder = newton.ModelBuilder()
    with pytest.raises(ValueError, match="MODEL_SHAPE_SDF|brings a field") as refused:
        builder.add_shape_mesh(-1, mesh=mesh, cfg=builder.ShapeConfig(**said))
    assert refused.value.code == "MODEL_SHAPE_SDF" and builder.shape_count == 0
    builder.add_shape_mesh(-1, mesh=mesh, cfg=builder.ShapeConfig(force_sdf=True))
    builder.add_shape_mesh(-1, mesh=mesh, cfg=builder.ShapeConfig(sdf_max_resolution=64))
    assert builder.shape_sdf_max_resolution == [64, 64]
    mesh.clear_sdf()
    builder.add_shape_mesh(-1, mesh=mesh, cfg=builder.ShapeConfig(**said))


def test_a_field_that_was_made_of_numbers_does_not_go_with_a_shape():
    mesh = newton.Mesh.create_box(0.5, 0.5, 0.5, duplicate_vertices=False)
    mesh.sdf = newton.SDF.from_array(np.ones((9, 9, 9)), 0.1)
    with pytest.raises(ValueError, match="build_sdf"):
        newton.ModelBuilder().add_shape_mesh(-1, mesh=mesh)


def test_shapes_take_the_configuration_that_was_set():
    """`configure_sdf`, the builder's defaults, static geometry (SMP-24)"""
    builder = newton.ModelBuilder()
    cfg = builder.ShapeConfig()
    cfg.configure_sdf(max_resolution=64, is_hydroelastic=True, kh=1.0e11)
    builder.add_shape_box(builder.add_body(), hx=0.5, hy=0.5, hz=0.5, cfg=cfg)
    builder.default_shape_cfg.ke, builder.default_shape_cfg.kd, builder.default_shape_cfg.mu = 1.0e6, 1000.0, 0.5
    builder.default_shape_cfg.is_hydroelastic = True
    builder.default_shape_cfg.sdf_max_resolution = 32
    builder.add_shape_sphere(builder.add_body(), radius=0.5)
    builder.default_shape_cfg.is_hydroelastic = False
    builder.add_ground_plane()
    builder.add_shape_plane(body=-1, xform=newton.transform())
    builder.add_shape_box(body=-1, hx=5.0, hy=5.0, hz=0.1)
    model = builder.finalize()
    flags = model.shape_flags.numpy() & int(newton.ShapeFlags.HYDROELASTIC)
    assert builder.shape_sdf_max_resolution[:2] == [64, 32] and (flags != 0).tolist() == [True, True, False, False, False]
    assert model.shape_material_kh.numpy()[0] == pytest.approx(1e11) and model.shape_material_mu.numpy()[1:].tolist() == [0.5] * 4
    assert np.allclose(model.shape_gap.numpy(), 0.1) and model.shape_body.numpy()[2:].tolist() == [-1] * 3


def test_pressure_contacts_of_two_boxes():
    """Stiffness of a pair is the harmonic mean, which is the value of both where they are equal; room for a fifth of the faces is enough (SMP-29)"""
    from mechane.geometry import HydroelasticSDF

    builder = newton.ModelBuilder()
    for z in (0.0, 0.98):
        cfg = builder.ShapeConfig(is_hydroelastic=True, sdf_max_resolution=64, kh=1.0e7)
        builder.add_shape_box(builder.add_body(xform=((0, 0, z), (0, 0, 0, 1))), hx=0.5, hy=0.5, hz=0.5, cfg=cfg)
    model = builder.finalize()
    state, forces = model.state(), []
    for fraction in (1.0, 0.2):
        config = HydroelasticSDF.Config(reduce_contacts=True, buffer_fraction=fraction, normal_matching=True, anchor_contact=False)
        pipeline = newton.CollisionPipeline(model, sdf_hydroelastic_config=config)
        contacts = pipeline.contacts()
        pipeline.collide(state, contacts)
        n = contacts.rigid_contact_count.numpy()[0]
        depth = np.minimum(contacts.rigid_contact_distance.numpy()[:n], 0)
        forces.append(float(-(contacts.rigid_contact_stiffness.numpy()[:n] * depth).sum()))
    # The pair has kh itself; they overlap by 2 cm over 1 m^2, less a rim of cells: 1e7 * 0.02 * 1 = 2e5 N
    assert forces[0] == pytest.approx(2.0e5, rel=0.1) and forces[1] == pytest.approx(forces[0], rel=1e-6)


@pytest.mark.parametrize("every", [1, 2, 10])
def test_collisions_every_few_substeps(every):
    """A ball dropped from 0.6 m rests on its radius, however often it is asked what it touches (SMP-25)"""
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    builder.add_shape_sphere(builder.add_body(xform=((0, 0, 0.6), (0, 0, 0, 1))), radius=0.5)
    model = builder.finalize()
    solver = newton.solvers.SolverSoftStep(model, substeps=1)
    pipeline = newton.CollisionPipeline(model)
    state_0, state_1, control, contacts = model.state(), model.state(), model.control(), pipeline.contacts()
    for _ in range(60):
        for substep in range(10):
            if substep % every == 0:
                pipeline.collide(state_0, contacts)
            solver.step(state_0, state_1, control, contacts, dt=1 / 600)
            state_0, state_1 = state_1, state_0
    assert abs(state_0.body_q.numpy()[0, 2] - 0.5) < 0.01


def test_meshes_are_simplified_for_collisions():
    """Hulls, boxes and balls in place of a mesh; the mesh stays to be seen where that is wanted (SMP-22)"""
    for method, kind in (("convex_hull", newton.GeoType.CONVEX_MESH), ("bounding_box", newton.GeoType.BOX), ("bounding_sphere", newton.GeoType.SPHERE)):
        builder = newton.ModelBuilder()
        shape = builder.add_shape_mesh(builder.add_body(), mesh=newton.Mesh.create_sphere(0.5, num_latitudes=8, num_longitudes=8))
        builder.approximate_meshes(method=method, shape_indices=[shape], keep_visual_shapes=True)
        assert builder.shape_type[shape] == kind and builder.shape_count == 2
        assert not builder.shape_flags[1] & int(newton.ShapeFlags.COLLIDE_SHAPES) and builder.shape_type[1] == newton.GeoType.MESH


NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.md"))


def test_every_area_has_a_page():
    assert {page.stem for page in NOTEBOOKS} == {"importing", "resolvers", "geometry", "collision", "dynamics", "simulation", "worlds", "checking"}


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.stem)
def test_a_page_prints_what_it_says(page, tmp_path, monkeypatch, capsys):
    """Blocks of Python one after the other, each with what it prints below it"""
    monkeypatch.chdir(tmp_path)
    names, printed = {}, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for language, text in re.findall(r"```(python|text)\n(.*?)```", page.read_text(), re.S):
            if language == "text":
                assert printed == text
            else:
                exec(compile(text, page.name, "exec"), names)
            printed = capsys.readouterr().out if language == "python" else ""
        assert printed == "", "the last block prints something that the page does not show"


def documented():
    """(what a program of the documents is, how it runs, why not) from docs/python-programs.md."""
    table = (ROOT / "docs" / "python-programs.md").read_text().split("## Programs of the documents", 1)[1].split("\n## ", 1)[0]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines() if row.startswith("| ") and "---" not in row][1:]


@pytest.mark.parametrize("program, runs, why", documented())
def test_programs_that_wait_are_counted(program, runs, why):
    """GAP-074: those that run are held above and in test_stage_programs.py; the others are skipped with what they wait for"""
    if runs not in ("yes", "with `SolverSoftStep`"):
        pytest.skip(f"{program}: {why}")
    assert program


ROBOT = """<robot name="r"><link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<collision><geometry><box size="1 1 1"/></geometry></collision></link><link name="b"><inertial><mass value="3"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 2"/><axis xyz="0 1 0"/><limit lower="-1" upper="0.5" effort="7" velocity="3"/></joint></robot>"""
MODEL = """<mujoco><worldbody><body name="a"><freejoint/><geom type="box" size=".5 .5 .5" mass="2"/><body name="b" pos="0 0 2">
<joint name="j" axis="0 1 0" range="-57.29577951308232 28.64788975654116"/><geom type="sphere" size=".1" mass="3"/></body></body></worldbody></mujoco>"""


@pytest.mark.parametrize("verb, text, free", [("add_urdf", ROBOT, False), ("add_mjcf", MODEL, True)])
def test_robots_of_other_formats_go_straight_into_a_builder(verb, text, free):
    """GAP-051: MJCF and URDF straight into a builder"""
    builder = newton.ModelBuilder()
    result = getattr(builder, verb)(text)
    assert [builder.body_mass[i] for i in range(builder.body_count)] == [2, 3]
    assert builder.joint_count == 2 and builder.joint_type[0] == (newton.JointType.FREE if free else newton.JointType.FIXED)
    at = builder.joint_qd_start[1]
    assert builder.joint_limit_lower[at] == pytest.approx(-1, abs=1e-6) and builder.joint_limit_upper[at] == pytest.approx(0.5, abs=1e-6)
    assert len(result["path_body_map"]) == 2
    with pytest.raises(newton.NotSupportedError, match="scale"):
        getattr(builder, verb)(text, scale=2.0)
