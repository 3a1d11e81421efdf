"""Robots drawn by chance, as URDF and as MJCF: trees, frames in frames, classes in classes, all ways to say an orientation, meshes with scales, odd names.

A seed gives one robot, the same each time. What OpenUSD cannot hold is drawn too: a report then names it as an error.
"""
import math
import os
import pathlib
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


def tetra_obj(path, r):
    """A tetrahedron as text of Wavefront, told after the fashion of most programs: a group, normals that nobody needs, faces of four."""
    p = [[r.uniform(-0.1, 0.1) for _ in range(3)] for _ in range(4)]
    a, b, c = ([p[i][k] - p[0][k] for k in range(3)] for i in (1, 2, 3))
    cross = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    if sum(x * y for x, y in zip(cross, c)) > 0:
        p[1], p[2] = p[2], p[1]
    lines = ['# drawn', 'o thing', *('v ' + ' '.join(f(x) for x in q) for q in p), 'vn 0 0 1', 's off']
    lines += [f'f {i + 1}//1 {j + 1}//1 {k + 1}//1' for i, j, k in [(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)]]
    with open(path, 'w') as o:
        o.write('\n'.join(lines) + '\n')


#: Elements of programs that URDF itself has no word for.
STRANGERS = [
    '<gazebo reference="{}"><mu1>0.3</mu1><selfCollide>true</selfCollide></gazebo>',
    '<transmission name="t_{}"><type>transmission_interface/SimpleTransmission</type><joint name="{}"/><actuator name="a"><mechanicalReduction>50</mechanicalReduction></actuator></transmission>',
    '<ros2_control name="c_{}" type="system"><hardware><plugin>x/Y</plugin></hardware></ros2_control>',
]


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
        tetra_obj(f'{folder}/m2.obj', r)
        meshes.append('m2.obj')
    n = r.choice([r.randint(1, 12), r.randint(1, 12), 40])
    bare = r.random() < 0.4  # a first link that carries nothing, as most robots have one
    chain = r.random() < 0.3
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
        if not (i == 0 and (bare or l == 'world')) and r.random() < 0.85:
            m = r.choice([r.uniform(0.01, 10), 1, 1000, r.uniform(1e-5, 1e-3)])
            a, b, c = inertia(r, m)
            if r.random() < 0.05:
                a, b, c = (x * 1e-6 for x in (a, b, c))
            elif r.random() < 0.05:
                a *= 5  # no body has such an inertia, and files do
            o.append(f'<inertial>{origin()}<mass value="{f(m)}"/><inertia ixx="{a!r}" iyy="{b!r}" izz="{c!r}" ixy="{f(r.choice([0, 0.01 * min(a, b)]))}" ixz="0" iyz="{f(r.choice([0, -0.01 * min(b, c)]))}"/></inertial>')
        for kind in ('visual', 'collision'):
            for k in range(r.choice([0, 1, 1, 2]) if not (bare and i == 0) else 0):
                nm = f' name="{kind}{k}"' if r.random() < 0.3 else ''
                mat = f'<material name="{r.choice(mats)}"/>' if kind == 'visual' and mats and (r.random() < 0.6) else r.choice(['', '<material name=""><color rgba="0.2 0.3 0.4 1"/></material>', f'<material name="own{i}{k}"><color rgba="1 0.5 0 0.5"/></material>']) if kind == 'visual' else ''
                o.append(f'<{kind}{nm}>{origin()}<geometry>{urdf_shape(r, meshes)}</geometry>{mat}</{kind}>')
        o.append('</link>')
        out.append(''.join(o))
    movers = []
    for i in range(1, n):
        kind = r.choice(['fixed', 'revolute', 'revolute', 'continuous', 'prismatic', 'revolute', 'prismatic'] + (['floating', 'planar'] if r.random() < 0.1 else []))
        if bare and i == 1 and r.random() < 0.7:
            kind = 'fixed'
        j = name(r, 'j', jt)
        o = [f'<joint name="{j}" type="{kind}">{origin()}<parent link="{links[i - 1 if chain else r.randrange(i)]}"/><child link="{links[i]}"/>']
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
            if kind == 'revolute' and r.random() < 0.1:
                o.append('<safety_controller soft_lower_limit="-1" soft_upper_limit="1" k_position="10" k_velocity="5"/>')
            if r.random() < 0.05:
                o.append('<calibration rising="0.1"/>')
        o.append('</joint>')
        if r.random() < 0.1:
            o.append(r.choice(STRANGERS).replace('{}', r.choice([j, links[i]])))
        out.append(''.join(o))
    if r.random() < 0.5:
        body = out[1:]
        r.shuffle(body)
        out = out[:1] + body
    more = random.Random(seed + 10**6)  # drawn apart, so that the rest of a seed stays what it was
    if meshes and more.random() < 0.4:
        # Addresses of a package, which is found by its name among the folders above.
        package = pathlib.Path(folder).name
        out = [line.replace('filename="m', f'filename="package://{package}/m') for line in out]
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
    if r.random() < 0.1 and ifg != 'false':  # there, MuJoCo bounds what has no mass too, at a place of its own
        comp += ' boundmass="0.3" boundinertia="0.002"'
    if r.random() < 0.1:
        comp += ' settotalmass="7"'
    if r.random() < 0.1:
        comp += ' balanceinertia="true"'
    meshdir = ''
    if r.random() < 0.2:
        meshdir = 'parts'
        os.makedirs(f'{folder}/parts', exist_ok=True)
        comp += ' meshdir="parts"' if r.random() < 0.7 else ' assetdir="parts"'
    groups = r.random() < 0.1
    if groups:
        comp += ' inertiagrouprange="0 2"'
    if r.random() < 0.1:
        comp += r.choice([' alignfree="true"', ' discardvisual="true"', ' fitaabb="true"', ' usethread="false"', ' strippath="true"'])
    comp += '/>'
    asset = []
    meshes = []
    if r.random() < 0.4:
        for i in range(2):
            tetra_stl(f'{folder}/{meshdir}/m{i}.stl', r)
            extra = r.choice(['', ' scale="%s"' % ' '.join((f(r.choice([-1, 1, 1]) * r.uniform(0.5, 2)) for _ in range(3))), ' refpos="%s"' % vec(r, 0.05), ' refquat="%s"' % vec(r, 1, 4), ' inertia="%s"' % r.choice(['convex', 'exact', 'shell', 'legacy'])])
            asset.append(f'<mesh name="m{i}" file="m{i}.stl"{extra}/>')
            meshes.append(f'm{i}')
        if r.random() < 0.4:  # points of its own, of which the compiler takes the hull
            asset.append('<mesh name="own" vertex="%s"/>' % vec(r, 0.2, 24))
            meshes.append('own')
        if r.random() < 0.4:  # a file's name without a name of its own
            tetra_obj(f'{folder}/{meshdir}/m9.obj', r)
            asset.append('<mesh file="m9.obj"/>')
            meshes.append('m9')
    for i in range(2):
        asset.append(f'<material name="k{i}" rgba="{f(r.random())} {f(r.random())} .5 1"/>')

    def joint_defaults():
        return f'<joint damping="{f(r.uniform(0, 2))}" armature="{f(r.uniform(0, 0.1))}"' + r.choice(['', f' frictionloss="{f(r.uniform(0, 0.3))}"', f' stiffness="{f(r.uniform(0, 5))}"', ' axis="0 1 0"', f' range="{A(-1, 0)} {A(0.1, 1)}"', ' limited="false"', ' actuatorfrcrange="-3 3"', ' margin="0.01" solreflimit="0.03 1"', f' pos="{vec(r, 0.1)}"']) + '/>'

    def geom_defaults():
        return '<geom ' + r.choice([f'density="{f(r.uniform(100, 3000))}"', 'type="box" size=".1 .05 .08"', 'rgba=".1 .2 .3 1"', 'contype="0" conaffinity="0" group="2"', 'friction="0.7 .01 .001"', 'condim="4" margin="0.001"', 'material="k1"', 'type="capsule" size=".03 .1"', 'mass="0.2"', f'euler="{A(-1, 1)} 0 0"', 'group="3"']) + '/>'
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
        if r.random() < 0.2:
            o += '<site size="0.02" rgba="0 1 0 1"/>'
        if r.random() < 0.1:
            o += '<mesh scale="1.5 1.5 1.5"/>'
        if r.random() < 0.1:
            o += f'<velocity kv="{f(r.uniform(1, 9))}"/>'
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
            if r.random() < 0.2:  # the primitive that fits a mesh
                o = o.replace('type="mesh"', f'type="{r.choice(["box", "sphere", "capsule", "cylinder", "ellipsoid"])}"') + r.choice(['', ' fitscale="1.2"'])
            o += f' mesh="{r.choice(meshes)}"' + pos(0.3) + orient()
        elif k in ('capsule', 'cylinder', 'box', 'ellipsoid') and r.random() < 0.4:
            o += f' fromto="{vec(r, 0.3)} {vec(r, 0.3)}" size="{f(r.uniform(0.02, 0.1))}"'
        else:
            o += ' size="%s"' % ' '.join((f(r.uniform(0.02, 0.2)) for _ in range({'sphere': 1, 'capsule': 2, 'cylinder': 2, 'box': 3, 'ellipsoid': 3}[k]))) + pos(0.3) + orient()
        if r.random() < 0.3:
            o += f' mass="{f(r.choice([0, r.uniform(0.05, 3), r.uniform(0.05, 3)]))}"'
        elif r.random() < 0.2:
            o += f' density="{f(r.uniform(100, 3000))}"'
        if r.random() < 0.15:
            o += r.choice([' contype="2" conaffinity="1"', ' contype="0" conaffinity="0"', ' conaffinity="2"', ' priority="1"', ' solref="0.01 1"', ' shellinertia="true"'])
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
        if kind == 'ball' and r.random() < 0.2:
            o += f' stiffness="{f(r.uniform(0.1, 9))}"'
        if r.random() < 0.1:
            o += r.choice([' springdamper="0.1 1"', ' actuatorfrcrange="-2 2"', ' group="1"', ' actuatorgravcomp="true"', ' solreffriction="0.03 1"', ' user="1"']) if kind != 'ball' and autolimits else ' group="2"'
        if kind != 'ball':
            if r.random() < 0.25 and 'springdamper' not in o:
                o += f' stiffness="{f(r.uniform(0.1, 9))}"' + (f' springref="{lim(-1, 1)}"' if r.random() < 0.6 else '')
            if r.random() < 0.2:
                o += f' ref="{lim(-1, 1)}"'
        return o + '/>'

    def site():
        s = f's{len(sites)}'
        sites.append(s)
        if r.random() < 0.2:
            return f'<site name="{s}" fromto="{vec(r, 0.2)} {vec(r, 0.2)}" type="capsule" size="0.01"/>'
        return f'<site name="{s}"{pos(0.3)}{orient()}' + r.choice(['', ' size="0.02"', ' type="box" size=".01 .02 .03"']) + '/>'

    def body(depth):
        b = r.choice(['b{}', 'b{}', 'b{}', 'b-{}', 'b.{}', 'left/b{}', '{} b']).format(len(bodies))
        bodies.append(b)
        o = f'<body name="{b}"{pos()}{orient()}' + (f' childclass="{r.choice(classes)}"' if classes and r.random() < 0.3 else '')
        if r.random() < 0.05:
            o += f' gravcomp="{f(r.uniform(0.1, 1))}"'
        o += '>'
        k = r.random()
        moving = True
        if depth == 0 and k < 0.35:
            o += r.choice(['<freejoint name="free%d"/>' % len(bodies), '<freejoint/>', '<joint type="free"/>', '<joint type="free" damping="0.5" armature="0.01"/>', '<freejoint align="false"/>', '<freejoint align="true"/>'])
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
        if r.random() < 0.1:
            o += f'<camera name="cam{len(bodies)}"{pos(0.3)}{orient()} fovy="{f(r.uniform(20, 90))}"/>'
        if r.random() < 0.05:
            o += f'<light{pos(0.3)} dir="{vec(r)}"/>'
        if r.random() < 0.05:
            o += f'<replicate count="3" offset=".1 0 0" euler="0 0 {A(0.2, 0.8)}"><geom size="0.03"/></replicate>'
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
    if r.random() < 0.15:
        world += '<body name="ghost" mocap="true" pos="1 1 1"><geom size=".02" contype="0" conaffinity="0"/></body>'
    if r.random() < 0.15:
        world += f'<replicate count="2" offset="0 0 1" sep="_"><body name="copy"><joint name="cj" axis="0 1 0"/><geom name="cg" size=".05"/><body pos=".1 0 0" name="tip"><geom size=".02"/></body></body></replicate>'
    if r.random() < 0.2:
        world += r.choice(['<light pos="0 0 3" dir="0 0 -1" directional="true"/>', '<camera name="eye" pos="1 0 1" xyaxes="0 1 0 -1 0 1"/>', '<geom type="box" size="1 1 .1" pos="0 0 -1"/>', '<site name="mark" pos="0 1 0"/>'])
    rest = ''
    if len(bodies) > 2 and r.random() < 0.4:
        rest += '<contact>' + ''.join((f'<exclude body1="{a}" body2="{b}"/>' for a, b in [r.sample(bodies, 2)])) + '</contact>'
    eq = ''
    if len(joints) > 1 and r.random() < 0.3:
        a, b = r.sample(joints, 2)
        eq += f'<joint joint1="{a}" joint2="{b}" polycoef="{f(r.uniform(-0.5, 0.5))} {f(r.uniform(-2, 2))} 0 0 0"/>'
    if len(bodies) > 1 and r.random() < 0.2:
        a, b = r.sample(bodies, 2)
        eq += r.choice([f'<connect body1="{a}" body2="{b}" anchor="{vec(r, 0.3)}"/>', f'<weld body1="{a}" body2="{b}"/>', f'<weld body1="{a}" body2="{b}" relpose="{vec(r, 0.3)} {vec(r, 1, 4)}" anchor="{vec(r, 0.2)}"/>', f'<connect body1="{a}" anchor="0 0 .1"/>', f'<weld body1="{a}" relpose="0 0 0 0 0 0 0" active="false"/>'])
    if joints and r.random() < 0.05:
        eq += f'<joint joint1="{r.choice(joints)}" polycoef="0.1 0 0 0 0"/>'
    if len(sites) > 1 and r.random() < 0.1:
        eq += '<%s site1="%s" site2="%s"/>' % (r.choice(['connect', 'weld']), *r.sample(sites, 2))
    if eq:
        rest += f'<equality>{eq}</equality>'
    if joints and r.random() < 0.25:
        c = r.sample(joints, min(len(joints), 2))
        rest += '<tendon><fixed name="t0"' + r.choice(['', ' stiffness="2"', ' range="-1 1"' + ('' if autolimits else ' limited="true"'), ' frictionloss=".1"']) + '>' + ''.join((f'<joint joint="{j}" coef="{f(r.uniform(-2, 2))}"/>' for j in c)) + '</fixed></tendon>'
    if len(sites) > 1 and r.random() < 0.4:
        a, b = r.sample(sites, 2)
        rest += f'<tendon><spatial name="rope" width="0.01"' + r.choice([' stiffness="5" springlength="0.3"', ' range="0 3"' + ('' if autolimits else ' limited="true"'), ' damping=".2"']) + f'><site site="{a}"/><site site="{b}"/></spatial></tendon>'
        rope = True
    else:
        rope = False
    if len(geoms) > 1 and r.random() < 0.1:
        rest += '<contact><pair geom1="%s" geom2="%s" condim="4"/></contact>' % tuple(r.sample(geoms, 2))
    act = ''
    if rope and r.random() < 0.5:
        act += r.choice(['<position name="pull" tendon="rope" kp="5"/>', '<motor name="pull" tendon="rope" gear="2"/>', '<muscle name="pull" tendon="rope" ctrlrange="0 1" lengthrange="0.1 1"/>'])
    if sites and r.random() < 0.1:
        act += f'<general name="jet" site="{r.choice(sites)}" gear="0 0 1 0 0 .1" gainprm="3"/>'
    if r.random() < 0.05:
        act += f'<adhesion name="stick" body="{r.choice(bodies)}" ctrlrange="0 1" gain="2"/>'
    for j in joints:
        if r.random() < 0.4:
            k = r.choice(['motor', 'position', 'velocity', 'general', 'position', 'motor', 'damper', 'intvelocity', 'cylinder'])
            o = f'<{k} joint="{j}"' + (f' name="a_{j}"' if r.random() < 0.7 else '') + cls()
            if k == 'position':
                o += f' kp="{f(r.uniform(1, 90))}"' + (f' kv="{f(r.uniform(0.1, 9))}"' if r.random() < 0.4 else '')
            if k == 'position' and ' kv=' not in o and r.random() < 0.2:
                o += ' dampratio="1"'
            if k == 'position' and r.random() < 0.1:
                o += ' timeconst="0.05"'
            if k == 'damper':
                act += o + f' kv="{f(r.uniform(0.1, 9))}" ctrlrange="0 1"/>'
                continue
            if k == 'intvelocity':
                act += o + f' kp="{f(r.uniform(1, 9))}" actrange="-1 1"' + ('' if autolimits else ' actlimited="true"') + '/>'
                continue
            if k == 'cylinder':
                act += o + ' timeconst="0.5" area="0.02" bias="0 -2 -.1"/>'
                continue
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
    if joints and r.random() < 0.2:
        rest += '<sensor>' + r.choice([f'<jointpos joint="{r.choice(joints)}"/>', f'<framepos objtype="body" objname="{r.choice(bodies)}"/>', f'<jointvel name="v" joint="{r.choice(joints)}" noise=".1"/>']) + '</sensor>'
    if r.random() < 0.1:
        rest += '<custom><numeric name="n" data="1 2"/><text name="t" data="x"/></custom>'
    if r.random() < 0.1:
        rest += '<statistic extent="2"/><visual><global offwidth="800"/></visual><size memory="2M"/>'
    if r.random() < 0.2:  # the world comes from a file, and a part of it from another
        with open(f'{folder}/leaf.mjcf', 'w') as o:
            o.write('<mujocoinclude><geom name="leaf" type="box" size=".1 .1 .1" pos="3 3 3"/></mujocoinclude>')
        with open(f'{folder}/world.mjcf', 'w') as o:
            o.write(f'<mujocoinclude>{world}<include file="leaf.mjcf"/></mujocoinclude>')
        world = '<include file="world.mjcf"/>'
    more = random.Random(seed + 10**6)  # drawn apart, so that the rest of a seed stays what it was
    if more.random() < 0.2:
        with open(f'{folder}/part.xml', 'w') as o:
            o.write(f'''<mujoco model="part"><compiler angle="{more.choice(['degree', 'radian'])}"/><default><default class="arm"><joint damping="0.3" axis="0 1 0"/><geom size="0.04"/></default></default>
<worldbody><body name="root" childclass="arm" pos="{vec(more, 0.2)}"><joint name="swing" range="-0.5 0.5"/><geom/><body name="tip" pos="0.2 0 0"><joint name="turn"/><geom type="box" size=".03 .02 .01"/></body></body></worldbody>
<actuator><position name="servo" joint="swing" kp="7"/></actuator></mujoco>''')
        asset.append('<model name="part" file="part.xml"/>')
        world += f'<frame pos="{vec(more)}" euler="0 0 {f(more.uniform(-0.5, 0.5))}"><attach model="part" body="root" prefix="at_"/></frame>'
    if 'name="rope"' in rest and 'name="t0"' in rest and more.random() < 0.5:
        rest += '<equality><tendon tendon1="rope" tendon2="t0" polycoef="0.1 0.5 0 0 0"/></equality>'
    opt = r.choice(['', '<option gravity="0 0 -3" timestep="0.004"/>', '<option integrator="implicitfast"><flag contact="disable"/></option>', '<option cone="elliptic"/>'])
    return f"""<mujoco model="m{seed}">{comp}{opt}{defaults}<asset>{''.join(asset)}</asset><worldbody>{world}</worldbody>{rest}</mujoco>\n"""


def sdf(seed, folder):
    """A model as SDFormat: links on links and frames, masses with poses of their own, joints of most kinds, shapes; a second file that it may include."""
    r = random.Random(seed)
    meshes = []
    if r.random() < 0.4:
        tetra_stl(f'{folder}/m0.stl', r)
        meshes.append('m0.stl')
    serial = [0]
    mimics = r.random() < 0.3
    version = '1.11' if mimics else r.choice(['1.9', '1.9', '1.7', '1.8'])

    def pose(relative=(), p=0.7):
        if r.random() > p:
            return ''
        to = f' relative_to="{r.choice(relative)}"' if relative and r.random() < 0.5 else ''
        if version == '1.9' and r.random() < 0.2:
            return f'<pose{to} degrees="true">{vec(r)} {vec(r, 170)}</pose>'
        if version == '1.9' and r.random() < 0.2:
            q = [r.gauss(0, 1) for _ in range(4)]
            n = math.sqrt(sum(x * x for x in q))
            return f'<pose{to} rotation_format="quat_xyzw">{vec(r)} {" ".join(repr(x / n) for x in q)}</pose>'
        return f'<pose{to}>{vec(r)} {vec(r, 3)}</pose>'

    def geometry():
        k = r.choice(['box', 'sphere', 'cylinder', 'capsule', 'ellipsoid', 'mesh'] if meshes else ['box', 'sphere', 'cylinder', 'capsule', 'ellipsoid'])
        size = lambda: f(r.uniform(0.02, 0.2))
        inner = {'box': lambda: f'<size>{size()} {size()} {size()}</size>', 'sphere': lambda: f'<radius>{size()}</radius>', 'ellipsoid': lambda: f'<radii>{size()} {size()} {size()}</radii>',
                 'mesh': lambda: f'<uri>{r.choice(meshes)}</uri>' + r.choice(['', '<scale>2 2 2</scale>', '<scale>1 -1 0.5</scale>'])}.get(k, lambda: f'<radius>{size()}</radius><length>{size()}</length>')()
        return f'<geometry><{k}>{inner}</{k}></geometry>'

    def surface():
        return r.choice(['', '', '<surface><friction><ode><mu>0.7</mu><mu2>0.7</mu2></ode></friction></surface>', '<surface><friction><ode><mu>0.7</mu><mu2>0.2</mu2></ode></friction></surface>',
                         '<surface><bounce><restitution_coefficient>0.3</restitution_coefficient><threshold>1</threshold></bounce></surface>', '<surface><contact><collide_bitmask>2</collide_bitmask></contact></surface>'])

    def link(n, relative):
        o = f'<link name="{n}">{pose(relative)}'
        if r.random() < 0.8:
            m = r.choice([1, r.uniform(0.05, 9)])
            a, b, c = inertia(r, m)
            o += f'<inertial>{pose()}<mass>{f(m)}</mass><inertia><ixx>{a!r}</ixx><iyy>{b!r}</iyy><izz>{c!r}</izz><ixy>{f(0.01 * min(a, b))}</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>'
        for i in range(r.choice([0, 1, 1, 2])):
            o += f'<collision name="c{i}">{pose()}{geometry()}{surface()}</collision>'
        for i in range(r.choice([0, 1, 1])):
            o += f'<visual name="v{i}">{pose()}{geometry()}' + r.choice(['', '<material><diffuse>1 0 0 1</diffuse></material>']) + '</visual>'
        if r.random() < 0.1:
            o += r.choice(['<gravity>false</gravity>', '<kinematic>true</kinematic>', '<self_collide>true</self_collide>', '<sensor name="imu" type="imu"/>', '<sensor name="eye" type="camera"><camera><horizontal_fov>1.1</horizontal_fov><image><width>320</width><height>240</height></image><clip><near>0.1</near><far>9</far></clip></camera></sensor>'])
        return o + '</link>'

    def model(n, depth):
        text, links, frames, inner, leaders = [], [], [], [], []
        for i in range(r.randint(2, 5)):
            name = r.choice(['l{}', 'l{}', 'l-{}', 'left.l{}', 'l {}']).format(i)
            text.append(link(name, links + frames))
            links.append(name)
            if r.random() < 0.3:
                text.append(f'<frame name="f{i}" attached_to="{r.choice(links + frames)}">{pose(links + frames)}</frame>')
                frames.append(f'f{i}')
        if depth < 2 and r.random() < 0.5:
            child, names, first = model(f'n{depth}', depth + 1)
            text.append(child)
            inner += [f'n{depth}::{x}' for x in names]
            text.append(f'<joint name="hold" type="{r.choice(["fixed", "revolute"])}">{pose()}<parent>{r.choice(links)}</parent><child>n{depth}::{first}</child><axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper></limit></axis></joint>')
        everything = links + frames + inner
        for i in range(1, len(links)):
            parent = links[r.randrange(i)]
            kind = r.choice(['fixed', 'revolute', 'revolute', 'continuous', 'prismatic', 'ball', 'universal'])
            axes = ''
            for tag in [] if kind in ('fixed', 'ball') else ['axis', 'axis2'] if kind == 'universal' else ['axis']:
                xyz = ('0 0 1' if tag == 'axis' else '0 1 0') if kind == 'universal' else r.choice(['1 0 0', '0 1 0', '0 0 -1', vec(r)])
                where = '' if kind == 'universal' or r.random() < 0.6 else f' expressed_in="{r.choice(everything)}"'
                limit = f'<limit><lower>{f(-r.random())}</lower><upper>{f(r.random())}</upper>' + r.choice(['', '<effort>12</effort>', '<velocity>3</velocity>']) + '</limit>' if kind != 'continuous' else ''
                dynamics = r.choice(['', '', '<dynamics><damping>0.3</damping><friction>0.1</friction></dynamics>', '<dynamics><spring_stiffness>2</spring_stiffness><spring_reference>0.1</spring_reference></dynamics>'])
                mimic = f'<mimic joint="{r.choice(leaders)}"><multiplier>{f(r.uniform(-2, 2))}</multiplier><offset>{f(r.uniform(-1, 1))}</offset><reference>{f(r.choice([0, 0.3]))}</reference></mimic>' if mimics and leaders and kind in ('revolute', 'prismatic') and r.random() < 0.5 else ''
                axes += f'<{tag}><xyz{where}>{xyz}</xyz>{mimic}{limit}{dynamics}</{tag}>'
            if kind in ('revolute', 'prismatic') and '<mimic' not in axes:
                leaders.append(f'j{i}')
            if r.random() < 0.1:
                parent = r.choice(links[:i] + [x for x in frames if int(x[1:]) < i])
            text.append(f'<joint name="j{i}" type="{kind}">{pose(everything)}<parent>{parent}</parent><child>{links[i]}</child>{axes}</joint>')
        if depth == 0 and r.random() < 0.3:
            text.append(f'<joint name="anchor" type="fixed"><parent>world</parent><child>{links[0]}</child></joint>')
        extra = r.choice(['', '', '<self_collide>true</self_collide>', '<plugin name="p" filename="q"/>'])
        return f'<model name="{n}">{pose() if depth else ""}{"".join(text)}{extra}</model>', links + frames, links[0]

    text = model("drawn", 0)[0]
    more = random.Random(seed + 10**6)  # drawn apart, so that the rest of a seed stays what it was
    if more.random() < 0.4:
        with open(f'{folder}/part.sdf', 'w') as o:
            static = '<static>true</static>' if more.random() < 0.3 else ''
            o.write(f'<?xml version="1.0"?>\n<sdf version="1.9"><model name="part">{static}<link name="plate"><pose>{vec(more)} {vec(more, 3)}</pose><inertial><mass>0.7</mass></inertial>'
                    '<collision name="c"><geometry><box><size>0.1 0.2 0.3</size></box></geometry></collision></link><frame name="grip" attached_to="plate"><pose>0 0 0.1 0 0 0.4</pose></frame></model></sdf>\n')
        frame = '<placement_frame>grip</placement_frame>' if more.random() < 0.4 else ''
        held = '' if static else '<joint name="mount" type="fixed"><parent>l0</parent><child>brought::plate</child></joint>' if '"l0"' in text else ''
        text = text[:text.rindex('</model>')] + f'<include><uri>part.sdf</uri><name>brought</name>{frame}<pose>{vec(more)} {vec(more, 3)}</pose></include>{held}</model>'
    if more.random() < 0.1:
        text = text.replace('<model name="drawn">', '<model name="drawn"><static>true</static>', 1)
    return f'<?xml version="1.0"?>\n<sdf version="{version}">{text}</sdf>\n'
