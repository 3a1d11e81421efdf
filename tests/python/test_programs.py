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


@pytest.mark.parametrize("page", ["python.md"])
def test_the_programs_of_a_page_run(page, tmp_path, monkeypatch):
    """Each block of Python on the page, in a folder with the stages that it names"""
    (tmp_path / "arm.usda").write_text(DOOR)
    (tmp_path / "faulty.usda").write_text(FAULTY)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.S)
    assert blocks
    for block in blocks:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(block, page, "exec"), {})


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
