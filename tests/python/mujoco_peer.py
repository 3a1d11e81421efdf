"""What others make of a file, as JSON on stdout: MuJoCo's own compile of an MJCF, the mjModel of Newton's SolverMuJoCo of a stage, or a rollout
of a binary model by plain mj_step. Runs in the interpreter of test_mujoco.py's oracle.

usage: mujoco_peer.py compile FILE | newton FILE | rollout FILE.mjb TIMESTEP STEPS QPOS_QVEL_JSON
"""
import json
import sys

FIELDS = """qpos0 body_parentid body_pos body_quat body_ipos body_iquat body_mass body_inertia body_gravcomp jnt_type jnt_qposadr jnt_bodyid jnt_limited
jnt_actfrclimited jnt_solref jnt_solimp jnt_pos jnt_axis jnt_stiffness jnt_range jnt_actfrcrange jnt_margin dof_jntid dof_armature dof_damping
dof_frictionloss dof_invweight0 geom_type geom_bodyid geom_contype geom_conaffinity geom_condim geom_priority geom_dataid geom_size geom_pos
geom_quat geom_friction geom_margin geom_gap geom_solref geom_solimp geom_solmix mesh_pos mesh_quat actuator_trntype actuator_trnid
actuator_gainprm actuator_biasprm actuator_gaintype actuator_biastype actuator_dyntype actuator_dynprm actuator_gear actuator_ctrllimited
actuator_ctrlrange actuator_forcelimited actuator_forcerange tendon_stiffness tendon_damping tendon_range tendon_limited tendon_frictionloss
tendon_lengthspring wrap_type wrap_prm eq_type eq_obj1id eq_obj2id eq_data eq_solref eq_solimp hfield_size""".split()


def dump(m):
    import mujoco
    import numpy as np

    def rows(name):
        values = np.asarray(getattr(m, name)).astype(float)
        return values.reshape(len(values), -1).tolist() if len(values) else []

    out = {name: rows(name) for name in FIELDS}
    kinds = {"body": (mujoco.mjtObj.mjOBJ_BODY, m.nbody), "joint": (mujoco.mjtObj.mjOBJ_JOINT, m.njnt), "geom": (mujoco.mjtObj.mjOBJ_GEOM, m.ngeom),
             "equality": (mujoco.mjtObj.mjOBJ_EQUALITY, m.neq), "actuator": (mujoco.mjtObj.mjOBJ_ACTUATOR, m.nu)}
    out["names"] = {kind: [mujoco.mj_id2name(m, of, i) or "" for i in range(n)] for kind, (of, n) in kinds.items()}
    out["opt"] = {name: np.asarray(getattr(m.opt, name)).astype(float).ravel().tolist() for name in (
        "gravity", "impratio", "tolerance", "ls_tolerance", "integrator", "solver", "cone", "iterations", "ls_iterations")}
    return out


def main():
    what, file = sys.argv[1:3]
    import mujoco

    if what == "compile":
        answer = dump(mujoco.MjModel.from_xml_path(file))
    elif what == "newton":
        import newton
        import warp as wp

        wp.config.quiet = True
        builder = newton.ModelBuilder()
        newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
        builder.add_usd(file)
        model = builder.finalize(device="cpu")
        answer = dump(newton.solvers.SolverMuJoCo(model, use_mujoco_cpu=True).mj_model)
    else:
        m = mujoco.MjModel.from_binary_path(file)
        m.opt.timestep = float(sys.argv[3])
        d = mujoco.MjData(m)
        start = json.loads(sys.argv[5])
        d.qpos[:], d.qvel[:] = start[:m.nq], start[m.nq:]
        track = []
        for _ in range(int(sys.argv[4])):
            mujoco.mj_step(m, d)
            track.append([*d.qpos.tolist(), *d.qvel.tolist()])
        answer = track
    sys.stdout.write("\n@@" + json.dumps(answer))


main()
