"""What Pinocchio or MuJoCo say of the dynamics of a model's articulations: dynamics_peers.py {pinocchio | mujoco} FOLDER.

Each NAME.npz of the folder holds arrays of a model and a state under the names of `mechane.Model`, and accelerations `qdd`. NAME.PEER.npz then holds, for each articulation a,
`M{a}` [dofs, dofs], `bias{a}` (C qd + g) and `tau{a}` (M qdd + C qd + g) [dofs], `X{a}` [joints, 7] (poses of the joints' children in the world) and
`J{a}` [joints, 6, dofs] (velocity of the centre of mass, angular velocity, both in the world), in the model's own joint velocities; `said{a}` in their
place where the peer has no such robot. Needs no mechane, so that it runs wherever the peer is installed.

A peer's velocities v' are T v, its accelerations T qdd + s: at a free joint both peers move a point (the origin of the joint's frame on the child) where
the model moves the centre of mass, and both have angular velocities of free and ball joints along the child.
"""
import pathlib
import sys

import numpy as np

PRISMATIC, REVOLUTE, BALL, FIXED, FREE, DISTANCE, D6 = range(7)


def rotation(q):
    x, y, z, w = np.asarray(q, float) / np.linalg.norm(np.asarray(q, float))
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


class Pose:
    def __init__(self, R, p):
        self.R, self.p = R, np.asarray(p, float)

    @staticmethod
    def of(row):
        return Pose(rotation(row[3:]), row[:3])

    def __mul__(self, other):
        return Pose(self.R @ other.R, self.R @ other.p + self.p)

    def inverse(self):
        return Pose(self.R.T, -self.R.T @ self.p)

    def row(self):
        w = np.array([1 + self.R[0, 0] + self.R[1, 1] + self.R[2, 2], 1 + self.R[0, 0] - self.R[1, 1] - self.R[2, 2],
                      1 - self.R[0, 0] + self.R[1, 1] - self.R[2, 2], 1 - self.R[0, 0] - self.R[1, 1] + self.R[2, 2]])
        k, r = int(np.argmax(w)), self.R
        q = [[r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], w[0]], [w[1], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0], r[2, 1] - r[1, 2]],
             [r[0, 1] + r[1, 0], w[2], r[1, 2] + r[2, 1], r[0, 2] - r[2, 0]], [r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], w[3], r[1, 0] - r[0, 1]]][k]
        return np.concatenate([self.p, np.array(q) / np.linalg.norm(q)])


class Unsupported(Exception):
    pass


class Joint:
    """A joint of an articulation: where it stands in the arrays, and its numbers."""

    def __init__(self, m, j):
        self.kind, self.parent, self.child = int(m["joint_type"][j]), int(m["joint_parent"][j]), int(m["joint_child"][j])
        self.X_p, self.X_c = Pose.of(m["joint_X_p"][j]), Pose.of(m["joint_X_c"][j])
        self.dofs = slice(int(m["joint_qd_start"][j]), int(m["joint_qd_start"][j + 1]))
        self.q = np.array(m["joint_q"][int(m["joint_q_start"][j]):int(m["joint_q_start"][j + 1])], float)
        self.v, self.qdd = (np.array(m[name][self.dofs], float) for name in ("joint_qd", "qdd"))
        self.axes = np.array(m["joint_axis"][self.dofs], float)
        self.linear = int(m["joint_dof_dim"][j][0])
        self.armature = np.array(m["joint_armature"][self.dofs], float)
        if self.kind == DISTANCE:
            self.kind = FREE
        if int(m["body_flags"][self.child]) & 2:
            raise Unsupported("a prescribed body, which no force moves")
        if self.kind == FREE and self.parent >= 0:
            raise Unsupported("a free joint below a body")
        if self.kind not in (PRISMATIC, REVOLUTE, BALL, FIXED, FREE, D6):
            raise Unsupported(f"joint type {self.kind}")


class Tree:
    def __init__(self, m, a):
        first, last = int(m["articulation_start"][a]), int(m["articulation_end"][a])
        self.joints = [Joint(m, j) for j in range(first, last)]
        self.dofs = slice(int(m["joint_qd_start"][first]), int(m["joint_qd_start"][last]))
        self.gravity = np.array(m["gravity"][max(0, int(m["articulation_world"][a]))], float)
        self.mass = {j.child: float(m["body_mass"][j.child]) for j in self.joints}
        self.com = {j.child: np.array(m["body_com"][j.child], float) for j in self.joints}
        self.inertia = {j.child: np.array(m["body_inertia"][j.child], float).reshape(3, 3) for j in self.joints}

    def count(self):
        return self.dofs.stop - self.dofs.start

    def own(self, joint):
        return slice(joint.dofs.start - self.dofs.start, joint.dofs.stop - self.dofs.start)

    def values(self, name):
        return np.concatenate([getattr(j, name) for j in self.joints] or [[]])

    def transform(self, place, linear_in_child):
        """T and s; `place[joint]` are the peer's own columns of the joint."""
        T, s = np.zeros((self.count(), self.count())), np.zeros(self.count())
        for j in self.joints:
            ours, theirs = self.own(j), place.get(id(j))
            if j.kind == FREE:
                R, w = rotation(j.q[3:]), j.v[3:]
                c = R @ (j.X_c.inverse() * Pose(np.eye(3), self.com[j.child])).p
                L = R.T if linear_in_child else j.X_p.R
                block = np.zeros((6, 6))
                block[:3, :3], block[:3, 3:], block[3:, 3:] = L, L @ skew(c), R.T
                turn = np.zeros(6)
                turn[:3] = L @ -np.cross(w, np.cross(w, c))
                if linear_in_child:
                    v = block @ j.v
                    turn[:3] -= np.cross(v[3:], v[:3])
                T[theirs, ours], s[theirs] = block, turn
            elif j.kind == BALL:
                T[theirs, ours] = rotation(j.q).T
            elif j.kind != FIXED:
                T[theirs, ours] = np.eye(len(j.v))
        return T, s


class Pinocchio:
    def __init__(self, tree):
        import pinocchio as pin

        self.pin, self.tree, self.place, self.of_body = pin, tree, {}, {-1: (0, Pose(np.eye(3), np.zeros(3)))}
        m = self.model = pin.Model()
        m.gravity.linear, m.gravity.angular = tree.gravity, np.zeros(3)
        q = []
        for n, j in enumerate(tree.joints):
            above, X = self.of_body[j.parent]
            X = X * j.X_p
            if j.kind != FIXED:
                above = m.addJoint(above, self.joint(j), pin.SE3(X.R, X.p), f"j{n}")
                self.place[id(j)] = slice(m.joints[above].idx_v, m.joints[above].idx_v + m.joints[above].nv)
                X = Pose(np.eye(3), np.zeros(3))
                q.append(j.q / np.linalg.norm(j.q) if j.kind == BALL else np.concatenate([j.q[:3], j.q[3:] / np.linalg.norm(j.q[3:])]) if j.kind == FREE else j.q)
            X = X * j.X_c.inverse()
            self.of_body[j.child] = above, X
            if above > 0:
                m.appendBodyToJoint(above, pin.Inertia(tree.mass[j.child], tree.com[j.child], tree.inertia[j.child]), pin.SE3(X.R, X.p))
        self.q = np.concatenate(q or [[]])
        self.data = m.createData()

    def joint(self, j):
        pin = self.pin
        if j.kind == FREE:
            return pin.JointModelFreeFlyer()
        if j.kind == BALL:
            return pin.JointModelSpherical()
        parts = [(pin.JointModelPrismaticUnaligned if k < j.linear else pin.JointModelRevoluteUnaligned)(axis / np.linalg.norm(axis)) for k, axis in enumerate(j.axes)]
        if len(parts) == 1:
            return parts[0]
        whole = pin.JointModelComposite()
        for part in parts:
            whole.addJoint(part)
        return whole

    def linear_in_child(self):
        return True

    def solve(self, T, s):
        pin, m, d, tree = self.pin, self.model, self.data, self.tree
        v, a = T @ tree.values("v"), T @ tree.values("qdd") + s
        M = np.reshape(pin.crba(m, d, self.q), (m.nv, m.nv))
        M = np.triu(M) + np.triu(M, 1).T
        tau, bias = np.array(pin.rnea(m, d, self.q, v, a)), np.array(pin.rnea(m, d, self.q, v, s))
        pin.computeJointJacobians(m, d, self.q)
        X, J = [], []
        for j in tree.joints:
            above, offset = self.of_body[j.child]
            world = Pose(d.oMi[above].rotation, d.oMi[above].translation) * offset if above > 0 else offset
            X.append(world.row())
            here = np.zeros((6, m.nv))
            if above > 0:
                own = np.reshape(pin.getJointJacobian(m, d, above, pin.LOCAL_WORLD_ALIGNED), (6, m.nv))
                r = world.R @ tree.com[j.child] + world.p - d.oMi[above].translation
                here[:3], here[3:] = own[:3] - skew(r) @ own[3:], own[3:]
            J.append(here)
        return M, bias, tau, X, J


class MuJoCo:
    def __init__(self, tree):
        import mujoco

        self.mujoco, self.tree, self.place = mujoco, tree, {}
        spec = mujoco.MjSpec()
        spec.option.gravity = tree.gravity
        spec.compiler.degree = False
        bodies = {-1: (spec.worldbody, Pose(np.eye(3), np.zeros(3)))}
        for n, j in enumerate(tree.joints):
            above, offset = bodies[j.parent]
            X = (offset * j.X_p).row() if j.kind != FREE else Pose(np.eye(3), np.zeros(3)).row()
            body = above.add_body(name=f"b{n}", pos=X[:3], quat=X[[6, 3, 4, 5]])
            back = j.X_c.inverse()
            bodies[j.child] = body, back
            mass, inertia = tree.mass[j.child], back.R @ tree.inertia[j.child] @ back.R.T
            if mass > 0:
                body.mass, body.ipos, body.explicitinertial = mass, back.R @ tree.com[j.child] + back.p, True
                body.fullinertia = [inertia[0, 0], inertia[1, 1], inertia[2, 2], inertia[0, 1], inertia[0, 2], inertia[1, 2]]
            if j.kind == FREE:
                body.add_freejoint(name=f"j{n}_0")
            elif j.kind == BALL:
                body.add_joint(name=f"j{n}_0", type=mujoco.mjtJoint.mjJNT_BALL)
            else:
                for k, axis in enumerate(j.axes):
                    body.add_joint(name=f"j{n}_{k}", type=mujoco.mjtJoint.mjJNT_SLIDE if k < j.linear else mujoco.mjtJoint.mjJNT_HINGE, axis=axis)
        try:
            m = self.model = spec.compile()
        except ValueError as error:  # no mass, or an inertia that no body has
            raise Unsupported(str(error).split("\n")[0]) from error
        d = self.data = mujoco.MjData(m)
        for n, j in enumerate(tree.joints):
            if j.kind == FIXED:
                continue
            joint = m.joint(f"j{n}_0")
            at, first = int(joint.qposadr[0]), int(joint.dofadr[0])
            self.place[id(j)] = slice(first, first + len(j.v))
            if j.kind == FREE:
                X = (j.X_p * Pose(rotation(j.q[3:]), j.q[:3])).row()
                d.qpos[at:at + 7] = X[[0, 1, 2, 6, 3, 4, 5]]
            elif j.kind == BALL:
                d.qpos[at:at + 4] = (j.q / np.linalg.norm(j.q))[[3, 0, 1, 2]]
            else:
                d.qpos[at:at + len(j.q)] = j.q

    def linear_in_child(self):
        return False

    def solve(self, T, s):
        mujoco, m, d, tree = self.mujoco, self.model, self.data, self.tree
        d.qvel[:] = T @ tree.values("v")
        mujoco.mj_forward(m, d)
        M = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, M)
        tau, bias = np.zeros(m.nv), np.zeros(m.nv)
        for out, a in ((tau, T @ tree.values("qdd") + s), (bias, s)):
            d.qacc[:] = a
            mujoco.mj_rne(m, d, 1, out)
        X, J = [], []
        for n, j in enumerate(tree.joints):
            body = m.body(f"b{n}").id
            world = Pose(rotation(d.xquat[body][[1, 2, 3, 0]]), d.xpos[body]) * j.X_c.inverse()
            X.append(world.row())
            here = np.zeros((6, m.nv))
            mujoco.mj_jac(m, d, here[:3], here[3:], world.R @ tree.com[j.child] + world.p, body)
            J.append(here)
        return M, bias, tau, X, J


def answer(peer, source, target):
    m = dict(np.load(source))
    out = {}
    for a in range(len(m["articulation_end"])):
        try:
            tree = Tree(m, a)
            robot = peer(tree)
        except Unsupported as reason:
            out[f"said{a}"] = str(reason)
            continue
        if not tree.count():
            out[f"said{a}"] = "nothing that moves"
            continue
        T, s = tree.transform(robot.place, robot.linear_in_child())
        M, bias, tau, X, J = robot.solve(T, s)
        armature = tree.values("armature")
        out[f"M{a}"] = T.T @ M @ T + np.diag(armature)
        out[f"bias{a}"] = T.T @ bias
        out[f"tau{a}"] = T.T @ tau + armature * tree.values("qdd")
        out[f"X{a}"], out[f"J{a}"] = np.array(X), np.array(J) @ T
    np.savez(target, **out)


if __name__ == "__main__":
    name, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    for file in [f for f in sorted(folder.glob("*.npz")) if "." not in f.stem]:
        answer({"pinocchio": Pinocchio, "mujoco": MuJoCo}[name], file, file.with_suffix(f".{name}.npz"))
