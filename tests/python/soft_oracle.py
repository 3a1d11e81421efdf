"""Runs a list of builder calls in Newton 1.8 or in mechane and writes the model's soft arrays; for test_soft_builder.py.

usage: soft_oracle.py newton|mechane CALLS.json OUT.npz
"""
import json
import sys

import numpy as np

NAMES = ("particle_q", "particle_qd", "particle_mass", "particle_inv_mass", "particle_radius", "particle_flags", "particle_world", "spring_indices", "spring_rest_length",
         "spring_stiffness", "spring_damping", "spring_control", "tri_indices", "tri_poses", "tri_areas", "tri_materials", "tri_activations", "edge_indices",
         "edge_rest_angle", "edge_rest_length", "edge_bending_properties", "tet_indices", "tet_poses", "tet_materials", "tet_activations",
         "attachment_particle_body_body", "attachment_particle_body_particle", "attachment_particle_body_body_point", "attachment_particle_body_stiffness",
         "attachment_particle_body_damping", "attachment_particle_body_enabled", "attachment_particle_body_world")
COUNTS = ("particle_count", "spring_count", "tri_count", "edge_count", "tet_count", "attachment_particle_body_count", "surface_count", "volume_count")


def arrays(module, calls, vector, quaternion):
    """@param calls  [name, arguments]; "replicate" repeats what there is so far as so many worlds"""
    builder = module.ModelBuilder()
    for name, arguments in calls:
        if name == "replicate":
            part, builder = builder, module.ModelBuilder()
            builder.replicate(part, arguments["count"])
            continue
        made = {k: quaternion(v) if k == "rot" else vector(v) if k in ("pos", "vel", "body_point") else
                [vector(p) for p in v] if k == "vertices" else v for k, v in arguments.items()}
        getattr(builder, name)(**made)
    model = builder.finalize()
    out = {name: np.array([int(getattr(model, name))]) for name in COUNTS}
    for name in NAMES:
        values = getattr(model, name)
        out[name] = np.zeros(0) if values is None else np.asarray(values.numpy() if hasattr(values, "numpy") else values)
    out["labels"] = np.array([*model.surface_label, *model.volume_label], dtype=str)
    return out


def main():
    calls = json.load(open(sys.argv[2]))
    if sys.argv[1] == "newton":
        import newton
        import warp as wp

        wp.config.quiet = True
        with wp.ScopedDevice("cpu"):
            out = [arrays(newton, c, lambda v: wp.vec3(*v), lambda v: wp.quat(*v)) for c in calls]
    else:
        import mechane

        out = [arrays(mechane, c, tuple, tuple) for c in calls]
    np.savez(sys.argv[3], **{f"{i}/{name}": values for i, each in enumerate(out) for name, values in each.items()})


if __name__ == "__main__":
    main()
