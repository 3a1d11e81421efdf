"""mechane sim -o run.mcap: what a simulator that follows REP-0158 would publish, without ROS installed (GAP-067)."""
import ctypes
import json
import math
import os
import struct
import tempfile
import unittest
import zlib

from tests.cli.program import mechane


def topic(name, kind, more=""):
    return f"""
        def Xform "{name}" (
            prepend apiSchemas = ["RosTopicAPI"]
        )
        {{
            string ros:topic:name = "{name}"
            double ros:topic:publish_rate = 10
            token ros:topic:role = "publisher"
            string ros:topic:type = "{kind}"
            {more}
        }}
"""


# A pendulum on a base that is fixed to the world, and a loose box; one interface depends on a variant.
ROBOT = """#usda 1.0
(
    defaultPrim = "hall"
    metersPerUnit = 1
    upAxis = "Z"
)

def Xform "hall"
{
    def Xform "robot" (
        prepend apiSchemas = ["RosContextAPI"]
        prepend variantSets = "sensor"
        variants = {
            string sensor = "lidar"
        }
    )
    {
        string ros:context:namespace = "robot_1"
        double3 xformOp:translate = (1, 2, 0)
        uniform token[] xformOpOrder = ["xformOp:translate"]

        def Xform "base" (
            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        )
        {
            float physics:mass = 1
            double3 xformOp:translate = (0, 0, 1)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }

        def Xform "arm" (
            prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
        )
        {
            point3f physics:centerOfMass = (0.5, 0, 0)
            float3 physics:diagonalInertia = (0.01, 0.01, 0.01)
            float physics:mass = 1
            double3 xformOp:translate = (0, 0, 1)
            uniform token[] xformOpOrder = ["xformOp:translate"]

            def Xform "tip" (
                prepend apiSchemas = ["RosFrameAPI"]
            )
            {
                double3 xformOp:translate = (0.75, 0, 0)
                uniform token[] xformOpOrder = ["xformOp:translate"]
            }
        }

        def PhysicsFixedJoint "anchor" (
            prepend apiSchemas = ["PhysicsArticulationRootAPI"]
        )
        {
            rel physics:body1 = </hall/robot/base>
            point3f physics:localPos0 = (1, 2, 1)
        }

        def PhysicsRevoluteJoint "hinge"
        {
            uniform token physics:axis = "Y"
            rel physics:body0 = </hall/robot/base>
            rel physics:body1 = </hall/robot/arm>
            custom string ros:joint:name = "shoulder"
        }
""" + topic("joint_states", "sensor_msgs/msg/JointState") + topic("odd", "nosuch_msgs/msg/X") + topic(
    "late", "std_msgs/msg/Bool", "bool ros:topic:starts_enabled = 0") + """
        variantSet "sensor" = {
            "lidar" {""" + topic("scan", "sensor_msgs/msg/LaserScan") + """
            }
            "none" {
            }
        }
    }

    def Cube "box" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"]
    )
    {
        double size = 0.1
        double3 xformOp:translate = (5, 0, 3)
        uniform token[] xformOpOrder = ["xformOp:translate"]
    }
}
"""


class Cursor:
    """Reads little-endian values; `align` as CDR does, from the end of its header."""

    def __init__(self, data, at=0, align=False):
        self.data, self.at, self.align = data, at, align

    def take(self, form):
        size = struct.calcsize("<" + form)
        if self.align:
            self.at += -(self.at - 4) % size
        value = struct.unpack_from("<" + form, self.data, self.at)[0]
        self.at += size
        return value

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def text(self):
        return self.bytes(self.take("I")).rstrip(b"\0").decode()


def unpacked(compression, data, size):
    """Bytes of a chunk, by the library that the program links too."""
    if compression == "":
        return data
    assert compression == "zstd"
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    out = ctypes.create_string_buffer(size)
    assert zstd.ZSTD_decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data))) == size
    return out.raw


def records(data, begin=0):
    """(place, opcode, content) of one record after the other."""
    at = begin
    while at < len(data):
        size = struct.unpack_from("<Q", data, at + 1)[0]
        yield at, data[at], data[at + 9:at + 9 + size]
        at += 9 + size


def read_mcap(path):
    """({id: (topic, schema, metadata)}, [(topic, time in s, data)]) of a file. Chunks, indices, sums and summary must say the same."""
    with open(path, "rb") as file:
        data = file.read()
    magic = b"\x89MCAP0\r\n"
    assert data.startswith(magic) and data.endswith(magic)
    schemas, channels, messages, again, chunks, ended = {}, {}, [], {}, {}, False
    lengths, groups = {}, {}

    def definition(opcode, c):
        if opcode == 0x03:
            number = c.take("H")
            schemas[number] = (c.text(), c.text(), c.text())
        elif opcode == 0x04:
            number, schema, name, encoding = c.take("H"), c.take("H"), c.text(), c.text()
            assert encoding == "cdr"
            end = c.take("I") + c.at
            about = {}
            while c.at < end:
                key = c.text()
                about[key] = c.text()
            (again if ended else channels)[number] = (name, schemas[schema], about)

    summary = None
    for place, opcode, content in records(data[:-len(magic)], len(magic)):
        c = Cursor(content)
        lengths[place] = 9 + len(content)
        groups.setdefault(opcode, []).append(place)
        if opcode == 0x01:
            assert c.text() == "ros2"
        elif opcode in (0x03, 0x04):
            definition(opcode, c)
        elif opcode == 0x06:
            first, last, size, crc, compression = c.take("Q"), c.take("Q"), c.take("Q"), c.take("I"), c.text()
            inside = unpacked(compression, c.bytes(c.take("Q")), size)
            assert zlib.crc32(inside) == crc
            chunks[place] = {"first": first, "last": last, "offsets": {}, "places": {}}
            for at, kind, record in records(inside):
                m = Cursor(record)
                definition(kind, m)
                if kind == 0x05:
                    number, _, time = m.take("H"), m.take("I"), m.take("Q")
                    m.take("Q")
                    assert first <= time <= last
                    chunks[place]["places"].setdefault(number, []).append((time, at))
                    messages.append((channels[number][0], time / 1e9, m.data[m.at:]))
        elif opcode == 0x07:
            number, end = c.take("H"), c.take("I") + c.at
            entries = []
            while c.at < end:
                entries.append((c.take("Q"), c.take("Q")))
            chunk = chunks[max(p for p in chunks if p < place)]
            assert entries == chunk["places"][number]
            chunk["offsets"][number] = place
        elif opcode == 0x08:
            first, last, start, size = c.take("Q"), c.take("Q"), c.take("Q"), c.take("Q")
            chunk = chunks[start]
            assert (first, last, size) == (chunk["first"], chunk["last"], lengths[start])
            end = c.take("I") + c.at
            offsets = {}
            while c.at < end:
                number = c.take("H")
                offsets[number] = c.take("Q")
            assert offsets == chunk["offsets"]
        elif opcode == 0x0F:
            assert c.take("I") == zlib.crc32(data[:place])
            ended, summary = True, place + lengths[place]
        elif opcode == 0x0B:
            assert c.take("Q") == len(messages)
        elif opcode == 0x0E:
            kind, start, size = c.take("B"), c.take("Q"), c.take("Q")
            there = [p for p in groups[kind] if p >= summary]
            assert (start, start + size) == (there[0], there[-1] + lengths[there[-1]])
        elif opcode == 0x02:
            start, offsets, crc = c.take("Q"), c.take("Q"), c.take("I")
            assert start == summary and offsets == groups[0x0E][0] and crc == zlib.crc32(data[start:place + 9 + 16])
    assert again == channels and len(chunks) == len(groups.get(0x08, []))
    return channels, messages


def transforms(data):
    c = Cursor(data, 4, align=True)
    found = {}
    for _ in range(c.take("I")):
        c.take("i"), c.take("I")
        parent, child = c.text(), c.text()
        found[child] = (parent, [c.take("d") for _ in range(7)])
    return found


def joint_states(data):
    c = Cursor(data, 4, align=True)
    c.take("i"), c.take("I"), c.text()
    names = [c.text() for _ in range(c.take("I"))]
    return names, *([c.take("d") for _ in range(c.take("I"))] for _ in range(3))


class Publish(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.stage = os.path.join(self.folder.name, "hall.usda")
        with open(self.stage, "w", encoding="utf-8") as file:
            file.write(ROBOT)

    def run_for(self, *arguments):
        out = os.path.join(self.folder.name, "run.mcap")
        done = mechane("sim", self.stage, "--dt", "0.01", "--frames", "100", "-o", out, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return *read_mcap(out), done.stderr

    def topics(self, channels):
        return sorted(name for name, _, _ in channels.values())

    def test_channels_are_those_of_the_enabled_publishers(self):
        """(REP-2.1.1-i, 2.3-b, 2.3-d, 2.7-d) The unknown type is absent and warned of, the disabled one absent."""
        channels, messages, said = self.run_for()
        self.assertEqual(self.topics(channels), ["/robot_1/joint_states", "/robot_1/scan", "/robot_1/tf", "/robot_1/tf_static"])
        self.assertEqual(said.count("ROS_TYPE_UNKNOWN"), 1, said)
        about = {name: (schema[0], metadata) for name, schema, metadata in channels.values()}
        self.assertEqual(about["/robot_1/scan"][0], "sensor_msgs/msg/LaserScan")
        self.assertEqual(about["/robot_1/scan"][1]["publish_rate"], "10")
        self.assertIn("reliability: best_effort", about["/robot_1/scan"][1]["offered_qos_profiles"])
        self.assertIn("durability: transient_local", about["/robot_1/tf_static"][1]["offered_qos_profiles"])
        self.assertFalse([name for name, _, _ in messages if name == "/robot_1/scan"])  # no sensor is simulated
        listed = json.loads(mechane("ros", "channels", self.stage, "--json").stdout)["channels"]
        self.assertEqual(sorted(c["topic"] for c in listed), self.topics(channels))

    def test_channels_without_a_message_are_named_with_the_reason(self):
        """(REP-2.3-b) One finding for all: no sensor is simulated, and one publisher is off whenever it is due."""
        _, _, said = self.run_for()
        self.assertEqual(said.count("RUN_CHANNEL_SILENT"), 1, said)
        self.assertIn("/robot_1/scan (Mechane makes no sensor_msgs/msg/LaserScan)", said)
        self.assertNotIn("/robot_1/joint_states (", said)
        off = os.path.join(self.folder.name, "off.usda")
        with open(off, "w", encoding="utf-8") as file:
            file.write(self.BARE + topic("late", "sensor_msgs/msg/JointState", "bool ros:topic:starts_enabled = 0"))
        done = mechane("sim", off, "--frames", "2", "-o", os.path.join(self.folder.name, "off.mcap"))
        self.assertIn("the file has no message", done.stderr)

    BARE = '#usda 1.0\n(\n    metersPerUnit = 1\n)\ndef Sphere "ball" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsCollisionAPI"])\n{\n}\n'

    def test_a_stage_that_declares_nothing_has_the_frames_of_its_bodies(self):
        bare = os.path.join(self.folder.name, "bare.usda")
        with open(bare, "w", encoding="utf-8") as file:
            file.write(self.BARE)
        out = os.path.join(self.folder.name, "bare.mcap")
        done = mechane("sim", bare, "--frames", "2", "-o", out)
        self.assertNotIn("RUN_CHANNEL_SILENT", done.stderr)
        channels, messages = read_mcap(out)[:2]
        self.assertEqual(self.topics(channels), ["/tf"])
        self.assertEqual([name for name, _, _ in messages], ["/tf"] * 3)

    def test_particles_are_a_cloud_of_points(self):
        """The points of a cloth and their velocities, at 50 Hz in the frame "world"; each falls by g t (g + 1/2 steps) while nothing holds it."""
        stage = os.path.join(self.folder.name, "cloth.usda")
        with open(stage, "w", encoding="utf-8") as file:
            file.write("""#usda 1.0
(
    metersPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene"
{
}
def Mesh "cloth" (prepend apiSchemas = ["PhysicsDeformableBodyAPI", "PhysicsSurfaceDeformableSimAPI"])
{
    point3f[] points = [(0, 0, 2), (0.5, 0, 2), (0.5, 0.5, 2), (0, 0.5, 2)]
    int[] faceVertexCounts = [4]
    int[] faceVertexIndices = [0, 1, 2, 3]
}
""")
        out = os.path.join(self.folder.name, "cloth.mcap")
        done = mechane("sim", stage, "--dt", "0.01", "--substeps", "1", "--frames", "10", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        channels, messages = read_mcap(out)[:2]
        self.assertEqual(self.topics(channels), ["/particles"])
        self.assertEqual([schema[0] for _, schema, _ in channels.values()], ["sensor_msgs/msg/PointCloud2"])
        self.assertEqual([round(time, 6) for _, time, _ in messages], [0, 0.02, 0.04, 0.06, 0.08, 0.1])
        for _, time, data in messages:
            c = Cursor(data, 4, align=True)
            c.take("i"), c.take("I")
            self.assertEqual(c.text(), "world")
            self.assertEqual((c.take("I"), c.take("I")), (1, 4))
            fields = [(c.text(), c.take("I"), c.take("B"), c.take("I")) for _ in range(c.take("I"))]
            self.assertEqual(fields, [(name, 4 * i, 7, 1) for i, name in enumerate(("x", "y", "z", "vx", "vy", "vz"))])
            self.assertEqual((c.take("B"), c.take("I"), c.take("I"), c.take("I")), (0, 24, 96, 96))
            points = [[c.take("f") for _ in range(6)] for _ in range(4)]
            self.assertEqual(c.take("B"), 1)
            steps = round(time / 0.01)
            for x, y, z, vx, vy, vz in points:
                self.assertAlmostEqual(vz, -9.81 * time, places=4)
                self.assertAlmostEqual(z, 2 - 9.81 * 1e-4 * steps * (steps + 1) / 2, places=5)
                self.assertLess(abs(vx) + abs(vy), 1e-6)

    def test_a_publisher_that_starts_disabled_is_switched_on(self):
        channels, _, _ = self.run_for("--enable", "/robot_1/late@0.5")
        self.assertIn("/robot_1/late", self.topics(channels))
        _, messages, _ = self.run_for("--disable", "/hall/robot/joint_states@0.45")
        times = [time for name, time, _ in messages if name == "/robot_1/joint_states"]
        self.assertEqual(len(times), 5)  # 0, 0.1, ... 0.4
        self.assertEqual(mechane("sim", self.stage, "--frames", "1", "-o", "/dev/null", "--enable", "x@soon").returncode, 2)

    def test_another_variant_has_other_interfaces(self):
        """(REP-1.2.4-e)"""
        channels, _, _ = self.run_for("--variant", "/hall/robot{sensor=none}")
        self.assertNotIn("/robot_1/scan", self.topics(channels))

    def test_joint_states_have_effective_names_and_come_at_their_rate(self):
        """(REP-2.10-d) A pendulum that starts level: it falls, so the angle about Y grows from zero."""
        _, messages, _ = self.run_for()
        states = [(time, *joint_states(data)) for name, time, data in messages if name == "/robot_1/joint_states"]
        for index, (time, names, position, velocity, effort) in enumerate(states):
            self.assertAlmostEqual(time, 0.1 * index, places=9)
            self.assertEqual((names, effort), (["shoulder"], []))
        self.assertEqual(len(states), 11)
        self.assertEqual(states[0][2:4], ([0.0], [0.0]))
        self.assertGreater(states[1][2][0], 0.01)

    def test_joint_states_are_those_of_the_joints_below_the_context(self):
        """(REP-0158 1.3, 2.1, 2.2) A tree comes from relationships: where a joint stands does not matter, nor which end is body0; the child body's context does."""
        def link(name, inside=""):
            return f"""
            def Xform "{name}" (
                prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]
            )
            {{
                float physics:mass = 1
                {inside}
            }}
"""

        def joint(name, first, second):
            return f"""
            def PhysicsRevoluteJoint "{name}"
            {{
                rel physics:body0 = <{first}>
                rel physics:body1 = <{second}>
            }}
"""

        def gripper(side):
            return f"""
        def Xform "{side}" (
            prepend apiSchemas = ["RosContextAPI"]
        )
        {{
            string ros:context:namespace = "{side}"
            {link("palm") + link("finger") + topic("states", "sensor_msgs/msg/JointState")}
        }}
"""
        robot = ROBOT.split("def Xform \"hall\"", 1)[0] + """def Xform "robot" (
    prepend apiSchemas = ["RosContextAPI"]
)
{
    string ros:context:namespace = "r"
""" + link("base") + gripper("left") + gripper("right") + topic("states", "sensor_msgs/msg/JointState") + """
        def Scope "Joints"
        {
            def PhysicsFixedJoint "anchor" (
                prepend apiSchemas = ["PhysicsArticulationRootAPI"]
            )
            {
                rel physics:body1 = </robot/base>
            }
""" + joint("left_wrist", "/robot/base", "/robot/left/palm") + joint("right_wrist", "/robot/right/palm", "/robot/base") + joint(
            "left_finger", "/robot/left/palm", "/robot/left/finger") + joint("right_finger", "/robot/right/finger", "/robot/right/palm") + """
        }
}
"""
        self.stage = os.path.join(self.folder.name, "grippers.usda")
        with open(self.stage, "w", encoding="utf-8") as file:
            file.write(robot.replace('defaultPrim = "hall"', 'defaultPrim = "robot"'))
        _, messages, _ = self.run_for()
        names = {name: sorted(joint_states(data)[0]) for name, _, data in messages if name.endswith("/states")}
        self.assertEqual(names, {"/r/states": ["left_finger", "left_wrist", "right_finger", "right_wrist"], "/r/left/states": ["left_finger", "left_wrist"],
                                 "/r/right/states": ["right_finger", "right_wrist"]})

    def test_text_says_how_an_interface_is_offered(self):
        """(REP-0158 2.1, 2.3, 2.4, 2.7) Domain, frame, quality of service, and whether it starts."""
        with open(self.stage, "w", encoding="utf-8") as file:
            file.write(ROBOT.replace('string ros:context:namespace = "robot_1"', 'string ros:context:namespace = "robot_1"\n        int ros:context:domain_id = 7')
                       .replace("bool ros:topic:starts_enabled = 0", 'bool ros:topic:starts_enabled = 0\ntoken ros:topic:qos:durability = "transient_local"\ntoken ros:topic:qos:history = "keep_last"\nint ros:topic:qos:depth = 3'))
        lines = mechane("ros", "interfaces", self.stage).stdout.splitlines()
        how = next(after for line, after in zip(lines, lines[1:]) if "/robot_1/late" in line)
        for word in ("10 Hz", "frame robot", "domain 7", "qos transient_local keep_last 3", "starts disabled"):
            self.assertIn(word, how)
        published = mechane("ros", "channels", self.stage).stdout
        static = next(line for line in published.splitlines() if "tf_static" in line)
        for word in ("reliable", "transient_local", "keep_last 1", "domain 7"):
            self.assertIn(word, static)

    def test_transforms_are_those_of_the_robot_alone(self):
        """(REP-2.7-a, REP-2.7-b, REP-2.7-c) The box is in none; static frames come once; values are relative poses in metres."""
        _, messages, _ = self.run_for()
        static = [transforms(data) for name, _, data in messages if name == "/robot_1/tf_static"]
        moving = [transforms(data) for name, _, data in messages if name == "/robot_1/tf"]
        self.assertEqual(len(static), 1)
        self.assertEqual(len(moving), 101)
        self.assertEqual(set(static[0]), {"robot", "base", "tip"})
        self.assertEqual(static[0]["robot"][0], "world")
        for got, wanted in zip(static[0]["robot"][1], [1, 2, 0, 0, 0, 0, 1]):
            self.assertAlmostEqual(got, wanted, places=6)
        self.assertEqual(static[0]["base"][0], "robot")
        self.assertEqual(static[0]["tip"][0], "arm")
        for got, wanted in zip(static[0]["tip"][1], [0.75, 0, 0, 0, 0, 0, 1]):
            self.assertAlmostEqual(got, wanted, places=6)
        for step in moving:
            self.assertEqual(set(step), {"arm"})
            self.assertEqual(step["arm"][0], "base")
            self.assertAlmostEqual(math.sqrt(sum(x * x for x in step["arm"][1][3:])), 1, places=6)
        # The hinge turns the arm about Y; the joint's angle is twice the quaternion's.
        _, _, position, _, _ = [(time, *joint_states(data)) for name, time, data in messages if name == "/robot_1/joint_states"][10]
        turned = moving[100]["arm"][1]
        self.assertAlmostEqual(2 * math.atan2(turned[4], turned[6]) % (2 * math.pi), position[0] % (2 * math.pi), places=3)


if __name__ == "__main__":
    unittest.main()
