"""Robots drawn by chance, as URDF and as MJCF: trees, frames in frames, classes in classes, all ways to say an orientation, meshes with scales, odd names.

A seed gives one robot, the same each time. What OpenUSD cannot hold is drawn too: a report then names it as an error.
"""
import math
import random
import struct


def f(x):
    """A number as text, of six digits after the point."""
    return repr(round(x, 6))


def vec(r, s=1.0, n=3):
    """So many numbers between -s and s."""
    return ' '.join((f(r.uniform(-s, s)) for _ in range(n)))


def inertia(r, m):
    """Moments of a full ellipsoid, which some body has."""
    a, b, c = (r.uniform(0.05, 0.3) for _ in range(3))
    return (m / 5 * (b * b + c * c), m / 5 * (a * a + c * c), m / 5 * (a * a + b * b))

#: Names as files have them, and as no prim can be called.
ODD = ['{}', '{}', '{}', '{}_link', '{}.part', '{}-1', '2{}', '{} x', '{}/sub', 'Ä{}', '{}:a', 'class_{}', '{}__', '_{}']


def name(r, base, taken):
    """One that nobody has yet."""
    while True:
        n = r.choice(ODD).format(base + str(r.randrange(1000)))
        if n not in taken:
            taken.add(n)
            return n


def tetra_stl(path, r):
    """A tetrahedron as a binary STL, wound outwards."""
    p = [[r.uniform(-0.1, 0.1) for _ in range(3)] for _ in range(4)]

    def sub(a, b):
        return [a[i] - b[i] for i in range(3)]

    def cross(a, b):
        return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]

    def dot(a, b):
        return sum((x * y for x, y in zip(a, b)))
    if dot(cross(sub(p[1], p[0]), sub(p[2], p[0])), sub(p[3], p[0])) > 0:
        p[1], p[2] = (p[2], p[1])
    t = [(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)]
    with open(path, 'wb') as o:
        o.write(b'\x00' * 80 + struct.pack('<I', 4))
        for tri in t:
            o.write(struct.pack('<12fH', 0, 0, 0, *[c for i in tri for c in p[i]], 0))


def urdf_shape(r, meshes):
    """A shape with its size."""
    k = r.choice(['box', 'sphere', 'cylinder', 'mesh'] if meshes else ['box', 'sphere', 'cylinder'])
    if k == 'box':
        return '<box size="%s"/>' % ' '.join((f(r.uniform(0.02, 0.3)) for _ in range(3)))
    if k == 'sphere':
        return '<sphere radius="%s"/>' % f(r.uniform(0.02, 0.2))
    if k == 'cylinder':
        return '<cylinder radius="%s" length="%s"/>' % (f(r.uniform(0.02, 0.2)), f(r.uniform(0.02, 0.4)))
    m = r.choice(meshes)
    s = r.choice(['', ' scale="0.001 0.001 0.001"', ' scale="%s"' % ' '.join((f(r.choice([-1, 1, 1]) * r.uniform(0.3, 2)) for _ in range(3))), ' scale="2 2 2"'])
    return '<mesh filename="%s"%s/>' % (m, s)


def urdf(seed, folder):
    """A robot as URDF; its meshes go into the folder."""
    r = random.Random(seed)
    taken, jt = (set(), set())
    meshes = []
    if r.random() < 0.5:
        for i in range(2):
            tetra_stl(f'{folder}/m{i}.stl', r)
            meshes.append(f'm{i}.stl')
    n = r.randint(1, 12)
    links = [name(r, 'l', taken) for _ in range(n)]
    if r.random() < 0.2:
        links[0] = 'world'
    out = ['<robot name="%s">' % r.choice(['rob', 'my robot', '7up', 'r-2'])]
    mats = []
    for i in range(r.randint(0, 3)):
        mats.append(f'mat{i}')
        out.append(f'<material name="mat{i}"><color rgba="{f(r.random())} {f(r.random())} {f(r.random())} {f(r.choice([1, r.random()]))}"/></material>')
    origin = lambda p=0.7: '<origin xyz="%s" rpy="%s"/>' % (vec(r), vec(r, r.choice([0.1, 3.2, 7]))) if r.random() < p else r.choice(['', '<origin xyz="%s"/>' % vec(r), '<origin rpy="%s"/>' % vec(r, 3)])
    for i, l in enumerate(links):
        o = [f'<link name="{l}">']
        if not (i == 0 and l == 'world') and r.random() < 0.85:
            m = r.choice([r.uniform(0.01, 10), 1, 1000])
            a, b, c = inertia(r, m)
            o.append(f'<inertial>{origin()}<mass value="{f(m)}"/><inertia ixx="{a!r}" iyy="{b!r}" izz="{c!r}" ixy="{f(r.choice([0, 0.01 * min(a, b)]))}" ixz="0" iyz="{f(r.choice([0, -0.01 * min(b, c)]))}"/></inertial>')
        for kind in ('visual', 'collision'):
            for k in range(r.choice([0, 1, 1, 2])):
                nm = f' name="{kind}{k}"' if r.random() < 0.3 else ''
                mat = f'<material name="{r.choice(mats)}"/>' if kind == 'visual' and mats and (r.random() < 0.6) else ''
                o.append(f'<{kind}{nm}>{origin()}<geometry>{urdf_shape(r, meshes)}</geometry>{mat}</{kind}>')
        o.append('</link>')
        out.append(''.join(o))
    movers = []
    for i in range(1, n):
        kind = r.choice(['fixed', 'revolute', 'revolute', 'continuous', 'prismatic', 'revolute', 'prismatic'] + (['floating', 'planar'] if r.random() < 0.1 else []))
        j = name(r, 'j', jt)
        o = [f'<joint name="{j}" type="{kind}">{origin()}<parent link="{links[r.randrange(i)]}"/><child link="{links[i]}"/>']
        if kind not in ('fixed', 'floating'):
            if r.random() < 0.9:
                o.append('<axis xyz="%s"/>' % r.choice(['1 0 0', '0 1 0', '0 0 1', '0 0 -1', '-1 0 0', vec(r), '0 3 4', vec(r, 0.01)]))
            lo, hi = sorted([round(r.uniform(-4, 4), 4), round(r.uniform(-4, 4), 4)])
            if kind in ('revolute', 'prismatic'):
                lim = r.choice([f'lower="{lo}" upper="{hi}" ', f'lower="{lo}" upper="{hi}" ', f'lower="0" upper="{abs(hi)}" ', f'upper="{abs(hi)}" ', f'lower="{-abs(lo)}" '])
                o.append(f'<limit {lim}effort="{f(r.uniform(0.1, 100))}" velocity="{f(r.uniform(0.1, 10))}"/>')
            elif kind == 'continuous' and r.random() < 0.5:
                o.append(f'<limit effort="{f(r.uniform(0.1, 100))}" velocity="{f(r.uniform(0.1, 10))}"/>')
            if kind != 'planar' and r.random() < 0.4:
                o.append(f'<dynamics damping="{f(r.uniform(0, 2))}" friction="{f(r.uniform(0, 1))}"/>')
            if kind in ('revolute', 'prismatic', 'continuous'):
                if movers and r.random() < 0.2:
                    o.append(f'<mimic joint="{r.choice(movers)}" multiplier="{f(r.choice([1, -1, r.uniform(-3, 3)]))}" offset="{f(r.choice([0, r.uniform(-1, 1)]))}"/>')
                movers.append(j)
        o.append('</joint>')
        out.append(''.join(o))
    if r.random() < 0.5:
        body = out[1:]
        r.shuffle(body)
        out = out[:1] + body
    return '\n'.join(out) + '\n</robot>\n'


def mjcf(seed, folder):
    """A model as MJCF; its meshes go into the folder."""
    r = random.Random(seed)
    deg = r.random() < 0.5
    seq = r.choice(['xyz', 'xyz', 'XYZ', 'zyx', 'zxZ', 'XyZ'])
    A = lambda lo, hi: f(r.uniform(lo, hi) * (180 / math.pi if deg else 1))
    ifg = r.choice(['auto', 'auto', 'true', 'false'])
    comp = f'''<compiler angle="{('degree' if deg else 'radian')}" eulerseq="{seq}" inertiafromgeom="{ifg}"'''
    autolimits = r.random() < 0.85
    if not autolimits:
        comp += ' autolimits="false"'
    if r.random() < 0.1:
        comp += ' boundmass="0.3" boundinertia="0.002"'
    if r.random() < 0.1:
        comp += ' settotalmass="7"'
    if r.random() < 0.1:
        comp += ' balanceinertia="true"'
    comp += '/>'
    asset = []
    meshes = []
    if r.random() < 0.4:
        for i in range(2):
            tetra_stl(f'{folder}/m{i}.stl', r)
            extra = r.choice(['', ' scale="%s"' % ' '.join((f(r.choice([-1, 1, 1]) * r.uniform(0.5, 2)) for _ in range(3))), ' refpos="%s"' % vec(r, 0.05), ' refquat="%s"' % vec(r, 1, 4), ' inertia="%s"' % r.choice(['convex', 'exact', 'shell', 'legacy'])])
            asset.append(f'<mesh name="m{i}" file="m{i}.stl"{extra}/>')
            meshes.append(f'm{i}')
    for i in range(2):
        asset.append(f'<material name="k{i}" rgba="{f(r.random())} {f(r.random())} .5 1"/>')

    def joint_defaults():
        return f'<joint damping="{f(r.uniform(0, 2))}" armature="{f(r.uniform(0, 0.1))}"' + r.choice(['', f' frictionloss="{f(r.uniform(0, 0.3))}"', f' stiffness="{f(r.uniform(0, 5))}"', ' axis="0 1 0"', f' range="{A(-1, 0)} {A(0.1, 1)}"']) + '/>'

    def geom_defaults():
        return '<geom ' + r.choice([f'density="{f(r.uniform(100, 3000))}"', 'type="box" size=".1 .05 .08"', 'rgba=".1 .2 .3 1"', 'contype="0" conaffinity="0" group="2"', 'friction="0.7 .01 .001"', 'condim="4" margin="0.001"', 'material="k1"']) + '/>'
    classes = []

    def dclass(depth, nm):
        o = f'<default class="{nm}">' if nm else '<default>'
        if r.random() < 0.6:
            o += joint_defaults()
        if r.random() < 0.6:
            o += geom_defaults()
        if r.random() < 0.3:
            o += f'<position kp="{f(r.uniform(1, 50))}"/>'
        if r.random() < 0.2:
            o += f'<motor gear="{f(r.uniform(1, 20))}"/>'
        if r.random() < 0.2:
            o += f'<general gainprm="{f(r.uniform(1, 9))}"/>'
        if depth < 3:
            for _ in range(r.choice([0, 1, 2])):
                c = f'c{len(classes)}'
                classes.append(c)
                o += dclass(depth + 1, c)
        return o + '</default>'
    defaults = dclass(0, 'main' if r.random() < 0.5 else None) if r.random() < 0.7 else ''

    def orient():
        k = r.choice(['', 'quat', 'euler', 'axisangle', 'xyaxes', 'zaxis', 'quat'])
        if k == '':
            return ''
        if k == 'quat':
            return ' quat="%s"' % vec(r, 1, 4)
        if k == 'euler':
            return ' euler="%s %s %s"' % (A(-3, 3), A(-3, 3), A(-3, 3))
        if k == 'axisangle':
            return ' axisangle="%s %s"' % (vec(r), A(-3, 3))
        if k == 'xyaxes':
            return ' xyaxes="%s %s"' % (vec(r), vec(r))
        return ' zaxis="%s"' % vec(r)
    pos = lambda s=1: ' pos="%s"' % vec(r, s) if r.random() < 0.8 else ''
    cls = lambda: f' class="{r.choice(classes)}"' if classes and r.random() < 0.3 else ''
    joints, ngeom, sites, geoms, balls = ([], [0], [], [], [])
    bodies = []

    def geom():
        ngeom[0] += 1
        g = f'g{ngeom[0]}'
        k = r.choice(['sphere', 'capsule', 'cylinder', 'box', 'ellipsoid'] + (['mesh'] if meshes else []))
        o = f'<geom type="{k}"'
        if r.random() < 0.7:
            o += f' name="{g}"'
            geoms.append(g)
        o += cls()
        if k == 'mesh':
            o += f' mesh="{r.choice(meshes)}"' + pos(0.3) + orient()
        elif k in ('capsule', 'cylinder', 'box', 'ellipsoid') and r.random() < 0.4:
            o += f' fromto="{vec(r, 0.3)} {vec(r, 0.3)}" size="{f(r.uniform(0.02, 0.1))}"'
        else:
            o += ' size="%s"' % ' '.join((f(r.uniform(0.02, 0.2)) for _ in range({'sphere': 1, 'capsule': 2, 'cylinder': 2, 'box': 3, 'ellipsoid': 3}[k]))) + pos(0.3) + orient()
        if r.random() < 0.3:
            o += f' mass="{f(r.uniform(0.05, 3))}"'
        elif r.random() < 0.2:
            o += f' density="{f(r.uniform(100, 3000))}"'
        if r.random() < 0.15:
            o += r.choice([' contype="2" conaffinity="1"', ' contype="0" conaffinity="0"', ' conaffinity="2"', ' priority="1"', ' solref="0.01 1"', ' shellinertia="true"' if k not in ('ellipsoid',) else ''])
        if r.random() < 0.3:
            o += r.choice([' rgba="1 0 0 .5"', ' material="k0"', ' group="3"'])
        return o + '/>'

    def joint(b, kind, i):
        o = f'<joint type="{kind}"'
        nm = f'j{len(joints) + len(balls)}'
        o += f' name="{nm}"'
        (balls if kind == 'ball' else joints).append(nm)
        o += cls()
        if kind != 'ball' and r.random() < 0.9:
            o += ' axis="%s"' % r.choice(['1 0 0', '0 1 0', '0 0 1', '0 0 -1', vec(r)])
        o += pos(0.2) if i == 0 else ''
        lim = lambda a, b: f'{A(a, b)}' if kind == 'hinge' else f(r.uniform(a, b))
        if r.random() < 0.6:
            if kind == 'ball':
                o += f' range="0 {A(0.3, 2)}"'
            else:
                o += f' range="{lim(-2, 0)} {lim(0.1, 2)}"'
            if not autolimits or r.random() < 0.2:
                o += ' limited="true"'
        for k, hi in (('damping', 2), ('armature', 0.2), ('frictionloss', 0.5)):
            if r.random() < 0.3:
                o += f' {k}="{f(r.uniform(0, hi))}"'
        if kind != 'ball':
            if r.random() < 0.25:
                o += f' stiffness="{f(r.uniform(0.1, 9))}"' + (f' springref="{lim(-1, 1)}"' if r.random() < 0.6 else '')
            if r.random() < 0.2:
                o += f' ref="{lim(-1, 1)}"'
        return o + '/>'

    def site():
        s = f's{len(sites)}'
        sites.append(s)
        return f'<site name="{s}"{pos(0.3)}{orient()}/>'

    def body(depth):
        b = f'b{len(bodies)}'
        bodies.append(b)
        o = f'<body name="{b}"{pos()}{orient()}' + (f' childclass="{r.choice(classes)}"' if classes and r.random() < 0.3 else '')
        if r.random() < 0.05:
            o += f' gravcomp="{f(r.uniform(0.1, 1))}"'
        o += '>'
        k = r.random()
        moving = True
        if depth == 0 and k < 0.35:
            o += r.choice(['<freejoint name="free%d"/>' % len(bodies), '<freejoint/>'])
        elif k < 0.65:
            o += joint(b, r.choice(['hinge', 'hinge', 'slide', 'ball']), 0)
        elif k < 0.8:
            o += ''.join((joint(b, r.choice(['hinge', 'hinge', 'slide']), i) for i in range(r.choice([2, 3]))))
        else:
            moving = False
        inert = r.random() < (0.3 if ifg != 'false' else 1)
        if inert:
            m = r.uniform(0.1, 5)
            a, c, d = inertia(r, m)
            if r.random() < 0.5:
                o += f'<inertial mass="{f(m)}" pos="{vec(r, 0.1)}"{orient()} diaginertia="{a!r} {c!r} {d!r}"/>'
            else:
                o += f'<inertial mass="{f(m)}" pos="{vec(r, 0.1)}" fullinertia="{a!r} {c!r} {d!r} {f(0.01 * min(a, c, d))} 0 {f(-0.01 * min(a, c, d))}"/>'
        ng = r.choice([1, 1, 2, 3])
        for i in range(ng):
            o += geom()
        if r.random() < 0.3:
            o += site()
        if depth < 4:
            for _ in range(r.choice([0, 0, 1, 1, 2]) if depth else r.choice([0, 1, 2])):
                x = body(depth + 1)
                if r.random() < 0.2:
                    x = f'<frame{pos(0.5)}{orient()}' + (f' childclass="{r.choice(classes)}"' if classes and r.random() < 0.4 else '') + f'>{x}{geom()}</frame>'
                o += x
        return o + '</body>'
    world = ''
    if r.random() < 0.5:
        world += '<geom type="plane" size="5 5 .1"/>'
    for _ in range(r.choice([1, 1, 2])):
        world += body(0)
    rest = ''
    if len(bodies) > 2 and r.random() < 0.4:
        rest += '<contact>' + ''.join((f'<exclude body1="{a}" body2="{b}"/>' for a, b in [r.sample(bodies, 2)])) + '</contact>'
    eq = ''
    if len(joints) > 1 and r.random() < 0.3:
        a, b = r.sample(joints, 2)
        eq += f'<joint joint1="{a}" joint2="{b}" polycoef="{f(r.uniform(-0.5, 0.5))} {f(r.uniform(-2, 2))} 0 0 0"/>'
    if len(bodies) > 1 and r.random() < 0.2:
        a, b = r.sample(bodies, 2)
        eq += r.choice([f'<connect body1="{a}" body2="{b}" anchor="{vec(r, 0.3)}"/>', f'<weld body1="{a}" body2="{b}"/>', f'<weld body1="{a}" body2="{b}" relpose="{vec(r, 0.3)} {vec(r, 1, 4)}" anchor="{vec(r, 0.2)}"/>', f'<connect body1="{a}" anchor="0 0 .1"/>'])
    if eq:
        rest += f'<equality>{eq}</equality>'
    if joints and r.random() < 0.25:
        c = r.sample(joints, min(len(joints), 2))
        rest += '<tendon><fixed name="t0"' + r.choice(['', ' stiffness="2"', ' range="-1 1"' + ('' if autolimits else ' limited="true"'), ' frictionloss=".1"']) + '>' + ''.join((f'<joint joint="{j}" coef="{f(r.uniform(-2, 2))}"/>' for j in c)) + '</fixed></tendon>'
    act = ''
    for j in joints:
        if r.random() < 0.4:
            k = r.choice(['motor', 'position', 'velocity', 'general', 'position', 'motor'])
            o = f'<{k} joint="{j}"' + (f' name="a_{j}"' if r.random() < 0.7 else '') + cls()
            if k == 'position':
                o += f' kp="{f(r.uniform(1, 90))}"' + (f' kv="{f(r.uniform(0.1, 9))}"' if r.random() < 0.4 else '')
            if k == 'velocity':
                o += f' kv="{f(r.uniform(0.1, 9))}"'
            if k == 'general':
                o += r.choice([f' gainprm="{f(r.uniform(1, 9))}"', f' gainprm="5" biastype="affine" biasprm="0 -5 -.3"', f' gainprm="5" biastype="affine" biasprm=".4 -5 -.3"', ' dyntype="filter" dynprm=".1" gainprm="2"'])
            if r.random() < 0.4:
                o += f' gear="{f(r.uniform(0.5, 20))}"'
            if r.random() < 0.5:
                o += ' ctrlrange="-1 2"' + ('' if autolimits else ' ctrllimited="true"')
            if r.random() < 0.3:
                o += ' forcerange="-5 7"' + ('' if autolimits else ' forcelimited="true"')
            act += o + '/>'
    if act:
        rest += f'<actuator>{act}</actuator>'
    opt = r.choice(['', '<option gravity="0 0 -3" timestep="0.004"/>', '<option integrator="implicitfast"><flag contact="disable"/></option>', '<option cone="elliptic"/>'])
    return f"""<mujoco model="m{seed}">{comp}{opt}{defaults}<asset>{''.join(asset)}</asset><worldbody>{world}</worldbody>{rest}</mujoco>\n"""
