"""Scenes of glTF drawn by chance: chains of joints in any order, with nodes between them, skins, morph targets and animations; and where the format puts their points."""
import base64
import json
import math
import random
import struct

WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def matrix(t=(0, 0, 0), q=(0, 0, 0, 1), s=(1, 1, 1)):
    """Of columns, as the format's formulas have it."""
    x, y, z, w = q
    r = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return [[r[i][j] * s[j] for j in range(3)] + [t[i]] for i in range(3)] + [[0, 0, 0, 1]]


def inverse(m):
    """Of an affine matrix."""
    a = [row[:3] for row in m[:3]]
    cross = lambda u, v: [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    det = sum(x * y for x, y in zip(a[0], cross(a[1], a[2])))
    cof = [cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])]
    inv = [[cof[j][i] / det for j in range(3)] for i in range(3)]
    t = [-sum(inv[i][k] * m[k][3] for k in range(3)) for i in range(3)]
    return [inv[i] + [t[i]] for i in range(3)] + [[0, 0, 0, 1]]


def applied(m, p):
    return [sum(m[i][k] * p[k] for k in range(3)) + m[i][3] for i in range(3)]


class Scene:
    def __init__(self, seed, skin=True, morph=True, moving=True):
        self.random = random.Random(seed)
        self.bytes, self.views, self.accessors = b"", [], []
        self.document = {"asset": {"version": "2.0"}, "nodes": [], "scenes": [{"nodes": []}], "meshes": [], "skins": []}
        self.moving, self.tracks = moving, {}
        joints = self.chain(self.random.randint(2, 6)) if skin else []
        self.joints = joints
        self.mesh(joints, self.random.randint(1, 3) if morph else 0)
        if moving:
            self.animate(joints, morph)
        self.document["buffers"] = [{"byteLength": len(self.bytes), "uri": "data:application/octet-stream;base64," + base64.b64encode(self.bytes).decode()}]
        self.document["bufferViews"], self.document["accessors"] = self.views, self.accessors
        if not self.document["skins"]:
            del self.document["skins"]

    def text(self):
        return json.dumps(self.document)

    def add(self, rows, kind, component=5126, bounds=False):
        flat = [v for row in rows for v in (row if isinstance(row, (list, tuple)) else [row])]
        data = struct.pack("<%d%s" % (len(flat), {5126: "f", 5123: "H", 5121: "B"}[component]), *flat)
        self.bytes += b"\0" * (-len(self.bytes) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        self.bytes += data
        self.accessors.append({"bufferView": len(self.views) - 1, "componentType": component, "count": len(flat) // WIDTH[kind], "type": kind})
        if bounds:
            w = WIDTH[kind]
            for word, choose in (("min", min), ("max", max)):
                self.accessors[-1][word] = [struct.unpack("<f", struct.pack("<f", choose(flat[i::w])))[0] for i in range(w)]
        return len(self.accessors) - 1

    def vector(self, size=1.0):
        return [self.random.uniform(-size, size) for _ in range(3)]

    def turn(self):
        q = [self.random.gauss(0, 1) for _ in range(4)]
        n = math.sqrt(sum(v * v for v in q))
        return [v / n for v in q]

    def node(self, parent, **more):
        node = {"translation": self.vector(), "rotation": self.turn(), **more}
        if self.random.random() < 0.3:
            node["scale"] = [self.random.uniform(0.6, 1.6)] * 3
        self.document["nodes"].append(node)
        index = len(self.document["nodes"]) - 1
        (self.document["scenes"][0]["nodes"] if parent is None else self.document["nodes"][parent].setdefault("children", [])).append(index)
        return index

    def chain(self, count):
        """Joints below one another, here and there with a node between, which is no joint."""
        joints, parent = [], self.node(None, name="above") if self.random.random() < 0.7 else None
        for i in range(count):
            if i and self.random.random() < 0.3:
                parent = self.node(parent, name="between")
            parent = self.node(parent if self.random.random() < 0.8 or not joints else joints[0], name=self.random.choice(("bone", "bone", f"limb.{i}")))
            joints.append(parent)
        return joints

    def mesh(self, joints, targets):
        points = [self.vector() for _ in range(12)]
        primitive = {"attributes": {"POSITION": self.add(points, "VEC3", bounds=True)}, "indices": self.add(list(range(12)), "SCALAR", 5123)}
        self.points, self.targets = points, []
        order = joints[:]
        self.random.shuffle(order)
        if joints:
            self.influences = []
            for _ in points:
                some = self.random.sample(range(len(order)), min(len(order), self.random.randint(1, 4)))
                weights = [self.random.random() + 0.05 for _ in some]
                self.influences.append([(j, w / sum(weights)) for j, w in zip(some, weights)])
            rows = [[*[j for j, _ in i], *[0] * (4 - len(i))] for i in self.influences]
            weights = [[*[w for _, w in i], *[0.0] * (4 - len(i))] for i in self.influences]
            primitive["attributes"].update(JOINTS_0=self.add(rows, "VEC4", 5121), WEIGHTS_0=self.add(weights, "VEC4"))
        for _ in range(targets):
            self.targets.append([self.vector(0.3) for _ in points])
            primitive.setdefault("targets", []).append({"POSITION": self.add(self.targets[-1], "VEC3", bounds=True)})
        mesh = {"name": "body", "primitives": [primitive]}
        self.rest = [round(self.random.random(), 3) for _ in range(targets)]
        if targets:
            mesh["weights"] = self.rest
        self.document["meshes"].append(mesh)
        holder = self.node(None, name="holder", mesh=0)
        self.holder = holder
        if joints:
            self.binds = [matrix(self.vector(), self.turn()) for _ in order]
            self.order = order
            self.document["nodes"][holder]["skin"] = 0
            self.document["skins"].append({"joints": order, "inverseBindMatrices": self.add([[m[r][c] for c in range(4) for r in range(4)] for m in self.binds], "MAT4")})

    def animate(self, joints, morph):
        samplers, channels = [], []
        def track(node, path, rows, kind, width=1):
            times = [0.0, 0.5, 1.5]
            how = self.random.choice(("LINEAR", "LINEAR", "STEP"))
            samplers.append({"input": self.add(times, "SCALAR", bounds=True), "output": self.add(rows, kind), "interpolation": how})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": node, "path": path}})
            self.tracks[node, path] = (times, [rows[i * width:(i + 1) * width] if width > 1 or path == "weights" else rows[i] for i in range(3)], how)
        for j in [*joints, self.holder]:
            if self.random.random() < 0.7:
                track(j, "rotation", [self.turn() for _ in range(3)], "VEC4")
            if self.random.random() < 0.5:
                track(j, "translation", [self.vector() for _ in range(3)], "VEC3")
        if morph and self.targets:
            rows = [self.random.random() for _ in range(3 * len(self.targets))]
            track(self.holder, "weights", rows, "SCALAR", len(self.targets))
        if channels:
            self.document["animations"] = [{"samplers": samplers, "channels": channels}]

    def value(self, node, path, time, otherwise):
        """At one of the keys, where no interpolation matters."""
        if (node, path) not in self.tracks:
            return otherwise
        times, rows, _ = self.tracks[node, path]
        return rows[times.index(time)]

    def local(self, node, time):
        n = self.document["nodes"][node]
        return matrix(self.value(node, "translation", time, n["translation"]), self.value(node, "rotation", time, n["rotation"]), n.get("scale", [1, 1, 1]))

    def placed(self, node, time):
        parents = {c: i for i, n in enumerate(self.document["nodes"]) for c in n.get("children", ())}
        out = self.local(node, time)
        while node in parents:
            node = parents[node]
            out = product(self.local(node, time), out)
        return out

    def points_at(self, time):
        """In metres, z up, as the stage has them."""
        weights = self.value(self.holder, "weights", time, self.rest) if self.targets else []
        out = []
        for i, p in enumerate(self.points):
            p = [p[k] + sum(w * t[i][k] for w, t in zip(weights, self.targets)) for k in range(3)]
            if self.joints:
                sum_ = [0, 0, 0]
                for j, w in self.influences[i]:
                    q = applied(product(self.placed(self.order[j], time), self.binds[j]), p)
                    sum_ = [a + w * b for a, b in zip(sum_, q)]
                p = sum_
            else:
                p = applied(self.placed(self.holder, time), p)
            out.append([p[0], -p[2], p[1]])
        return out
