"""Compares two model dumps: ours and Newton's, within tolerances, quaternions up to sign."""
import math

# What an asset's model is: counts, labels, frames, inertia, joints, shapes. Poses end with a quaternion.
POSES = {"body_q", "joint_X_p", "joint_X_c", "shape_transform"}
ARRAYS = [
    "body_label", "body_q", "body_qd", "body_com", "body_inertia", "body_mass", "body_inv_mass", "body_flags",
    "joint_label", "joint_type", "joint_parent", "joint_child", "joint_ancestor", "joint_X_p", "joint_X_c", "joint_enabled", "joint_dof_dim",
    "joint_articulation", "joint_q", "joint_qd", "joint_axis", "joint_armature", "joint_friction", "joint_damping", "joint_stiffness",
    "joint_target_q", "joint_target_qd", "joint_target_ke", "joint_target_kd", "joint_target_mode", "joint_limit_lower", "joint_limit_upper",
    "joint_limit_ke", "joint_limit_kd", "joint_effort_limit", "joint_velocity_limit", "joint_mimic_joint", "joint_mimic_coeffs",
    "joint_q_start", "joint_qd_start",
    "shape_label", "shape_type", "shape_body", "shape_transform", "shape_scale", "shape_flags", "shape_is_solid", "shape_margin", "shape_gap",
    "shape_material_ke", "shape_material_kd", "shape_material_kf", "shape_material_ka", "shape_material_kh", "shape_material_mu",
    "shape_material_restitution", "shape_material_mu_torsional", "shape_material_mu_rolling", "shape_collision_group",
    "shape_collision_radius", "shape_color", "shape_opacity",
    "articulation_label", "articulation_start", "articulation_end", "gravity", "up_axis", "joint_rest_q",
    "particle_q", "particle_qd", "particle_mass", "particle_inv_mass", "particle_radius", "particle_flags",
    "spring_indices", "spring_rest_length", "spring_stiffness", "spring_damping", "tri_indices", "tri_poses", "tri_areas", "tri_materials",
    "edge_indices", "edge_rest_angle", "edge_rest_length", "edge_bending_properties", "tet_indices", "tet_poses", "tet_materials",
    "attachment_particle_body_body", "attachment_particle_body_particle", "attachment_particle_body_body_point",
    "attachment_particle_body_stiffness", "attachment_particle_body_damping", "attachment_particle_body_enabled",
    "curve_label", "curve_body_start", "curve_body_end", "curve_joint_start", "curve_joint_end",
    "surface_label", "surface_particle_start", "surface_particle_end", "surface_tri_start", "surface_tri_end", "surface_edge_start", "surface_edge_end",
    "volume_label", "volume_particle_start", "volume_particle_end", "volume_tet_start", "volume_tet_end",
]
# Coordinates of FREE joints are poses as well; velocities and centres are turned in single precision.
COORDINATES = {"joint_q", "joint_qd", "joint_rest_q", "body_com", "particle_q", "edge_rest_angle", "attachment_particle_body_body_point"}
# Where the quaternion lies in the coordinates of BALL, FREE, DISTANCE and ROD joints.
QUATERNION_AT = {2: 0, 4: 3, 5: 3, 7: 3}
# "No limit" is anything from 1e10 on, and the middle between a limit and none, where Newton puts a target that lies beyond the one, half of that: infinite in joints of several axes.
LIMITS, NO_LIMIT = {"joint_limit_lower", "joint_limit_upper", "joint_target_q"}, 1e10
RTOL, ATOL = 1e-5, 1e-9


def flat(value):
    if isinstance(value, list):
        for item in value:
            yield from flat(item)
    else:
        yield value


def same(a, b, atol=ATOL):
    if isinstance(a, bool) or isinstance(b, bool) or isinstance(a, str) or isinstance(b, str) or a is None or b is None:
        return a == b
    return abs(a - b) <= atol + RTOL * abs(a)


def same_pose(a, b):
    """Positions and quaternion components carry single-precision rounding of values near one: 1e-6 absolute."""
    sign = -1 if sum(x * y for x, y in zip(a[3:], b[3:])) < 0 else 1
    return all(same(x, y, 1e-6) for x, y in zip(a, b[:3] + [sign * y for y in b[3:]]))


def turned(quaternion, vector):
    x, y, z, w = quaternion
    rows = ((1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)), (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)))
    return [sum(a * b for a, b in zip(row, vector)) for row in rows]


def corners(pose, half):
    """Of a box: six choices of axes describe one box."""
    signed = [(i * half[0], j * half[1], k * half[2]) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
    return [tuple(a + b for a, b in zip(pose, turned(pose[3:], p))) for p in signed]


def same_box(pose_a, half_a, pose_b, half_b):
    """Is `a`, Newton's, the box around the corners of `b`, turned by half a degree at most? It turns the boxes that it tries by whole degrees, so of a mesh with two equal
    moments it may miss the tightest by that."""
    slack = 1e-5 * max(1, *map(abs, half_a))
    x, y, z, w = pose_a[3:]
    seen = [turned((-x, -y, -z, w), [a - b for a, b in zip(p, pose_a)]) for p in corners(pose_b, half_b)]
    touches = all(abs(max(map(abs, side)) - abs(half)) <= slack for side, half in zip(zip(*seen), half_a))
    grown = (abs(a) - abs(b) for a, b in zip(sorted(half_a, key=abs), sorted(half_b, key=abs)))
    return touches and max(grown) <= math.sin(math.radians(0.5)) * max(map(abs, half_b)) + slack


def described_alike(expected, found):
    """A copy of `found` with the boxes and rotations that are the same as those expected described as they are."""
    found, box = dict(found), 7
    if all(isinstance(side.get(name), list) for side in (expected, found) for name in ("shape_type", "shape_transform", "shape_scale", "shape_collision_radius")):
        for name in ("shape_transform", "shape_scale", "shape_collision_radius"):
            found[name] = list(found[name])
        rows = zip(expected["shape_type"], found["shape_type"], expected["shape_transform"], expected["shape_scale"], found["shape_transform"], found["shape_scale"])
        for i, (a, b, pose_a, half_a, pose_b, half_b) in enumerate(rows):
            if a == b == box and same_box(pose_a, half_a, pose_b, half_b):
                found["shape_transform"][i], found["shape_scale"][i] = pose_a, half_a
                if same(math.hypot(*half_b), found["shape_collision_radius"][i]):
                    found["shape_collision_radius"][i] = expected["shape_collision_radius"][i]
    if all(isinstance(side.get(name), list) and len(side[name]) == len(expected[name]) for side in (expected, found) for name in ("joint_type", "joint_q", "joint_q_start")):
        q, theirs = list(found["joint_q"]), expected["joint_q"]
        for kind, start in zip(expected["joint_type"], expected["joint_q_start"]):
            if kind in QUATERNION_AT:
                at = slice(start + QUATERNION_AT[kind], start + QUATERNION_AT[kind] + 4)
                if sum(a * b for a, b in zip(theirs[at], q[at])) < 0:
                    q[at] = [-c for c in q[at]]
        found["joint_q"] = q
    return found


def differences(expected, found, arrays=ARRAYS):
    """{array: text of the first difference}; arrays that Newton's dump gives as a hash are compared by shape only."""
    out = {}
    found = described_alike(expected, found)
    for name in arrays:
        if name not in expected:
            continue
        a, b = expected[name], found.get(name)
        if a is None and b in (None, []):
            continue
        if isinstance(a, dict) or isinstance(b, dict):
            if not (isinstance(a, dict) and isinstance(b, dict) and a["$array"] == b["$array"]):
                out[name] = "hashed on one side only, or of another shape"
            continue
        if b is None:
            out[name] = "missing"
        elif isinstance(a, list) and len(a) != len(b):
            out[name] = f"{len(a)} rows expected, {len(b)} found"
        elif name in POSES:
            bad = [i for i, (x, y) in enumerate(zip(a, b)) if not same_pose(x, y)]
            if bad:
                out[name] = f"[{bad[0]}] expected {a[bad[0]]}, found {b[bad[0]]} ({len(bad)} of {len(a)} rows)"
        else:
            if name in LIMITS:
                most = NO_LIMIT / 2 if name == "joint_target_q" else NO_LIMIT
                a, b = ([max(-most, min(most, float(x))) for x in side] for side in (a, b))
            rows = list(zip(a, b)) if isinstance(a, list) else [(a, b)]
            # The noise of a tensor or vector is relative to its largest entry.
            bad = []
            for i, (x, y) in enumerate(rows):
                xs, ys = list(flat(x)), list(flat(y))
                numbers = [abs(v) for v in xs if isinstance(v, (int, float)) and not isinstance(v, bool)]
                atol = (2e-6 if name in COORDINATES else ATOL) + (RTOL * max(numbers) if len(xs) > 1 and numbers and math.isfinite(max(numbers)) else 0)
                if len(xs) != len(ys) or not all(same(u, v, atol) for u, v in zip(xs, ys)):
                    bad.append(i)
            if bad:
                x, y = rows[bad[0]]
                out[name] = f"[{bad[0]}] expected {x}, found {y} ({len(bad)} of {len(rows)} rows)"
    return out
