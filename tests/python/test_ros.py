"""mechane.ros: what a stage says about ROS, and a live simulation that nodes connect to."""
import json
import pathlib
import sys
import xml.etree.ElementTree

import pytest

import mechane.ros as ros

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROVER = ROOT / "samples" / "gallery" / "rover.usda"
sys.path.insert(0, str(ROOT))
from tests.cli.websocket import WebSocket  # noqa: E402


def test_the_description_is_a_urdf_with_the_links_and_joints_of_the_stage():
    robot = xml.etree.ElementTree.fromstring(ros.robot_description(ROVER))
    assert robot.tag == "robot"
    assert {link.get("name") for link in robot.findall("link")} >= {"base", "left", "right", "mast"}
    assert {joint.get("name") for joint in robot.findall("joint")} >= {"left_joint", "right_joint", "shoulder"}


def test_a_stage_that_is_not_there_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        ros.robot_description(tmp_path / "gone.usda")
    with pytest.raises(FileNotFoundError):
        ros.bridge(tmp_path / "gone.usda", port=0)


def test_a_bridge_lists_its_topics_and_ends_with_its_block():
    with ros.bridge(ROVER, port=0, options=["--paused"]) as bridge:
        assert bridge.url.startswith("http://127.0.0.1:") and bridge.websocket.startswith("ws://127.0.0.1:")
        client = WebSocket(int(bridge.websocket.rsplit(":", 1)[1]), "/")
        client.say(op="call_service", service="/rosapi/topics")
        assert "/rover/cmd_vel" in json.loads(client.receive())["values"]["topics"]
        client.close()
        assert bridge.is_running()
    assert not bridge.is_running()
