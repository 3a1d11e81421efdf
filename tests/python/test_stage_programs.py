"""Programs over the stages of samples/usd and over particles, spelled as Newton's users spell them; only the import is another."""
import os
import pathlib
import warnings

import mechane as newton
import numpy as np
import pytest

STAGES = pathlib.Path(os.environ["MECHANE_SOURCE_DIR"]) / "samples" / "usd"


def imported(stage, **options):
    """The builder and what `add_usd` answers; what is said of the stage is not the program's matter, its spelling is."""
    builder = newton.ModelBuilder()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", newton.MechaneWarning)
        warnings.simplefilter("error", newton.MechaneDeprecationWarning)
        return builder, builder.add_usd(source=str(STAGES / stage), **options)


def test_settings_of_physx_become_newtons():
    """Gains authored per degree are 180/pi times as much per radian, 1.57 degrees are 0.027402 rad (SMP-01)"""
    from mechane.usd import SchemaResolverNewton, SchemaResolverPhysx

    builder, result = imported("physx_remapped.usda", schema_resolvers=[SchemaResolverPhysx(), SchemaResolverNewton()])
    model = builder.finalize()
    hinge = int(model.joint_qd_start.numpy()[model.joint_label.index("/robot/shoulder")])
    assert model.joint_armature.numpy()[hinge] == pytest.approx(0.1)
    assert model.joint_limit_ke.numpy()[hinge] == pytest.approx(57295.78, rel=1e-6) and model.joint_limit_kd.numpy()[hinge] == pytest.approx(572.9578, rel=1e-6)
    assert model.joint_q.numpy()[int(model.joint_q_start.numpy()[model.joint_label.index("/robot/shoulder")])] == pytest.approx(0.027402, abs=1e-6)
    box = model.shape_label.index("/box")
    # 0.05 is measured from the shape: the gap is what lies beyond the margin of 0.01
    assert model.shape_margin.numpy()[box] == pytest.approx(0.01) and model.shape_gap.numpy()[box] == pytest.approx(0.04)
    assert result["max_solver_iterations"] == 16


def test_resolvers_decide_which_engines_armature_counts():
    """(SMP-02)"""
    from mechane.usd import SchemaResolverMjc, SchemaResolverNewton, SchemaResolverPhysx

    n, p, m = SchemaResolverNewton(), SchemaResolverPhysx(), SchemaResolverMjc()
    for resolvers, expected in (([n, p, m], 0.01), ([p, n, m], 0.02), ([m, n, p], 0.03)):
        builder, _ = imported("conflicting_asset.usda", schema_resolvers=resolvers)
        assert builder.joint_armature[-1] == pytest.approx(expected)


def test_attributes_that_only_physx_knows_are_collected():
    """(SMP-03)"""
    from mechane.usd import SchemaResolverNewton, SchemaResolverPhysx

    _, result = imported("physx_humanoid.usda", schema_resolvers=[SchemaResolverPhysx(), SchemaResolverNewton()])
    solver_attrs = result.get("schema_attrs", {})
    found = {path: attrs["physxJoint:armature"] for path, attrs in solver_attrs["physx"].items() if "physxJoint:armature" in attrs}
    assert found and all(value > 0 for value in found.values()) and "mjc" not in solver_attrs


def test_attributes_that_a_stage_declares_are_attributes_of_objects():
    """Values of the stage; two attributes of one name in two namespaces are two (SMP-04)"""
    builder, _ = imported("robot_with_custom_attrs.usda")
    model = builder.finalize()
    state, control = model.state(), model.control()
    body = model.body_label.index("/robot/body") if "/robot/body" in model.body_label else 0
    assert model.mass_scale.numpy()[body] == 1.5 and model.local_marker.numpy()[body] == pytest.approx((0.1, 0.2, 0.3)) and model.is_sensor.numpy()[body]
    assert state.target_position.numpy()[body].tolist() == [1, 2, 3] and state.namespace_a.mass_scale.numpy()[body] == 2.5
    assert 2.25 in model.namespace_a.gear_ratio.numpy() and [100, 10] in control.namespace_a.pid_gains.numpy().tolist()
    assert model.articulation_stiffness.numpy().tolist() == [150.0]


@pytest.mark.parametrize("count", [31, 400])
def test_many_colliders_import_in_any_number_of_threads(count, monkeypatch):
    """(SMP-09)"""
    body = "".join(f'    def Sphere "s{i}" (prepend apiSchemas = ["PhysicsCollisionAPI"])\n    {{\n        double radius = {0.1 + i / 1000}\n    }}\n' for i in range(count))
    text = f'#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef Xform "body" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])\n{{\n{body}}}\n'
    rows = []
    for limit in (None, "1"):
        if limit:
            monkeypatch.setenv("PXR_WORK_THREAD_LIMIT", limit)
        builder = newton.ModelBuilder()
        builder.add_usd(source=text.encode())
        rows.append((builder.shape_count, list(builder.shape_label), [tuple(s) for s in builder.shape_scale]))
    assert rows[0] == rows[1] and rows[0][0] == count


def test_self_collision_is_a_switch():
    """Links that overlap meet when it is on, and only those that no joint connects (SMP-16)"""
    def link(name, x):
        return (f'    def Cube "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n    {{\n        double size = 1\n'
                f'        double3 xformOp:translate = ({x}, 0, 0)\n        uniform token[] xformOpOrder = ["xformOp:translate"]\n    }}\n')

    def hinge(a, b):
        return (f'    def PhysicsRevoluteJoint "{b}_joint"\n    {{\n        rel physics:body0 = </robot/{a}>\n        rel physics:body1 = </robot/{b}>\n'
                '        uniform token physics:axis = "Z"\n        point3f physics:localPos0 = (0.2, 0, 0)\n        point3f physics:localPos1 = (-0.2, 0, 0)\n    }\n')

    robot = ('#usda 1.0\n(\n    metersPerUnit = 1\n    upAxis = "Z"\n)\ndef Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI"])\n{\n'
             + link("a", 0) + link("b", 0.4) + link("c", 0.8) + hinge("a", "b") + hinge("b", "c") + "}\n")
    pairs = {}
    for switch in (True, False):
        builder = newton.ModelBuilder()
        builder.add_usd(robot.encode(), enable_self_collisions=switch)
        pairs[switch] = builder.finalize().shape_contact_pairs.tolist()
    assert pairs == {True: [[0, 2]], False: []}
    cfg = builder.ShapeConfig(collision_group=-1, collision_filter_parent=False)
    assert cfg.collision_group == -1 and not cfg.collision_filter_parent


def test_groups_and_pairs_of_a_stage_keep_shapes_apart():
    """Groups are numbered from 1; a pair is filtered from either side, the smaller shape first (SMP-18)"""
    builder, result = imported("collision_group.usda")
    assert result["path_collision_group_map"] == {"/World/first": 1, "/World/second": 2}
    assert (0, 1) in builder.finalize().shape_collision_filter_pairs
    builder, _ = imported("filtered_pairs.usda")
    model = builder.finalize()
    assert model.shape_collision_filter_pairs == {(0, 1)} and model.shape_contact_pairs.tolist() == [[0, 2], [1, 2]]


def test_fewer_contacts_do_the_work_of_many():
    """Contacts of pressure with and without reduction: the force keeps its direction within a degree and its size within 2 % (SMP-23)"""
    from mechane.geometry import HydroelasticSDF

    builder = newton.ModelBuilder()
    cfg = builder.ShapeConfig(is_hydroelastic=True, kh=1.0e9, gap=0.0, sdf_target_voxel_size=0.002, sdf_padding=0.004)
    builder.add_shape_box(builder.add_body(xform=((0, 0, -0.05), (0, 0, 0, 1))), hx=0.1, hy=0.1, hz=0.05, cfg=cfg)
    builder.add_shape_sphere(builder.add_body(xform=((0.09, 0, 0.046), (0, 0, 0, 1))), radius=0.05, cfg=cfg)
    model = builder.finalize()
    state, forces, counts = model.state(), [], []
    for reduce in (False, True):
        config = HydroelasticSDF.Config(reduce_contacts=reduce, normal_matching=True, anchor_contact=False)
        pipeline = newton.CollisionPipeline(model, sdf_hydroelastic_config=config, rigid_contact_max=20000)
        contacts = pipeline.contacts()
        pipeline.collide(state, contacts)
        n = int(contacts.rigid_contact_count.numpy()[0])
        depth = np.maximum(0, -contacts.rigid_contact_distance.numpy()[:n])
        forces.append(((depth * contacts.rigid_contact_stiffness.numpy()[:n])[:, None] * contacts.rigid_contact_normal.numpy()[:n]).sum(axis=0))
        counts.append(n)
    many, few = forces
    assert counts[1] < counts[0] and counts[1] <= 240
    assert np.dot(many, few) > np.cos(np.radians(1)) * np.linalg.norm(many) * np.linalg.norm(few)
    assert np.linalg.norm(few) == pytest.approx(np.linalg.norm(many), rel=0.02)


def test_soft_contacts_have_a_margin_of_their_own():
    """Particles of 1 cm, 5 mm and 30 mm above the ground and 20 mm above a box: the first is within 1 cm, all are within 5 cm (SMP-26)"""
    from mechane import CollisionPipeline

    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    builder.add_shape_box(builder.add_body(xform=((1, 0, 0.5), (0, 0, 0, 1))), hx=0.5, hy=0.5, hz=0.5)
    for position in ((-1, 0, 0.015), (-2, 0, 0.04), (1, 0, 1.03)):
        builder.add_particle(pos=position, vel=(0, 0, 0), mass=0.001, radius=0.01)
    model = builder.finalize()
    state = model.state()
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for margin in (0.01, 0.05):
            pipeline = CollisionPipeline(model, soft_contact_margin=margin)
            contacts = pipeline.contacts()
            pipeline.collide(state, contacts)
            n_soft = contacts.soft_contact_count.numpy()[0]
            particles = contacts.soft_contact_particle.numpy()[:n_soft]
            shapes = contacts.soft_contact_shape.numpy()[:n_soft]
            found.append(list(zip(particles.tolist(), shapes.tolist())))
    assert found == [[(0, 0)], [(0, 0), (1, 0), (2, 1)]]


@pytest.mark.parametrize("mu", [0.2, 0.8])
def test_friction_stops_a_sliding_box(mu):
    """Coulomb's law: a box with 2 m/s slides v^2 / (2 mu g) (SMP-30)"""
    builder = newton.ModelBuilder()
    builder.rigid_gap = 0.01
    builder.default_shape_cfg.mu = mu
    builder.add_ground_plane()
    box = builder.add_body(xform=((0, 0, 0.1), (0, 0, 0, 1)))
    builder.add_shape_box(box, hx=0.2, hy=0.2, hz=0.1)
    builder.body_qd[box] = (2, 0, 0, 0, 0, 0)
    model = builder.finalize()
    state = model.state()
    newton.solvers.SolverSoftStep(model).rollout(state, frames=480, dt=1 / 240)
    assert state.body_q.numpy()[box, 0] == pytest.approx(2 * 2 / (2 * mu * 9.81), rel=0.03)


def test_a_collider_takes_settings_that_nobody_declared():
    """(SMP-31)"""
    builder, _ = imported("custom_collision.usda")
    model = builder.finalize()
    assert model.shape_material_ke.numpy()[0] == 100000 and model.shape_material_kd.numpy()[0] == 1000 and model.shape_material_kf.numpy()[0] == 1000
    assert model.shape_margin.numpy()[0] == pytest.approx(1e-5) and model.shape_collision_group.numpy()[0] == 1 and model.shape_world.numpy()[0] in (-1, 0)


def test_a_viewers_loop_runs():
    """States and contacts of each frame are handed to a viewer (SMP-37)"""
    builder = newton.ModelBuilder()
    builder.add_ground_plane()
    builder.add_shape_sphere(builder.add_body(xform=((0, 0, 0.5), (0, 0, 0, 1))), radius=0.5)
    model = builder.finalize()
    solver, state, contacts = newton.solvers.SolverSoftStep(model), model.state(), model.contacts()
    viewer = newton.viewer.ViewerNull(num_frames=3)
    viewer.set_model(model)
    viewer.set_camera(pos=newton.vec3(10, 0, 2), pitch=0.0, yaw=-180.0)
    frames = 0
    while viewer.is_running():
        model.collide(state, contacts)
        solver.step(state, state, model.control(), contacts, 1 / 60)
        viewer.apply_forces(state)
        viewer.begin_frame(frames / 60)
        viewer.log_state(state)
        viewer.log_contacts(contacts, state)
        viewer.log_lines("/axes", [(0, 0, 0)], [(1, 0, 0)], (1, 0, 0))
        viewer.end_frame()
        frames += 1
    assert frames == 3


@pytest.mark.parametrize("program, missing", [
    (lambda b, m: b.add_sdf("robot.sdf"), "add_sdf.*reader of SDFormat.*add_usd"),
])
def test_programs_that_wait_say_for_what(program, missing):
    """What is not built is there by its name, and says what is missing and what to do instead"""
    builder = newton.ModelBuilder()
    builder.add_shape_sphere(builder.add_body(), radius=0.5)
    with pytest.raises(newton.NotSupportedError, match=missing) as caught:
        program(builder, builder.finalize())
    assert isinstance(caught.value, NotImplementedError) and builder.body_count == 1
