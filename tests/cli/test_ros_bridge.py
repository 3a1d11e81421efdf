"""`mechane ros bridge`: rosbridge's protocol, and DDS where its package is there."""
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from tests.cli.program import PROGRAM, ROOT, mechane
from tests.cli.websocket import Refused, WebSocket

ROVER = ROOT / "samples" / "gallery" / "rover.usda"
#: An arm of 0.5 kg m^2 about z, without gravity, on a stiff drive: 20 N m/rad and 4 N m s/rad, of a stage that says nothing of ROS.
ARM = """#usda 1.0
(
    metersPerUnit = 1
    kilogramsPerUnit = 1
    upAxis = "Z"
)
def PhysicsScene "scene"
{
    float physics:gravityMagnitude = 0
}
def Xform "arm" ( prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"] )
{
    float physics:mass = 1
    point3f physics:centerOfMass = (0, 0, 0)
    float3 physics:diagonalInertia = (0.5, 0.5, 0.5)
    quatf physics:principalAxes = (1, 0, 0, 0)
    double3 xformOp:translate = (0.25, 0, 1)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def PhysicsRevoluteJoint "hinge" ( prepend apiSchemas = ["PhysicsDriveAPI:angular"] )
{
    uniform token physics:axis = "Z"
    rel physics:body1 = </arm>
    point3f physics:localPos0 = (0.25, 0, 1)
    float drive:angular:physics:stiffness = 0.349066
    float drive:angular:physics:damping = 0.0698132
}
"""


class Bridge:
    """`mechane ros bridge`, or `mechane view --ros`, on a free port."""

    def __init__(self, *arguments, env=None):
        words = [PROGRAM, *map(str, arguments)]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ, **(env or {})))
        self.page = self.process.stdout.readline().strip()
        found = re.fullmatch(r"ws://127\.0\.0\.1:(\d+)", self.process.stdout.readline().strip())
        if not found:
            self.process.kill()
            raise AssertionError(f"no address: {self.process.communicate()[1]}")
        self.port = int(found[1])

    def connect(self, **how):
        return Client(WebSocket(self.port, "/", **how))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        self.said = self.process.communicate(timeout=60)[1]


class Client:
    """A client of rosbridge's protocol."""

    def __init__(self, socket):
        self.socket, self.number = socket, 0

    def say(self, **message):
        self.socket.say(**message)

    def wait(self, accept, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            message = json.loads(self.socket.receive())
            if accept(message):
                return message
        raise AssertionError("no such message came")

    def subscribe(self, topic, kind=None, **more):
        self.say(op="subscribe", topic=topic, **({"type": kind} if kind else {}), **more)

    def message(self, topic, accept=lambda m: True):
        return self.wait(lambda m: m["op"] == "publish" and m["topic"] == topic and accept(m["msg"]))["msg"]

    def call(self, service, **args):
        self.number += 1
        self.say(op="call_service", id=f"call:{self.number}", service=service, args=args)
        answer = self.wait(lambda m: m["op"] == "service_response" and m["id"] == f"call:{self.number}")
        return answer["values"] if answer["result"] else answer

    def error(self):
        return self.wait(lambda m: m["op"] == "status" and m["level"] == "error")["msg"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def seconds(stamp):
    return stamp["sec"] + 1e-9 * stamp["nanosec"]


class Rosbridge(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        self.arm = self.root / "arm.usda"
        self.arm.write_text(ARM)

    def test_a_stage_that_says_nothing_of_ros_has_its_frames_states_clock_and_description(self):
        """The frame of the arm is where its hinge takes it: the origin of the body stays at (0.25, 0, 1), turned about z by the joint's angle."""
        with Bridge("ros", "bridge", self.arm, "--port", "0") as bridge, bridge.connect() as client:
            found = client.call("/rosapi/topics")
            self.assertEqual(dict(zip(found["topics"], found["types"])),
                             {"/clock": "rosgraph_msgs/msg/Clock", "/tf": "tf2_msgs/msg/TFMessage", "/joint_states": "sensor_msgs/msg/JointState",
                              "/robot_description": "std_msgs/msg/String", "/joint_command": "sensor_msgs/msg/JointState"})
            client.subscribe("/robot_description")
            self.assertIn('<joint name="hinge"', client.message("/robot_description")["data"])
            client.subscribe("/joint_states", "sensor_msgs/msg/JointState")
            client.subscribe("tf", "tf2_msgs/TFMessage")
            client.say(op="publish", topic="/joint_command", msg={"name": ["hinge"], "position": [0.5]})
            there = client.message("/joint_states", lambda m: abs(m["position"][0] - 0.5) < 1e-3 and abs(m["velocity"][0]) < 1e-3)
            self.assertEqual(there["name"], ["hinge"])
            transform = next(t for t in client.message("/tf", lambda m: abs(m["transforms"][0]["transform"]["rotation"]["z"] - math.sin(0.25)) < 1e-3)["transforms"])
            self.assertEqual((transform["header"]["frame_id"], transform["child_frame_id"]), ("world", "arm"))
            for axis, value in (("x", 0.25), ("y", 0), ("z", 1)):
                self.assertAlmostEqual(transform["transform"]["translation"][axis], value, places=5)
            client.subscribe("/clock")
            first = seconds(client.message("/clock")["clock"])
            self.assertGreater(seconds(client.message("/clock", lambda m: seconds(m["clock"]) > first + 0.1)["clock"]), first)

    def test_a_command_beyond_a_limit_is_obeyed_and_told_once(self):
        """As `sim` does with a target of --set: degrees taken for radians show themselves"""
        self.arm.write_text(ARM.replace("point3f physics:localPos0", "float physics:lowerLimit = -60\n    float physics:upperLimit = 60\n    point3f physics:localPos0"))
        with Bridge("ros", "bridge", self.arm, "--port", "0") as bridge, bridge.connect() as client:
            client.subscribe("/joint_states", "sensor_msgs/msg/JointState")
            for position in (0.5, 30.0, 45.0):
                client.say(op="publish", topic="/joint_command", msg={"name": ["hinge"], "position": [position]})
            client.message("/joint_states", lambda m: m["position"][0] > 0.9)  # at the stop, 60 degrees = 1.047
        self.assertEqual(bridge.said.count("RUN_TARGET_RANGE"), 1, bridge.said)
        self.assertIn("the target 30 rad = 1718.9 deg lies beyond the limit 60 deg", bridge.said)

    def test_a_twist_drives_the_wheels_as_the_law_of_rolling_says(self):
        """At v and w the base moves on a circle of v / w: after a while of v = 0.3 m/s and w = 0.6 rad/s its speed over ground is v and its turn w,
        less what tyres of 40 mm width scrub, at most width / separation = 10 %."""
        with Bridge("ros", "bridge", ROVER, "--port", "0", "--dt", "0.005") as bridge, bridge.connect() as client:
            self.assertIn("/rover/cmd_vel", client.call("/rosapi/topics")["topics"])
            client.subscribe("/rover/tf")
            places = []
            begin = None
            while begin is None or places[-1][0] < begin + 3:
                client.say(op="publish", topic="/rover/cmd_vel", msg={"linear": {"x": 0.3}, "angular": {"z": 0.6}})
                message = client.message("/rover/tf", lambda m: any(t["child_frame_id"] == "base" for t in m["transforms"]))
                one = next(t for t in message["transforms"] if t["child_frame_id"] == "base")
                place, turn = one["transform"]["translation"], one["transform"]["rotation"]
                places.append((seconds(one["header"]["stamp"]), place["x"], place["y"], 2 * math.atan2(turn["z"], turn["w"])))
                begin = begin or places[0][0]
            (t0, _, _, a0), (t1, _, _, a1) = next(p for p in places if p[0] > begin + 1.5), places[-1]
            later = [p for p in places if p[0] > begin + 1.5]
            way = sum(math.dist(p[1:3], q[1:3]) for p, q in zip(later, later[1:]))
            self.assertAlmostEqual(way / (t1 - t0), 0.3, delta=0.015)
            self.assertAlmostEqual(((a1 - a0 + math.pi) % (2 * math.pi) - math.pi) / (t1 - t0), 0.6, delta=0.06)

    def test_a_trajectory_is_a_goal_that_succeeds_at_its_last_point(self):
        with Bridge("ros", "bridge", ROVER, "--port", "0", "--dt", "0.005") as bridge, bridge.connect() as client:
            self.assertEqual(client.call("/rosapi/action_servers")["action_servers"], ["/rover/follow_joint_trajectory"])
            points = [{"positions": [0.2], "time_from_start": {"sec": 0, "nanosec": 400000000}}, {"positions": [0.6], "time_from_start": {"sec": 1, "nanosec": 0}}]
            goal = {"trajectory": {"joint_names": ["shoulder"], "points": points}}
            client.say(op="send_action_goal", id="goal:1", action="/rover/follow_joint_trajectory", action_type="control_msgs/action/FollowJointTrajectory", args=goal)
            client.say(op="subscribe", topic="/clock")
            done = client.wait(lambda m: m["op"] == "action_result")
            self.assertEqual((done["id"], done["status"], done["result"], done["values"]["error_code"]), ("goal:1", 4, True, 0))
            wrong = {"trajectory": {"joint_names": ["elbow"], "points": points}}
            client.say(op="send_action_goal", id="goal:2", action="/rover/follow_joint_trajectory", args=wrong)
            refused = client.wait(lambda m: m["op"] == "action_result")
            self.assertEqual((refused["id"], refused["status"], refused["result"]), ("goal:2", 6, False))
            self.assertIn("shoulder", refused["values"]["error_string"])
            client.say(op="send_action_goal", id="goal:3", action="/rover/follow_joint_trajectory", args=goal)
            client.say(op="cancel_action_goal", id="goal:3", action="/rover/follow_joint_trajectory")
            self.assertEqual(client.wait(lambda m: m["op"] == "action_result")["status"], 5)

    def test_what_is_wrong_is_said_and_the_connection_stays(self):
        with Bridge("ros", "bridge", self.arm, "--port", "0") as bridge, bridge.connect() as client:
            for words, part in (({"op": "subscribe", "topic": "/scan"}, "/joint_states"), ({"op": "subscribe", "topic": "/tf", "type": "std_msgs/msg/String"}, "tf2_msgs/msg/TFMessage"),
                                ({"op": "publish", "topic": "/joint_command", "msg": {"name": ["elbow"], "position": [1]}}, "elbow"), ({"op": "dance"}, "subscribe"),
                                ({"op": "publish", "topic": "/joint_command", "msg": {"name": ["hinge"], "position": ["1"]}}, "finite"),
                                ({"op": "publish", "topic": "/joint_command", "msg": {"name": ["hinge"], "velocity": [1]}}, "position"),
                                ({"op": "publish", "topic": "/joint_command", "msg": {"name": ["hinge"], "positions": [1]}}, "there is no field 'positions'"),
                                ({"op": "publish", "topic": "/joint_command"}, "object"), ({"op": "publish", "topic": "/clock", "msg": {}}, "published by")):
                client.say(**words)
                self.assertIn(part, client.error(), words)
            for text in ("", "[]", "{", "null", "[" * 20000):
                client.socket.send(text)
                client.error()
            self.assertFalse(client.call("/no_such_service")["result"])
            self.assertEqual(client.call("/rosapi/topic_type", topic="/tf")["type"], "tf2_msgs/msg/TFMessage")

    def test_pages_of_other_machines_are_refused_and_those_that_are_named_let_in(self):
        with Bridge("ros", "bridge", self.arm, "--port", "0", "--ros-origin", "https://studio.example") as bridge:
            for how in (dict(origin="http://evil.example"), dict(origin="null"), dict(origin="http://localhost.evil.example"), dict(origin="http://localhost:1.evil.example"), dict(host="evil.example"),
                        dict(host=f"evil.example:{bridge.port}")):
                with self.assertRaises(Refused, msg=how) as refused:
                    bridge.connect(**how)
                self.assertEqual(refused.exception.args[0], 403)
            for origin in (None, "http://localhost:8000", "http://127.0.0.1", "https://studio.example"):
                with bridge.connect(origin=origin) as client:
                    client.call("/rosapi/nodes")
            listening = [line.split()[1] for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:] if line.split()[3] == "0A" and line.split()[1].endswith(f":{bridge.port:04X}")]
            self.assertEqual(listening, [f"0100007F:{bridge.port:04X}"])

    def test_simulations_are_paused_stepped_and_reset_by_their_services(self):
        with Bridge("ros", "bridge", self.arm, "--port", "0", "--dt", "0.01") as bridge, bridge.connect() as client:
            client.subscribe("/clock")
            client.message("/clock", lambda m: seconds(m["clock"]) > 0.2)
            self.assertEqual(client.call("/set_simulation_state", state={"state": 2})["result"]["result"], 1)
            client.call("/reset_simulation")
            client.message("/clock", lambda m: seconds(m["clock"]) == 0)
            self.assertEqual(client.call("/get_simulation_state")["state"]["state"], 2)
            client.call("/step_simulation", steps=5)
            self.assertAlmostEqual(seconds(client.message("/clock", lambda m: seconds(m["clock"]) > 0.045)["clock"]), 0.05)
            for steps in (0, -1, 1001, 1.5, "2", None):
                self.assertEqual(client.call("/step_simulation", steps=steps)["result"]["result"], 4)  # OPERATION_FAILED

    def test_states_of_the_simulation_answer_as_simulation_interfaces_says(self):
        """Result: FEATURE_UNSUPPORTED 0, OK 1, INCORRECT_STATE 3, OPERATION_FAILED 4; SetSimulationState: ALREADY_IN_TARGET_STATE 101."""
        with Bridge("ros", "bridge", self.arm, "--port", "0", "--dt", "0.01") as bridge, bridge.connect() as client:
            def state():
                return client.call("/get_simulation_state")["state"]["state"]

            def set_state(wanted):
                return client.call("/set_simulation_state", state={"state": wanted})["result"]["result"]

            client.subscribe("/clock")
            client.message("/clock", lambda m: seconds(m["clock"]) > 0.05)
            self.assertEqual((state(), set_state(1)), (1, 101))
            refused = client.call("/step_simulation", steps=5)["result"]
            self.assertEqual(refused["result"], 3)
            self.assertIn("paused", refused["error_message"])
            self.assertEqual((set_state(2), state(), set_state(2)), (1, 2, 101))
            self.assertEqual(client.call("/step_simulation", steps=2)["result"]["result"], 1)
            self.assertEqual((set_state(0), state(), set_state(0)), (1, 0, 101))
            for _ in range(5):  # it stays so
                self.assertEqual(state(), 0)
            self.assertEqual(client.call("/step_simulation", steps=5)["result"]["result"], 3)
            self.assertEqual((set_state(7), set_state("x")), (0, 4))
            self.assertEqual(client.call("/reset_simulation", scope=1)["result"]["result"], 0)
            self.assertEqual(client.call("/reset_simulation", scope=255)["result"]["result"], 1)
            self.assertEqual((set_state(1), state()), (1, 1))

    def test_what_was_driven_is_in_the_recording_and_proved(self):
        out = self.root / "run.mrec"
        with Bridge("view", ROVER, "--no-browser", "--ros", "0", "--dt", "0.005", "--record", out) as bridge, bridge.connect() as client:
            client.subscribe("/clock")
            for _ in range(20):
                client.say(op="publish", topic="/rover/cmd_vel", msg={"linear": {"x": 0.4}, "angular": {"z": 0.5}})
                client.message("/clock")
        done = mechane("replay", out, "--verify")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_recording_of_messages_has_them_too(self):
        out = self.root / "run.mcap"
        done = mechane("sim", self.arm, "--duration", "0.5s", "-o", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("RUN_CHANNEL_SILENT", done.stderr)
        content = out.read_bytes()
        self.assertIn(b"/joint_states", content)
        self.assertIn(b"tf2_msgs/msg/TFMessage", content)


#: A node of ROS 2 in another process, with types of its own: hears /joint_states, and says where the hinge is to go until it is there.
NODE = """
import sys, time
from dataclasses import dataclass
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import float64, int32, sequence, uint32
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

@dataclass
class Time_(IdlStruct, typename="builtin_interfaces.msg.dds_.Time_"):
    sec: int32
    nanosec: uint32

@dataclass
class Header_(IdlStruct, typename="std_msgs.msg.dds_.Header_"):
    stamp: Time_
    frame_id: str

@dataclass
class JointState_(IdlStruct, typename="sensor_msgs.msg.dds_.JointState_"):
    header: Header_
    name: sequence[str]
    position: sequence[float64]
    velocity: sequence[float64]
    effort: sequence[float64]

node = DomainParticipant(int(sys.argv[1]))
heard = DataReader(node, Topic(node, "rt/joint_states", JointState_))
said = DataWriter(node, Topic(node, "rt/joint_command", JointState_))
for _ in range(4000):  # as often as it takes to find each other; a busy machine only needs more of them
    said.write(JointState_(Header_(Time_(0, 0), ""), ["hinge"], [0.5], [], []))
    for state in heard.take(N=100):
        if state.name == ["hinge"] and abs(state.position[0] - 0.5) < 1e-3:
            print("there")
            sys.exit(0)
    time.sleep(0.05)
sys.exit(1)
"""


def python_with_dds():
    """MECHANE_TEST_DDS_PYTHON, else the interpreter of the tests, where it has the package."""
    for name in (os.environ.get("MECHANE_TEST_DDS_PYTHON"), sys.executable, shutil.which("python3")):
        if name and subprocess.run([name, "-c", "import cyclonedds.domain"], capture_output=True).returncode == 0:
            return name
    return None


class Dds(unittest.TestCase):
    def test_without_its_package_the_exit_status_is_6(self):
        with tempfile.TemporaryDirectory() as folder:
            arm = pathlib.Path(folder) / "arm.usda"
            arm.write_text(ARM)
            empty = pathlib.Path(folder) / "python"
            empty.write_text("#!/bin/sh\nexec /usr/bin/env python3 -S -I \"$@\"\n")
            empty.chmod(0o755)
            done = subprocess.run([PROGRAM, "ros", "bridge", arm, "--port", "0", "--dds"], capture_output=True, text=True, timeout=60, env=dict(os.environ, MECHANE_PYTHON=str(empty)))
            self.assertEqual(done.returncode, 6, done.stderr)
            self.assertIn("VIEW_DDS", done.stderr)
            self.assertIn("pip install cyclonedds", done.stderr)

    def test_a_node_in_another_process_hears_states_and_moves_a_joint(self):
        python = python_with_dds()
        if python is None:
            self.skipTest("no Python with cyclonedds")
        with tempfile.TemporaryDirectory() as folder:
            arm = pathlib.Path(folder) / "arm.usda"
            arm.write_text(ARM)
            domain = str(100 + os.getpid() % 100)
            with Bridge("ros", "bridge", arm, "--port", "0", "--dds", env={"MECHANE_PYTHON": python, "ROS_DOMAIN_ID": domain}):
                done = subprocess.run([python, "-c", NODE, domain], capture_output=True, text=True, timeout=120)
            self.assertEqual((done.returncode, done.stdout.strip()), (0, "there"), done.stderr)

    def test_a_domain_that_is_none_is_refused(self):
        done = subprocess.run([PROGRAM, "ros", "bridge", ROVER, "--port", "0", "--dds"], capture_output=True, text=True, timeout=60, env=dict(os.environ, ROS_DOMAIN_ID="300"))
        self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    unittest.main()
