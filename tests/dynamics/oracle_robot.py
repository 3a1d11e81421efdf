"""Prints the expected numbers of oracle_test.cpp: python3 oracle_robot.py (needs mujoco and numpy)."""
import mujoco, numpy as np
xml = """<mujoco><compiler angle="radian" inertiafromgeom="false"/><option gravity="0 0 -9.81"/>
<worldbody>
<body name="root" pos="0 0 0"><freejoint/><inertial pos="0.05 -0.02 0.1" mass="3" fullinertia="0.12 0.15 0.1 0.01 -0.02 0.005"/>
 <body name="a" pos="0.3 0.1 -0.2" quat="0.9 0.1 -0.3 0.3"><joint type="hinge" axis="0 0.6 0.8" armature="0.02"/><inertial pos="0.1 0.02 -0.05" mass="1.2" fullinertia="0.02 0.03 0.025 0.002 0.001 -0.003"/>
  <body name="b" pos="0.2 0 0.1" quat="0.8 -0.2 0.4 0.1"><joint type="ball"/><inertial pos="-0.03 0.07 0.02" mass="0.8" fullinertia="0.011 0.009 0.013 0.001 0 0.002"/></body>
 </body>
 <body name="c" pos="-0.2 0.15 0.1" quat="0.7 0.5 0.1 -0.2"><joint type="slide" axis="0.48 0.6 0.64"/><inertial pos="0.01 0.02 0.03" mass="0.6" fullinertia="0.006 0.007 0.008 0 0.001 0"/>
  <body name="d" pos="0 0.25 0" quat="0.6 0.3 0.2 0.5"><joint type="slide" axis="1 0 0"/><joint type="hinge" axis="0 1 0"/><joint type="hinge" axis="1 0 0"/><joint type="hinge" axis="0 0 1"/><inertial pos="0.04 -0.06 0.05" mass="0.9" fullinertia="0.012 0.01 0.009 -0.001 0.0015 0.0005"/></body>
 </body>
</body></worldbody></mujoco>"""
m = mujoco.MjModel.from_xml_string(xml); d = mujoco.MjData(m)
R = lambda q: (lambda o: (mujoco.mju_quat2Mat(o, np.array(q, float)), o.reshape(3,3))[1])(np.zeros(9))
nv = m.nv
unit = lambda q: np.array(q)/np.linalg.norm(q)
qroot = unit([0.7, -0.1, 0.5, 0.4]); qball = unit([0.6, 0.3, -0.5, 0.2])
d.qpos[:] = np.concatenate([[0.4, -0.3, 1.1], qroot, [0.7], qball, [0.15], [-0.1, 0.4, -0.6, 0.9]])
# our velocities: root (v com, w) world; hinge; ball w in parent anchor axes; slide; d6
v = np.array([0.3,-0.2,0.5, 1.1,-0.7,0.4, 0.9, -0.5,0.8,1.2, 0.25, -0.4, 1.3,-0.6,0.7])
qdd = np.array([0.1,0.4,-0.3, 2.0,1.0,-1.5, -0.8, 1.4,0.3,-0.9, 0.6, 1.1,-0.2,0.5,-1.3])
c = np.array(m.body_ipos[1]); Rr = R(qroot); rc = Rr@c
skew = lambda a: np.array([[0,-a[2],a[1]],[a[2],0,-a[0]],[-a[1],a[0],0]])
T = np.eye(nv); T[0:3,3:6] = skew(rc); T[3:6,3:6] = Rr.T   # v_o = v_com - w x rc = v_com + rc x w
b0 = 7; T[b0:b0+3,b0:b0+3] = R(qball).T
d.qvel[:] = T@v
w = v[3:6]; Tdv = np.zeros(nv); Tdv[0:3] = -np.cross(w, np.cross(w, rc))
mujoco.mj_forward(m,d)
M = np.zeros((nv,nv)); mujoco.mj_fullM(m,d,M); Mo = T.T@M@T
d.qacc[:] = T@qdd + Tdv
mujoco.mj_inverse(m,d)
tau = T.T@d.qfrc_inverse
mujoco.mj_energyPos(m,d); mujoco.mj_energyVel(m,d)
mujoco.mj_subtreeVel(m,d)
J = np.zeros((3,nv)); Jr = np.zeros((3,nv)); mujoco.mj_jacBodyCom(m,d,J,Jr,m.body('d').id)
Jo = np.vstack([J,Jr])@T
def p(name, a):
    a = np.array(a).ravel()
    print(f"    const double {name}[] = {{" + ", ".join(f"{0.0 if abs(x) < 1e-14 else float(x):.13g}" for x in a) + "};")
p("kLowerM", [Mo[i,j] for i in range(nv) for j in range(i+1)])
p("kTau", tau)
p("kPoseB", np.concatenate([d.xpos[3], d.xquat[3][[1,2,3,0]]]))
p("kPoseD", np.concatenate([d.xpos[5], d.xquat[5][[1,2,3,0]]]))
p("kJacobianD", Jo)
p("kEnergy", d.energy)
p("kCom", d.subtree_com[1]); p("kComVelocity", d.subtree_linvel[1]); p("kAngularMomentum", d.subtree_angmom[1])
print(mujoco.__version__)
